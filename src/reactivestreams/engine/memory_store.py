"""The store in memory: for tests, and for programs whose state need not survive the process."""

import copy
import threading
import time
from bisect import bisect_right
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Row, Store, TableWrite
from reactivestreams.guarantees import Guarantee, PartGuarantee

__all__ = ["MemoryStore"]

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Input:
    """The logged input of an artifact.

    Attributes:
        first: The position of the first element that was not trimmed.
        elements: The elements from there on; they are only appended to.
    """

    first: int = 1
    elements: list[bytes] = field(default_factory=list[bytes])

    @property
    def last(self) -> int:
        return self.first + len(self.elements) - 1


@dataclass(frozen=True, slots=True)
class _Layer:
    """What one checkpoint, or several together, changed in a table; None: the row was deleted."""

    number: int
    is_whole: bool
    rows: Mapping[int, bytes | None]


MOST_LAYERS = 16
"""How many changes of a table are kept side by side before those that no checkpoint needs apart become one."""


class _Table:
    """A table of an artifact: the changes of its checkpoints, the oldest first."""

    def __init__(self, layers: tuple[_Layer, ...]) -> None:
        self.layers = layers
        self._newest: list[Row] | None = None

    def rows(self, at: int | None = None) -> list[Row]:
        """Return the rows, by their numbers."""
        if at is not None:
            return _rows_of(_joined([each for each in self.layers if each.number <= at]))
        if self._newest is None:
            self._newest = _rows_of(_joined(self.layers))
        return self._newest

    def pruned(self, oldest: int) -> "_Table":
        """Return the table without the layers that only checkpoints before the oldest one need apart."""
        old = [each for each in self.layers if each.number <= oldest]
        if len(old) < MOST_LAYERS and not any(each.is_whole for each in old[1:]):
            return self
        base = _Layer(old[-1].number, True, {row: data for row, data in _joined(old).items() if data is not None})
        return _Table((base, *self.layers[len(old) :]))


def _joined(layers: Sequence[_Layer]) -> dict[int, bytes | None]:
    joined: dict[int, bytes | None] = {}
    for layer in layers:
        if layer.is_whole:
            joined.clear()
        joined.update(layer.rows)
    return joined


def _rows_of(joined: Mapping[int, bytes | None]) -> list[Row]:
    return sorted((row, data) for row, data in joined.items() if data is not None)


@dataclass(frozen=True, slots=True)
class _Data:
    """What would be on the disk; a write replaces it by another one, so that all of it is there or nothing."""

    definitions: Mapping[str, Definition] = field(default_factory=dict[str, Definition])
    checkpoints: tuple[Checkpoint, ...] = ()
    states: Mapping[str, Mapping[int, bytes]] = field(default_factory=dict[str, Mapping[int, bytes]])
    keyed: Mapping[str, Mapping[str, _Table]] = field(default_factory=dict[str, Mapping[str, _Table]])
    prepared: Mapping[str, Mapping[int, bytes]] = field(default_factory=dict[str, Mapping[int, bytes]])
    inputs: Mapping[str, _Input] = field(default_factory=dict[str, _Input])
    tables: dict[str, Any] = field(default_factory=dict[str, Any])  # of functions that write in the transaction


class _Content:
    """The data, and who has it open."""

    def __init__(self, data: _Data) -> None:
        self.data = data
        self.fence = 0
        self.is_locked = False
        self.lock = threading.RLock()


