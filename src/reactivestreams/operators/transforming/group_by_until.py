"""group_by_until: pass on a stream for each key, until another stream ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.group_by import (
    DEFAULT_GROUP_PREFETCH,
    DEFAULT_MAX_GROUPS,
    checked_grouping,
    grouping_stage,
)
from rs_core.operators.group import GroupByStage

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream


class GroupByUntil(OperatorDefinition):
    """Pass on a stream for each key as `group_by` does, and end it when another stream signals.

    The next element of the key begins a new group, with a stream of its own, also where the one before was dropped or
    cancelled.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        until: Called with the key of each new group; returns a stream, publisher or iterable, whose first element or
            completion ends the group. It is subscribed to after the first element of the group was taken, and runs as
            the stream does: on a scheduler in a turn of its own, before which more elements may join the group.
        prefetch: How many elements may wait in each queue, and may be requested upstream and not yet be in one, from 1
            to 2**24.
        max_groups: How many groups there may be at a time, from 1; one more ends the stream with CapacityError. As many
            may wait to be requested, also if they have ended.

    Demand: as for `group_by`; nothing is taken in while `max_groups` groups wait to be requested.
    Errors: as for `group_by`; those of `until` and of what it returned, too, go to all groups and to the subscriber.
    State: as for `group_by`; what waits of the streams that end groups, for which `until` is called again when it is
        loaded.
    Threads: as for `group_by`; `until` runs where `key` does.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor none; RxJava none; reactivex `group_by_until`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat")
        >>> alone = words.group_by_until(lambda word: word[0], lambda key: [key] if key == "a" else Stream.never())
        >>> alone.flat_map(lambda group: group.buffer(9)).to_list()
        [['ant'], ['bee', 'bat'], ['asp']]
    """

    id = "rx://operators/group_by_until"
    method = "group_by_until"
    has_keys = True
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        key: Callable[[T], U],
        until: Callable[[U], Source[object]],
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_groups: int = DEFAULT_MAX_GROUPS,
    ) -> Checked[GroupedStream[U, T]]:
        """Return the checked parameters."""
        checked_key, ahead, most = checked_grouping(key, prefetch, max_groups, "group_by_until")
        return Checked((checked_key, checked_callable(until, operator="group_by_until", name="until"), ahead, most))

    @staticmethod
    def stage(key: Callable[[Any], Any], until: Callable[[Any], Any], prefetch: int, max_groups: int) -> GroupByStage:
        """Return a new live stage."""
        return grouping_stage(key, until, prefetch, max_groups)
