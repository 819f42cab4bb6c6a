"""Factories: the functions that build what an engine hosts, by names that outlive the process."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.engine.errors import UnknownFactoryError
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError

__all__ = ["Factory", "FactoryRegistry", "factories"]

Build = Callable[..., Any]
Migrate = Callable[[int, dict[str, Any]], Mapping[str, Any]]
B = TypeVar("B", bound=Build)

MAX_VERSION = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Factory:
    """A registered factory.

    Attributes:
        name: In definitions.
        version: Of its arguments, and of what it builds.
        build: The function.
        migrate: From the arguments of an older version to those of this one; None: older versions are refused.
    """

    name: str
    version: int
    build: Build
    migrate: Migrate | None

    def migrated(self, version: int, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments for this version; runs user code if they are those of an older one.

        Raises:
            UnknownFactoryError: They are those of a later version, or of an older one and there is no `migrate`.
            StateError: `migrate` raised, or returned something else than arguments.
        """
        if version == self.version:
            return arguments
        if version > self.version or self.migrate is None:
            remedy = (
                "run the release that wrote it" if version > self.version else "pass migrate= where it is registered"
            )
            raise UnknownFactoryError(
                f"the factory {self.name!r} is registered in version {self.version}, and what is stored was built by "
                f"version {version}; {remedy}"
            )
        try:
            result: object = self.migrate(version, dict(arguments))
        except Exception as error:
            raise StateError(
                f"migrate of the factory {self.name!r} raised {type(error).__name__}: {error} for the arguments "
                f"{arguments!r} of version {version}; return the arguments of version {self.version}"
            ) from error
        if not isinstance(result, Mapping) or not all(isinstance(key, str) for key in result):
            raise StateError(
                f"migrate of the factory {self.name!r} returned {result!r} ({type(result).__name__}) for version "
                f"{version}; return a mapping from the names of arguments to their values"
            )
        return dict(result)


class FactoryRegistry:
    """The factories of a program, each with a unique name.

    A definition is stored as the name of a factory and its arguments. After a restart the function that has the name
    then builds it anew; what it builds must have the same operators, so that the state fits.

    Threads: any; register before the engine starts.

    Example:
        >>> from reactivestreams import Stream
        >>> registry = FactoryRegistry()
        >>> @registry.register("example/squares", version=1)
        ... def squares(engine, *, count):
        ...     return Stream.range(count).map(lambda n: n * n)
        >>> registry.find("example/squares").version, registry.find(squares).name
        (1, 'example/squares')
    """

    def __init__(self) -> None:
        self._by_name: dict[str, Factory] = {}

    def register(self, name: str, version: int = 1, *, migrate: Migrate | None = None) -> Callable[[B], B]:
        """Return a decorator that registers a factory. Never runs user code.

        Args:
            name: Its name in definitions. It remains when the function is moved or renamed.
            version: From 1 to 2**31 - 1. Increase it when the arguments change, or what is built from them.
            migrate: Called with an older version and the arguments that were stored with it; returns those of this one.

        Returns:
            A function that registers `def build(engine, **arguments)` and returns it. `build` returns a `Stream` (a
            query), a subject, an `Ingress` or an egress.

        Raises:
            ArgumentError: The name is empty or another function's, or the version is out of bounds.
            ArgumentTypeError: The name is not a text; what is registered or `migrate` cannot be called, or is a
                coroutine function.
        """
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"register(name) needs a text, got {name!r} ({type(name).__name__}); call it as "
                f"@factories.register('shop/orders', version=1)"
            )
        if not name:
            raise ArgumentError("register(name) needs a text that is not empty, got ''; pass e.g. 'shop/orders'")
        checked_count(version, operator="register", name="version", at_least=1, at_most=MAX_VERSION)
        if migrate is not None:
            checked_callable(migrate, operator="register", name="migrate")

        def registered(build: B) -> B:
            checked_callable(build, operator="register", name="factory")
            holder = self._by_name.get(name)
            if holder is not None and not _is_same(holder.build, build):
                raise ArgumentError(
                    f"register({name!r}): {holder.build!r} is registered under this name; pass another one"
                )
            self._by_name[name] = Factory(name, version, build, migrate)
            return build

        return registered

    def find(self, factory: "str | Build") -> Factory:
        """Return a factory by its name, or by its function.

        Raises:
            UnknownFactoryError: It is not registered.
        """
        if isinstance(factory, str):
            found = self._by_name.get(factory)
        else:
            found = next((each for each in self._by_name.values() if each.build is factory), None)
        if found is None:
            known = ", ".join(sorted(self._by_name)) or "none"
            raise UnknownFactoryError(
                f"no factory {factory!r} is registered; decorate it with @factories.register(name), in a module that "
                f"is imported before the engine starts. Registered are: {known}"
            )
        return found

    def __repr__(self) -> str:
        return f"FactoryRegistry({', '.join(sorted(self._by_name))})"


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two functions are one, perhaps loaded twice, as when a module is reloaded."""
    return one is other or (
        getattr(one, "__qualname__", one) == getattr(other, "__qualname__", other)
        and getattr(one, "__module__", one) == getattr(other, "__module__", other)
    )


factories: FactoryRegistry = FactoryRegistry()
"""The default registry, for the whole program."""
