"""Calls into the other party, which has to return normally, and checks of what it passes."""

import logging
import operator
from collections.abc import Callable

from reactivestreams.errors import InvalidRequestError, InvalidRequestTypeError, NullElementError, ReactiveStreamsError

__all__ = ["refusal_of_request", "require_argument", "returns_normally"]

_log = logging.getLogger("standard_examples")


def returns_normally(rule: str, call: Callable[..., object], *arguments: object) -> bool:
    """Call a method that a rule forbids to raise; return whether it kept the rule.

    An exception goes to the log: its caller did nothing to deserve it, and must not die of it.

    Args:
        rule: §2.13 for a subscriber's methods, §3.15 and §3.16 for a subscription's.
        call: The method.
        arguments: What to call it with.
    """
    try:
        call(*arguments)
    except Exception:
        _log.exception("§%s: %s has to return normally", rule, getattr(call, "__qualname__", call))
        return False
    return True


def require_argument(argument: object, call: str, *, rule: str) -> None:
    """Raise where None was passed, before anything else is looked at.

    Raises:
        NullElementError: The argument is None; a `TypeError`.
    """
    if argument is None:
        raise NullElementError(f"§{rule}: {call}(None); pass something else", rule=rule)


def refusal_of_request(n: object) -> ReactiveStreamsError | None:
    """Return the error that answers `request(n)` (§3.9), or None where n is positive.

    What is no integer is answered in the same way, since `request` must not raise (§3.16).
    """
    try:
        count = operator.index(n)  # type: ignore[arg-type]
    except TypeError:
        return InvalidRequestTypeError(f"§3.9: request(n) needs an integer, got {n!r}; request 1 or more")
    if count > 0:
        return None
    return InvalidRequestError(f"§3.9: non-positive subscription request: {count}; request 1 or more, or cancel()")
