"""How an engine writes and reads values and states: the classes that may be part of them, and their bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactivestreams.engine.store import Row
from reactivestreams.state import (
    DEFAULT_LIMITS,
    SnapshotReader,
    SnapshotWriter,
    StateLimits,
    StateRegistry,
    decode_value,
    default_registry,
    encode_value,
)

__all__ = ["DEFAULT_CODEC", "StateCodec"]


@dataclass(frozen=True, slots=True)
class StateCodec:
    """The classes of the program that may be part of state, arguments and pushed elements, and bounds of all of them.

    Attributes:
        registry: The classes.
        limits: Bounds of size and depth.
    """

    registry: StateRegistry = default_registry
    limits: StateLimits = DEFAULT_LIMITS

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a value; raises as `encode_value`."""
        return encode_value(value, registry=self.registry, limits=self.limits)

    def decode(self, data: bytes) -> Any:
        """Return the value of bytes; raises as `decode_value`."""
        return decode_value(data, registry=self.registry, limits=self.limits)

    def writer(self, checkpoint_id: int, *, is_full: bool) -> SnapshotWriter:
        """Return the writer of a snapshot that is part of a checkpoint, with tables beside it."""
        return SnapshotWriter(
            registry=self.registry,
            limits=self.limits,
            checkpoint_id=checkpoint_id,
            keeps_tables=True,
            is_full=is_full,
        )

    def reader(self, data: bytes, read_table: Callable[[str, int, int], list[Row]] | None = None) -> SnapshotReader:
        """Return the reader of a snapshot and the tables beside it; raises as `SnapshotReader`."""
        return SnapshotReader(data, registry=self.registry, limits=self.limits, read_table=read_table)


DEFAULT_CODEC = StateCodec()
"""With the default registry and limits."""
