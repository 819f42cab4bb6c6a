"""Checks of public arguments: a bad one fails when the stream is built, with the value, the reason and a remedy."""

from collections.abc import Callable
from operator import index
from typing import Any, Literal, SupportsIndex, TypeVar, cast, get_args

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from rs_core.interp.deferred_functions import deferred_kind

C = TypeVar("C", bound=Callable[..., Any])

MAX_COUNT = 2**63 - 1
"""The largest count of elements that an operator accepts."""

MAX_PREFETCH = 2**24
"""The largest prefetch of a terminal operation."""


Kept = Literal["oldest", "newest"]
Unrequested = Literal["latest", "keep", "drop"]
"""What becomes of the ticks of a timer that come when none is requested."""


def checked_callable(value: C, *, operator: str, name: str) -> C:
    """Return a function whose result is used when it returns, or raise.

    Raises:
        ArgumentTypeError: The value cannot be called, or is a coroutine function or an asynchronous generator function.
    """
    if deferred_kind(checked_callable_of_any_kind(value, operator=operator, name=name)) is not None:
        raise ArgumentTypeError(
            f"{operator}({name}) needs a function that returns its result, got the coroutine function {value!r}, whose "
            f"calls nobody would await; call it with map_async(), or let for_each_async() be the end of the stream"
        )
    return value


def checked_callable_of_any_kind(value: C, *, operator: str, name: str) -> C:
    """Return a function, which may be a coroutine function, or raise.

    Raises:
        ArgumentTypeError: The value cannot be called, or is an asynchronous generator function.
    """
    if not callable(value):
        raise not_callable(value, operator, name)
    if deferred_kind(value) == "asynchronous generator function":
        raise ArgumentTypeError(
            f"{operator}({name}) needs a function that returns its result, got the asynchronous generator function "
            f"{value!r}, whose calls nobody would iterate; make a stream of one with Stream.from_async_iterable()"
        )
    return value


def not_callable(value: object, operator: str, name: str) -> ArgumentTypeError:
    """Return the error for an argument that cannot be called."""
    is_call = hasattr(value, "__await__")
    remedy = "pass the function itself, not the result of a call" if is_call else "pass a function or a lambda"
    return ArgumentTypeError(f"{operator}({name}) needs a callable, got {value!r} ({type(value).__name__}); {remedy}")


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
        ArgumentTypeError: The value is not an integer (True and False are none either).
        ArgumentError: It is out of bounds.
    """
    if type(value) is int and at_least <= value <= at_most:  # the usual case; streams are also built in loops
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ArgumentTypeError(
            f"{operator}({name}) needs an integer, got {value!r} ({type(value).__name__}); "
            f"pass a count from {at_least} to {at_most}"
        )
    count = index(cast("SupportsIndex", value))
    if not at_least <= count <= at_most:
        raise ArgumentError(
            f"{operator}({name}) needs a count from {at_least} to {at_most}, got {count}; "
            f"pass a count within these bounds"
        )
    return count


def checked_unrequested(unrequested: object, *, operator: str) -> Unrequested:
    """Return what becomes of ticks that nobody requested, or raise.

    Raises:
        ArgumentError: It is none of the words for it.
    """
    if unrequested not in get_args(Unrequested):
        raise ArgumentError(
            f"{operator}(unrequested) must be one of {', '.join(get_args(Unrequested))}, got {unrequested!r}; pass "
            f"'keep' to get each tick in any case, or 'latest' to get the last one of those that have passed"
        )
    return cast("Unrequested", unrequested)


def checked_prefetch(operator: str, prefetch: object) -> int | None:
    """Return the prefetch of a terminal operation (None: its default); raise like `checked_count`."""
    if prefetch is None:
        return None
    return checked_count(prefetch, operator=operator, name="prefetch", at_least=1, at_most=MAX_PREFETCH)


def checked_loop(loop: object, *, operator: str) -> Any:
    """Return an asyncio event loop, the token of a trio run, or None for the loop that runs; or raise.

    Raises:
        ArgumentTypeError: The value is none of them.
    """
    if loop is None or any(callable(getattr(loop, name, None)) for name in ("call_soon_threadsafe", "run_sync_soon")):
        return loop
    raise ArgumentTypeError(
        f"{operator}(loop) needs an asyncio event loop or the token of a trio run, got {loop!r} "
        f"({type(loop).__name__}); pass asyncio.get_running_loop() or trio.lowlevel.current_trio_token()"
    )
