"""Which classes of a program may be part of saved state, and under which names."""

from collections.abc import Callable
from typing import Any, TypeVar

from reactivestreams.errors import ArgumentError
from rs_core.state.codec import StateKind

__all__ = ["StateRegistry", "default_registry"]

C = TypeVar("C", bound=type)


class StateRegistry:
    """The classes whose values may be saved and loaded, each by a name of its own.

    Loading makes values of these classes and of the format's own types, and of no others: whatever the bytes name is
    looked up here and never imported. A dataclass is saved field by field and made from its fields alone: neither
    `__init__` nor `__post_init__` is called. An enumeration is saved by the name of the member, one with flags by the
    number, which may have the bits of its members only. An exception is saved as its message, its rule and its notes;
    built-in ones and those of this project are known already, and of other classes a `RecoveredError` comes back.

    Threads: any; register before the first stream is saved or loaded.

    Example:
        >>> from dataclasses import dataclass
        >>> from reactivestreams.state import StateRegistry, decode_value, encode_value
        >>> registry = StateRegistry()
        >>> @registry.register(name="shop/article")
        ... @dataclass
        ... class Article:
        ...     number: int
        ...     price: float
        >>> saved = encode_value(Article(7, 2.5), registry=registry)
        >>> decode_value(saved, registry=registry)
        Article(number=7, price=2.5)
    """

    def __init__(self) -> None:
        self._by_name: dict[str, StateKind] = {}
        self._by_class: dict[type, StateKind] = {}

    @property
    def by_name(self) -> dict[str, StateKind]:
        """What is registered, by name."""
        return self._by_name

    @property
    def by_class(self) -> dict[type, StateKind]:
        """What is registered, by class."""
        return self._by_class

    def register(
        self, *, name: str, version: int = 1, migrate: Callable[[int, Any], Any] | None = None
    ) -> Callable[[C], C]:
        r"""Register the class that the result is called with, or that it decorates. Never runs user code.

        Args:
            name: What saved state calls it. It stays when the class moves or gets another name.
            version: Of the fields or members, from 1 to 2**31 - 1. Raise it when they change.
            migrate: Called with an older version and what was saved under it: a dict of the fields by name, or the name
                or number of the member. It returns the same for the present version. Without it older versions are
                refused.

        Returns:
            A function that registers a class and returns it.

        Raises:
            ArgumentError: The name is empty, or that of another class; the version is out of bounds; the class was
                registered before under another name; it is a flag with a negative member.
            ArgumentTypeError: The class is neither a dataclass nor an enumeration nor an exception.

        Example:
            >>> from dataclasses import dataclass
            >>> from reactivestreams.state import StateRegistry, decode_value
            >>> registry = StateRegistry()
            >>> @registry.register(name="shop/article", version=2, migrate=lambda version, old: {**old, "price": 0.0})
            ... @dataclass
            ... class Article:
            ...     number: int
            ...     price: float
            >>> decode_value(b"o\x0cshop/article\x01\x01\x06numberi\x0e", registry=registry)
            Article(number=7, price=0.0)
        """

        def registered(cls: C) -> C:
            kind = StateKind(cls, name=name, version=version, migrate=migrate)
            holder = self._by_name.get(name)
            if holder is not None and holder.kind is not cls:
                raise ArgumentError(
                    f"{name!r} is the name of {holder.kind!r} in saved state already, and cannot be that of {cls!r}; "
                    f"pass another one"
                )
            before = self._by_class.get(cls)
            if before is not None and before.name != name:
                raise ArgumentError(
                    f"{cls!r} is called {before.name!r} in saved state already, and cannot be {name!r}, too; "
                    f"register it once"
                )
            self._by_name[name] = self._by_class[cls] = kind
            return cls

        return registered

    def __repr__(self) -> str:
        return f"StateRegistry({', '.join(sorted(self._by_name))})"


default_registry: StateRegistry = StateRegistry()
"""What is registered for the whole program; where no registry is passed, this one is taken."""
