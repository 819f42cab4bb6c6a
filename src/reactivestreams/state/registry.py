"""The classes of a program that may be part of saved state, and their names."""

from collections.abc import Callable
from typing import Any, TypeVar

from reactivestreams.errors import ArgumentError
from rs_core.state.codec import StateKind

__all__ = ["StateRegistry", "default_registry"]

C = TypeVar("C", bound=type)


class StateRegistry:
    """The classes whose values may be saved and loaded, each with a unique name.

    Loading makes only values of these classes and of the format's types: names in the bytes are looked up here and
    never imported. A dataclass is saved field by field and made only from its fields: neither `__init__` nor
    `__post_init__` is called. An enumeration is saved by the name of the member, a flag by its number, which may only
    have bits of its members. An exception is saved as its message, its rule and its notes. Built-in exceptions and
    those of this project need not be registered; other classes are loaded as `RecoveredError`.

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
        """The registered classes, by name."""
        return self._by_name

    @property
    def by_class(self) -> dict[type, StateKind]:
        """The registered classes, by class."""
        return self._by_class

    def register(
        self, *, name: str, version: int = 1, migrate: Callable[[int, Any], Any] | None = None
    ) -> Callable[[C], C]:
        r"""Return a decorator that registers a class. Never runs user code.

        Args:
            name: The name of the class in saved state. It remains when the class is moved or renamed.
            version: Version of the fields or members, from 1 to 2**31 - 1. Increase it when they change.
            migrate: Called with an older version and the data saved with it: a dict of the fields by name, or the name
                or number of the member. It returns the data of the current version. Without it older versions are
                refused.

        Returns:
            A function that registers a class and returns it.

        Raises:
            ArgumentError: The name is empty or belongs to another class; the version is out of bounds; the class is
                already registered with another name; it is a flag with a negative member.
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
"""The default registry, for the whole program."""
