"""What else a node may be to its host: unloadable, or the keeper of other artifacts."""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable

from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["DependencyOperator", "UnloadableOperator"]


@structural
class UnloadableOperator(PlainInterface, metaclass=ABCMeta):
    """Hold something of the process, such as a socket, that has to go when the host leaves and the process stays.

    Example:
        >>> class Feed:
        ...     def unload(self):
        ...         print("closed the socket")
        >>> isinstance(Feed(), UnloadableOperator)
        True
    """

    __slots__ = ()

    @abstractmethod
    def unload(self) -> None:
        """Let go what belongs to this process. Unlike `dispose`, delete nothing that outlives it."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "unload") if cls is UnloadableOperator else NotImplemented


@structural
class DependencyOperator(PlainInterface, metaclass=ABCMeta):
    """Keep other artifacts of the host alive."""

    __slots__ = ()

    @property
    @abstractmethod
    def dependencies(self) -> Iterable[str | None]:
        """The ids of the artifacts that must not be collected while this node lives; None among them counts nothing."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, attributes=["dependencies"]) if cls is DependencyOperator else NotImplemented
