"""map: pass on what a function returns for each element."""

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import OperatorDefinition
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

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2, 3).map(lambda element: element * 10).to_list()
        [10, 20, 30]
    """

    id = "rx://operators/map"
    method = "map"
    stage = MapStage

    @staticmethod
    def parameters(function: Callable[[Any], Any]) -> tuple[Callable[[Any], Any]]:
        """Return the checked parameters."""
        return (checked_callable(function, operator="map", name="function"),)
