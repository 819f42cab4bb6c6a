"""Snapshots as lists of records, for tests to compare and to make."""

from typing import Any

from reactivestreams.lifecycle import OperatorSubscription, Version
from reactivestreams.state import SnapshotReader, SnapshotWriter, save_tree

Record = tuple[str, Version, list[Any]]
VERSION: Version = (1, 0, 0, 0)


def snapshot_of(*records: Record) -> SnapshotReader:
    """Return a snapshot with these records: name, version, fields."""
    snapshot = SnapshotWriter()
    for name, version, fields in records:
        with snapshot.create(name, version) as writer:
            for field in fields:
                writer.write(field)
    return SnapshotReader(snapshot.finish())


def records_in(data: bytes) -> list[Record]:
    """Return the records of a snapshot."""
    records: list[Record] = []
    snapshot = SnapshotReader(data)
    while True:
        with snapshot.create("") as reader:
            if not reader.is_present:
                return records
            assert reader.name is not None
            assert reader.version is not None
            fields = []
            is_there, field = reader.try_read()
            while is_there:
                fields.append(field)
                is_there, field = reader.try_read()
            records.append((reader.name, reader.version, fields))


def saved_records(tree: OperatorSubscription) -> list[Record]:
    """Return the records of a tree, those of named nodes."""
    return [record for record in records_in(save_tree(tree)) if record[0]]
