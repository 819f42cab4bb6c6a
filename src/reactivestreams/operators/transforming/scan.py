"""scan: pass on a running fold."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.fold import ScanStage


class Scan(OperatorDefinition):
    """Fold the elements into an accumulator and pass it on after each; the seed itself is not passed on.

    Args:
        function: Called with the accumulator and an element; returns the next accumulator.
        seed: The first accumulator. Every subscription starts from this very object, so use an immutable one.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: the accumulator; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor `scan`; RxJava `scan`; reactivex `scan`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 3).scan(lambda total, element: total + element, 0).to_list()
        [1, 3, 6]
    """

    id = "rx://operators/scan"
    method = "scan"
    stage = ScanStage
    stateful = True

    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="scan", name="function"), seed))
