"""buffer_toggle: lists that one stream opens, and each of which a stream of its own ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS, MAX_BUFFER_ELEMENTS
from reactivestreams.operators.transforming.flat_map import describing
from rs_core.operators.batch import ToggleStage
from rs_core.stream.description import Description

DEFAULT_MAX_LISTS = 1024
"""How many lists of `buffer_toggle` may be open at a time, unless it is told otherwise."""


class BufferToggle(OperatorDefinition):
    """Pass on a list for each element of another stream: of what comes from there on, until a third stream ends it.

    Several lists may be open at a time, and each gets every element. What comes while none is open is dropped. When the
    upstream completes, the open lists go out in the order in which they were opened, also empty ones; when the openings
    have, the stream completes with the last open list.

    Args:
        openings: A stream, a publisher, an iterable or an asynchronous iterable; each of its elements opens a list.
        closing: Called with that element; returns one, too, whose first element or completion ends the list.
        max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`. While one is full, no more elements
            are taken, until that list ends.
        max_lists: The most lists that are open at a time, from 1 to 2**24; one more ends the stream with CapacityError.
        prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.

    Demand: `prefetch` of each input at the start, whatever is requested; replenished when 75 % were taken. A list that
        has ended and is not requested holds up all inputs until it is; what came meanwhile is taken then, the openings
        first and the ends of lists last.
    Errors: the first error of an input, also of one that `closing` returned, and an exception of `closing` cancel all
        others; the open lists are given up.
    State: what waits of each input, which are over; the lists that wait to be requested; of each open list the
        elements, the element that opened it and the state of the stream that ends it. `closing` is called again with
        that element when it is loaded. Version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.4, §1.5, §1.7.
    Elsewhere: Reactor `bufferWhen`; RxJava `buffer` of openings; reactivex `buffer_toggle`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> numbers, doors, ends = SimpleSubject(), SimpleSubject(), SimpleSubject()
        >>> lists = []
        >>> stream = Stream.from_publisher(numbers).buffer_toggle(doors, lambda door: Stream.from_publisher(ends))
        >>> running = stream.subscribe(on_next=lists.append)
        >>> for subject, element in ((numbers, 1), (doors, "open"), (numbers, 2), (numbers, 3), (ends, "shut")):
        ...     subject.on_next(element)
        >>> lists
        [[2, 3]]
    """

    id = "rx://operators/buffer_toggle"
    method = "buffer_toggle"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        openings: Source[U],
        closing: Callable[[U], Source[object]],
        *,
        max_elements: int = DEFAULT_MAX_ELEMENTS,
        max_lists: int = DEFAULT_MAX_LISTS,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(
            (
                described(openings, where="buffer_toggle(openings)"),
                checked_count(prefetch, operator="buffer_toggle", name="prefetch", at_least=1, at_most=2**24),
                checked_callable(closing, operator="buffer_toggle", name="closing"),
                checked_count(
                    max_elements,
                    operator="buffer_toggle",
                    name="max_elements",
                    at_least=1,
                    at_most=MAX_BUFFER_ELEMENTS,
                ),
                checked_count(max_lists, operator="buffer_toggle", name="max_lists", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(
        openings: Description, prefetch: int, closing: Callable[[Any], Any], max_elements: int, max_lists: int
    ) -> ToggleStage:
        """Return a new live stage."""
        return ToggleStage(openings, prefetch, closing, describing("buffer_toggle", "closing"), max_elements, max_lists)
