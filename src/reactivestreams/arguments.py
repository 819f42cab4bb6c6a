"""Checks of public arguments: a bad one fails where the stream is built, with the value, the reason and a remedy."""

from collections.abc import Callable
from operator import index
from typing import Any, TypeVar

from reactivestreams.errors import ArgumentError, ArgumentTypeError

C = TypeVar("C", bound=Callable[..., Any])

MAX_COUNT = 2**63 - 1
"""The largest count of elements that an operator takes."""


def checked_callable(value: C, *, operator: str, name: str) -> C:
    """Return a callable argument, or raise.

    Raises:
        ArgumentTypeError: The value cannot be called.
    """
    if callable(value):
        return value
    raise not_callable(value, operator, name)


def not_callable(value: object, operator: str, name: str) -> ArgumentTypeError:
    """Return the error for an argument that cannot be called."""
    return ArgumentTypeError(
        f"{operator}({name}) needs a callable, got {value!r} ({type(value).__name__}); pass a function or a lambda"
    )


def checked_timeout(value: object, *, operator: str) -> float | None:
    """Return a timeout in seconds, or None for no limit, or raise.

    Raises:
        ArgumentTypeError: The value is neither None nor a real number.
        ArgumentError: It is negative or not a number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"{operator}(timeout_seconds) needs a number, got {value!r} ({type(value).__name__}); "
            f"pass seconds, or None to wait without limit"
        )
    if not value >= 0:
        raise ArgumentError(
            f"{operator}(timeout_seconds) needs 0 or more, got {value}; pass seconds, or None to wait without limit"
        )
    return float(value)


def checked_count(value: object, *, operator: str, name: str, at_least: int, at_most: int = MAX_COUNT) -> int:
    """Return an integer argument within its bounds, or raise.

    Raises:
        ArgumentTypeError: The value is no integer (True and False are none either).
        ArgumentError: It is out of bounds.
    """
    if type(value) is int and at_least <= value <= at_most:  # nearly always, and streams are built in loops too
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ArgumentTypeError(
            f"{operator}({name}) needs an integer, got {value!r} ({type(value).__name__}); "
            f"pass a count from {at_least} to {at_most}"
        )
    count = index(value)
    if not at_least <= count <= at_most:
        raise ArgumentError(
            f"{operator}({name}) needs a count from {at_least} to {at_most}, got {count}; "
            f"pass a count within these bounds"
        )
    return count
