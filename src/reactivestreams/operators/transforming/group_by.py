"""group_by: pass on a stream for each key; what group_by_until shares with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import describing
from rs_core.operators.group import GroupByStage

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream

DEFAULT_GROUP_PREFETCH = 128
"""How many elements may wait in each queue of `group_by`, unless it is told otherwise."""

DEFAULT_MAX_GROUPS = 4096
"""How many groups `group_by` may have at a time, unless it is told otherwise."""


def checked_grouping(key: Any, prefetch: object, max_groups: object, operator: str) -> tuple[Any, int, int]:
    """Return the checked parameters that both operators have."""
    return (
        checked_callable(key, operator=operator, name="key"),
        checked_count(prefetch, operator=operator, name="prefetch", at_least=1, at_most=2**24),
        checked_count(max_groups, operator=operator, name="max_groups", at_least=1),
    )


def grouping_stage(key: Any, until: Any, prefetch: int, max_groups: int) -> GroupByStage:
    """Return its new live stage."""
    return GroupByStage(prefetch, key, until, describing("group_by_until", "until"), max_groups)


class GroupBy(OperatorDefinition):
    """Pass on a stream for each key, which sends the elements of that key; `.key` of it is the key.

    Use `key_by` where each key only needs operators of its own: it needs no subscriptions, and saves its state.
    `group_by` is for groups that are streams, such as those that are consumed in threads of their own.

    An element waits in the queue of its group until it is requested. One for a queue that is full waits, too, and with
    it everything that comes after it: so all groups have to be consumed at a time. `flat_map` does so with up to
    `concurrency` of them. A group whose stream is dropped or cancelled stays closed: its other elements are dropped.
    All groups end with the input.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        prefetch: How many elements may wait in each queue, and may be requested upstream and not yet be in one, from 1
            to 2**24.
        max_groups: How many groups there may be, from 1, those that are closed included; one more ends the stream with
            CapacityError.

    Demand: from the first request on, `prefetch` requested upstream, replenished when 75 % of them are in the queues;
        groups that were not requested wait.
    Errors: upstream's, one of the function, and one group too many go to all groups, after what waits in them, and to
        the subscriber. WouldDeadlockError, with the key, where a queue is full and nobody can make room: its group
        waits for a place in `flat_map` whose streams all wait for elements of other groups, or the thread that iterates
        over the groups waits for an element of one. Where these streams have queues, as behind `observe_on`, so that
        another thread might help, or where a thread waits for the end of groups that nobody consumes, a RuntimeWarning
        names the group instead.
    State: the groups, with what waits of each. What holds a group below, such as `flat_map`, refers to it; it calls its
        function again with it when it is loaded. A group that a subscriber has outside of the saved tree is refused.
    Threads: the function runs in the thread that drains the stream. Each group may be consumed in a thread of its own.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor `groupBy`; RxJava `groupBy`; reactivex `group_by`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat")
        >>> words.group_by(lambda word: word[0]).flat_map(lambda group: group.map(lambda w: (group.key, w))).to_list()
        [('a', 'ant'), ('a', 'asp'), ('b', 'bee'), ('b', 'bat')]
    """

    id = "rx://operators/group_by"
    method = "group_by"
    has_keys = True
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        key: Callable[[T], U], *, prefetch: int = DEFAULT_GROUP_PREFETCH, max_groups: int = DEFAULT_MAX_GROUPS
    ) -> Checked[GroupedStream[U, T]]:
        """Return the checked parameters."""
        return Checked(checked_grouping(key, prefetch, max_groups, "group_by"))

    @staticmethod
    def stage(key: Callable[[Any], Any], prefetch: int, max_groups: int) -> GroupByStage:
        """Return a new live stage."""
        return grouping_stage(key, None, prefetch, max_groups)
