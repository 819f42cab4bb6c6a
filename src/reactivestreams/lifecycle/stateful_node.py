"""The base of nodes with state that are written in Python and are not stages."""

from typing import Any, ClassVar, Self

from reactivestreams.errors import ArgumentError
from reactivestreams.lifecycle.operator_node import OperatorNode
from reactivestreams.lifecycle.stateful import StatefulOperator
from reactivestreams.state import StateChanged, StateReader, StateWriter, Version
from rs_core.state.refusals import check_loading, check_saving

__all__ = ["StatefulNode"]


class StatefulNode(OperatorNode, StatefulOperator):
    """A node whose state is saved and loaded; documented as a base.

    The state includes whether the node is disposed: a node that is loaded as disposed is disposed by `start`.

    Class attributes that a subclass sets:
        name: The unique id that precedes its saved state, such as `shop/stock`; not empty.
        version: Four integers; increase them when the layout of its state changes.
        loadable_versions: Older versions that `load_fields` can also read; by default none.
        recovery: For a source: its behaviour after a recovery, by default `exact`, which means that its fields are all
            that it needs to continue.

    Hooks, besides those of `OperatorNode`: `save_fields(writer)`, `load_fields(reader, version)`. Call `mark_changed()`
    when state changes, so that the next checkpoint saves it.

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
        ...         self.count = reader.read(int)
        >>> counter = Counter()
        >>> counter.state_changed, counter.is_disposed
        (True, False)
    """

    # A class attribute satisfies the properties of the interface.
    name: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleMethodOverride]
    version: ClassVar[Version] = (1, 0, 0, 0)  # pyright: ignore[reportIncompatibleMethodOverride]
    loadable_versions: ClassVar[tuple[Version, ...]] = ()
    recovery: ClassVar[str] = "exact"

    _node_changes: StateChanged
    _node_was_disposed: bool

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self:
        """Make a node; the subclass defines its constructor."""
        if not cls.name:
            raise ArgumentError(
                f"{cls.__name__}.name is {cls.name!r}; set it to the id that shall stand in front of the saved state"
            )
        node = super().__new__(cls)
        node._node_changes = StateChanged()
        node._node_was_disposed = False
        return node

    # --- hooks ----------------------------------------------------------------------------------------------------

    def save_fields(self, writer: StateWriter) -> None:
        """Write the fields of this node."""

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read the fields of `save_fields`, in this class's version or in one of its `loadable_versions`."""

    # --- state ------------------------------------------------------------------------------------------------------

    @property
    def is_disposed(self) -> bool:
        """Whether this node was disposed, here or in the state that it was loaded from."""
        return self._node_life.is_disposed or self._node_was_disposed

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not yet stored; True until it was saved or loaded once."""
        return self._node_changes.state_changed

    def mark_changed(self) -> None:
        """Record that state has changed, so that the next checkpoint saves it."""
        self._node_changes.state_changed = True

    def save_state(self, writer: StateWriter, /) -> int:
        """Write whether this node is disposed, then its fields. Runs `save_fields`.

        Returns:
            The number of the snapshot, for `on_state_saved`.

        Raises:
            ArgumentTypeError: The writer is None or not a writer.
            StateError: Elements are being sent.
        """
        check_saving(self, writer, self._node_is_flowing())
        generation = self._node_changes.save_state()  # before the fields are read: a change beside the save stays one
        try:
            writer.write(self.is_disposed)
            self._node_save_fields(writer)
            self.save_fields(writer)
        except BaseException:
            self.mark_changed()
            raise
        return generation

    def load_state(self, reader: StateReader, version: Version, /) -> None:
        """Read the state of `save_state`, between `set_context` and `start`. Runs `load_fields`.

        Raises:
            ArgumentTypeError: The reader is None or not a reader.
            StateError: The node was already started, or it cannot read the version.
        """
        check_loading(self, reader, version, self._node_life.has_started)
        self._node_was_disposed = reader.read(bool)
        self._node_load_fields(reader)
        self.load_fields(reader, version)
        self._node_changes.load_state()

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot was stored; does nothing if none is pending.

        Args:
            generation: The snapshot, as returned by `save_state`; None means the last one.
        """
        self._node_changes.on_state_saved(generation)

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start, once; a node that was loaded as disposed is disposed instead."""
        if self._node_was_disposed:
            self.dispose()
        else:
            super().start()

    # --- what the bases below override ------------------------------------------------------------------------------

    def _node_is_flowing(self) -> bool:
        return False

    def _node_save_fields(self, writer: StateWriter) -> None:
        pass

    def _node_load_fields(self, reader: StateReader) -> None:
        pass

    def _node_tear_down(self) -> None:
        if not self._node_was_disposed:  # else it is no news
            self.mark_changed()
        super()._node_tear_down()
