"""finally_: call a function once when the stream is over, however that comes about."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import DoStage


class Finally(OperatorDefinition):
    """Call a function once after the completion, the error or the cancellation of the stream.

    Args:
        action: Called without arguments when the signal has been passed on, or the stream was cancelled.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function goes to the hook for dropped signals.
    State: none but whether it is disposed, in which case a stream that loads the state does not call the function
        again; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream, or in the one that cancels it if nobody does.
    Rules: §1.7, §3.15.
    Elsewhere: Reactor `doFinally`; RxJava `doFinally`; reactivex `finally_action`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**12).finally_(lambda: print("closed")).take(2).to_list()
        closed
        [0, 1]
    """

    id = "rx://operators/finally"
    method = "finally_"

    @staticmethod
    def parameters(action: Callable[[], object]) -> Checked[T]:
        """Return the checked parameters."""
        checked = checked_callable(action, operator="finally_", name="action")
        return Checked((checked,))

    @staticmethod
    def stage(action: Callable[[], object]) -> DoStage:
        """Return a new live stage."""
        return DoStage(on_finally=action)
