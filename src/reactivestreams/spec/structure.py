"""Structural interfaces: a class conforms by the methods and attributes that it has.

At run time an interface is an ordinary abstract base class whose `__subclasshook__` looks for the methods: it can be
inherited together with others, and adds no constructor and no slot. A type checker sees a protocol, so methods are
enough there too.
"""

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol as Interface
    from typing import Protocol as PlainInterface
    from typing import runtime_checkable as structural
else:
    from typing import Generic as Interface

    PlainInterface = object

    def structural(cls):
        """Return the class unchanged: its `__subclasshook__` is the check at run time."""
        return cls


__all__ = ["Interface", "PlainInterface", "has_methods", "structural"]


def has_methods(candidate: type, *names: str, attributes: Iterable[str] = ()) -> bool:
    """Return whether a class has all the methods and attributes named; for use in `__subclasshook__`.

    Each name is looked up along the method resolution order of the class, like in a call. The first hit decides: None
    means "explicitly not implemented", as for the classes of `collections.abc`. Attributes that only instances have,
    because a constructor sets them, do not count.

    Args:
        candidate: The class.
        names: Names of the methods.
        attributes: Names of attributes that need not be callable, such as properties.

    Returns:
        True or False if the names decide, otherwise `NotImplemented`: a name is missing, so that only registration or
        inheritance can make the class conform.

    Example:
        >>> class Clock:
        ...     def start(self): ...
        ...
        ...     stop = None
        ...     name = "clock"
        >>> has_methods(Clock, "start"), has_methods(Clock, "start", "stop"), has_methods(Clock, "start", "reset")
        (True, False, NotImplemented)
        >>> has_methods(Clock, "name"), has_methods(Clock, "start", attributes=["name"])
        (False, True)
    """
    verdict: bool = True
    for is_method, name in chain(((True, name) for name in names), ((False, name) for name in attributes)):
        for owner in candidate.__mro__:
            if name in owner.__dict__:
                attribute = owner.__dict__[name]
                if attribute is None or (is_method and not _is_callable(candidate, name, attribute)):
                    return False
                break
        else:
            verdict = NotImplemented
    return verdict


def _is_callable(candidate: type, name: str, attribute: object) -> bool:
    # A class method or a partial method becomes callable only when it is taken from the class.
    return callable(attribute) or callable(getattr(candidate, name, None))
