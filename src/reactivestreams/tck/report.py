"""The verdicts of one verification, counted and put in order."""

from dataclasses import dataclass

from reactivestreams.spec.rules import RULES
from reactivestreams.tck.verdict import Outcome, Verdict

__all__ = ["Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """Hold what a verification found.

    Attributes:
        subject: Name of what was judged.
        edition: The edition followed.
        seed: Where the random choices began; pass it to `Environment` to repeat them.
        verdicts: One for each check, in the order of the catalog.
        duration_seconds: How long all of it took.
        threads_left: Names of threads that appeared during the verification and still ran after it.
    """

    subject: str
    edition: str
    seed: int
    verdicts: tuple[Verdict, ...]
    duration_seconds: float
    threads_left: tuple[str, ...] = ()

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
    def skipped(self) -> tuple[Verdict, ...]:
        """The verdicts of checks that were skipped."""
        return self.of(Outcome.SKIP)

    @property
    def is_success(self) -> bool:
        """Whether nothing failed and something passed: a verification that judged nothing is none."""
        return not self.failed and bool(self.passed)

    def __getitem__(self, check: str) -> Verdict:
        """Return the verdict of a check.

        Raises:
            KeyError: The check was not run.
        """
        for verdict in self.verdicts:
            if verdict.check == check:
                return verdict
        raise KeyError(f"{check} was not run; names(report) lists what was")

    def by_rule(self) -> dict[str, tuple[Verdict, ...]]:
        """Return the verdicts about each rule, and under `""` those of the set-up; rules without a check are left out.

        A verdict stands under every rule that its check is about, and under those that it found broken.
        """
        order = ["", *RULES]
        found: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            for rule in dict.fromkeys([*(verdict.rules or ("",)), *verdict.broken_rules]):
                found.setdefault(rule, []).append(verdict)
        known = [rule for rule in order if rule in found] + [rule for rule in found if rule not in order]
        return {rule: tuple(found[rule]) for rule in known}

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
            "verdicts": [verdict.as_data() for verdict in self.verdicts],
        }
