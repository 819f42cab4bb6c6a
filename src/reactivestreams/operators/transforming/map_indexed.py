"""map_indexed: pass on what a function returns for each element and its index."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.element import MapIndexedStage


class MapIndexed(OperatorDefinition):
    """Pass on what a function returns for each element and its index.

    Args:
        function: Called with each element and its index, the first of which is 0.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
    State: the next index; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `index`, then `map`; RxJava none; reactivex `map_indexed`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("a", "b").map_indexed(lambda element, index: (index, element)).to_list()
        [(0, 'a'), (1, 'b')]
    """

    id = "rx://operators/map_indexed"
    method = "map_indexed"
    stage = MapIndexedStage
    stateful = True

    @staticmethod
    def parameters(function: Callable[[T, int], U]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="map_indexed", name="function"),))
