"""reduce: the fold of the elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from reactivestreams.arguments import checked_callable, checked_timeout
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.ends.blocking import ReduceEnd


class Reduce(FoldingDefinition):
    """Fold the elements into one value.

    Args:
        function: Called with the accumulator and an element; returns the next accumulator.
        seed: The first accumulator, and the result where there is no element. Every subscription starts from this very
            object, so use an immutable one. Without it the first element is the first accumulator.

    Raises:
        EmptyStreamError: There was no element, and no seed.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: whether there is an accumulator, and the accumulator; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `reduce`; RxJava `reduce`; reactivex `reduce`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(1, 6).reduce(lambda product, number: product * number, 1)
        120
    """

    id = "rx://operators/reduce"
    method = "reduce"
    if_empty = "use reduce(function, seed) if it may"

    @overload
    @staticmethod
    def parameters(function: Callable[[T, T], T]) -> Checked[T]: ...

    @overload
    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[U]: ...

    @staticmethod
    def parameters(function: Callable[[Any, Any], Any], seed: Any = ...) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="reduce", name="function"), seed))

    @staticmethod
    def stage(function: Callable[[Any, Any], Any], seed: Any) -> Any:
        """Return a new live stage."""
        from rs_core.operators.reduce import ReduceStage

        return ReduceStage(function, seed is not ..., None if seed is ... else seed)

    @classmethod
    def run(
        cls, stream: Any, timeout_seconds: float | None, function: Callable[[Any, Any], Any], seed: Any = ...
    ) -> Any:
        """Run a stream and return the result."""
        if seed is ...:
            return cls.result_of(stream, cls.parameters(function), timeout_seconds)
        end: ReduceEnd[Any] = ReduceEnd(stream, checked_callable(function, operator="reduce", name="function"), seed)
        return end.wait(timeout_seconds=checked_timeout(timeout_seconds, operator="reduce"))
