"""repeat_when: run the stream again when it completes, each time another stream says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.recovering.retry_when import again_when
from rs_core.operators.sequence import AgainWhenStage


class RepeatWhen(OperatorDefinition):
    """Pass on the elements of the stream, and run it again when it completes, as soon as another stream says so.

    Args:
        function: Called once, when the stream completes for the first time, with a stream of how many elements each run
            passed on, which may be subscribed to once; returns the control: a stream, a publisher or an iterable. Each
            of its elements, whatever it is, begins a run.

    Demand: what was requested and not yet delivered is requested of the run at hand, at most 128 elements at a time. Of
        the control one element is requested for each completion.
    Errors: upstream's are passed on and end the repetition; the stream fails with an error of the control; it completes
        when the control has completed and no run is left; an exception of the function becomes `on_error`.
    State: how many runs have ended, whether the control is waited for, its state and that of the present run; version
        1.0.0.0. The function is called again for a loaded state.
    Threads: the function runs, and each run begins, in the thread that drains the stream.
    Rules: §1.1, §1.10.
    Elsewhere: Reactor `repeatWhen`; RxJava `repeatWhen`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).repeat_when(lambda counts: counts.take(2)).to_list()
        [1, 2, 1, 2, 1, 2]
    """

    id = "rx://operators/repeat_when"
    method = "repeat_when"
    stateful = True

    @staticmethod
    def parameters(function: Callable[[Any], Source[Any]]) -> Checked[T]:
        """Return the checked parameters."""
        checked = checked_callable(function, operator="repeat_when", name="function")
        return Checked((checked,))

    @staticmethod
    def stage(function: Callable[[Any], Source[Any]]) -> AgainWhenStage:
        """Return a new live stage."""
        return again_when(function, operator="repeat_when", is_after_errors=False)
