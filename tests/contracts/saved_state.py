"""Saving the state of a running tree and loading it into a new one, with values kept in lists."""

import copy
from typing import Any

from rs_core.stage import Stage

Record = tuple[str, tuple[int, ...], list[Any]]


class ListWriter:
    """Keeps copies of the values, as an encoding would."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def write(self, value: Any, /) -> None:
        self.values.append(copy.deepcopy(value))


class ListReader:
    """Gives back what a ListWriter kept."""

    def __init__(self, values: list[Any]) -> None:
        self.unread = copy.deepcopy(values)

    def read(self) -> Any:
        return self.unread.pop(0)


class _Walk:
    """Visits a tree from the handle to the source."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []

    def visit(self, stage: Stage) -> None:
        self.stages.append(stage)
        for upstream in stage.inputs:
            upstream.accept(self)


def stages_of(handle: Stage) -> list[Stage]:
    """Return the stages of a tree, the handle first."""
    walk = _Walk()
    handle.accept(walk)
    return walk.stages


def save(handle: Stage) -> list[Record]:
    """Return the state of each stage of a quiet tree."""
    records: list[Record] = []
    for stage in stages_of(handle):
        writer = ListWriter()
        stage.save_state(writer)
        records.append((stage.name, stage.version, writer.values))
    return records


def subscribe(handle: Stage) -> None:
    """Make the whole tree behind a handle; nothing flows."""
    handle.subscribe()
    for upstream in handle.inputs:
        subscribe(upstream)


def start(handle: Stage, records: list[Record]) -> None:
    """Run the phases of the life cycle as a host does: each over the whole tree, the state before the start."""
    subscribe(handle)
    for stage in stages_of(handle):
        stage.set_context(None)
    _load(handle, records)
    for stage in stages_of(handle):
        stage.start()


def _load(handle: Stage, records: list[Record]) -> None:
    stages = stages_of(handle)
    assert [(stage.name, stage.version) for stage in stages] == [record[:2] for record in records]
    for stage, (_, version, values) in zip(stages, records, strict=True):
        reader = ListReader(values)
        stage.load_state(reader, version)
        assert reader.unread == []
