"""on_error_return: pass on a value and complete where the stream fails."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.combining.inputs import described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.recovering.on_error_resume import OnErrorResume


class OnErrorReturn(OperatorDefinition):
    """Pass on the elements of the stream; where it fails, a value, then complete.

    Args:
        value: The element to pass on instead of the error.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; the value
        waits for demand.
    Errors: upstream's is not passed on.
    State: upstream's error, and what waits of the upstream; version 1.0.0.0.
    Threads: as upstream; the value is passed on in the thread that drains the stream.
    Rules: §1.1, §1.4.
    Elsewhere: Reactor `onErrorReturn`; RxJava `onErrorReturnItem`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(2, 0).map(lambda n: 1 // n).on_error_return(-1).to_list()
        [0, -1]
    """

    id = "rx://operators/on_error_return"
    method = "on_error_return"
    stateful = True

    @staticmethod
    def parameters(value: U) -> Checked[T | U]:
        """Return the value."""
        return Checked((value,))

    @staticmethod
    def stage(value: Any) -> Any:
        """Return a new live stage."""
        return OnErrorResume.stage(described((value,), where="on_error_return(value)"))
