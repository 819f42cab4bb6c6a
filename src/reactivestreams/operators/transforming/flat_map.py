"""flat_map: pass on the elements of a stream for each element; what all operators that do so share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.combining.inputs import Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.flatten import FlatMapStage

DEFAULT_PREFETCH = 32
"""How many elements of each input these operators request ahead unless they are told otherwise."""

DEFAULT_CONCURRENCY = 32
"""How many streams may run at the same time unless the operator is told otherwise."""


def checked_flattening(
    function: Callable[[Any], Any], prefetch: int, concurrency: int, operator: str
) -> tuple[Callable[[Any], Any], int, int]:
    """Return the checked parameters of an operator that runs a stream for each element."""
    return (
        checked_callable(function, operator=operator, name="function"),
        checked_count(prefetch, operator=operator, name="prefetch", at_least=1, at_most=2**24),
        checked_count(concurrency, operator=operator, name="concurrency", at_least=1, at_most=2**24),
    )


def flattening_stage(
    function: Callable[[Any], Any], prefetch: int, concurrency: int, *, operator: str, keeps_order: bool
) -> FlatMapStage:
    """Return its new live stage."""
    return FlatMapStage(function, prefetch, concurrency, keeps_order, describing(operator))


def describing(operator: str, name: str = "function") -> Callable[[object, object], Any]:
    """Return the function that describes what a function, an argument of an operator, returned for an element.

    No nested function: CPython 3.13 frees its code too early where there is no memory to make one.
    """
    return partial(_described_result, f"{operator}({name})")


def _described_result(argument: str, result: object, element: object) -> Any:
    return described(result, where=f"{argument}, by what it returned for {element!r:.80},")


class FlatMap(OperatorDefinition):
    """Pass on the elements of what a function returns for each element: an iterable, a stream or another publisher.

    Streams run beside each other, and their elements come as they come. Iterables are read one after the other, where
    the stream is drained.

    Args:
        function: Called with each element; returns an iterable, a stream, a publisher or an asynchronous iterable.
        concurrency: How many streams may run at the same time, from 1 to 2**24.
        prefetch: How many elements may be requested of each of them, and upstream, and not yet be passed on, from 1 to
            2**24.

    Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
        were taken. The function is called while there is demand, fewer than `concurrency` streams run, and no iterable
        is being read.
    Errors: that of a stream comes after its elements and cancels all others, that of upstream comes after the iterable
        that is being read and cancels the streams; an exception of the function or of an iterable cancels everything
        and becomes `on_error`, and so does an
        ArgumentTypeError where the function returns nothing of the kind.
    State: the queues, the element whose iterable is being read and how many of its elements were passed on, the
        elements whose streams run, with the state of these streams; the function must return equal ones again for them.
        Version 1.1.0.0, reads 1.0.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `flatMap`; RxJava `flatMap`; reactivex `flat_map`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("ab", "c").flat_map(list).to_list()
        ['a', 'b', 'c']
        >>> Stream.just(2, 3).flat_map(lambda n: Stream.range(n).map(lambda m: n * m)).to_list()
        [0, 2, 0, 3, 6]
    """

    id = "rx://operators/flat_map"
    method = "flat_map"

    @staticmethod
    def parameters(
        function: Callable[[T], Source[U]], *, concurrency: int = DEFAULT_CONCURRENCY, prefetch: int = DEFAULT_PREFETCH
    ) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(checked_flattening(function, prefetch, concurrency, "flat_map"))

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int, concurrency: int = DEFAULT_CONCURRENCY) -> FlatMapStage:
        """Return a new live stage."""
        return flattening_stage(function, prefetch, concurrency, operator="flat_map", keeps_order=False)
