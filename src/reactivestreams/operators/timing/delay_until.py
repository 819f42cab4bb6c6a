"""delay_until: pass on each element when a stream of its own has completed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.flat_map import (
    DEFAULT_PREFETCH,
    checked_flattening,
    describing,
)
from rs_core.operators.flatten import DelayUntilStage


class DelayUntil(OperatorDefinition):
    """Pass on each element when the stream that a function returns for it has completed; its elements are dropped.

    The elements keep their order: the function is called with the next one when the one before was passed on.

    Args:
        function: Called with each element; returns a stream, a publisher, an iterable or an asynchronous iterable. An
            empty one, such as `()`, delays nothing.
        prefetch: How many elements may be requested upstream and not yet be taken, and of a stream, from 1 to 2**24.

    Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
        were taken. The function is called where there is demand.
    Errors: upstream's comes after the elements before it; that of a stream cancels upstream and gives up its element;
        an exception of the function becomes `on_error`, and so does an ArgumentTypeError where it returns nothing of
        the kind.
    State: the element that is delayed, with the state of its stream, and what waits of the upstream; the function must
        return an equal one again for this element. Version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `delayUntil`; RxJava `delay` with a selector, out of order; reactivex `delay_with_mapper`, out of
        order.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(3, 1, 2).delay_until(lambda number: Stream.timer(number / 1000)).to_list()
        [3, 1, 2]
    """

    id = "rx://operators/delay_until"
    method = "delay_until"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(function: Callable[[T], Source[object]], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(checked_flattening(function, prefetch, 1, "delay_until")[:2])

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int) -> DelayUntilStage:
        """Return a new live stage."""
        return DelayUntilStage(function, prefetch, describing("delay_until"))
