"""Looking into a snapshot without the operators that it belongs to."""

from dataclasses import dataclass
from typing import Any

from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits

__all__ = ["SavedRecord", "saved_records"]

MAX_RECORDS_SHOWN = 1_000
"""Maximum number of decoded records of a snapshot."""


@dataclass(frozen=True, slots=True)
class SavedRecord:
    """The saved state of one operator.

    Attributes:
        operator: Its name.
        version: Version of the layout of its fields.
        fields: Its values.
    """

    operator: str
    version: tuple[int, ...]
    fields: tuple[Any, ...]


def saved_records(
    data: bytes, *, registry: StateRegistry = default_registry, limits: StateLimits = DEFAULT_LIMITS
) -> tuple[SavedRecord, ...]:
    """Return the records of a snapshot, at most 1,000; runs no code of the program but that of registered classes.

    Args:
        data: The snapshot; empty: there is none.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.

    Raises:
        StateFormatError: It is damaged or no snapshot.
        StateError: It has a value of a class that is not registered.

    Example:
        >>> from reactivestreams.state import SnapshotWriter
        >>> snapshot = SnapshotWriter()
        >>> with snapshot.create("example/sum", (1, 0, 0, 0)) as writer:
        ...     writer.write(42)
        >>> saved_records(snapshot.finish())
        (SavedRecord(operator='example/sum', version=(1, 0, 0, 0), fields=(42,)),)
    """
    if not data:
        return ()
    snapshot, records = SnapshotReader(data, registry=registry, limits=limits), list[SavedRecord]()
    for _ in range(MAX_RECORDS_SHOWN):
        with snapshot.create("") as reader:
            if not reader.is_present:
                break
            fields: list[Any] = []
            while True:
                is_there, field = reader.try_read()
                if not is_there:
                    break
                fields.append(field)
            records.append(SavedRecord(reader.name or "", reader.version or (), tuple(fields)))
    return tuple(records)
