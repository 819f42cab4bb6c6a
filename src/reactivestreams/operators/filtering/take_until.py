"""take_until: pass on elements until a predicate is true, or until another stream sends one; what skip_until shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.combine import GateStage
from rs_core.operators.limit import TakeWhileStage


def checked_until(until: Any, operator: str) -> Any:
    """Return a predicate as it is, and the description of a stream for whatever elements can be taken from, or raise.

    Raises:
        ArgumentTypeError: It is neither, or a coroutine function.
    """
    is_publisher = callable(getattr(until, "subscribe", None))
    if (callable(until) or hasattr(until, "__await__")) and not is_publisher:
        return checked_callable(until, operator=operator, name="until")
    try:
        return described(until, where=operator)
    except ArgumentTypeError:
        raise ArgumentTypeError(
            f"{operator}(until) needs a predicate, or a stream, a publisher or an iterable, got {until!r:.200} "
            f"({type(until).__name__}); pass a function of an element, or the stream whose first element counts"
        ) from None


class TakeUntil(OperatorDefinition):
    """Pass on elements until a predicate is true, or until another stream sends an element; then cancel and complete.

    The element for which the predicate is true is the last one that passes. Another stream that completes without an
    element changes nothing.

    Args:
        until: A predicate, which is called with each element before it passes, and whose result counts by its truth;
            or a stream, a publisher, an iterable or an asynchronous iterable.

    Demand: n requested are n requested upstream, with another stream at most 128 at a time; of that one element is
        requested at the start.
    Errors: upstream's and those of the other stream are passed on and cancel the other one; an exception of the
        predicate, or of the truth of its result, cancels the upstream and becomes `on_error`.
    State: with a predicate none but whether it is disposed; with another stream what waits of both, and whether it has
        sent; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream; with another stream, signals run in the thread
        that requests, or in that of the input that brings one.
    Rules: §1.1, §1.3, §1.5, §2.13.
    Elsewhere: Reactor `takeUntil`, and `takeUntilOther` for another stream; RxJava `takeUntil`; reactivex `take_until`,
        and `take_while` for a predicate.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).take_until(lambda element: element == 3).to_list()
        [0, 1, 2, 3]
        >>> Stream.range(10**9).take_until(Stream.just("now")).to_list()
        []
    """

    id = "rx://operators/take_until"
    method = "take_until"
    stateful = True

    @staticmethod
    def parameters(until: Callable[[T], object] | Source[object]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_until(until, "take_until"),))

    @staticmethod
    def stage(until: Any) -> Any:
        """Return a new live stage."""
        return TakeWhileStage(until, False, True) if callable(until) else GateStage(until, DEFAULT_PREFETCH, False)

    @classmethod
    def serializable_with(cls, parameters: tuple[Any, ...]) -> bool:
        """Return whether it means the same in another process: where the end does not come from another stream."""
        return callable(parameters[0])
