"""skip_until: drop elements until a predicate is true, or until another stream sends one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.filtering.take_until import checked_until
from rs_core.operators.combine import GateStage
from rs_core.operators.limit import SkipWhileStage


class SkipUntil(OperatorDefinition):
    """Drop elements until a predicate is true, or until another stream sends an element; then pass on all.

    The element for which the predicate is true is the first one that passes. Another stream that completes without an
    element lets nothing pass; the end of the upstream is passed on.

    Args:
        until: A predicate, which is called with each element until one passes, and whose result counts by its truth;
            or a stream, a publisher, an iterable or an asynchronous iterable.

    Demand: n requested are n requested upstream, with another stream at most 128 at a time; a dropped element gives
        its demand back. Of another stream one element is requested at the start; then it is cancelled.
    Errors: upstream's are passed on, and until elements pass those of the other stream, which cancel the upstream; an
        exception of the predicate, or of the truth of its result, cancels the upstream and becomes `on_error`.
    State: whether elements pass, and with another stream what waits of both; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream; with another stream, signals run in the thread
        that requests, or in that of the input that brings one.
    Rules: §1.1, §1.3, §2.13.
    Elsewhere: Reactor `skipUntil`, and `skipUntilOther` for another stream; RxJava `skipUntil`, and `skipWhile` for a
        predicate; reactivex `skip_until`, and `skip_while` for a predicate.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(6).skip_until(lambda element: element == 3).to_list()
        [3, 4, 5]
        >>> Stream.range(3).skip_until(Stream.just("now")).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/skip_until"
    method = "skip_until"
    stateful = True

    @staticmethod
    def parameters(until: Callable[[T], object] | Source[object]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_until(until, "skip_until"),))

    @staticmethod
    def stage(until: Any) -> Any:
        """Return a new live stage."""
        return SkipWhileStage(until, False) if callable(until) else GateStage(until, DEFAULT_PREFETCH, True)

    @classmethod
    def serializable_with(cls, parameters: tuple[Any, ...]) -> bool:
        """Return whether it means the same in another process: where the start does not come from another stream."""
        return callable(parameters[0])
