"""The verdicts of one verification, counted and put in order."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from reactivestreams.spec.rules import RULES
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.verdict import ALSO, Outcome, Verdict

__all__ = ["Cause", "Report"]

FRAME_PIXELS = 640
"""Height of the report in a notebook; it scrolls."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures with the same symptom, which one defect has probably caused.

    Attributes:
        failures: The verdicts, at least one, in the order of the catalog.
    """

    failures: tuple[Verdict, ...]

    @property
    def chief(self) -> Verdict:
        """The clearest failure: the first of a check whose own rule is the broken one, or else the first."""
        own = (each for each in self.failures if each.rules[:1] == each.cited_rules[:1])
        return next(own, self.failures[0])

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that the failures break, in their order."""
        broken = {rule for verdict in self.failures for rule in verdict.cited_rules}
        return tuple(rule for rule in RULES if rule in broken)


# What a message names of one check alone: numbers and times, objects, what stands in parentheses, a round of many.
_OF_ONE_CHECK = re.compile(r" within [\d.]+ m?s|<[^>]*>|\([^()]*\)|\d+|^Failed in iteration \d+ of \d+\. ")
_FIRST_CLAUSE = re.compile("(: |, |; |! |[.!] )")


def _symptom(verdict: Verdict) -> str:
    """Return what a check saw first, without what differs between checks that see the same."""
    message = verdict.message.split(ALSO)[0]
    for violation in verdict.evidence.violations:
        message = message.removeprefix(f"§{violation.rule}: ")
    return " ".join(_FIRST_CLAUSE.split(_OF_ONE_CHECK.sub("", message))[0].split())


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a verification.

    Attributes:
        subject: The name of the subject.
        edition: The edition.
        seed: The seed of the random choices; pass it to `Environment` to repeat them.
        verdicts: One for each check, in the order of the catalog.
        duration_seconds: The total time.
        threads_left: The names of threads that started during the verification and were still running after it.
        command: The command line that repeats the verification, or empty.
    """

    subject: str
    edition: str
    seed: int
    verdicts: tuple[Verdict, ...]
    duration_seconds: float
    threads_left: tuple[str, ...] = ()
    command: str = ""

    def of(self, outcome: Outcome) -> tuple[Verdict, ...]:
        """Return the verdicts with an outcome."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome is outcome)

    @property
    def passed(self) -> tuple[Verdict, ...]:
        """The verdicts of checks that passed."""
        return self.of(Outcome.PASS)

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts of checks that failed."""
        return self.of(Outcome.FAIL)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The failures, those together that were seen to fail in the same way: that of the most checks first."""
        together: dict[str, list[Verdict]] = {}
        for verdict in self.failed:
            together.setdefault(_symptom(verdict), []).append(verdict)
        return tuple(sorted((Cause(tuple(each)) for each in together.values()), key=lambda cause: -len(cause.failures)))

    @property
    def skipped(self) -> tuple[Verdict, ...]:
        """The verdicts of checks that were skipped."""
        return self.of(Outcome.SKIP)

    @property
    def is_success(self) -> bool:
        """Whether nothing failed and something passed: a verification without verdicts is not a success."""
        return not self.failed and bool(self.passed)

    def __getitem__(self, check: str) -> Verdict:
        """Return the verdict of a check.

        Raises:
            KeyError: The check was not run.
        """
        for verdict in self.verdicts:
            if verdict.check == check:
                return verdict
        raise KeyError(f"{check} was not run; report.verdicts lists the checks that were")

    def by_rule(self) -> dict[str, tuple[Verdict, ...]]:
        """Return the verdicts of each rule, and under `""` those of the set-up; rules without a check are left out.

        A verdict is listed under every rule of its check, and under those that it found broken.
        """
        order = ["", *RULES]
        found: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            for rule in dict.fromkeys([*(verdict.rules or ("",)), *verdict.broken_rules]):
                found.setdefault(rule, []).append(verdict)
        known = [rule for rule in order if rule in found] + [rule for rule in found if rule not in order]
        return {rule: tuple(found[rule]) for rule in known}

    def outcome_of(self, rule: str) -> Outcome | None:
        """Return the outcome of a rule; `""` means the set-up.

        `FAIL` if a check found it broken, else `PASS` if a check of it passed, else `SKIP` if its checks were skipped
        or failed under other rules, and None if it has no check.
        """
        about = self.by_rule().get(rule, ())
        if any(verdict.outcome is Outcome.FAIL and rule in (verdict.cited_rules or ("",)) for verdict in about):
            return Outcome.FAIL
        if any(verdict.outcome is Outcome.PASS for verdict in about):
            return Outcome.PASS
        return Outcome.SKIP if about else None

    def again(self, check: str) -> str:
        """Return the command line that repeats one check with the same random choices, or an empty text."""
        return f"{self.command} --check {check} --seed {self.seed}" if self.command else ""

    def explanation(self, verdict: Verdict) -> dict[str, tuple[str, ...]]:
        """Return a verdict's explanation: the rules in the wording of the edition, and how to repeat the check."""
        return verdict.explanation(edition=Edition(self.edition), again=self.again(verdict.check))

    def rendered(self, verdict: Verdict) -> str:
        """Return a verdict as text for a person, in the wording of the edition, with how to repeat the check."""
        return verdict.render(edition=Edition(self.edition), again=self.again(verdict.check))

    def counted_causes(self) -> str:
        """Return how many causes there are for how many failures.

        Example:
            >>> verdicts = (
            ...     Verdict("a", ("1.1",), Outcome.FAIL, "3 came"),
            ...     Verdict("b", ("1.2",), Outcome.FAIL, "5 came"),
            ... )
            >>> Report("Numbers", "1.0.4", 1, verdicts, 0.0).counted_causes()
            '1 cause, 2 failures'
        """
        causes, failures = len(self.causes), len(self.failed)
        return f"{causes} cause{'s' * (causes != 1)}, {failures} failure{'s' * (failures != 1)}"

    def summary(self) -> str:
        """Return the counts in one line.

        Example:
            >>> Report("Numbers", "1.0.4", 1, (), 0.0).summary()
            'Numbers: 0 passed, 0 failed, 0 skipped in 0.00 s'
        """
        return (
            f"{self.subject}: {len(self.passed)} passed, {len(self.failed)} failed, {len(self.skipped)} skipped "
            f"in {self.duration_seconds:.2f} s"
        )

    def _repr_html_(self) -> str:
        """Return the report for a notebook: the page of `write_report` in a frame; one line if jinja2 is missing."""
        from html import escape

        from reactivestreams.errors import MissingExtraError
        from reactivestreams.tck.reports.html_report import render

        try:
            page = render([self], made=datetime.now(UTC))
        except MissingExtraError:
            return f"<pre>{escape(self.summary())}</pre>"
        return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {FRAME_PIXELS}px; border: 0"></iframe>'

    def as_data(self) -> dict[str, object]:
        """Return the report as plain values, for JSON."""
        return {
            "subject": self.subject,
            "edition": self.edition,
            "seed": self.seed,
            "counts": {outcome.value: len(self.of(outcome)) for outcome in Outcome},
            "is_success": self.is_success,
            "duration_seconds": self.duration_seconds,
            "threads_left": list(self.threads_left),
            "command": self.command,
            "causes": [
                {
                    "message": cause.chief.short_message,
                    "rules": list(cause.rules),
                    "checks": [verdict.check for verdict in cause.failures],
                }
                for cause in self.causes
            ],
            "rules": {rule: None if (outcome := self.outcome_of(rule)) is None else outcome.value for rule in RULES},
            "verdicts": [verdict.as_data() for verdict in self.verdicts],
        }
