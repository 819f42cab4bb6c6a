"""pluck: the item of each element at a key or an index."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage


class Pluck(OperatorDefinition):
    """Pass on the item of each element at a key or an index, or a tuple of several: `element[key]`.

    Attributes are what `pluck_attr` passes on.

    Args:
        keys: One key or several: of mappings, or indexes of sequences. For one the item is passed on as it is.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an element without the item cancels the upstream and its KeyError, IndexError or
        TypeError becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor none; RxJava none; reactivex `pluck`, with one key.

    Example:
        >>> from reactivestreams import Stream
        >>> rows = Stream.just({"id": 1, "name": "a", "size": 3}, {"id": 2, "name": "b", "size": 5})
        >>> rows.pluck("name").to_list()
        ['a', 'b']
        >>> rows.pluck("id", "size").to_list()
        [(1, 3), (2, 5)]
    """

    id = "rx://operators/pluck"
    method = "pluck"
    stage = MapStage

    @staticmethod
    def parameters(*keys: object) -> Checked[Any]:
        """Return the checked parameters."""
        if not keys:
            raise ArgumentError("pluck() needs at least one key; use map() to pass on something else of an element")
        return Checked((itemgetter(*keys),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        keys: tuple[object, ...] = parameters[0].__reduce__()[1]
        return f"{cls.method}({', '.join(map(repr, keys))})"
