"""How often an element counts when processes die: the words that engine and Spark share. The weakest part decides."""

import difflib
import enum
from collections.abc import Iterable
from dataclasses import dataclass

from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["Guarantee", "PartGuarantee", "checked_guarantee", "require_guarantee", "weakest"]


class Guarantee(enum.Enum):
    """How often an element, or a row, counts in the result when a process is killed.

    Example:
        >>> from reactivestreams.guarantees import Guarantee
        >>> Guarantee.AT_LEAST_ONCE < Guarantee.EXACTLY_ONCE
        True
    """

    NONE = "no guarantee"
    """One may be lost, or count twice."""
    AT_MOST_ONCE = "at-most-once"
    """None counts twice; one may be lost."""
    AT_LEAST_ONCE = "at-least-once"
    """None is lost; one may count twice."""
    EXACTLY_ONCE = "exactly-once"
    """Each counts once."""

    def __lt__(self, other: object) -> bool:
        """Return whether this guarantee is weaker than another."""
        if not isinstance(other, Guarantee):
            return NotImplemented
        order = list(Guarantee)
        return order.index(self) < order.index(other)

    def gives(self, wanted: "Guarantee") -> bool:
        """Return whether this guarantee is as strong as another one: at-least-once does not give at-most-once."""
        return self in (wanted, Guarantee.EXACTLY_ONCE) or wanted is Guarantee.NONE


@dataclass(frozen=True, slots=True)
class PartGuarantee:
    """The guarantee of one part of a pipeline.

    Args:
        part: The part, such as `"source"` or `"to_path"`.
        guarantee: Its guarantee.
        reason: Why, in one sentence.
        remedy: How to make it stronger; empty if it is the strongest.
    """

    part: str
    guarantee: Guarantee
    reason: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.part}: {self.guarantee.value}, since {self.reason}{remedy}"


def weakest(parts: Iterable[PartGuarantee]) -> PartGuarantee | None:
    """Return the first part with the weakest guarantee, or None."""
    found: PartGuarantee | None = None
    for part in parts:
        if found is None or part.guarantee < found.guarantee:
            found = part
    return found


def checked_guarantee(value: object) -> Guarantee | None:
    """Check the argument `guarantee` and return it.

    Raises:
        ArgumentTypeError: It is neither a `Guarantee` nor the text of one.
        ArgumentError: There is no such guarantee.
    """
    if value is None or isinstance(value, Guarantee):
        return value
    choices = [each.value for each in Guarantee]
    shown = ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise ArgumentTypeError(f"guarantee must be a str, got {value!r:.200}; pass one of {shown}")
    if value not in choices:
        near = difflib.get_close_matches(value, choices, n=1)
        meant = f"did you mean {near[0]!r}?" if near else "pass one of these"
        raise ArgumentError(f"guarantee must be one of {shown}, got {value!r:.200}; {meant}")
    return Guarantee(value)


def require_guarantee(parts: Iterable[PartGuarantee], wanted: Guarantee | None) -> None:
    """Check that each part gives the wanted guarantee.

    Raises:
        ArgumentError: One does not; the message names it, the reason and the remedy.
    """
    found = None if wanted is None else weakest(part for part in parts if not part.guarantee.gives(wanted))
    if wanted is None or found is None:
        return
    remedy = f"; {found.remedy}" if found.remedy else ""
    raise ArgumentError(
        f"{wanted.value} was requested, but {found.part} gives {found.guarantee.value}: {found.reason}{remedy}"
    )
