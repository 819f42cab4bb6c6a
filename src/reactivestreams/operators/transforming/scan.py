"""scan: pass on a running fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.fold import ScanStage


class Scan(OperatorDefinition):
    """Fold the elements into an accumulator and pass it on after each; the seed itself is not passed on.

    Without a seed the first element is the first accumulator, and is passed on as it is.

    Args:
        function: Called with the accumulator and an element; returns the next accumulator.
        seed: The first accumulator. Every subscription starts from this very object, so use an immutable one. Without
            it the first element is the first accumulator.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: whether there is no accumulator yet, and the accumulator; version 1.1.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor `scan`; RxJava `scan`; reactivex `scan`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 3).scan(lambda total, element: total + element, 0).to_list()
        [1, 3, 6]
        >>> Stream.just(3, 1, 4).scan(max).to_list()
        [3, 3, 4]
    """

    id = "rx://operators/scan"
    method = "scan"
    stateful = True

    @overload
    @staticmethod
    def parameters(function: Callable[[T, T], T]) -> Checked[T]: ...

    @overload
    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[U]: ...

    @staticmethod
    def parameters(function: Callable[[Any, Any], Any], seed: Any = ...) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="scan", name="function"), seed))

    @staticmethod
    def stage(function: Callable[[Any, Any], Any], seed: Any) -> ScanStage:
        """Return a new live stage."""
        return ScanStage(function, seed is not ..., None if seed is ... else seed)
