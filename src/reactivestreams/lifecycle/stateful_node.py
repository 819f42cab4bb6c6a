"""The base of nodes that are written in Python, are no stages, and have state."""

from typing import Any, ClassVar, Self

from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle.operator_node import OperatorNode
from reactivestreams.lifecycle.stateful import StatefulOperator, StateReader, StateWriter, Version
from reactivestreams.state import StateChanged

__all__ = ["StatefulNode"]


class StatefulNode(OperatorNode, StatefulOperator):
    """Be a node whose state is saved and loaded; documented as a base.

    That a node is disposed is state: one that is loaded as disposed is disposed by `start`, and does not begin.

    Class attributes that a subclass sets:
        name: The id in front of its saved state, such as `shop/stock`: unlike all others, not empty.
        version: Four integers, raised when the layout of its state changes.

    Hooks, besides those of `OperatorNode`: `save_fields(writer)`, `load_fields(reader, version)`. Call `mark_changed()`
    where state changes, so that the next checkpoint saves it.

    Raises:
        ArgumentError: The class has no name.

    Example:
        >>> class Counter(StatefulNode):
        ...     name = "example/counter"
        ...     count = 0
        ...
        ...     def save_fields(self, writer):
        ...         writer.write(self.count)
        ...
        ...     def load_fields(self, reader, version):
        ...         self.count = reader.read()
        >>> counter = Counter()
        >>> counter.state_changed, counter.is_disposed
        (True, False)
    """

    name: ClassVar[str] = ""
    version: ClassVar[Version] = (1, 0, 0, 0)

    _changes: StateChanged
    _is_disposed_in_state: bool

    def __new__(cls, *_arguments: object, **_keywords: object) -> Self:
        """Make a node; the constructor is the subclass's own business."""
        if not cls.name:
            raise ArgumentError(
                f"{cls.__name__}.name is {cls.name!r}; set it to the id that shall stand in front of the saved state"
            )
        node = super().__new__(cls)
        node._changes = StateChanged()
        node._is_disposed_in_state = False
        return node

    # --- hooks ----------------------------------------------------------------------------------------------------

    def save_fields(self, writer: StateWriter) -> None:
        """Write the fields of this node."""

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read what `save_fields` wrote, of this class's version."""

    def load_older_fields(self, reader: StateReader, version: Version) -> None:
        """Read what an older release wrote, of another version than this class's; by default that is refused.

        Raises:
            StateError: The version is not one that this class reads.
        """
        raise StateError(
            f"{self.name} reads state of version {self.version}, not {version}; use the release that wrote it, define "
            f"load_older_fields(reader, version), or drop the state of this operator"
        )

    # --- state ------------------------------------------------------------------------------------------------------

    @property
    def is_disposed(self) -> bool:
        """Whether this node was disposed, here or in the state that it was loaded from."""
        return self._life.is_disposed or self._is_disposed_in_state

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not yet safely stored; True until it was saved or loaded once."""
        return self._changes.state_changed

    def mark_changed(self) -> None:
        """Tell that state changed, so that the next checkpoint saves it."""
        self._changes.state_changed = True

    def save_state(self, writer: StateWriter, /) -> int:
        """Write whether this node is disposed, then its fields. Runs `save_fields`.

        Returns:
            The number of the snapshot, for `on_state_saved`.

        Raises:
            ArgumentTypeError: The writer is None, or none.
        """
        if not isinstance(writer, StateWriter):
            raise ArgumentTypeError(
                f"save_state(writer) needs a StateWriter, got {writer!r} ({type(writer).__name__}); "
                f"pass an object with write(value)"
            )
        writer.write(self.is_disposed)
        self._save_base_fields(writer)
        self.save_fields(writer)
        return self._changes.save_state()

    def load_state(self, reader: Any, version: Any, /) -> None:
        """Read what `save_state` wrote, between `set_context` and `start`. Runs `load_fields`, or `load_older_fields`.

        Raises:
            ArgumentTypeError: The reader is None, or none.
            StateError: The node was started already, or the version is not one that it reads.
        """
        if not callable(getattr(reader, "read", None)):
            raise ArgumentTypeError(
                f"load_state(reader) needs a StateReader, got {reader!r} ({type(reader).__name__}); "
                f"pass an object with read()"
            )
        if self._life.has_started:
            raise StateError(f"{self!r} was started already; load its state between set_context() and start()")
        found = tuple(version)
        self._is_disposed_in_state = bool(reader.read())
        self._load_base_fields(reader)
        if found == self.version:
            self.load_fields(reader, found)
        else:
            self.load_older_fields(reader, found)
        self._changes.load_state()

    def on_state_saved(self, generation: int | None = None) -> None:
        """Take notice that a snapshot is stored; harmless when nothing is pending.

        Args:
            generation: Which one, as `save_state` returned it; None: the last one.
        """
        self._changes.on_state_saved(generation)

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin, once; a node that was loaded as disposed is disposed instead."""
        if self._is_disposed_in_state:
            self.dispose()
        else:
            super().start()

    # --- what the bases below override ------------------------------------------------------------------------------

    def _save_base_fields(self, writer: StateWriter) -> None:
        pass

    def _load_base_fields(self, reader: StateReader) -> None:
        pass

    def _tear_down(self) -> None:
        if not self._is_disposed_in_state:  # else it is no news
            self.mark_changed()
        super()._tear_down()
