"""What surrounds the part under test: a source of numbered elements and an egress of each kind, all right ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reactivestreams.engine import IdempotentEgress, Ingress, StoreEgress, TwoPhaseEgress
from reactivestreams.schedulers.virtual_time import TICK

__all__ = ["Ledger", "NumberedSource", "Pages", "Table", "World"]


@dataclass
class World:
    """What outlives the process.

    Attributes:
        elements: What the source has.
        acknowledged: Up to which position the source has forgotten.
        pages: What the idempotent egress has written, by batch.
        prepared: What the two-phase egress has prepared.
        ledger: What it has committed, by checkpoint.
    """

    elements: Sequence[Any]
    acknowledged: int = 0
    pages: dict[int, list[Any]] = field(default_factory=dict[int, list[Any]])
    prepared: dict[int, list[Any]] = field(default_factory=dict[int, list[Any]])
    ledger: dict[int, list[Any]] = field(default_factory=dict[int, list[Any]])


class NumberedSource(Ingress):
    """Reads the elements of the world; has given up what was acknowledged."""

    poll_interval = TICK

    def __init__(self, world: World) -> None:
        self._world = world
        self._position = 0

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after a position."""
        assert position >= self._world.acknowledged, "it forgot what it is asked for"
        assert bookmark == (None if position == 0 else f"after {position}")
        self._position = position

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next elements."""
        first = self._position
        found = self._world.elements[first : first + max_elements]
        self._position += len(found)
        return [(first + 1 + place, element) for place, element in enumerate(found)] or None

    @property
    def bookmark(self) -> str:
        """Where it is."""
        return f"after {self._position}"

    def acknowledge(self, position: int) -> None:
        """Forget elements."""
        self._world.acknowledged = max(self._world.acknowledged, position)


class Pages(IdempotentEgress):
    """Keeps batches by their number."""

    def __init__(self, world: World) -> None:
        self._world = world

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Keep a batch."""
        rows = list(rows)
        assert self._world.pages.setdefault(batch_id, rows) == rows, "one batch with two contents"


class Ledger(TwoPhaseEgress):
    """Prepares and commits batches."""

    def __init__(self, world: World) -> None:
        self._world = world

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> str:
        """Keep a batch unseen."""
        assert checkpoint_id not in self._world.prepared, "what was prepared before was not aborted"
        self._world.prepared[checkpoint_id] = list(rows)
        return f"token {checkpoint_id}"

    def commit(self, checkpoint_id: int, token: Any) -> None:
        """Have a batch seen."""
        assert token == f"token {checkpoint_id}"
        if checkpoint_id not in self._world.ledger:
            self._world.ledger[checkpoint_id] = self._world.prepared[checkpoint_id]
        self._world.prepared.pop(checkpoint_id, None)

    def abort(self, last_committed: int) -> None:
        """Forget later batches."""
        for number in [number for number in self._world.prepared if number > last_committed]:
            del self._world.prepared[number]


class Table(StoreEgress):
    """Appends rows to a table of the store in memory."""

    transaction_kind = "memory"

    def write_in(self, transaction: Any, batch_id: int, rows: Sequence[Any]) -> None:
        """Append rows."""
        transaction.setdefault("rows", []).extend(rows)
