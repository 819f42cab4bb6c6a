"""cast: pass on the elements, all of which have to be of a type."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from reactivestreams.operators.filtering.of_type import checked_type
from rs_core.operators.element import TypeStage


def not_of_type(kind: Any, element: object) -> ArgumentTypeError:
    """Return the error for an element of another type."""
    name = kind.__name__ if isinstance(kind, type) else repr(kind)
    return ArgumentTypeError(
        f"cast({name}) got {element!r:.200} ({type(element).__name__}), which is none; convert it by map() before, or "
        "drop what is of another type by of_type()"
    )


class Cast(OperatorDefinition):
    """Pass on the elements as they are, and fail at the first that is not of a type; nothing is converted.

    Args:
        kind: A class, a tuple of classes, or a union of them, as `isinstance` takes it.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an element of another type cancels the upstream and becomes `on_error` with an
        ArgumentTypeError, which is a TypeError and names the element.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `cast`; RxJava `cast`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).cast(int).to_list()
        [1, 2]
    """

    id = "rx://operators/cast"
    method = "cast"

    @overload
    @staticmethod
    def parameters(kind: type[U]) -> Checked[U]: ...
    @overload
    @staticmethod
    def parameters(kind: tuple[type, ...]) -> Checked[Any]: ...
    @staticmethod
    def parameters(kind: Any) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((checked_type(kind, "cast"),))

    @staticmethod
    def stage(kind: Any) -> TypeStage:
        """Return a new live stage."""
        return TypeStage(kind, not_of_type)
