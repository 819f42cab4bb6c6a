"""buffer_until: lists of neighbors, each of which ends with an element that a predicate picks.

A method of its own beside `split_when`: a list goes out with its last element, not when the next one has come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS, MAX_BUFFER_ELEMENTS
from rs_core.operators.batch import MarkStage


class BufferUntil(OperatorDefinition):
    """Pass on lists of neighboring elements, each of which ends with an element for which a predicate is true.

    Args:
        predicate: Called with each element; true: it is the last of its list.
        max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
            CapacityError.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
        for each element that ends no list. So what is left at the completion was requested, and goes out with it.
    Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
        element more than the bound, cancels the upstream and becomes `on_error`.
    State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5.
    Elsewhere: Reactor `bufferUntil`; RxJava none; reactivex none. more_itertools has `split_after`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("a", "b.", "c.", "d").buffer_until(lambda word: word.endswith(".")).to_list()
        [['a', 'b.'], ['c.'], ['d']]
    """

    id = "rx://operators/buffer_until"
    method = "buffer_until"
    stateful = True

    @staticmethod
    def parameters(predicate: Callable[[T], object], *, max_elements: int = DEFAULT_MAX_ELEMENTS) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(checked_marks(predicate, max_elements, "buffer_until"))

    @staticmethod
    def stage(predicate: Callable[[Any], object], max_elements: int) -> MarkStage:
        """Return a new live stage."""
        return MarkStage(DEFAULT_PREFETCH, predicate, max_elements, False)


def checked_marks(predicate: Any, max_elements: object, operator: str) -> tuple[Any, int]:
    """Return the checked parameters of an operator whose lists a predicate of one element ends."""
    return (
        checked_callable(predicate, operator=operator, name="predicate"),
        checked_count(max_elements, operator=operator, name="max_elements", at_least=1, at_most=MAX_BUFFER_ELEMENTS),
    )
