"""average: the mean of the elements."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.operators.definition import Checked, FoldingDefinition, U
from rs_core.operators.reduce import AverageStage


class Average(FoldingDefinition):
    """Divide the sum of the elements by their number.

    Args:
        default: The result where there is no element; without it that is an EmptyStreamError.

    Raises:
        EmptyStreamError: There was no element, and no default.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of the addition or division cancels the upstream and becomes
        `on_error`.
    State: the number of elements and their sum; version 1.0.0.0.
    Threads: the addition runs in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `MathFlux.averageDouble`; RxJava none; reactivex `average`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 6).average()
        3.0
    """

    id = "rx://operators/average"
    method = "average"
    if_empty = "use average(default=...) if it may"

    @overload
    @staticmethod
    def parameters() -> Checked[Any]: ...

    @overload
    @staticmethod
    def parameters(*, default: U) -> Checked[Any | U]: ...

    @staticmethod
    def parameters(*, default: Any = ...) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((default,))

    @staticmethod
    def stage(default: Any) -> AverageStage:
        """Return a new live stage."""
        return AverageStage(default is not ..., default)
