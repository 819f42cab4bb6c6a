"""Snapshots whose records are written by functions, for tests of what a record promises."""

from collections.abc import Callable
from typing import Any

from reactivestreams.state import SnapshotReader, SnapshotWriter, StateLimits, StateReader, StateWriter, Version
from tests.state.shop import shop

V1: Version = (1, 0, 0, 0)
Write = Callable[[StateWriter], object]


def snapshot_of(*records: Write, limits: StateLimits | None = None) -> bytes:
    """Return a snapshot whose n-th record, of the operator `n`, was written by the n-th function."""
    snapshot = SnapshotWriter(registry=shop, limits=limits or StateLimits())
    for index, write in enumerate(records):
        with snapshot.create(str(index), V1) as writer:
            write(writer)
    return snapshot.finish()


def reader_of(*records: Write) -> StateReader:
    return SnapshotReader(snapshot_of(*records), registry=shop).create("0", path="/0")


def fields(*each: Any) -> Write:
    def write(writer: StateWriter) -> None:
        for field in each:
            writer.write(field)

    return write


def nothing(writer: StateWriter) -> None:
    """Write no field."""


def record_names(data: bytes) -> list[str | None]:
    """Return whose records a snapshot has."""
    snapshot, names = SnapshotReader(data), []
    while True:
        with snapshot.create("") as reader:
            if not reader.is_present:
                return names
            names.append(reader.name)
