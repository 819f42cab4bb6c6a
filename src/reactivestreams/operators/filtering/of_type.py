"""of_type: pass on the elements of a type; what cast shares with it."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from rs_core.operators.element import TypeStage


def checked_type(kind: Any, operator: str) -> Any:
    """Return what `isinstance` takes, or raise.

    Raises:
        ArgumentTypeError: It is no type that `isinstance` can ask for.
    """
    try:
        isinstance(None, kind)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{operator}(kind) needs a class, or a tuple of classes, got {kind!r:.200} ({type(kind).__name__}): "
            f"{error}; pass the class itself"
        ) from error
    return kind


class OfType(OperatorDefinition):
    """Pass on the elements of a type, and drop the others.

    Args:
        kind: A class, a tuple of classes, or a union of them, as `isinstance` takes it.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on; an exception of the class, where it says itself what its instances are, cancels
        the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `ofType`; RxJava `ofType`; reactivex `filter`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, "a", 2).of_type(int).to_list()
        [1, 2]
    """

    id = "rx://operators/of_type"
    method = "of_type"

    @overload
    @staticmethod
    def parameters(kind: type[U]) -> Checked[U]: ...
    @overload
    @staticmethod
    def parameters(kind: tuple[type, ...]) -> Checked[Any]: ...
    @staticmethod
    def parameters(kind: Any) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((checked_type(kind, "of_type"),))

    @staticmethod
    def stage(kind: Any) -> TypeStage:
        """Return a new live stage."""
        return TypeStage(kind, None)
