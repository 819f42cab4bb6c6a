"""Prints a verification: its causes of failure, a table by rule, an explanation of each cause, and the counts."""

from reactivestreams.cli.output import Output
from reactivestreams.drawing.xml_text import xml_safe
from reactivestreams.tck.kit.edition import Edition, rules_of
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.verdict import Outcome

__all__ = ["show"]

HEADINGS = ("rule", "outcome", "passed", "failed", "skipped", "what it says")
STYLES: dict[Outcome | None, str] = {
    Outcome.PASS: "green",
    Outcome.FAIL: "bold red",
    Outcome.SKIP: "yellow",
    None: "",
}
SET_UP = "whether the kit and the subject understand each other"
_MOST_CHARACTERS = 68


def show(report: Report, output: Output, *, is_verbose: bool) -> None:
    """Print a report.

    Args:
        report: The report.
        output: The output.
        is_verbose: Whether to explain every failure, not only the clearest of each cause, and every skipped check.
    """
    _causes(report, output)
    _table(report, output)
    for cause in report.causes:
        for verdict in cause.failures if is_verbose else (cause.chief,):
            output.line()
            output.line(xml_safe(verdict.headline), style="bold red")
            for title, lines in report.explanation(verdict).items():
                output.line(f"{title}:", style="bold")
                for line in lines:
                    _explain(title, xml_safe(line), output)
        others = len(cause.failures) - 1
        if others and not is_verbose:
            output.line(f"so {'fails' if others == 1 else 'fail'} {_checks(others, 'other')}, which --verbose explains")
    _skipped(report, output, is_verbose=is_verbose)
    output.line()
    if report.threads_left:
        output.line(f"threads still running after the last check: {xml_safe(', '.join(report.threads_left))}")
    output.line(xml_safe(_conclusion(report)), style=STYLES[Outcome.PASS if report.is_success else Outcome.FAIL])


def _explain(title: str, line: str, output: Output) -> None:
    if title == "run it again":
        output.command(line)
    else:
        text = line.lstrip()
        output.line(text, indent=2 + len(line) - len(text))


def _table(report: Report, output: Output) -> None:
    rules = rules_of(Edition(report.edition))
    rows: list[list[str]] = []
    styles: list[str | None] = []
    for id, verdicts in report.by_rule().items():
        outcome = report.outcome_of(id)
        counts = [str(sum(verdict.outcome is each for verdict in verdicts)) for each in Outcome]
        text = rules[id].text if id in rules else SET_UP
        text = text if output.is_rich else _cut(text)
        rows.append([id or "set-up", outcome.value if outcome else "", *counts, text])
        styles.append(STYLES[outcome])
    output.table(HEADINGS, rows, styles=styles)


def _causes(report: Report, output: Output) -> None:
    if not report.causes:
        return
    output.line(f"{report.counted_causes()}:", style="bold")
    for cause in report.causes:
        seen = _cut(xml_safe(cause.chief.short_message))
        rules = ", ".join(f"§{rule}" for rule in cause.rules) or "set-up"
        output.line(f"{seen}  [{_checks(len(cause.failures))}: {rules}]", indent=2)
    output.line()


def _checks(count: int, adjective: str = "") -> str:
    noun = f"{adjective} check".strip()
    return f"{count} {noun}{'s' * (count != 1)}"


def _skipped(report: Report, output: Output, *, is_verbose: bool) -> None:
    if not report.skipped:
        return
    output.line()
    if not is_verbose:
        count = len(report.skipped)
        output.line(f"{count} {'check was' if count == 1 else 'checks were'} skipped; --verbose tells why")
        return
    output.line("skipped:", style="bold")
    for verdict in report.skipped:
        output.line(verdict.check, indent=2)
        output.line(xml_safe(verdict.message), indent=6)


def _conclusion(report: Report) -> str:
    if report.is_success:
        return f"passed  {report.summary()}"
    if report.failed:
        return f"FAILED  {report.summary()}"
    return f"FAILED  {report.summary()}: nothing was judged"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."
