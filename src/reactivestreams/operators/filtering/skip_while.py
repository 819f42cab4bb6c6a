"""skip_while: drop elements as long as a predicate is true, then pass on all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import SkipWhileStage


class SkipWhile(OperatorDefinition):
    """Drop elements as long as a predicate is true, then pass on that one for which it is false and all others.

    Args:
        predicate: Called with each element until one passes, and never after that; its result counts by its truth.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
        upstream and becomes `on_error`.
    State: whether elements pass; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `skipWhile`; RxJava `skipWhile`; reactivex `skip_while`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 3, 1).skip_while(lambda element: element < 3).to_list()
        [3, 1]
    """

    id = "rx://operators/skip_while"
    method = "skip_while"
    stateful = True

    @staticmethod
    def parameters(predicate: Callable[[T], object]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_callable(predicate, operator="skip_while", name="predicate"),))

    @staticmethod
    def stage(predicate: Callable[[Any], object]) -> SkipWhileStage:
        """Return a new live stage."""
        return SkipWhileStage(predicate, True)
