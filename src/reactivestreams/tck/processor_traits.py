"""What a subject says of itself: how it treats subscribers that request at different speeds, and its upstream."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from reactivestreams.errors import ArgumentError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.failure import Skipped

__all__ = ["DROPS_BY_POLICY", "OnOverflow", "Overflow", "ProcessorTraits", "countable"]

DROPS_BY_POLICY = "drops by policy"
"""How the reason of each check begins that is skipped since the subject drops elements, as it says itself."""


class OnOverflow(StrEnum):
    """What becomes of an element that a subscriber has not requested, where as many wait for it as may."""

    DROP_OLDEST = "drop_oldest"
    """It takes the place of the one that has waited longest. No demand slows the upstream down."""

    DROP_NEWEST = "drop_newest"
    """It is dropped. No demand slows the upstream down."""

    LATEST = "latest"
    """As with `drop_oldest`, where one may wait."""

    ERROR = "error"
    """The subscriber fails, when it has got what waits. The fastest one sets the pace."""

    DROP_SLOW = "drop_slow"
    """None waits: a subscriber misses what others have requested and it has not. The fastest one sets the pace."""

    ERROR_SLOW = "error_slow"
    """None waits: a subscriber fails that has not requested what others have. The fastest one sets the pace."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a publisher or processor does about elements that a subscriber has not requested when they come.

    Args:
        on_overflow: An `OnOverflow`, or its value.
        capacity: How many elements wait for each subscriber without loss, >= 1; 1 with `latest`. It is not looked at
            where the fastest subscriber sets the pace.

    Raises:
        ArgumentError: There is no such policy, or the capacity is less than 1, or more than 1 with `latest`.

    Example:
        >>> Overflow("drop_oldest", 16).lossless_elements
        16
        >>> Overflow("drop_slow").lossless_elements is None
        True
    """

    on_overflow: OnOverflow | str
    capacity: int = 1

    def __post_init__(self) -> None:
        """Check both."""
        known = [policy.value for policy in OnOverflow]
        if self.on_overflow not in known:
            raise ArgumentError(f"Overflow({self.on_overflow!r}): there is no such policy; take one of {known}")
        object.__setattr__(self, "on_overflow", OnOverflow(self.on_overflow))
        if self.capacity < 1:
            raise ArgumentError(f"Overflow(capacity={self.capacity!r}) needs 1 or more; pass how many elements wait")
        if self.on_overflow is OnOverflow.LATEST and self.capacity > 1:
            raise ArgumentError(
                f"Overflow('latest', {self.capacity}): with 'latest' one element waits; leave the capacity out, or "
                f"take 'drop_oldest'"
            )

    @property
    def keeps_none(self) -> bool:
        """Whether no element waits for a subscriber that has not requested it, as another one has."""
        return self.on_overflow in {OnOverflow.DROP_SLOW, OnOverflow.ERROR_SLOW}

    @property
    def fails_late(self) -> bool:
        """Whether a subscriber that was too slow once fails later, whatever it does meanwhile."""
        return self.on_overflow is OnOverflow.ERROR

    @property
    def lossless_elements(self) -> int | None:
        """How many elements may be without demand before any subscriber loses one; None: a single one never does.

        It does not where the demand of the fastest subscriber paces the upstream.
        """
        return None if self.keeps_none or self.fails_late else self.capacity


@dataclass(frozen=True, slots=True)
class ProcessorTraits:
    """What a processor says of itself, as its attribute `processor_traits`; each is the default of a hook of that name.

    Attributes:
        max_supported_subscribers: How many subscribers it serves at once.
        does_coordinated_emission: Whether it requests, or emits, only when all subscribers have requested.
        delays_errors: Whether an error waits behind elements that wait for demand.
        replays_elements: Whether a subscriber that comes late gets elements that were emitted before.
        cancels_upstream: Whether it cancels its upstream when its last subscriber has cancelled.
        overflow: What becomes of elements that a subscriber has not requested; None: they wait.
    """

    max_supported_subscribers: int = MAX_DEMAND
    does_coordinated_emission: bool = False
    delays_errors: bool = False
    replays_elements: bool = False
    cancels_upstream: bool = True
    overflow: Overflow | None = None


class _HasOverflow(Protocol):
    def overflow(self) -> Overflow | None: ...


def countable(elements: int, subject: _HasOverflow, rule: str, *, least: int = 1) -> int:
    """Return how many elements a check may expect to get whole, of as many as it would like to.

    All of them may come before any is requested, since no demand slows the upstream of such a subject down; so it is
    as many as may wait.

    Args:
        elements: How many the check would like to count.
        subject: What says whether it drops.
        rule: What cannot be judged with fewer than the least; empty for a check of the set-up.
        least: With how many the check still judges what it claims.

    Raises:
        Skipped: Fewer than the least may wait without one being dropped.
    """
    overflow = subject.overflow()
    kept = (
        elements
        if overflow is None or overflow.lossless_elements is None
        else min(elements, overflow.lossless_elements)
    )
    if overflow is not None and kept < least:
        judged = f"not judged by {rule}" if rule else "not judged"
        raise Skipped(
            f"{DROPS_BY_POLICY}: {judged}: of {least} elements that come before they are requested {kept} may wait, "
            f"by {overflow.on_overflow}"
        )
    return kept
