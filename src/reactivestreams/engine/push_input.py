"""The ingress for what cannot be given again: elements are stored before they are sent."""

from collections.abc import Sequence
from typing import Any

from reactivestreams.engine.errors import EngineStatusError
from reactivestreams.engine.ingress import Ingress
from reactivestreams.engine.state_codec import DEFAULT_CODEC, StateCodec
from reactivestreams.engine.store import Store
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = ["PushInput"]


class PushInput(Ingress):
    """Send what `engine.push(id, ...)` has stored; so requests of a server, or calls of a program, survive the process.

    An element that was pushed is stored, is sent exactly once, and is deleted when a checkpoint contains its effect.

    State: the position; elements are in the store.
    Threads: `push` by any.

    Example:
        >>> from reactivestreams.engine import Engine, MemoryStore, PushInput, factories
        >>> @factories.register("example/commands")
        ... def commands(engine):
        ...     return PushInput()
        >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
        ...     artifact = engine.define("commands", commands)
        ...     engine.push("commands", "open", "close")
        2
    """

    guarantee: PartGuarantee = PartGuarantee(
        "ingress", Guarantee.EXACTLY_ONCE, "what was pushed is in the store when push() returns, and is read from there"
    )

    def __init__(self) -> None:
        self._store: Store | None = None
        self._artifact_id = ""
        self._codec = DEFAULT_CODEC
        self._position = 0

    def attach(self, store: Store, artifact_id: str, codec: StateCodec) -> None:
        """Take the store that elements are kept in; called by the engine."""
        self._store = store
        self._codec = codec
        self._artifact_id = artifact_id

    def push(self, elements: Sequence[Any]) -> int:
        """Store elements and have them sent; return the position of the last one.

        Raises:
            StateTypeError: An element is no value that state can hold; none was stored.
            EngineStatusError: No engine hosts it.
        """
        store = self._attached()
        position = store.append_input(self._artifact_id, [self._codec.encode(element) for element in elements])
        self.wake()
        return position

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after a position."""
        self._position = position

    def read(self, max_elements: int) -> list[tuple[int, Any]]:
        """Return the next stored elements."""
        found = self.read_stored(self._position, max_elements)
        if found:
            self._position = found[-1][0]
        return found

    def read_stored(self, after: int, most: int) -> list[tuple[int, Any]]:
        """Return stored elements after a position."""
        return [
            (position, self._codec.decode(element))
            for position, element in self._attached().read_input(self._artifact_id, after, most)
        ]

    def acknowledge(self, position: int) -> None:
        """Delete what a checkpoint contains."""
        if position:
            self._attached().trim_input(self._artifact_id, position)

    def _attached(self) -> Store:
        if self._store is None:
            raise EngineStatusError(
                f"{self!r} belongs to no engine; return it from a factory, define that, and call engine.push()"
            )
        return self._store
