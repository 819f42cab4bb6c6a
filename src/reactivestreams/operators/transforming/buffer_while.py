"""buffer_while: lists of neighbors for which a predicate is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS
from reactivestreams.operators.transforming.buffer_until import checked_marks
from rs_core.operators.batch import MarkStage


class BufferWhile(OperatorDefinition):
    """Pass on lists of neighboring elements for which a predicate is true; the others end a list, and are dropped.

    There are no empty lists: of two such elements in a row the second ends nothing.

    Args:
        predicate: Called with each element; false: it ends the list, and is in none.
        max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
            CapacityError.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
        for each element that ends no list. So what is left at the completion was requested, and goes out with it.
    Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
        element more than the bound, cancels the upstream and becomes `on_error`.
    State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5.
    Elsewhere: Reactor `bufferWhile`; RxJava none; reactivex none. more_itertools has `split_at`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 0, 0, 3).buffer_while(bool).to_list()
        [[1, 2], [3]]
    """

    id = "rx://operators/buffer_while"
    method = "buffer_while"
    stateful = True

    @staticmethod
    def parameters(predicate: Callable[[T], object], *, max_elements: int = DEFAULT_MAX_ELEMENTS) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(checked_marks(predicate, max_elements, "buffer_while"))

    @staticmethod
    def stage(predicate: Callable[[Any], object], max_elements: int) -> MarkStage:
        """Return a new live stage."""
        return MarkStage(DEFAULT_PREFETCH, predicate, max_elements, True)
