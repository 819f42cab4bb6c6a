"""expand: pass on each element and, breadth first, what a function returns for it, for that again, and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.flat_map import DEFAULT_PREFETCH, checked_flattening, describing
from rs_core.operators.flatten import ExpandStage

DEFAULT_MAX_WAITING = 65_536
"""How many elements may wait for a call of the function unless the operator is told otherwise."""


class Expand(OperatorDefinition):
    """Pass on each element, then the elements of what a function returns for it, for each of those again, and so on.

    A tree comes level by level: the elements of upstream, as far as they are at hand, then those that the function
    returned for them, in order. With a `concurrency` above 1, elements of one level may come before the rest of the one
    above.

    Args:
        function: Called with each element that was passed on; returns its children as an iterable, a stream, a
            publisher or an asynchronous iterable; () where it has none.
        concurrency: How many streams of children may run at the same time, from 1 to 2**24.
        max_waiting: How many elements that were passed on may wait for a call of the function, from 1 to 2**24.
        prefetch: How many elements may be requested of each stream, and upstream, and not yet be passed on, from 1 to
            2**24.

    Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
        were taken. The function is called while there is demand, nothing waits of upstream and fewer than `concurrency`
        streams run.
    Errors: the first error of upstream or of a stream comes after its elements and cancels all others; a CapacityError
        where more than `max_waiting` elements wait; an exception of the function becomes `on_error`, and so does an
        ArgumentTypeError where it returns nothing of the kind.
    State: the elements that wait for a call, the elements whose streams run, with the state of these streams, and what
        waits of all; the function must return equal ones again for them. Version 1.0.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `expand`; RxJava none; reactivex `expand`.

    Example:
        >>> from reactivestreams import Stream
        >>> children = {"root": ["a", "b"], "a": ["c"], "b": ["d", "e"]}
        >>> Stream.just("root").expand(lambda name: children.get(name, ())).to_list()
        ['root', 'a', 'b', 'c', 'd', 'e']
    """

    id = "rx://operators/expand"
    method = "expand"

    @staticmethod
    def parameters(
        function: Callable[[T], Source[T]],
        *,
        concurrency: int = 1,
        max_waiting: int = DEFAULT_MAX_WAITING,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                *checked_flattening(function, prefetch, concurrency, "expand"),
                checked_count(max_waiting, operator="expand", name="max_waiting", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int, concurrency: int, max_waiting: int) -> ExpandStage:
        """Return a new live stage."""
        return ExpandStage(function, prefetch, concurrency, max_waiting, describing("expand"))
