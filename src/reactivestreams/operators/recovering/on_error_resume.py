"""on_error_resume: go on with another stream where the stream fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.sequence import SequenceStage, Successor
from rs_core.stream.description import Description


class OnErrorResume(OperatorDefinition):
    """Pass on the elements of the stream; where it fails, those of a source instead of the error.

    Args:
        source: A stream, a publisher, an iterable or an asynchronous iterable; or a function that is called with the
            error and returns one. The function is called again when a saved state is loaded.

    Demand: what was requested and not yet delivered is requested of the input at hand, at most 128 elements at a time.
    Errors: upstream's is not passed on; the source's is, and so is an exception of the function, with upstream's error
        as its context.
    State: which input is active, upstream's error, and what waits of the input; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §1.4.
    Elsewhere: Reactor `onErrorResume`; RxJava `onErrorResumeNext`; reactivex `catch`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 0).map(lambda n: 1 // n).on_error_resume(lambda error: [repr(error)]).to_list()
        [1, "ZeroDivisionError('integer division or modulo by zero')"]
    """

    id = "rx://operators/on_error_resume"
    method = "on_error_resume"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(source: Source[U] | Callable[[Exception], Source[U]]) -> Checked[T | U]:
        """Return the function, or the description of the source."""
        given: Any = source
        if callable(given) and not hasattr(given, "subscribe"):
            return Checked((checked_callable(given, operator="on_error_resume", name="source"),))
        return Checked((described(given, where="on_error_resume(source)"),))

    @staticmethod
    def stage(source: Description | Callable[[Exception], object]) -> Any:
        """Return a new live stage."""

        def following(ended: int, _passed: int, error: Exception | None) -> Description | Successor:
            if error is None or ended:
                return Successor.END
            if isinstance(source, Description):
                return source
            return described(source(error), where="the function of on_error_resume(source)")

        return SequenceStage(DEFAULT_PREFETCH, following)
