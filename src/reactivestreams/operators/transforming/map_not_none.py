"""map_not_none: pass on what a function returns for each element, where it is not None."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.element import MapNotNoneStage


class MapNotNone(OperatorDefinition):
    """Pass on what a function returns for each element, where it is not None.

    Args:
        function: Called with each element; where it returns None, nothing passes for the element.

    Demand: n requested are n requested upstream; an element for which nothing passes gives its demand back.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §2.13.
    Elsewhere: Reactor `mapNotNull`; RxJava `mapOptional`, whose function returns an `Optional`; reactivex `map`, then
        `filter`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("b", "x", "a").map_not_none({"a": 1, "b": 2}.get).to_list()
        [2, 1]
    """

    id = "rx://operators/map_not_none"
    method = "map_not_none"
    stage = MapNotNoneStage

    @staticmethod
    def parameters(function: Callable[[T], U | None]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="map_not_none", name="function"),))
