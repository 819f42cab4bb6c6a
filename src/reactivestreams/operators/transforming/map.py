"""map: pass on what a function returns for each element."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.element import MapStage


class Map(OperatorDefinition):
    """Pass on what a function returns for each element.

    Args:
        function: Called with each element.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: Reactor `map`; RxJava `map`; reactivex `map`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 3).map(lambda element: element * 10).to_list()
        [10, 20, 30]
    """

    id = "rx://operators/map"
    method = "map"
    stage = MapStage

    @staticmethod
    def parameters(function: Callable[[T], U]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="map", name="function"),))
