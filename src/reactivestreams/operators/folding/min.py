"""min: the least element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.operators.reduce import ExtremeStage


class Min(FoldingDefinition):
    """Find the least element; of those that are equal, the first.

    Args:
        key: Called with each element; returns what is compared in its place. None: the elements themselves.
        default: The result where there is no element; without it that is an EmptyStreamError.

    Raises:
        EmptyStreamError: There was no element, and no default.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of the function or of a comparison cancels the upstream
        and becomes `on_error`.
    State: whether there was an element, the one found so far and its key; version 1.0.0.0.
    Threads: the function and the comparisons run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `MathFlux.min`; RxJava none; reactivex `min`, `min_by`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("bee", "ant", "hornet").min(key=len)
        'bee'
    """

    id = "rx://operators/min"
    method = "min"
    if_empty = "use min(default=...) if it may"

    @overload
    @staticmethod
    def parameters(key: Callable[[T], Any] | None = None) -> Checked[T]: ...

    @overload
    @staticmethod
    def parameters(key: Callable[[T], Any] | None = None, *, default: U) -> Checked[T | U]: ...

    @staticmethod
    def parameters(key: Callable[[T], Any] | None = None, *, default: Any = ...) -> Checked[Any]:
        """Return the checked parameters."""
        if key is not None:
            checked_callable(key, operator="min", name="key")
        return Checked((key, default))

    @staticmethod
    def stage(key: Callable[[Any], Any] | None, default: Any) -> ExtremeStage:
        """Return a new live stage."""
        return ExtremeStage(False, key, default is not ..., default)
