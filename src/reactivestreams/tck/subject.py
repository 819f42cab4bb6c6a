"""Calls into the subject: its factories, and its methods that must not raise."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.element_text import error_text, shown
from reactivestreams.tck.failure import BufferOverflowError, PublisherStopped, SubjectError, is_fatal

if TYPE_CHECKING:
    from reactivestreams.tck.check_environment import CheckEnvironment

__all__ = ["guarded_call", "made", "missing_methods", "require_methods"]

PUBLISHER_METHODS = ("subscribe",)
SUBSCRIPTION_METHODS = ("request", "cancel")
SUBSCRIBER_METHODS = ("on_subscribe", "on_next", "on_error", "on_complete")


def guarded_call(
    environment: "CheckEnvironment", rule: str, what: str, function: Callable[..., Any], *arguments: object
) -> BaseException | None:
    """Call a method of the subject that must return normally; note what it raises as a violation and return it.

    A coroutine counts as raising: nobody awaits it, so nothing would ever happen. A probe that stopped a flood by
    raising is no violation of this rule.

    Args:
        environment: Of the check.
        rule: The rule that forbids raising.
        what: The call, as a person would write it.
        function: What to call.
        arguments: What to call it with.
    """
    try:
        result = function(*arguments)
    except BaseException as error:
        if is_fatal(error):
            raise
        if not isinstance(error, BufferOverflowError | PublisherStopped):
            environment.violation(rule, f"{what} raised {type(error).__name__}: {error_text(error)}")
        return error
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        message = f"{what} returned a {type(result).__name__}, which nobody awaits; define the method with def"
        environment.violation(rule, message)
        return SubjectError(message)
    return None


def made(
    subject: object, factory: str, *arguments: object, methods: tuple[str, ...], none_allowed: bool = False
) -> Any:
    """Return what a factory of the subject makes.

    Args:
        subject: What has the factory.
        factory: Name of its method.
        arguments: What to call it with.
        methods: What the result must have.
        none_allowed: Whether None is an answer, too.

    Raises:
        SubjectError: The factory raises, or gives something else.
    """
    call = f"{type(subject).__name__}.{factory}({', '.join(map(shown, arguments))})"
    wanted = f"an object with {_list(methods)}"
    try:
        result = getattr(subject, factory)(*arguments)
    except NotImplementedError as error:
        raise SubjectError(f"{call} is not implemented; define it to return {wanted}") from error
    except Exception as error:
        if is_fatal(error):
            raise
        raise SubjectError(
            f"{call} raised {type(error).__name__}: {error_text(error)}; it has to return {wanted}"
        ) from error
    if result is None:
        if none_allowed:
            return None
        raise SubjectError(f"{call} returned None; it has to return {wanted}")
    if inspect.iscoroutine(result):
        result.close()
        raise SubjectError(f"{call} returned a coroutine; define {factory} with def, not async def")
    require_methods(result, methods, f"what {call} returned")
    return result


def require_methods(candidate: object, methods: tuple[str, ...], what: str) -> None:
    """Raise unless an object has all the methods.

    Raises:
        SubjectError: One is missing, or cannot be called.
    """
    missing = missing_methods(candidate, methods)
    if missing:
        kind = f"the class {candidate.__name__}" if isinstance(candidate, type) else f"a {type(candidate).__name__}"
        hint = "; return an instance of it" if isinstance(candidate, type) else ""
        raise SubjectError(f"{what} is {kind}, which has no {_list(missing)}; expected are {_list(methods)}{hint}")


def missing_methods(candidate: object, methods: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the methods an object does not have; a class has none, since calling them needs an instance."""
    if isinstance(candidate, type):
        return methods
    return tuple(name for name in methods if not callable(getattr(candidate, name, None)))


def _list(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
