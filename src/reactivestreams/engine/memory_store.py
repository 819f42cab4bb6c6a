"""The store in memory: for tests, and for programs whose state need not survive the process."""

import copy
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Store

__all__ = ["MemoryStore"]


class _Content:
    """What would be on the disk."""

    def __init__(self) -> None:
        self.fence = 0
        self.is_locked = False
        self.definitions: dict[str, Definition] = {}
        self.checkpoints: list[Checkpoint] = []
        self.states: dict[str, dict[int, bytes]] = {}
        self.prepared: dict[str, dict[int, bytes]] = {}
        self.inputs: dict[str, dict[int, bytes]] = {}
        self.ends: dict[str, int] = {}  # the last position of each input
        self.tables: dict[str, Any] = {}  # of functions that write in the transaction
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

    transaction_kind: ClassVar[str] = "memory"

    def __init__(self) -> None:
        self._content = _Content()
        self._fence = 0
        self._is_open = False

    def after_crash(self) -> "MemoryStore":
        """Return a store with the same content, as if the process of this one had died."""
        store = copy.copy(self)
        store._is_open = False
        self._content.is_locked = False
        return store

    @property
    def tables(self) -> dict[str, Any]:
        """What functions in its transactions have written."""
        return self._content.tables

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
        with self._content.lock:
            return sorted(self._content.definitions.values(), key=lambda each: each.created)

    def put_definition(self, definition: Definition) -> None:
        """Add or replace a definition."""
        with self._content.lock:
            self._require_mine()
            self._content.definitions[definition.id] = definition

    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it."""
        with self._content.lock:
            self._require_mine()
            for table in (
                self._content.definitions,
                self._content.states,
                self._content.prepared,
                self._content.inputs,
                self._content.ends,
            ):
                table.pop(artifact_id, None)

    def last_checkpoint(self) -> Checkpoint | None:
        """Return the last stored checkpoint, or None."""
        with self._content.lock:
            return self._content.checkpoints[-1] if self._content.checkpoints else None

    def checkpoints(self) -> list[Checkpoint]:
        """Return the stored checkpoints, the last one first."""
        with self._content.lock:
            return self._content.checkpoints[::-1]

    def state_of(self, artifact_id: str) -> bytes | None:
        """Return the newest stored state of an artifact, or None."""
        with self._content.lock:
            states = self._content.states.get(artifact_id)
            return states[max(states)] if states else None

    def state_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Return for each artifact with state the checkpoint that has the newest, and its bytes."""
        with self._content.lock:
            return {
                artifact_id: (max(states), len(states[max(states)]))
                for artifact_id, states in self._content.states.items()
                if states
            }

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        """Store a checkpoint, all of it or nothing."""
        with self._content.lock:
            self._require_mine()
            tables = copy.deepcopy(self._content.tables) if write.writes else self._content.tables
            for function in write.writes:
                function(tables)
            self._content.tables = tables
            stored = write.stored(time.time_ns())
            for artifact_id, state in write.states.items():
                self._content.states.setdefault(artifact_id, {})[write.number] = state
            for egress_id, token in write.prepared.items():
                self._content.prepared.setdefault(egress_id, {})[write.number] = token
            self._content.checkpoints.append(stored)
            return stored

    def prune(self, kept: int) -> None:
        """Delete what only older checkpoints need."""
        with self._content.lock:
            self._require_mine()
            del self._content.checkpoints[:-kept]
            oldest = self._content.checkpoints[0].number if self._content.checkpoints else 0
            for states in self._content.states.values():
                needed = max((number for number in states if number <= oldest), default=0)
                for number in [number for number in states if number < needed]:
                    del states[number]

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled."""
        with self._content.lock:
            return sorted(self._content.prepared.get(egress_id, {}).items())

    def settle(self, egress_id: str, number: int) -> None:
        """Forget prepared tokens up to a checkpoint."""
        with self._content.lock:
            self._require_mine()
            tokens = self._content.prepared.get(egress_id, {})
            for each in [each for each in tokens if each <= number]:
                del tokens[each]

    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one."""
        with self._content.lock:
            self._require_mine()
            position = self._content.ends.get(artifact_id, 0)
            log = self._content.inputs.setdefault(artifact_id, {})
            for element in elements:
                position += 1
                log[position] = element
            self._content.ends[artifact_id] = position
            return position

    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position."""
        with self._content.lock:
            log = self._content.inputs.get(artifact_id, {})
            return [(position, log[position]) for position in sorted(log) if position > after][:most]

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position."""
        with self._content.lock:
            self._require_mine()
            log = self._content.inputs.get(artifact_id, {})
            for position in [position for position in log if position <= up_to]:
                del log[position]

    def verify(self) -> list[str]:
        """Return nothing: memory is not damaged."""
        return []

    def _require_mine(self) -> None:
        if not self._is_open:
            raise StoreError("this MemoryStore is not open; an engine opens it when it starts")
        if self._fence != self._content.fence:
            raise StoreFencedError(
                f"this MemoryStore was opened again since (fence {self._content.fence}, this engine has "
                f"{self._fence}); the newer engine writes to it now, so let this one end"
            )
