"""Declarations of a subject: how it treats subscribers that request at different speeds, and its upstream."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from reactivestreams.errors import ArgumentError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.failure import Skipped

__all__ = ["DROPS_BY_POLICY", "OnOverflow", "Overflow", "ProcessorTraits", "countable"]

DROPS_BY_POLICY = "drops by policy"
"""The start of the reason of each check that is skipped because the subject declares that it drops elements."""


class OnOverflow(StrEnum):
    """What happens to an element that a subscriber has not requested, if as many elements as allowed are waiting."""

    DROP_OLDEST = "drop_oldest"
    """It replaces the oldest waiting element. Demand does not slow down the upstream."""

    DROP_NEWEST = "drop_newest"
    """It is dropped. Demand does not slow down the upstream."""

    LATEST = "latest"
    """Like `drop_oldest`, with one waiting element."""

    ERROR = "error"
    """The subscriber fails after the waiting elements. The fastest one sets the pace."""

    DROP_SLOW = "drop_slow"
    """None waits: a subscriber misses elements that only others have requested. The fastest one sets the pace."""

    ERROR_SLOW = "error_slow"
    """None waits: a subscriber that has not requested what others have fails. The fastest one sets the pace."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a publisher or processor does with elements that arrive before a subscriber has requested them.

    Args:
        on_overflow: An `OnOverflow`, or its value.
        capacity: How many elements wait for each subscriber without loss, >= 1; 1 with `latest`. It is ignored if the
            fastest subscriber sets the pace.

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
            raise ArgumentError(f"Overflow({self.on_overflow!r}): there is no such policy; use one of {known}")
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
        """Whether no element waits for a subscriber that has not requested it while another one has."""
        return self.on_overflow in {OnOverflow.DROP_SLOW, OnOverflow.ERROR_SLOW}

    @property
    def fails_late(self) -> bool:
        """Whether a subscriber that was once too slow fails later in any case."""
        return self.on_overflow is OnOverflow.ERROR

    @property
    def lossless_elements(self) -> int | None:
        """How many elements may be without demand before a subscriber loses one; None: a single subscriber never does.

        It does not if the demand of the fastest subscriber paces the upstream.
        """
        return None if self.keeps_none or self.fails_late else self.capacity


@dataclass(frozen=True, slots=True)
class ProcessorTraits:
    """A processor's declarations, in its attribute `processor_traits`; each is the default of the hook of that name.

    Attributes:
        max_supported_subscribers: How many subscribers it serves at the same time.
        does_coordinated_emission: Whether it requests, or emits, only when all subscribers have requested.
        delays_errors: Whether an error is sent after elements that wait for demand.
        replays_elements: Whether a late subscriber gets elements that were emitted before.
        cancels_upstream: Whether it cancels its upstream when its last subscriber has cancelled.
        overflow: What happens to elements that a subscriber has not requested; None: they wait.
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
    """Return how many elements a check may expect without loss, of the number that it prefers.

    All of them may arrive before any is requested, because demand does not slow down the upstream of such a subject; so
    it is at most the capacity.

    Args:
        elements: The number that the check prefers.
        subject: The verification, which declares whether it drops.
        rule: The rule that cannot be judged with fewer than `least`; empty for a check of the set-up.
        least: The minimum with which the check still judges its claim.

    Raises:
        Skipped: The capacity is less than `least`.
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
