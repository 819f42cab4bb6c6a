"""retry_when: run the stream again when it fails, each time another stream says so; what repeat_when shares with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, T
from rs_core.operators.sequence import AgainWhenStage, Feed, FeedStage
from rs_core.stream.description import Description, new_head


class _Ends:
    """The definition of the stream that the function gets."""

    id: ClassVar[str] = "rx://sources/ends"
    method: ClassVar[str] = "ends"
    stage = FeedStage
    recovery: ClassVar[Recovery] = "exact"

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        return cls.recovery


def again_when(function: Callable[[Any], Source[Any]], *, operator: str, is_after_errors: bool) -> AgainWhenStage:
    """Return the live stage of an operator that runs its stream again when another stream says so."""

    def control(kind: type[Description], feed: Feed) -> Description:
        ends = new_head(kind, _Ends, (feed,))
        return described(function(ends), where=f"the function of {operator}(function)")

    return AgainWhenStage(DEFAULT_PREFETCH, control, is_after_errors)


class RetryWhen(OperatorDefinition):
    """Pass on the elements of the stream, and run it again when it fails, as soon as another stream says so.

    Args:
        function: Called once, when the stream fails for the first time, with the stream of its errors, which may be
            subscribed to once; returns the control: a stream, a publisher or an iterable. Each of its elements,
            whatever it is, begins an attempt.

    Demand: what was requested and not yet delivered is requested of the attempt at hand, at most 128 elements at a
        time. Of the control one element is requested for each error.
    Errors: the stream fails with an error of the control; it completes when the control has completed and no attempt
        runs; an exception of the function takes the place of the stream's, with it as the context.
    State: how many attempts have failed, whether the control is waited for, its state and that of the present attempt;
        version 1.0.0.0. The function is called again for a loaded state.
    Threads: the function runs, and each attempt begins, in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.10.
    Elsewhere: Reactor `retryWhen`; RxJava `retryWhen`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> answers = iter([0, 0, 5])
        >>> Stream.just(10).map(lambda n: n // next(answers)).retry_when(lambda errors: errors.take(3)).to_list()
        [2]
    """

    id = "rx://operators/retry_when"
    method = "retry_when"
    stateful = True

    @staticmethod
    def parameters(function: Callable[[Any], Source[Any]]) -> Checked[T]:
        """Return the checked parameters."""
        checked = checked_callable(function, operator="retry_when", name="function")
        return Checked((checked,))

    @staticmethod
    def stage(function: Callable[[Any], Source[Any]]) -> AgainWhenStage:
        """Return a new live stage."""
        return again_when(function, operator="retry_when", is_after_errors=True)
