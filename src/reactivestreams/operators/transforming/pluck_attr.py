"""pluck_attr: an attribute of each element."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage


class PluckAttr(OperatorDefinition):
    """Pass on an attribute of each element, or a tuple of several: `element.name`.

    Items of mappings and sequences are what `pluck` passes on.

    Args:
        names: One name or several; "owner.name" is the attribute of an attribute. For one its value is passed on as it
            is.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an element without the attribute cancels the upstream and its AttributeError
        becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream; a property runs in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor none; RxJava none; reactivex `pluck_attr`, with one name.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1 + 2j, 3 - 1j).pluck_attr("imag").to_list()
        [2.0, -1.0]
        >>> Stream.just(range(3), range(1, 9, 2)).pluck_attr("start", "step").to_list()
        [(0, 1), (1, 2)]
    """

    id = "rx://operators/pluck_attr"
    method = "pluck_attr"
    stage = MapStage

    @staticmethod
    def parameters(*names: str) -> Checked[Any]:
        """Return the checked parameters."""
        if not names:
            raise ArgumentError(
                "pluck_attr() needs at least one name; use map() to pass on something else of an element"
            )
        for name in names:
            if not isinstance(name, str):
                raise ArgumentTypeError(
                    f"pluck_attr(names) needs names of attributes, got {name!r} ({type(name).__name__}); use pluck() "
                    f"for an item of a mapping or a sequence"
                )
            if not all(part.isidentifier() for part in name.split(".")):
                raise ArgumentError(
                    f"pluck_attr(names) needs names of attributes, got {name!r}, which no attribute has; write 'name', "
                    f"or 'owner.name' for an attribute of an attribute"
                )
        return Checked((attrgetter(*names),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        names: tuple[str, ...] = parameters[0].__reduce__()[1]
        return f"{cls.method}({', '.join(map(repr, names))})"
