"""limit_rate: request elements in portions of a fixed size."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.observe_on import ObserveOnStage
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS


class LimitRate(OperatorDefinition):
    """Request elements in portions, however many are requested at a time.

    Args:
        high: How many elements are requested at the start, and held at most, from 1 to 2**24.
        low: How many are requested again together, when so many were passed on, from 1 to `high`; None: 75 % of `high`.

    Demand: as above, also if more or fewer are requested.
    Errors: upstream's come after the elements that wait.
    State: the elements that wait, and the end of the upstream if that is behind them; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor `limitRate`; RxJava `rebatchRequests`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.range(6).do(on_request=lambda n: print("requested", n)).limit_rate(4, 2)
        >>> numbers.sum()
        requested 4
        requested 2
        requested 2
        15
    """

    id = "rx://operators/limit_rate"
    method = "limit_rate"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(high: int, low: int | None = None) -> Checked[T]:
        """Return the checked parameters."""
        most = checked_count(high, operator="limit_rate", name="high", at_least=1, at_most=MAX_CAPACITY_ELEMENTS)
        if low is not None:
            low = checked_count(low, operator="limit_rate", name="low", at_least=1, at_most=most)
        return Checked((most, low))

    @staticmethod
    def stage(high: int, low: int | None) -> ObserveOnStage:
        """Return a new live stage."""
        return ObserveOnStage(None, high, low or 0)
