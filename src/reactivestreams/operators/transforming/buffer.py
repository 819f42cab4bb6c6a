"""buffer: join neighboring elements into lists."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.batch import BufferStage

MAX_BUFFER_ELEMENTS = 2**24
"""The largest list that `buffer` makes."""


class Buffer(OperatorDefinition):
    """Pass on lists of `count` neighboring elements; the last list may be shorter.

    Args:
        count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.

    Demand: n lists requested are n * count elements requested upstream.
    Errors: upstream's are passed on; the elements of the list that was being filled are given up.
    State: the elements of the list that is being filled; version 1.0.0.0. Loaded ones count for the first request, and
        a completion waits for that.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `buffer`; RxJava `buffer`; reactivex `buffer_with_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).buffer(2).to_list()
        [[0, 1], [2, 3], [4]]
    """

    id = "rx://operators/buffer"
    method = "buffer"
    stage = BufferStage
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(
            (checked_count(count, operator="buffer", name="count", at_least=1, at_most=MAX_BUFFER_ELEMENTS),)
        )
