"""Optional interfaces of a node: unloadable, and dependencies on other artifacts."""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable

from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["DependencyOperator", "UnloadableOperator"]


@structural
class UnloadableOperator(PlainInterface, metaclass=ABCMeta):
    """A node with a resource of the process, such as a socket, to release when the host leaves a running process.

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
        """Release the resources of this process. Unlike `dispose`, keep everything that outlives the process."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "unload") if cls is UnloadableOperator else NotImplemented


@structural
class DependencyOperator(PlainInterface, metaclass=ABCMeta):
    """A node that keeps other artifacts of the host alive."""

    __slots__ = ()

    @property
    @abstractmethod
    def dependencies(self) -> Iterable[str | None]:
        """The ids of the artifacts that must not be collected while this node lives; None is ignored."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, attributes=["dependencies"]) if cls is DependencyOperator else NotImplemented
