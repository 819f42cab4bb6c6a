"""The streams that `group_by` passes on."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar, cast

from reactivestreams.operators.definition import OperatorDefinition, Recovery
from reactivestreams.stream.stream import Stream
from rs_core.operators.group import Group, GroupSource
from rs_core.stream.description import new_head

K = TypeVar("K")
T = TypeVar("T")


class GroupOf(OperatorDefinition):
    """Send the elements of a group, to one subscription.

    Demand: as requested; what is not requested waits in the queue of the group, which is bounded.
    Errors: those of the stream of groups, after the elements that came before; `SourceUsedTwiceError` for a second
        subscription.
    State: what waits of it is saved with the operator that passed it on.
    Recovery: `exact`.
    Threads: the thread that drains the stream of groups, or the one that requests.
    Rules: §1.1, §1.10.
    """

    id = "rx://sources/group"
    method = "group"
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def stage(group: Group) -> GroupSource:
        """Return a new live stage."""
        return group.source()


class GroupedStream(Stream[T], Generic[K, T]):
    """A stream of the elements of one key, which `group_by` passes on; it can be subscribed to once.

    When neither it nor what was built on it is referred to any more, and nobody has subscribed, the elements of its key
    are dropped.
    """

    __slots__ = ()

    @property
    def key(self) -> K:
        """The key of the elements, also of streams that were built on it."""
        group: Group = self.nodes()[0].parameters[0]
        return cast("K", group.key)


def grouped(group: Group) -> GroupedStream[Any, Any]:
    """Return the stream of a group."""
    stream: GroupedStream[Any, Any] = new_head(GroupedStream, GroupOf, (group,))
    return stream
