"""What the crash kit finds, and its report."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["RULES", "CrashReport", "CrashTestError", "Finding", "compared"]

RULES: dict[str, tuple[str, str]] = {
    "loss": (
        "each element and each row of a stored checkpoint counts once, whenever the process dies",
        "forget nothing before acknowledge() or a settled write; bring what is written to the disk before returning",
    ),
    "duplicate": (
        "each element and each row of a stored checkpoint counts once, whenever the process dies",
        "let a second write or commit of a number change nothing, such as by a name or a key that has the number",
    ),
    "wrong row": (
        "what is there in the end is what was sent, whole and in its order",
        "write a batch whole or not at all, such as under another name that is replaced when it is complete",
    ),
    "wrong abort": (
        "abort(last_committed) forgets what was prepared for later checkpoints, and only that",
        "compare the number of each prepared batch with last_committed, and keep those up to it",
    ),
    "forgotten abort": (
        "what was prepared for a checkpoint that was not stored is never seen",
        "delete each prepared batch whose number is above last_committed in abort()",
    ),
    "early result": (
        "a prepared batch is not seen before commit()",
        "prepare it where readers do not look, and move it in commit()",
    ),
    "missing result": (
        "a batch is seen when write() or commit() has returned",
        "return when the batch is written, not before",
    ),
    "early acknowledgement": (
        "what no stored checkpoint contains can be read again",
        "forget elements in acknowledge(position) only, up to that position",
    ),
    "forgotten acknowledgement": (
        "acknowledge(position) lets the source forget what a stored checkpoint contains",
        "hand the position on to the source in acknowledge()",
    ),
    "gap": (
        "positions follow each other: the first element has 1, each following one has one more",
        "number the elements by one each, and continue after the position that open() got",
    ),
    "changed element": (
        "a position has the same element each time it is read",
        "read again what was read, or push the elements into a PushInput, which stores them",
    ),
    "lost write": (
        "what a method of a store has written survives when it has returned; where it raised or died, all or nothing",
        "write in one transaction, and return when it is on the disk",
    ),
    "fence": (
        "each opening of a store has a higher fence than the one before",
        "add one to the stored number in open(), in a transaction",
    ),
    "damage": ("a store that was not damaged from outside verifies", "write in one transaction"),
    "exception": (
        "a step works again after a death or a failed call, whatever that has left behind",
        "see the exception; let the step find what is half done, and do it again or undo it",
    ),
    "endless run": (
        "after a death or a failed call an engine gets through what is left",
        "see which part raises each time; let it find what is half done, and do it again or undo it",
    ),
}
"""The rule that each kind of finding breaks, and the remedy."""


class CrashTestError(AssertionError):
    """Report what the crash kit has found."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong.

    Attributes:
        kind: A key of `RULES`.
        step: What went wrong just before: the first such case.
        expected: What had to be.
        seen: What was.
        times: In how many runs it was found.
    """

    kind: str
    step: str
    expected: str
    seen: str
    times: int = 1

    @property
    def rule(self) -> str:
        """The rule."""
        return RULES[self.kind][0]

    @property
    def remedy(self) -> str:
        """What to do."""
        return RULES[self.kind][1]

    def __str__(self) -> str:
        return (
            f"{self.kind} ({self.times} runs), first with {self.step}\n"
            f"    expected: {self.expected}\n    seen:     {self.seen}\n"
            f"    rule:     {self.rule}\n    remedy:   {self.remedy}"
        )


@dataclass(slots=True)
class CrashReport:
    """What came of a check.

    Attributes:
        subject: What was checked.
        runs: How many runs there were, each with another fault.
        left_out: How many runs were left out, since there may be so many at most.
        faults: How many runs had each kind of fault.
        findings: What is wrong, each kind once.
    """

    subject: str
    runs: int = 0
    left_out: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    def add(self, found: Finding) -> None:
        """Add a finding, or count it where there is one of its kind."""
        for place, each in enumerate(self.findings):
            if each.kind == found.kind:
                self.findings[place] = replace(each, times=each.times + 1)
                return
        self.findings.append(found)

    def require_none(self) -> None:
        """Raise if something is wrong.

        Raises:
            CrashTestError: There are findings; the message has all of them.
        """
        if self.findings:
            raise CrashTestError(str(self))

    def __str__(self) -> str:
        counted = ", ".join(f"{count} {how}" for how, count in self.faults.items())
        heading = f"{self.subject}: {self.runs} runs ({counted}), {len(self.findings)} findings"
        if self.left_out:
            heading += f"; {self.left_out} runs were left out, raise most_runs for them"
        return "\n".join([heading, *map(str, self.findings)])


def compared(expected: Sequence[Any], seen: Sequence[Any], step: str, *, is_ordered: bool) -> list[Finding]:
    """Return what distinguishes rows from those that are expected."""
    wanted, found = Counter(map(_key, expected)), Counter(map(_key, seen))
    findings: list[Finding] = []
    lost = list((wanted - found).elements())
    surplus = found - wanted
    repeated = [key for key in surplus.elements() if key in wanted]
    wrong = [key for key in surplus.elements() if key not in wanted]
    if lost:
        findings.append(Finding("loss", step, _shown(lost), f"not there; there is {_shown(seen)}"))
    if repeated:
        findings.append(Finding("duplicate", step, f"once: {_shown(repeated)}", f"more often, in {_shown(seen)}"))
    if wrong:
        findings.append(Finding("wrong row", step, _shown(expected), _shown(wrong)))
    if is_ordered and not findings and list(map(_key, expected)) != list(map(_key, seen)):
        findings.append(Finding("wrong row", step, _shown(expected), f"another order: {_shown(seen)}"))
    return findings


def _key(row: Any) -> Hashable:
    try:
        hash(row)
    except TypeError:
        return repr(row)
    key: Hashable = row
    return key


def _shown(rows: Sequence[Any]) -> str:
    shown = ", ".join(repr(row) for row in rows[:8])
    return f"[{shown}{f', ... {len(rows)} in all' if len(rows) > 8 else ''}]"
