"""on_error_map: signal another error instead of the stream's."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import MapErrorStage


class OnErrorMap(OperatorDefinition):
    """Pass on the elements of the stream; where it fails, signal the error that a function returns for its own.

    Args:
        function: Called with the error; returns the exception to signal instead, which gets the error as its cause
            unless it has one.

    Demand: n requested are n requested upstream.
    Errors: what the function returns takes the place of upstream's, and so does an exception of the function; an
        ArgumentTypeError, where it returns no exception.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.4.
    Elsewhere: Reactor `onErrorMap`; RxJava `onErrorResumeNext`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> stream = Stream.error(KeyError("port")).on_error_map(lambda error: ValueError("no port"))
        >>> stream.on_error_resume(lambda error: [repr(error)]).to_list()
        ["ValueError('no port')"]
    """

    id = "rx://operators/on_error_map"
    method = "on_error_map"

    @staticmethod
    def parameters(function: Callable[[Exception], Exception]) -> Checked[T]:
        """Return the checked parameters."""
        # Not in one statement: ci/generate_operators.py puts such a check in line, and every stream would load this.
        checked = checked_callable(function, operator="on_error_map", name="function")
        return Checked((checked,))

    @staticmethod
    def stage(function: Callable[[Exception], Exception]) -> MapErrorStage:
        """Return a new live stage."""

        def mapped(error: Exception) -> Exception:
            returned: object = function(error)
            if not isinstance(returned, Exception):
                raise ArgumentTypeError(
                    f"on_error_map(function) needs a function that returns an exception, got {returned!r:.200} "
                    f"({type(returned).__name__}); return the error itself to leave it as it is"
                )
            if returned is not error and returned.__cause__ is None:
                returned.__cause__ = error
            return returned

        return MapErrorStage(mapped)