class MemoryStore(Store):
    """Keep everything in memory; `after_crash` is the store that a new process would find.

    Functions that write in its transaction get `tables`, a dict that is empty at first.

    Threads: any.

    Example:
        >>> store = MemoryStore()
        >>> store.open()
        1
        >>> after = store.after_crash()
        >>> after.open(), store.last_checkpoint()
        (2, None)
    """

    guarantee: PartGuarantee = PartGuarantee(
        "store",
        Guarantee.NONE,
        "what is in memory is gone with the process",
        "take a store that survives it, such as SqliteStore",
    )

    transaction_kind: ClassVar[str] = "memory"

    def __init__(self) -> None:
        self._content = _Content(_Data())
        self._fence = 0
        self._is_open = False

    def after_crash(self) -> "MemoryStore":
        """Return a store with the same content, as if the process of this one had died."""
        store = copy.copy(self)
        store._is_open = False
        self._content.is_locked = False
        return store

    def forked(self) -> "MemoryStore":
        """Return a store with a copy of the content, open if this one is; both may change from now on."""
        with self._content.lock:
            store = copy.copy(self)
            data = self._content.data
            inputs = {each: _Input(log.first, list(log.elements)) for each, log in data.inputs.items()}
            store._content = _Content(replace(data, inputs=inputs, tables=copy.deepcopy(data.tables)))
            store._content.fence = self._content.fence
            store._content.is_locked = self._content.is_locked
            return store

    @property
    def tables(self) -> dict[str, Any]:
        """What functions in its transactions have written."""
        return self._content.data.tables

    def open(self) -> int:
        """Lock the store and return the fence."""
        with self._content.lock:
            if self._content.is_locked:
                raise StoreLockedError("an engine uses this MemoryStore; stop it first, or take another store")
            self._content.is_locked = self._is_open = True
            self._content.fence += 1
            self._fence = self._content.fence
            return self._fence

    def close(self) -> None:
        """Unlock it."""
        with self._content.lock:
            if self._is_open and self._fence == self._content.fence:
                self._content.is_locked = False
            self._is_open = False

    def definitions(self) -> list[Definition]:
        """Return what is defined, in the order of `created`."""
        return sorted(self._content.data.definitions.values(), key=lambda each: each.created)

    def put_definition(self, definition: Definition) -> None:
        """Add or replace a definition."""
        with self._writing() as data:
            definitions = {**data.definitions, definition.id: definition}
            self._content.data = replace(data, definitions=definitions)

    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it."""
        with self._writing() as data:
            self._content.data = replace(
                data,
                definitions=_without(data.definitions, artifact_id),
                states=_without(data.states, artifact_id),
                keyed=_without(data.keyed, artifact_id),
                prepared=_without(data.prepared, artifact_id),
                inputs=_without(data.inputs, artifact_id),
            )

    def last_checkpoint(self) -> Checkpoint | None:
        """Return the last stored checkpoint, or None."""
        checkpoints = self._content.data.checkpoints
        return checkpoints[-1] if checkpoints else None

    def checkpoints(self) -> list[Checkpoint]:
        """Return the stored checkpoints, the last one first."""
        return list(reversed(self._content.data.checkpoints))

    def state_of(self, artifact_id: str, at: int | None = None) -> bytes | None:
        """Return the newest stored state of an artifact, or that of a checkpoint, or None."""
        states = self._content.data.states.get(artifact_id, {})
        newest = max((number for number in states if at is None or number <= at), default=None)
        return None if newest is None else states[newest]

    def read_table(self, artifact_id: str, name: str, after: int, most: int, at: int | None = None) -> list[Row]:
        """Return rows of a table of an artifact, each with its number."""
        table = self._content.data.keyed.get(artifact_id, {}).get(name)
        if table is None:
            return []
        rows = table.rows(at)
        first = bisect_right(rows, after, key=itemgetter(0))
        return rows[first : first + most]

    def table_sizes(self, artifact_id: str) -> Mapping[str, tuple[int, int]]:
        """Return for each table of an artifact how many rows it has now, and their bytes."""
        tables = {name: table.rows() for name, table in self._content.data.keyed.get(artifact_id, {}).items()}
        return {name: (len(rows), sum(len(data) for _, data in rows)) for name, rows in sorted(tables.items()) if rows}

    def state_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Return for each artifact with state the checkpoint that has the newest, and its bytes."""
        return {
            artifact_id: (max(states), len(states[max(states)]))
            for artifact_id, states in self._content.data.states.items()
            if states
        }

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        """Store a checkpoint, all of it or nothing."""
        with self._writing() as data:
            tables = copy.deepcopy(data.tables) if write.writes else data.tables
            for function in write.writes:
                function(tables)
            stored = write.stored(time.time_ns())
            self._content.data = replace(
                data,
                checkpoints=(*data.checkpoints, stored),
                states=_with(data.states, write.number, write.states),
                keyed={
                    **data.keyed,
                    **{each: _with_rows(data.keyed.get(each, {}), write, each) for each in write.states},
                },
                prepared=_with(data.prepared, write.number, write.prepared),
                tables=tables,
            )
            return stored

    def prune(self, kept: int) -> None:
        """Delete what only older checkpoints need."""
        with self._writing() as data:
            checkpoints = data.checkpoints[-kept:]
            oldest = checkpoints[0].number if checkpoints else 0
            states: dict[str, Mapping[int, bytes]] = {}
            for artifact_id, of_artifact in data.states.items():
                needed = max((number for number in of_artifact if number <= oldest), default=0)
                is_needed = all(number >= needed for number in of_artifact)
                states[artifact_id] = (
                    of_artifact
                    if is_needed
                    else {number: state for number, state in of_artifact.items() if number >= needed}
                )
            keyed = {
                each: {name: table.pruned(oldest) for name, table in tables.items()}
                for each, tables in data.keyed.items()
            }
            self._content.data = replace(data, checkpoints=checkpoints, states=states, keyed=keyed)

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled."""
        return sorted(self._content.data.prepared.get(egress_id, {}).items())

    def settle(self, egress_id: str, number: int) -> None:
        """Forget prepared tokens up to a checkpoint."""
        with self._writing() as data:
            tokens = {each: token for each, token in data.prepared.get(egress_id, {}).items() if each > number}
            self._content.data = replace(data, prepared={**data.prepared, egress_id: tokens})

    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one."""
        with self._writing() as data:
            log = data.inputs.get(artifact_id)
            if log is None:
                log = _Input()
                self._content.data = replace(data, inputs={**data.inputs, artifact_id: log})
            log.elements.extend(elements)  # at once
            return log.last

    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position."""
        with self._content.lock:
            log = self._content.data.inputs.get(artifact_id, _Input())
            start = max(0, after + 1 - log.first)
            return list(enumerate(log.elements[start : start + most], log.first + start))

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position."""
        with self._writing() as data:
            log = data.inputs.get(artifact_id)
            if log is not None and up_to >= log.first:
                first = min(up_to, log.last) + 1
                trimmed = _Input(first, log.elements[first - log.first :])
                self._content.data = replace(data, inputs={**data.inputs, artifact_id: trimmed})

    def verify(self) -> list[str]:
        """Return nothing: memory is not damaged."""
        return []

    @contextmanager
    def _writing(self) -> Generator[_Data, None, None]:
        with self._content.lock:
            self._require_mine()
            yield self._content.data

    def _require_mine(self) -> None:
        if not self._is_open:
            raise StoreError("this MemoryStore is not open; an engine opens it when it starts")
        if self._fence != self._content.fence:
            raise StoreFencedError(
                f"this MemoryStore was opened again since (fence {self._content.fence}, this engine has "
                f"{self._fence}); the newer engine writes to it now, so let this one end"
            )


def _with_rows(tables: Mapping[str, _Table], write: CheckpointWrite, artifact_id: str) -> Mapping[str, _Table]:
    written = write.tables.get(artifact_id, {})
    changed = dict(tables)
    for name in (*tables, *written):
        change = written.get(name)
        if change is None:
            change = TableWrite({}, is_whole=True)
        rows: dict[int, bytes | None] = {**dict.fromkeys(change.deleted), **change.rows}
        if rows or change.is_whole:
            layers = tables[name].layers if name in tables else ()
            changed[name] = _Table((*layers, _Layer(write.number, change.is_whole, rows)))
    return changed


def _without(rows: Mapping[str, R], artifact_id: str) -> Mapping[str, R]:
    return {each: row for each, row in rows.items() if each != artifact_id}


def _with(
    rows: Mapping[str, Mapping[int, bytes]], number: int, added: Mapping[str, bytes]
) -> Mapping[str, Mapping[int, bytes]]:
    return {**rows, **{each: {**rows.get(each, {}), number: data} for each, data in added.items()}}
