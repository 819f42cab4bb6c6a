"""split_when: lists of neighbors, split where a predicate says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS, MAX_BUFFER_ELEMENTS
from rs_core.operators.batch import SplitStage


class SplitWhen(OperatorDefinition):
    """Pass on lists of neighboring elements; a new one begins where a predicate of an element and the next is true.

    Args:
        predicate: Called with each element and the next one; true: the next one begins a list.
        max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
            CapacityError.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
        for each element that ends no list. The last list goes out at the completion, for a request of its own.
    Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
        element more than the bound, cancels the upstream and becomes `on_error`.
    State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5.
    Elsewhere: Reactor `bufferUntilChanged`; RxJava none; reactivex none. more_itertools has
        `split_when`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 5, 6, 4).split_when(lambda one, following: following != one + 1).to_list()
        [[1, 2], [5, 6], [4]]
    """

    id = "rx://operators/split_when"
    method = "split_when"
    stateful = True

    @staticmethod
    def parameters(
        predicate: Callable[[T, T], object], *, max_elements: int = DEFAULT_MAX_ELEMENTS
    ) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_callable(predicate, operator="split_when", name="predicate"),
                checked_count(
                    max_elements, operator="split_when", name="max_elements", at_least=1, at_most=MAX_BUFFER_ELEMENTS
                ),
            )
        )

    @staticmethod
    def stage(predicate: Callable[[Any, Any], object], max_elements: int) -> SplitStage:
        """Return a new live stage."""
        return SplitStage(DEFAULT_PREFETCH, predicate, max_elements)
