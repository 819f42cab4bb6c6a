"""The report as a page: one HTML file without external references, so that it opens offline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reactivestreams.drawing.xml_text import xml_safe
from reactivestreams.errors import MissingExtraError
from reactivestreams.spec.rules import Rule
from reactivestreams.tck.kit.edition import Edition, rules_of
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.timeline import Timeline
from reactivestreams.tck.kit.verdict import Outcome, Verdict
from reactivestreams.tck.reports.sequence_picture import THREAD_COLORS, sequence_picture

__all__ = ["render", "require_template_engine"]

WIDE_PIXELS = 920
NARROW_PIXELS = 314
"""The widths of the two drawings of a timeline; the style sheet shows one of them."""

CHAPTERS = {1: "Publisher", 2: "Subscriber", 3: "Subscription", 4: "Processor"}
DRAWN = "what happened"
CHIEF = "The clearest failure of each cause"
OTHERS = "Failed as well, from the same causes"


@dataclass(frozen=True, slots=True)
class Picture:
    """A timeline in all its forms; only as text for a failure that repeats another one.

    Attributes:
        wide: SVG for a wide screen, or empty.
        narrow: SVG for a narrow one, or empty.
        text: The same as lines of text.
        threads: The threads, each with its number and the class of its color.
    """

    wide: str
    narrow: str
    text: tuple[str, ...]
    threads: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class RuleRow:
    """The part of the page for one rule; `rule` is None for the set-up."""

    rule: Rule | None
    outcome: Outcome | None
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the page for one verification.

    Attributes:
        id: The prefix of every id in the section.
        report: The verification.
        rows: Its rules, the set-up first if there was one.
        pictures: The timeline of each failed check, by its name.
    """

    id: str
    report: Report
    rows: tuple[RuleRow, ...]
    pictures: Mapping[str, Picture]

    @property
    def outcome(self) -> Outcome:
        """The outcome of the verification."""
        return Outcome.PASS if self.report.is_success else Outcome.FAIL

    @property
    def chapters(self) -> list[tuple[str, list[RuleRow]]]:
        """The rules for the matrix, by chapter."""
        return [
            (name, [row for row in self.rows if row.rule is not None and row.rule.chapter == chapter])
            for chapter, name in CHAPTERS.items()
        ]

    @property
    def failures(self) -> list[tuple[str, list[Verdict]]]:
        """The failures under their headings: first the clearest one of each cause."""
        chief = [cause.chief for cause in self.report.causes]
        others = [verdict for verdict in self.report.failed if verdict not in chief]
        return [(heading, verdicts) for heading, verdicts in ((CHIEF, chief), (OTHERS, others)) if verdicts]

    @property
    def broken(self) -> list[RuleRow]:
        """The rows of the rules that were found broken."""
        return [row for row in self.rows if row.outcome is Outcome.FAIL]


def require_template_engine() -> None:
    """Raise if the page cannot be made, before any work is done for it.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    MissingExtraError.unless_installed("jinja2", extra="tck", purpose="the HTML report")


def render(reports: Sequence[Report], *, made: datetime) -> str:
    """Return the page. Every text of a subject is escaped.

    Args:
        reports: The reports.
        made: The time of the verifications, with a time zone.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    require_template_engine()
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("reactivestreams.tck.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_writable,
    )
    environment.filters["svg"] = Markup
    environment.filters["code"] = _with_code
    page: str = environment.get_template("verification.html.j2").render(
        sections=[_section(index, report) for index, report in enumerate(reports)],
        is_success=bool(reports) and all(report.is_success for report in reports),
        outcomes={Outcome.PASS: "passed", Outcome.FAIL: "failed", Outcome.SKIP: "skipped", None: "no check"},
        marks={Outcome.PASS: "✓", Outcome.FAIL: "✕", Outcome.SKIP: "○", None: "·"},
        drawn=DRAWN,
        made=made.strftime("%d %B %Y, %H:%M %Z").lstrip("0"),
    )
    return page


def _with_code(text: str) -> Any:
    """Return a text escaped, with text between backticks marked as code."""
    from markupsafe import Markup, escape

    parts = [escape(xml_safe(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:  # an unpaired backtick is part of the text
        return Markup("`").join(parts)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def _writable(value: Any) -> Any:
    return xml_safe(value) if type(value) is str else value


def _section(index: int, report: Report) -> Section:
    about = report.by_rule()
    rules: dict[str, Rule | None] = dict(rules_of(Edition(report.edition)))
    if "" in about:
        rules = {"": None, **rules}
    chief = [cause.chief for cause in report.causes]
    return Section(
        id=f"v{index}",
        report=report,
        rows=tuple(RuleRow(rule, report.outcome_of(id), about.get(id, ())) for id, rule in rules.items()),
        pictures={verdict.check: _picture(verdict, is_drawn=verdict in chief) for verdict in report.failed},
    )


def _picture(verdict: Verdict, *, is_drawn: bool) -> Picture:
    shown = verdict.evidence.timeline()
    label = _label(verdict, shown)
    return Picture(
        wide=sequence_picture(shown, width=WIDE_PIXELS, label=label) if is_drawn else "",
        narrow=sequence_picture(shown, width=NARROW_PIXELS, label=label) if is_drawn else "",
        text=tuple(map(str, shown.rows)),
        threads=tuple(
            (number + 1, name, f"thread-{number % THREAD_COLORS}") for number, name in enumerate(shown.threads)
        ),
    )


def _label(verdict: Verdict, shown: Timeline) -> str:
    parties = " and ".join(shown.parties) or "nobody"
    return f"Signals between {parties} during {verdict.check}; the same follows as text"
