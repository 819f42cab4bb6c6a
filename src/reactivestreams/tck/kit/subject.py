"""Calls into the subject: its factories, and its methods that must not raise."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import BufferOverflowError, PublisherStopped, SubjectError, is_fatal

if TYPE_CHECKING:
    from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = [
    "call_text",
    "guarded_call",
    "made",
    "made_subscriber",
    "missing_methods",
    "refuse_coroutine_methods",
    "require_methods",
    "told",
]

PUBLISHER_METHODS = ("subscribe",)
SUBSCRIPTION_METHODS = ("request", "cancel")
SUBSCRIBER_METHODS = ("on_subscribe", "on_next", "on_error", "on_complete")
PROCESSOR_METHODS = (*PUBLISHER_METHODS, *SUBSCRIBER_METHODS)
PUPPET_METHODS = ("trigger_request", "signal_cancel")


def guarded_call(
    environment: "CheckEnvironment", rule: str, what: str, function: Callable[..., Any], *arguments: object
) -> BaseException | None:
    """Call a method of the subject that must return normally; record its exception as a violation and return it.

    A coroutine counts as an exception: nothing awaits it, so it would never run. A probe that raises to stop a flood is
        not a violation of this rule.

    Args:
        environment: The environment of the check.
        rule: The rule that forbids raising.
        what: The call as text.
        function: The function.
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
    if result is not None and inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        message = f"{what} returned a {type(result).__name__}, which nobody awaits; define the method with def"
        environment.violation(rule, message)
        return SubjectError(message)
    return None


def made(
    subject: object,
    factory: str,
    *arguments: object,
    methods: tuple[str, ...],
    none_allowed: bool = False,
    wanted: str = "",
) -> Any:
    """Return the result of a factory of the subject.

    Args:
        subject: What has the factory.
        factory: Name of its method.
        arguments: Its arguments.
        methods: The methods that the result must have.
        none_allowed: Whether None is allowed.
        wanted: A description of the expected result; by default an object with
            the methods.

    Raises:
        SubjectError: The factory raises, or returns something else.
    """
    call = call_text(subject, factory, *arguments)
    expected = wanted or f"an object with {_list(methods)}"
    try:
        result = getattr(subject, factory)(*arguments)
    except SubjectError:
        raise
    except NotImplementedError as error:
        raise SubjectError(f"{call} is not implemented; define it to return {expected}") from error
    except Exception as error:
        if is_fatal(error):
            raise
        raise SubjectError(
            f"{call} raised {type(error).__name__}: {error_text(error)}; it has to return {expected}"
        ) from error
    if result is None:
        if none_allowed:
            return None
        raise SubjectError(f"{call} returned None; it has to return {expected}")
    if inspect.iscoroutine(result):
        result.close()
        raise SubjectError(f"{call} returned a coroutine; define {factory} with def, not async def")
    if inspect.isawaitable(result) and missing_methods(result, methods):
        raise SubjectError(
            f"{call} returned a {type(result).__name__}, which nobody awaits; it has to return {expected}"
        )
    require_methods(result, methods, f"what {call} returned")
    return result


def told(subject: object, hook: str, *arguments: object, owner: str = "") -> None:
    """Call a hook of the subject that returns nothing.

    Args:
        subject: What has the hook.
        hook: Name of its method.
        arguments: What to call it with.
        owner: The name of the hook's owner in messages; by default the name of its class.

    Raises:
        SubjectError: It raises, or returns a coroutine.
    """
    call = call_text(subject, hook, *arguments, owner=owner)
    try:
        result = getattr(subject, hook)(*arguments)
    except SubjectError:
        raise
    except Exception as error:
        if is_fatal(error):
            raise
        raise SubjectError(
            f"{call} raised {type(error).__name__}: {error_text(error)}; it has to return normally"
        ) from error
    if inspect.iscoroutine(result):
        result.close()
        raise SubjectError(f"{call} returned a coroutine; define {hook} with def, not async def")


def call_text(subject: object, method: str, *arguments: object, owner: str = "") -> str:
    """Return a call of a method of the subject as text."""
    return f"{owner or type(subject).__name__}.{method}({', '.join(map(safe_repr, arguments))})"


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


def refuse_coroutine_methods(candidate: object, methods: tuple[str, ...], what: str) -> None:
    """Raise if a call of a method would only make a coroutine: nothing awaits a signal.

    Raises:
        SubjectError: One is defined with `async def`.
    """
    asynchronous = tuple(name for name in methods if inspect.iscoroutinefunction(getattr(candidate, name, None)))
    if asynchronous:
        raise SubjectError(
            f"{what} is a {type(candidate).__name__}, whose {_list(asynchronous)} are coroutines, which nobody awaits; "
            f"expected are methods that return normally: define them with def"
        )


def missing_methods(candidate: object, methods: tuple[str, ...]) -> tuple[str, ...]:
    """Return the methods that an object does not have; a class has none, because calls need an instance."""
    if isinstance(candidate, type):
        return methods
    return tuple(name for name in methods if not callable(getattr(candidate, name, None)))


def _list(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def made_subscriber(subject: object, factory: str, *arguments: object, none_allowed: bool = False) -> Any:
    """Return the subscriber that a factory makes.

    Args:
        subject: What has the factory.
        factory: Name of its method.
        arguments: What to call it with.
        none_allowed: Whether None is an answer, too.

    Raises:
        SubjectError: It returns no subscriber, or one whose signals are coroutines.
    """
    subscriber = made(subject, factory, *arguments, methods=SUBSCRIBER_METHODS, none_allowed=none_allowed)
    if subscriber is not None:
        what = f"what {call_text(subject, factory, *arguments)} returned"
        refuse_coroutine_methods(subscriber, SUBSCRIBER_METHODS, what)
    return subscriber
