"""The subject that replays earlier elements to late subscribers."""

from datetime import timedelta
from typing import TypeVar

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import ImmediateScheduler, Scheduler
from reactivestreams.subjects.in_memory_subject import InMemorySubject
from reactivestreams.subjects.policy import REPLAY_POLICY, SubjectPolicy
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS

__all__ = ["ReplaySubject"]

T = TypeVar("T")


class ReplaySubject(InMemorySubject[T]):
    """Replay the last elements to each subscriber, then send new ones; after the end, replay and then end.

    Args:
        count: How many of the last elements are retained, from 1 to 2**24.
        max_age: How old these may be when a subscriber arrives; None means any age.
        scheduler: The scheduler whose clock measures the age; by default the clock of the system.
        policy: As for `BroadcastSubject`, but `buffer()` by default: without buffers late subscribers would be too slow
            for the replay.
        auto_cancel: As for `BroadcastSubject`.
        delay_error: As for `BroadcastSubject`; a late subscriber gets the replay first, also after an error.

    Raises:
        ArgumentError: A number or an age is out of bounds.

    Demand: as for `BroadcastSubject`.
    Errors: as for `BroadcastSubject`; the terminal signal follows the replay.
    State: the elements that are retained, with their times where there is a largest age, the end, and whether it is
        sealed or disposed; version 1.0.0.0.
    Threads: as for `BroadcastSubject`.
    Rules: as for `BroadcastSubject`.

    Example:
        >>> from reactivestreams.subjects import ReplaySubject
        >>> subject = ReplaySubject(2)
        >>> for number in range(5):
        ...     subject.on_next(number)
        >>> subject.on_complete()
        >>> subject.to_list()
        [3, 4]
    """

    def __init__(
        self,
        count: int,
        *,
        max_age: timedelta | None = None,
        scheduler: Scheduler | None = None,
        policy: SubjectPolicy = REPLAY_POLICY,
        auto_cancel: bool = False,
        delay_error: bool = True,
    ) -> None:
        if max_age is not None and not isinstance(max_age, timedelta):
            raise ArgumentTypeError(
                f"ReplaySubject(max_age) needs a timedelta, got {max_age!r} ({type(max_age).__name__}); "
                f"pass e.g. timedelta(seconds=30)"
            )
        if max_age is not None and max_age <= timedelta():
            raise ArgumentError(f"ReplaySubject(max_age) needs an age above 0, got {max_age}; pass None for any age")
        self._open(
            policy,
            replay_limit=checked_count(
                count, operator="ReplaySubject", name="count", at_least=1, at_most=MAX_CAPACITY_ELEMENTS
            ),
            max_age=max_age,
            scheduler=scheduler or ImmediateScheduler(),
            auto_cancel=auto_cancel,
            delay_error=delay_error,
        )
