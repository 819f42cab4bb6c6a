"""Where an engine keeps definitions and checkpoints: the interface of stores, and what they keep."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reactivestreams.guarantees import Guarantee, PartGuarantee
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["KEPT_CHECKPOINTS", "Checkpoint", "CheckpointWrite", "Definition", "Row", "Store", "TableWrite"]

Row = tuple[int, bytes]
"""A row of a table: its number and its bytes."""

KEPT_CHECKPOINTS = 2
"""How many checkpoints can be read by default: the last one and the one before it."""


@dataclass(frozen=True, slots=True)
class Definition:
    """An artifact as it was defined.

    Attributes:
        id: Its id.
        kind: `subject`, `ingress`, `query` or `egress`.
        factory: The name of the factory that builds it.
        factory_version: The version of that.
        arguments: What it is built with, encoded.
        digest: What was built: operators, parameters, names of functions; text, for the difference.
        created: Its number in the order of definitions, from 1: what it depends on has a lower one.
    """

    id: str
    kind: str
    factory: str
    factory_version: int
    arguments: bytes
    digest: str
    created: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A stored checkpoint.

    Attributes:
        number: From 1.
        kind: `full` or `differential`.
        began: When it began, in nanoseconds since 1970.
        committed: When it was stored, in nanoseconds since 1970.
        size_bytes: Of all states in it.
        pause_microseconds: How long nothing flowed.
        artifacts: The ids of the artifacts whose state is in it.
    """

    number: int
    kind: str
    began: int
    committed: int
    size_bytes: int
    pause_microseconds: int
    artifacts: tuple[str, ...] = ()


@dataclass(slots=True)
class TableWrite:
    """What one checkpoint changes in a table of an artifact: rows with numbers from 0.

    Attributes:
        rows: The rows that it writes, by their numbers.
        deleted: The numbers of those that it deletes, whether they are there or not.
        is_whole: Whether all other rows are deleted.
    """

    rows: dict[int, bytes]
    deleted: list[int] = field(default_factory=list[int])
    is_whole: bool = False


@dataclass(slots=True)
class CheckpointWrite:
    """What one checkpoint stores, in one transaction.

    Attributes:
        number: One more than that of the last stored checkpoint, or further.
        kind: `full` or `differential`.
        began: When it began, in nanoseconds since 1970.
        pause_microseconds: How long nothing flowed.
        states: A snapshot for each artifact that is saved.
        tables: The tables of each artifact that is saved, by their names; its other tables are deleted.
        prepared: The token of each two-phase egress that has prepared its rows, encoded.
        writes: Functions that write in the transaction of the store: called with what `transaction_of` names.
    """

    number: int
    kind: str
    began: int
    pause_microseconds: int = 0
    states: dict[str, bytes] = field(default_factory=dict[str, bytes])
    tables: dict[str, dict[str, TableWrite]] = field(default_factory=dict[str, dict[str, TableWrite]])
    prepared: dict[str, bytes] = field(default_factory=dict[str, bytes])
    writes: list[Callable[[Any], object]] = field(default_factory=list[Callable[[Any], object]])

    @property
    def size_bytes(self) -> int:
        """The size of all states, and of the rows of tables that are written."""
        rows = sum(sum(map(len, table.rows.values())) for tables in self.tables.values() for table in tables.values())
        return sum(map(len, self.states.values())) + rows

    def stored(self, committed: int) -> Checkpoint:
        """Return what is known of it when it was stored."""
        return Checkpoint(
            self.number, self.kind, self.began, committed, self.size_bytes, self.pause_microseconds, tuple(self.states)
        )


@refuses_deferred_hooks("and return when it is stored")
class Store(ABC):
    """Keeps definitions, checkpoints and logged input; documented as a base.

    Each method is a transaction of its own: after it has returned, what it wrote survives the death of the process;
    where it raises, nothing was written, or everything. Between `open` and `close` no other engine uses the store: a
    second `open` raises `StoreLockedError`, and where the lock of a dead host was lost, the number that `open`
    increases makes the older engine fail with `StoreFencedError` when it writes.

    `reactivestreams.testing.crash.check_store` checks an implementation; those of this package inherit
    `tests/engine/store_contract.py` besides.

    Threads: any; one call at a time is made by the engine's checkpoint, others by those who define and push.
    """

    guarantee: PartGuarantee = PartGuarantee(
        "store", Guarantee.EXACTLY_ONCE, "a checkpoint that is stored survives the process"
    )
    """What it guarantees when the process dies."""

    transaction_kind: ClassVar[str] = ""
    """What functions of `CheckpointWrite.writes` get, such as `sqlite`; empty: the store runs none."""

    @abstractmethod
    def open(self) -> int:
        """Lock the store, make its tables if it is new, and return the fence: one more than at the last time.

        Raises:
            StoreLockedError: Another engine uses it.
            StoreError: It has the content of something else, or of a later release.
        """

    @abstractmethod
    def close(self) -> None:
        """Unlock it; idempotent."""

    @abstractmethod
    def definitions(self) -> list[Definition]:
        """Return what is defined, in the order of `created`."""

    @abstractmethod
    def put_definition(self, definition: Definition) -> None:
        """Add a definition, or replace that of the same id and keep its state."""

    @abstractmethod
    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it; an unknown id is ignored."""

    @abstractmethod
    def last_checkpoint(self) -> Checkpoint | None:
        """Return the last stored checkpoint, or None."""

    @abstractmethod
    def checkpoints(self) -> list[Checkpoint]:
        """Return the stored checkpoints that were not pruned, the last one first."""

    @abstractmethod
    def state_of(self, artifact_id: str, at: int | None = None) -> bytes | None:
        """Return the newest stored state of an artifact, or None.

        Args:
            artifact_id: Its id.
            at: The number of a checkpoint that was not pruned: the state as that has it; None: the last one.
        """

    @abstractmethod
    def read_table(self, artifact_id: str, name: str, after: int, most: int, at: int | None = None) -> list[Row]:
        """Return rows of a table of an artifact, each with its number, the lowest first; none where there is no table.

        Args:
            artifact_id: Its id.
            name: The name of the table.
            after: The number before the first row; -1 for the first of all.
            most: How many rows at most.
            at: The number of a checkpoint that was not pruned: the rows as that has them; None: the last one.
        """

    @abstractmethod
    def table_sizes(self, artifact_id: str) -> Mapping[str, tuple[int, int]]:
        """Return for each table of an artifact how many rows it has now, and their bytes."""

    @abstractmethod
    def state_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Return for each artifact with state the number of the checkpoint that has the newest, and its bytes."""

    @abstractmethod
    def commit(self, write: CheckpointWrite) -> Checkpoint:
        """Store a checkpoint, all of it or nothing.

        Raises:
            StoreFencedError: Another engine has taken the store over.
        """

    @abstractmethod
    def prune(self, kept: int) -> None:
        """Delete what no checkpoint needs any more but the last ones.

        Args:
            kept: How many checkpoints can be read afterwards, from 1.
        """

    @abstractmethod
    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled, with their checkpoints, the oldest first."""

    @abstractmethod
    def settle(self, egress_id: str, number: int) -> None:
        """Forget the prepared tokens of an egress up to a checkpoint; idempotent."""

    @abstractmethod
    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one.

        Positions begin at 1 and follow each other.
        """

    @abstractmethod
    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position, `most` of them at most, with their positions."""

    @abstractmethod
    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position; later ones keep theirs. Idempotent."""

    @abstractmethod
    def verify(self) -> list[str]:
        """Return what is damaged, in words; empty if nothing is."""
