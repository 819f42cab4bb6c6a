"""The verdict of a check and its evidence, all as data."""

from dataclasses import dataclass, field
from enum import Enum

from reactivestreams.tck.kit.edition import Edition, rules_of
from reactivestreams.tck.kit.signal_log import SignalRecord, Step
from reactivestreams.tck.kit.timeline import Timeline, timeline

__all__ = ["ALSO", "Evidence", "Outcome", "Verdict", "Violation"]

ALSO = "; also: "
"""The separator in a message between the first failure and each further one."""

TOLD_FAILURES = 3
"""The number of failures in the text; the message has all of them."""


class Outcome(Enum):
    """The outcome of a check."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation of a rule that a probe saw, during any check."""

    rule: str
    message: str
    at_seconds: float

    def __str__(self) -> str:
        return f"§{self.rule}: {self.message}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of a verdict.

    Attributes:
        steps: The steps of the check, in order.
        signals: The signals that its probes saw, in order.
        omitted_signals: The number of signals in the middle that were not kept.
        violations: Violations that were seen while the check ran.
        notes: Observations that do not affect the verdict, such as the lateness of the last signal after a cancel.
        look_at: The part of the subject to look at.
        remedy: How to correct it.
        stacks: The stacks of all threads when the watchdog abandoned the check, or empty.
        traceback: The traceback of an exception, or empty.
        threads_left: The names of threads that started during the check and were still running after it.
    """

    steps: tuple[Step, ...] = ()
    signals: tuple[SignalRecord, ...] = ()
    omitted_signals: int = 0
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()
    look_at: str = ""
    remedy: str = ""
    stacks: str = ""
    traceback: str = ""
    threads_left: tuple[str, ...] = ()

    def as_data(self) -> dict[str, object]:
        """Return the evidence as plain values, for JSON."""
        return {
            "steps": [step.as_data() for step in self.steps],
            "signals": [record.as_data() for record in self.signals],
            "omitted_signals": self.omitted_signals,
            "violations": [
                {"rule": each.rule, "message": each.message, "at_seconds": each.at_seconds} for each in self.violations
            ],
            "notes": list(self.notes),
            "look_at": self.look_at,
            "remedy": self.remedy,
            "stacks": self.stacks,
            "traceback": self.traceback,
            "threads_left": list(self.threads_left),
        }

    def timeline(self) -> Timeline:
        """Return the steps and signals in one order, shortened for a person."""
        return timeline(self.steps, self.signals)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one check.

    Attributes:
        check: Its name.
        claim: Its claim, in a sentence.
        rules: The ids of its rules.
        outcome: Whether it passed, failed or was skipped.
        message: Why it failed or was skipped; empty for a pass.
        broken_rules: The ids of the broken rules; empty unless it failed.
        evidence: The evidence.
        duration_seconds: The time that it took.
        origin: `"reference"` for a test of the standard's kit, `"extended"` for one of this kit.

    Example:
        >>> verdict = Verdict("required_spec105_...", ("1.5",), Outcome.FAIL, "no on_complete", broken_rules=("1.5",))
        >>> print(verdict.headline)
        required_spec105_... FAIL (§1.5): no on_complete
    """

    check: str
    rules: tuple[str, ...]
    outcome: Outcome
    message: str = ""
    broken_rules: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    duration_seconds: float = 0.0
    origin: str = "reference"
    claim: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the verdict as plain values, for JSON."""
        return {
            "check": self.check,
            "claim": self.claim,
            "rules": list(self.rules),
            "outcome": self.outcome.value,
            "message": self.message,
            "broken_rules": list(self.broken_rules),
            "evidence": self.evidence.as_data(),
            "duration_seconds": self.duration_seconds,
            "origin": self.origin,
        }

    @property
    def cited_rules(self) -> tuple[str, ...]:
        """The ids of the broken rules, or else of the check's rules."""
        return self.broken_rules or self.rules

    @property
    def short_message(self) -> str:
        """The message with the first failures only, and the number of further ones."""
        failures = self.message.split(ALSO)
        more = len(failures) - TOLD_FAILURES
        return self.message if more <= 0 else f"{ALSO.join(failures[:TOLD_FAILURES])}; and {more} more"

    @property
    def finding(self) -> str:
        """The rules and the message, in one line."""
        rules = ", ".join(f"§{rule}" for rule in self.cited_rules) or "set-up"
        return f"({rules}): {self.short_message}" if self.message else f"({rules})"

    @property
    def headline(self) -> str:
        """The check, its outcome, the rules and the message, in one line."""
        return f"{self.check} {self.outcome.name} {self.finding}"

    def explanation(self, *, edition: Edition = Edition.JVM, again: str = "") -> dict[str, tuple[str, ...]]:
        """Return an explanation for readers who do not know the rules: lines of text under titles, none empty.

        Args:
            edition: The edition whose wording of the rules is used.
            again: The command that runs this check alone, or empty.
        """
        evidence = self.evidence
        worded = rules_of(edition)
        rules = [worded[id] for id in self.cited_rules if id in worded]
        sections: dict[str, tuple[str, ...]] = {
            "rule": tuple(line for rule in rules for line in (str(rule), f"    {rule.intent}")),
            "what the check claims": (self.claim,),
            "what happened": tuple(map(str, evidence.timeline().rows)),
            "notes": evidence.notes,
            "look at": (evidence.look_at,),
            "remedy": (evidence.remedy,),
            "run it again": (again,),
            "threads left": evidence.threads_left,
            "where it came from": tuple(evidence.traceback.splitlines()),
            "stacks": tuple(evidence.stacks.splitlines()),
        }
        return {title: lines for title, lines in sections.items() if any(lines)}

    def explained(self, *, edition: Edition = Edition.JVM, again: str = "") -> str:
        """Return the explanation as text, one paragraph per title.

        Args:
            edition: The edition whose wording of the rules is used.
            again: The command that runs this check alone, or empty.
        """
        sections = self.explanation(edition=edition, again=again).items()
        return "\n\n".join("\n".join([f"{title}:", *(f"  {line}" for line in lines)]) for title, lines in sections)

    def render(self, *, edition: Edition = Edition.JVM, again: str = "") -> str:
        """Return the verdict as text for a person, with its explanation if it failed.

        Args:
            edition: The edition whose wording of the rules is used.
            again: The command that runs this check alone, or empty.
        """
        if self.outcome is not Outcome.FAIL:
            return self.headline
        return f"{self.headline}\n\n{self.explained(edition=edition, again=again)}"
