"""Functions that run nothing when they are called; where one stands in the place of a plain one, nothing would happen.

A call of a coroutine function, or of a generator function of either kind, makes an object that somebody has to await or
to iterate. Nobody does so with what a hook returns, so what was given to it would be lost in silence.
"""

from typing import Any, cast

from rs_core.errors import ArgumentTypeError

__all__ = ["deferred_kind", "hook_check", "refuse_deferred", "refuse_deferred_hooks"]

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


def hook_check(base: type, remedy: str, *, generators: tuple[str, ...] = ()) -> Any:
    """Return an `__init_subclass__` for a base class, which calls `refuse_deferred_hooks`; arguments as there."""

    def check(cls: Any, /, **keywords: Any) -> None:
        cast("Any", super(base, cls)).__init_subclass__(**keywords)
        refuse_deferred_hooks(cls, remedy, generators=generators)

    made: classmethod[Any, Any, None] = classmethod(check)
    return made


def refuse_deferred_hooks(kind: type, remedy: str, *, generators: tuple[str, ...] = ()) -> None:
    """Raise where a subclass defines a method of its base that would run nothing when it is called.

    Args:
        kind: The subclass, when it is made; its base is the nearest class of this package or of `reactivestreams`.
        remedy: What to do instead.
        generators: The methods that may be generator functions.

    Raises:
        ArgumentTypeError: A method is asynchronous, or a generator where none is wanted.
    """
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
