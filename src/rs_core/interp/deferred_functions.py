"""Functions that run nothing when they are called; where one stands in the place of a plain one, nothing would happen.

A call of a coroutine function, or of a generator function of either kind, makes an object that somebody has to await or
to iterate. Nobody does so with what a hook returns, so what was given to it would be lost in silence.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from rs_core.errors import ArgumentTypeError

__all__ = ["deferred_kind", "hook_check", "refuse_deferred", "refuses_deferred_hooks"]

Class = TypeVar("Class", bound=type)

_PACKAGES = {"reactivestreams", "rs_core"}


def deferred_kind(function: Any) -> str | None:
    """Return what kind of asynchronous function this is, or an object whose calls are such; None: a call runs it."""
    from inspect import isasyncgenfunction, iscoroutinefunction

    for called in (function, type(function).__call__ if callable(function) else None):
        if iscoroutinefunction(called):
            return "coroutine function"
        if isasyncgenfunction(called):
            return "asynchronous generator function"
    return None


def refuse_deferred(function: object, what: str, remedy: str) -> None:
    """Raise where a call of a function would run nothing of it.

    Args:
        function: What was given.
        what: What it was given as, such as `"on_dispose(function)"`.
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
    """Return a decorator for a class to be subclassed, which gives it the `hook_check`; arguments as there."""

    def give(base: Class) -> Class:
        base.__init_subclass__ = hook_check(base, remedy, generators=generators)  # type: ignore[method-assign]
        return base

    return give


def hook_check(base: type, remedy: str, *, generators: tuple[str, ...] = ()) -> Any:
    """Return an `__init_subclass__` for a class to be subclassed.

    It raises an ArgumentTypeError where a subclass has a method, in the place of one of its base, that would run
    nothing when it is called: an asynchronous one, or a generator function where none is wanted.

    Args:
        base: What gets it.
        remedy: What to do instead.
        generators: The methods that may be generator functions.
    """

    def check(cls: Any, /, **keywords: Any) -> None:
        """Refuse methods that would run nothing, such as coroutine functions, when a subclass is made."""
        cast("Any", super(base, cls)).__init_subclass__(**keywords)
        _refuse_deferred_hooks(cls, remedy, generators)

    made: classmethod[Any, Any, None] = classmethod(check)
    return made


def _refuse_deferred_hooks(kind: type, remedy: str, generators: tuple[str, ...]) -> None:
    """Raise for a subclass when it is made; its base is the nearest class of this package or of `reactivestreams`."""
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
