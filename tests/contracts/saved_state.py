"""Saving the state of a running tree and loading it into a new one, in the phases of the life cycle."""

from typing import Any

from reactivestreams.state import (
    SnapshotReader,
    SnapshotWriter,
    StateReader,
    load_tree,
    save_record,
    save_tree,
    stateful_nodes,
)
from rs_core.stream.subscription import Stage


def stages_of(handle: Stage) -> list[Stage]:
    """Return the stages of a tree, the handle first."""
    return [stage for stage, _ in stateful_nodes(handle)]


def save(handle: Stage) -> bytes:
    """Return the state of a quiet tree."""
    return save_tree(handle)


def subscribe(handle: Stage) -> None:
    """Make the whole tree behind a handle; nothing flows."""
    for stage, _ in stateful_nodes(handle):
        stage.subscribe()


def start(handle: Stage, state: bytes) -> None:
    """Run the phases of the life cycle as a host does: each over the whole tree, the state before the start."""
    subscribe(handle)
    for stage in stages_of(handle):
        stage.set_context(None)
    load_tree(handle, state)
    assert save_tree(handle) == state
    for stage in stages_of(handle):
        stage.start()


def fields_of(node: Stage) -> list[Any]:
    """Return the fields that a node writes."""
    snapshot = SnapshotWriter()
    save_record(node, snapshot)
    reader = SnapshotReader(snapshot.finish()).create(node.name)
    fields = []
    found, field = reader.try_read()
    while found:
        fields.append(field)
        found, field = reader.try_read()
    return fields


def reader_of(*fields: Any) -> StateReader:
    """Return a reader of a record with these fields."""
    snapshot = SnapshotWriter()
    with snapshot.create("record", (1, 0, 0, 0)) as writer:
        for field in fields:
            writer.write(field)
    return SnapshotReader(snapshot.finish()).create("record")
