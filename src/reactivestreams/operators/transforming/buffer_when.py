"""buffer_when: lists of the elements between two elements of another stream.

A method of its own beside `buffer`: what it needs of demand and what it keeps are those of an operator with two inputs.
"""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS, MAX_BUFFER_ELEMENTS
from rs_core.operators.batch import BoundaryStage
from rs_core.stream.description import Description


class BufferWhen(OperatorDefinition):
    """Pass on a list whenever another stream has an element: of the elements since the one before, perhaps none.

    When one of both completes, the elements that are in the list go out, if there are any, and the stream completes.

    Args:
        boundary: A stream, a publisher, an iterable or an asynchronous iterable; its elements themselves are dropped.
        max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`. A full list waits for the boundary,
            and this stream with it.
        prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken. Without demand nothing is taken: a
        boundary that comes meanwhile ends a list when that is requested.
    Errors: the first error of an input cancels the other; the list that is being filled is given up.
    State: what waits of each input, which are over, and the elements of the list; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.5, §1.7.
    Elsewhere: Reactor `buffer` of a publisher; RxJava `buffer` of a publisher; reactivex `buffer`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> numbers, ticks = SimpleSubject(), SimpleSubject()
        >>> lists = []
        >>> running = Stream.from_publisher(numbers).buffer_when(ticks).subscribe(on_next=lists.append)
        >>> for push in (lambda: numbers.on_next(1), lambda: numbers.on_next(2), lambda: ticks.on_next("tick")):
        ...     push()
        >>> lists
        [[1, 2]]
    """

    id = "rx://operators/buffer_when"
    method = "buffer_when"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        boundary: Source[Any], *, max_elements: int = DEFAULT_MAX_ELEMENTS, prefetch: int = DEFAULT_PREFETCH
    ) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(
            (
                described(boundary, where="buffer_when(boundary)"),
                checked_count(prefetch, operator="buffer_when", name="prefetch", at_least=1, at_most=2**24),
                checked_count(
                    max_elements, operator="buffer_when", name="max_elements", at_least=1, at_most=MAX_BUFFER_ELEMENTS
                ),
            )
        )

    @staticmethod
    def stage(boundary: Description, prefetch: int, max_elements: int) -> BoundaryStage:
        """Return a new live stage."""
        return BoundaryStage(boundary, prefetch, max_elements)
