"""Functions that run nothing when they are called, and so cannot replace a plain function.

A call of a coroutine function, or of a generator function of either kind, makes an object that must be awaited or
iterated. The result of a hook is neither awaited nor iterated, so the hook's argument would be lost silently.
"""

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar, cast

from rs_core.errors import ArgumentTypeError

__all__ = ["deferred_kind", "hook_check", "refuse_deferred", "refuses_deferred_hooks"]

Class = TypeVar("Class", bound=type)

_DEFERRED = 0x280  # of a code object: CO_COROUTINE, CO_ASYNC_GENERATOR

_PACKAGES = {"reactivestreams", "rs_core"}


def deferred_kind(function: Any) -> str | None:
    """Return the kind of an asynchronous function, or of a callable object that is one; None: a call runs it."""
    plain = function.__func__ if type(function) is MethodType else function
    if type(plain) is FunctionType and not plain.__code__.co_flags & _DEFERRED and not plain.__dict__:
        return None  # as nearly all are; what marks a function as deferred is in its dict
    from inspect import isasyncgenfunction, iscoroutinefunction

    for called in (function, type(function).__call__ if callable(function) else None):
        if iscoroutinefunction(called):
            return "coroutine function"
        if isasyncgenfunction(called):
            return "asynchronous generator function"
    return None


def refuse_deferred(function: object, what: str, remedy: str) -> None:
    """Raise if a call of a function would run nothing.

    Args:
        function: The function.
        what: The name of the argument, such as `"on_dispose(function)"`.
        remedy: What to do instead.

    Raises:
        ArgumentTypeError: It is asynchronous.
    """
    kind = deferred_kind(function)
    if kind is not None:
        raise ArgumentTypeError(
            f"{what} needs a function that runs when it is called, got the {kind} {function!r}, whose calls nobody "
            f"would await; {remedy}"
        )


def refuses_deferred_hooks(remedy: str, *, generators: tuple[str, ...] = ()) -> Callable[[Class], Class]:
    """Return a decorator that adds `hook_check` to a base class; the same arguments."""

    def give(base: Class) -> Class:
        base.__init_subclass__ = hook_check(base, remedy, generators=generators)  # type: ignore[method-assign]
        return base

    return give


def hook_check(base: type, remedy: str, *, generators: tuple[str, ...] = ()) -> Any:
    """Return an `__init_subclass__` for a base class.

    It raises an ArgumentTypeError if a subclass overrides a method of its base by one that would run nothing when it is
    called: an asynchronous function, or a generator function that is not allowed.

    Args:
        base: The base class.
        remedy: What to do instead.
        generators: The methods that may be generator functions.
    """

    def check(cls: Any, /, **keywords: Any) -> None:
        """Refuse methods that would run nothing, such as coroutine functions, when a subclass is created."""
        cast("Any", super(base, cls)).__init_subclass__(**keywords)
        _refuse_deferred_hooks(cls, remedy, generators)

    made: classmethod[Any, Any, None] = classmethod(check)
    return made


def _refuse_deferred_hooks(kind: type, remedy: str, generators: tuple[str, ...]) -> None:
    """Check a subclass when it is created; its base is the nearest class of this package or of `reactivestreams`."""
    from inspect import isgeneratorfunction

    base = next((each for each in kind.__mro__[1:] if each.__module__.partition(".")[0] in _PACKAGES), object)
    for name in dir(base):
        hook = getattr(kind, name, None)
        if name.startswith("_") or hook is getattr(base, name) or deferred_kind(getattr(base, name)):
            continue
        found = deferred_kind(hook)
        if found is None and name not in generators and isgeneratorfunction(hook):
            found = "generator function"
        if found is not None:
            article = "an" if found[0] == "a" else "a"
            raise ArgumentTypeError(
                f"{kind.__qualname__}.{name} is {article} {found}: a call of it runs nothing, so what it is called for "
                f"would be lost; define it with def and without yield, {remedy}"
            )
