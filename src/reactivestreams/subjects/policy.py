"""The policies of a subject for subscribers that request at different speeds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS
from rs_core.queues.overflow_policy import DEFAULT_CAPACITY, OverflowPolicy, checked_policy

if TYPE_CHECKING:
    from reactivestreams.tck import Overflow

__all__ = [
    "DEFAULT_POLICY",
    "DEFAULT_WINDOW",
    "REPLAY_POLICY",
    "SubjectPolicy",
    "buffer",
    "drop_slow",
    "error_slow",
    "lockstep",
]

DEFAULT_WINDOW = 256
"""The maximum prefetch of subjects whose policy buffers no elements without demand."""

_DROPPING = frozenset({OverflowPolicy.DROP_NEWEST, OverflowPolicy.DROP_OLDEST, OverflowPolicy.LATEST})


def _capacity(capacity: int, policy: str) -> int:
    return checked_count(capacity, operator=policy, name="capacity", at_least=1, at_most=MAX_CAPACITY_ELEMENTS)


@dataclass(frozen=True, slots=True)
class SubjectPolicy:
    """A policy, made by `lockstep`, `error_slow`, `drop_slow` or `buffer`.

    Attributes:
        name: The name of the policy.
        capacity: How many elements may wait for each subscriber.
        on_overflow: What happens to one more.
    """

    name: str
    capacity: int
    on_overflow: OverflowPolicy

    @property
    def is_lockstep(self) -> bool:
        """Whether the slowest subscriber sets the pace."""
        return self.name == "lockstep"

    @property
    def is_ahead(self) -> bool:
        """Whether elements are accepted before they are requested."""
        return self.name == "buffer"

    @property
    def is_lossy(self) -> bool:
        """Whether elements without room are dropped, so that slow subscribers do not slow down the upstream."""
        return self.is_ahead and self.on_overflow in _DROPPING

    @property
    def drops_for_slow(self) -> bool:
        """Whether a subscriber misses elements that it has not requested."""
        return self.name == "drop_slow"

    @property
    def overflow(self) -> "Overflow | None":
        """What the compatibility kit expects for elements that arrive before they are requested; None: they wait."""
        from reactivestreams.tck import Overflow

        if self.is_ahead:
            return Overflow(self.on_overflow.value, self.capacity)
        return None if self.is_lockstep else Overflow(self.name)


def lockstep(*, capacity: int = DEFAULT_WINDOW) -> SubjectPolicy:
    """Let the slowest subscriber set the pace: the subject requests only what all subscribers have requested.

    No subscriber misses an element. Elements that were requested before a subscriber arrived, or that are pushed
    without demand, wait for the subscribers that have not requested them.

    Args:
        capacity: How many elements are requested in advance and may wait for a subscriber, from 1 to 2**24, 256 by
            default. One more fails the subscriber with CapacityError.

    Example:
        >>> lockstep()
        SubjectPolicy(name='lockstep', capacity=256, on_overflow=<OverflowPolicy.ERROR: 'error'>)
    """
    return SubjectPolicy("lockstep", _capacity(capacity, "lockstep"), OverflowPolicy.ERROR)


def error_slow(*, capacity: int = DEFAULT_WINDOW) -> SubjectPolicy:
    """Let the fastest subscriber set the pace; fail a subscriber that has not requested an element when it arrives.

    Args:
        capacity: How many elements are requested in advance and may be on their way to a subscriber that has requested
            them, from 1 to 2**24, 256 by default.
    """
    return SubjectPolicy("error_slow", _capacity(capacity, "error_slow"), OverflowPolicy.ERROR)


def drop_slow(*, capacity: int = DEFAULT_WINDOW) -> SubjectPolicy:
    """Let the fastest subscriber set the pace; a subscriber that has not requested an element misses it.

    Missed elements go to the hook for dropped signals.

    Args:
        capacity: As for `error_slow`.
    """
    return SubjectPolicy("drop_slow", _capacity(capacity, "drop_slow"), OverflowPolicy.DROP_NEWEST)


def buffer(
    capacity: int = DEFAULT_CAPACITY, *, on_overflow: OverflowPolicy | str = OverflowPolicy.ERROR
) -> SubjectPolicy:
    """Buffer elements for each subscriber until it requests them.

    Args:
        capacity: How many elements, from 1 to 2**24, 1024 by default; 1 with `latest`.
        on_overflow: What happens to one more: `error` fails the subscriber, and the free capacity of the fastest
            subscriber sets the pace of the upstream; `drop_newest`, `drop_oldest` and `latest` drop elements, and
            request everything upstream.

    Raises:
        ArgumentError: The policy is `block`: a subject cannot wait for one subscriber without stopping all.
    """
    overflow = checked_policy(on_overflow, parameter="buffer(on_overflow)")
    if overflow is OverflowPolicy.BLOCK:
        raise ArgumentError(
            "buffer(on_overflow) cannot be 'block': waiting for one subscriber would stop all; use lockstep(), which "
            "lets the slowest set the pace, or a policy that drops"
        )
    count = 1 if overflow is OverflowPolicy.LATEST else capacity
    return SubjectPolicy("buffer", _capacity(count, "buffer"), overflow)


DEFAULT_POLICY = error_slow()
"""The default policy of subjects."""

REPLAY_POLICY = buffer()
"""The default policy of a subject that replays: without buffers a late subscriber would be too slow for the replay."""
