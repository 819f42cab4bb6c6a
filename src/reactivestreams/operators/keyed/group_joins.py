"""The elements of one stream, each with those of another one, joined by key and event time."""

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.keyed.event_windows import EventTime
from reactivestreams.operators.keyed.joins import JoinTable, KeyedJoin
from rs_core.stream.description import Description

__all__ = ["KeyedGroupJoin"]


class GroupJoinTable(JoinTable):
    """What `group_join` holds: left elements until all partners have come, and right ones until no left one needs them.

    A left element is let go when both watermarks say that neither a partner nor an earlier left element can come. So
    results are in the order of the left times, however the inputs interleave.
    """

    method = "group_join"

    def bounds(self, left: int, right: int) -> tuple[int, int]:
        """Return for watermarks of the inputs the times before which an element of each is not needed any more."""
        over = min(left, right - self.greatest)
        return over, over + self.least

    def results_of(self, index: int, at: int, key: Any, element: Any) -> list[Any]:
        """Return nothing: results come when left elements are let go."""
        return []

    def let_go(self) -> list[Any]:
        """Hold no longer what is not needed; return the left elements of that with their partners."""
        lefts, rights = self.sides
        left_bound, right_bound = self.bounds(*self.watermarks())
        results = [
            (element, rights.matching(key, at + self.least, at + self.greatest))
            for at, _, key, element in lefts.taken_before(left_bound)
        ]
        for _ in rights.taken_before(right_bound):
            pass
        return results


class KeyedGroupJoin(KeyedJoin, OperatorDefinition):
    """Pass on each element of a stream with the list of those of another one that have its key, and times near its.

    It runs `group_join` of what `with_timestamps().key_by()` returns.

    Args:
        other: The right input.
        prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.
        left: Times and key of the left input.
        right: Those of the right one.
        within: The least and the greatest time from a left element to a right one, in microseconds.
        late: Called with each late element; None: such go to the hook for dropped signals.
        max_held: How many elements of each input are held.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken. No element is taken while results
        wait for demand.
    Errors: as for `join`.
    State: what waits of each input, and which are over; the watermarks and what is held; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.4, §1.7.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> shown = Stream.just((0, "ant"), (5, "bee")).with_timestamps(lambda each: each[0])
        >>> clicked = Stream.just((7, "ant"), (9, "ant")).with_timestamps(lambda each: each[0])
        >>> of_one = lambda each: each[1]
        >>> shown.key_by(of_one).group_join(clicked.key_by(of_one), within=60).to_list()
        [((0, 'ant'), [(7, 'ant'), (9, 'ant')]), ((5, 'bee'), [])]
    """

    id = "rx://operators/keyed_group_join"
    method = "with_timestamps().key_by().group_join"
    table = GroupJoinTable

    @classmethod
    def parameters(
        cls,
        other: Description,
        left: tuple[EventTime, Callable[[Any], Any]],
        right: tuple[EventTime, Callable[[Any], Any]],
        within: Any,
        late: Any,
        max_held: object,
        prefetch: object,
    ) -> tuple[Any, ...]:
        """Return the checked parameters."""
        return super().parameters(other, left, right, within, late, max_held, prefetch)
