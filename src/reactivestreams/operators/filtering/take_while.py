"""take_while: pass on elements as long as a predicate is true, then complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import TakeWhileStage


class TakeWhile(OperatorDefinition):
    """Pass on elements as long as a predicate is true, then cancel the upstream and complete.

    Args:
        predicate: Called with each element; its result counts by its truth.
        inclusive: Whether the first element for which it is false passes, too.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
        upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.5, §2.13.
    Elsewhere: Reactor `takeWhile`; RxJava `takeWhile`; reactivex `take_while`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).take_while(lambda element: element < 3).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/take_while"
    method = "take_while"
    stateful = True

    @staticmethod
    def parameters(predicate: Callable[[T], object], *, inclusive: bool = False) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_callable(predicate, operator="take_while", name="predicate"), bool(inclusive)))

    @staticmethod
    def stage(predicate: Callable[[Any], object], inclusive: bool) -> TakeWhileStage:
        """Return a new live stage."""
        return TakeWhileStage(predicate, True, inclusive)
