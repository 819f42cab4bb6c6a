"""Looking into a snapshot without the operators that it belongs to."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from reactivestreams.errors import StateFormatError
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits
from rs_core.state.records import StateReader

__all__ = ["SavedRecord", "saved_records"]

MAX_RECORDS_SHOWN = 1_000
"""Maximum number of decoded records of a snapshot."""


@dataclass(frozen=True, slots=True)
class SavedRecord:
    """The saved state of one operator.

    Attributes:
        operator: Its name.
        version: Version of the layout of its fields.
        fields: Its values, a child record as the list of its own; after them each of its tables, as a dict of the
            values by the numbers of the rows.
    """

    operator: str
    version: tuple[int, ...]
    fields: tuple[Any, ...]


def saved_records(
    data: bytes,
    *,
    registry: StateRegistry = default_registry,
    limits: StateLimits = DEFAULT_LIMITS,
    tables: Collection[str] = (),
    read_table: Callable[[str, int, int], list[tuple[int, bytes]]] | None = None,
) -> tuple[SavedRecord, ...]:
    """Return the records of a snapshot, at most 1,000; runs no code of the program but that of registered classes.

    Args:
        data: The snapshot; empty: there is none.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        tables: The names of the tables that were stored with it, as in `SnapshotWriter.tables`.
        read_table: Returns rows of one, as for `SnapshotReader`.

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
    snapshot = SnapshotReader(data, registry=registry, limits=limits, read_table=read_table)
    records: list[SavedRecord] = []
    for place in range(MAX_RECORDS_SHOWN):
        with snapshot.create("") as reader:
            if not reader.is_present:
                break
            fields = _fields(reader)
            for name in sorted(tables):
                number, _, table = name.partition("/")
                if number == str(place):
                    fields.append(dict(reader.table(table)))
            records.append(SavedRecord(reader.name or "", reader.version or (), tuple(fields)))
    return tuple(records)


def _fields(reader: StateReader) -> list[Any]:
    """Return the fields that are left, child records as lists."""
    fields: list[Any] = []
    while True:
        try:
            child = reader.create_child()
        except StateFormatError:  # it is a value, or none is left
            is_there, field = reader.try_read()
            if not is_there:
                return fields
            fields.append(field)
        else:
            with child:
                fields.append(_fields(child))
