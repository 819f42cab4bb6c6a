"""What a node is that can be saved and loaded, and what it writes to and reads from."""

from abc import ABCMeta, abstractmethod
from contextlib import AbstractContextManager
from typing import Any

from reactivestreams.lifecycle.operator import OPERATOR_METHODS, Operator
from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = [
    "StateReader",
    "StateReaderFactory",
    "StateWriter",
    "StateWriterFactory",
    "StatefulOperator",
    "TransitioningOperator",
    "Version",
    "Versioned",
]

Version = tuple[int, int, int, int]
"""Of the layout of saved state: major, minor, build, revision; from (1, 0, 0, 0) on."""

_STATE_METHODS = ("save_state", "load_state", "on_state_saved")


@structural
class StateWriter(PlainInterface, metaclass=ABCMeta):
    """Take the values of one node."""

    __slots__ = ()

    @abstractmethod
    def write(self, value: Any, /) -> object:
        """Append a value."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "write") if cls is StateWriter else NotImplemented


@structural
class StateReader(PlainInterface, metaclass=ABCMeta):
    """Give back the values of one node."""

    __slots__ = ()

    @property
    @abstractmethod
    def version(self) -> Version:
        """The version that was written in front of the values."""

    @abstractmethod
    def read(self) -> Any:
        """Return the next value, in the order in which they were written; never one of another node."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "read", attributes=["version"]) if cls is StateReader else NotImplemented


@structural
class Versioned(PlainInterface, metaclass=ABCMeta):
    """Have a name and a version, which stand in front of what is saved."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str:
        """The id of the implementation, unlike all others: `rx://operators/map`; empty at an end, without a record."""

    @property
    @abstractmethod
    def version(self) -> Version:
        """The version of the layout of its state."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, attributes=["name", "version"]) if cls is Versioned else NotImplemented


@structural
class StatefulOperator(Operator, Versioned, PlainInterface, metaclass=ABCMeta):
    """Be a node whose state can be saved and loaded."""

    __slots__ = ()

    @property
    @abstractmethod
    def state_changed(self) -> bool:
        """Whether there is state that is not yet safely stored; True until it was saved or loaded once."""

    @abstractmethod
    def save_state(self, writer: StateWriter, /) -> object:
        """Write the state, while nothing flows; `state_changed` stays True until `on_state_saved`."""

    @abstractmethod
    def load_state(self, reader: Any, version: Any, /) -> None:
        """Read what was written, between `set_context` and `start`; then `state_changed` is False."""

    @abstractmethod
    def on_state_saved(self) -> None:
        """Take notice that what `save_state` wrote last is stored; harmless when nothing is pending."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        methods = (*OPERATOR_METHODS, *_STATE_METHODS)
        attributes = ["inputs", "name", "version", "state_changed"]
        return has_methods(candidate, *methods, attributes=attributes) if cls is StatefulOperator else NotImplemented


class TransitioningOperator:
    """Mark a node that had no state in older checkpoints: where its record is missing, it begins without.

    Example:
        >>> from rs_core.python_stage import PythonStage
        >>> class Counting(PythonStage, TransitioningOperator):
        ...     name = "example/counting"
    """

    __slots__ = ()


@structural
class StateWriterFactory(PlainInterface, metaclass=ABCMeta):
    """Make the record of each node, in the order of the walk."""

    __slots__ = ()

    @abstractmethod
    def create(self, node: StatefulOperator, /) -> AbstractContextManager[StateWriter]:
        """Begin the record of a node, with its name and version in front; the end of the block closes it."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "create") if cls is StateWriterFactory else NotImplemented


@structural
class StateReaderFactory(PlainInterface, metaclass=ABCMeta):
    """Find the record of each node, in the order of the walk."""

    __slots__ = ()

    @abstractmethod
    def create(self, node: StatefulOperator, /) -> AbstractContextManager[StateReader | None]:
        """Open the record of a node; None: there is none, and a `TransitioningOperator` may begin without.

        Raises:
            StateError: The next record is not this node's.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "create") if cls is StateReaderFactory else NotImplemented
