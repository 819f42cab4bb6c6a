"""Interfaces of nodes with state that can be saved and loaded, with its name and the version of its layout."""

from abc import ABCMeta, abstractmethod
from typing import Any

from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["Stateful", "TransitioningOperator", "Version", "Versioned"]

Version = tuple[int, int, int, int]
"""Version of the layout of saved state: major, minor, build, revision; from (1, 0, 0, 0) on."""

_METHODS = ("save_state", "load_state", "on_state_saved")
_ATTRIBUTES = ("name", "version", "state_changed")


@structural
class Versioned(PlainInterface, metaclass=ABCMeta):
    """Have a name and a version, which precede the saved state."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """The unique id of the implementation, such as `shop/stock`; empty at the end of a stream."""

    @property
    @abstractmethod
    def version(self) -> Version:
        """The version of the layout of its state."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, attributes=["name", "version"]) if cls is Versioned else NotImplemented


@structural
class Stateful(Versioned, PlainInterface, metaclass=ABCMeta):
    """Have state that can be saved; every stage of a stream does."""

    __slots__ = ()

    @property
    @abstractmethod
    def state_changed(self) -> bool:
        """Whether there is state that is not yet stored; True until it was saved or loaded once."""

    @abstractmethod
    def save_state(self, writer: Any, /) -> object:
        """Write the state to a `StateWriter`, while nothing is sent; `state_changed` is True until `on_state_saved`.

        Returns:
            A token of this snapshot, for `on_state_saved`; None from a class that needs none.
        """

    @abstractmethod
    def load_state(self, reader: Any, version: Version, /) -> object:
        """Read from a `StateReader` what was written in a version; then `state_changed` is False."""

    @abstractmethod
    def on_state_saved(self, token: Any = None, /) -> None:
        """Record that a snapshot was stored; does nothing if none is pending.

        Args:
            token: The snapshot, as returned by `save_state`; None means the last one. If an older one is reported late,
                `state_changed` remains True.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, *_METHODS, attributes=_ATTRIBUTES) if cls is Stateful else NotImplemented


class TransitioningOperator:
    """Mark an operator that had no state in earlier releases: if its record is missing, it starts without state.

    Example:
        >>> from rs_core.operators.python_operator import PythonStage
        >>> class Counting(PythonStage, TransitioningOperator):
        ...     name = "example/counting"
    """

    __slots__ = ()
