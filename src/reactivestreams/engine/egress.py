"""What takes results out of an engine, exactly once: the interfaces that users implement, and the node of one."""

from collections.abc import Sequence
from typing import Any, ClassVar

from reactivestreams.engine.hosting import Host
from reactivestreams.engine.statistics import Figures
from reactivestreams.engine.store import CheckpointWrite
from reactivestreams.errors import StateError
from reactivestreams.guarantees import Guarantee, PartGuarantee
from reactivestreams.lifecycle import StatefulNode
from reactivestreams.state import StateReader, StateWriter, Version
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DEFAULT_MAX_ROWS", "Egress", "EgressNode", "IdempotentEgress", "StoreEgress", "TwoPhaseEgress"]

DEFAULT_MAX_ROWS = 65_536
"""How many rows an egress holds at most by default, until the checkpoint that contains them is stored."""


@refuses_deferred_hooks("and return when it is done")
class Egress:
    """Take the results of a query, in batches: those between two checkpoints are one batch; a documented base.

    By itself it is nothing: a subclass of one of these three says how a batch comes to count.

    - `IdempotentEgress`: the batch is written after the checkpoint, and again after a crash.
    - `TwoPhaseEgress`: the batch is prepared before the checkpoint, and committed after it.
    - `StoreEgress`: the batch is written in the transaction of the store that has the checkpoint.

    A batch is named by the number of its checkpoint. Numbers grow; there is no batch for a checkpoint without rows.
    """

    max_rows: int = DEFAULT_MAX_ROWS
    """How many rows are held at most; when half of them are, a checkpoint is taken, and beyond them the query waits."""

    kind: ClassVar[str] = ""

    guarantee: PartGuarantee = PartGuarantee("egress", Guarantee.NONE, "it is of no kind")
    """What it guarantees when the process dies; a subclass that repeats or loses rows states less, with the reason."""

    def open(self) -> None:
        """Connect; called before anything else, while nothing flows."""

    def close(self) -> None:
        """Release the resources of this process. Idempotent."""


class IdempotentEgress(Egress):
    """Write each batch after its checkpoint is stored, more than once if need be; documented as a base.

    Exactly once if a second `write` with the same number changes nothing, such as a file whose name has the number.

    Threads: `write` is called by the thread that stores checkpoints, one call at a time.

    Example:
        >>> class Pages(IdempotentEgress):
        ...     def __init__(self):
        ...         self.pages = {}
        ...
        ...     def write(self, batch_id, rows):
        ...         self.pages[batch_id] = list(rows)
        >>> pages = Pages()
        >>> pages.write(3, ["a", "b"])
        >>> pages.write(3, ["a", "b"])
        >>> pages.pages
        {3: ['a', 'b']}
    """

    kind: ClassVar[str] = "idempotent"

    guarantee: PartGuarantee = PartGuarantee(
        "egress", Guarantee.EXACTLY_ONCE, "a batch that is written again under its number changes nothing"
    )

    def resume(self, last_checkpoint: int) -> None:
        """Learn from where on batches are new; called once after `open`, does nothing by default.

        An egress that finds a batch with a higher number belongs to another store, or to a backup of it, and raises
        `EgressAheadError`: it would take new batches for those that it has.

        Args:
            last_checkpoint: The number of the last stored checkpoint; 0: there is none. Batches up to it may be written
                once more, and each other one is new.
        """

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Write a batch, or do nothing if that was done. What it raises is tried again at the next checkpoint.

        Args:
            batch_id: The number of its checkpoint.
            rows: What the query sent since the batch before.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define write(batch_id, rows)")


class TwoPhaseEgress(Egress):
    """Prepare each batch before its checkpoint is stored, and commit it afterwards; documented as a base.

    Threads: `prepare` is called while nothing flows, the others by the thread that stores checkpoints; one call at a
        time.

    Example:
        >>> class Ledger(TwoPhaseEgress):
        ...     def __init__(self):
        ...         self.prepared, self.lines = {}, []
        ...
        ...     def prepare(self, checkpoint_id, rows):
        ...         self.prepared[checkpoint_id] = list(rows)
        ...
        ...     def commit(self, checkpoint_id, token):
        ...         self.lines += self.prepared.pop(checkpoint_id, [])
        ...
        ...     def abort(self, last_committed):
        ...         self.prepared = {n: rows for n, rows in self.prepared.items() if n <= last_committed}
        >>> ledger = Ledger()
        >>> ledger.prepare(1, ["a"])
        >>> ledger.prepare(2, ["b"])
        >>> ledger.abort(1)
        >>> ledger.commit(1, None)
        >>> ledger.lines, ledger.prepared
        (['a'], {})
    """

    kind: ClassVar[str] = "two-phase"

    guarantee: PartGuarantee = PartGuarantee(
        "egress", Guarantee.EXACTLY_ONCE, "a batch is prepared before its checkpoint and seen after it"
    )

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> Any:
        """Store a batch so that it survives the process, and is not seen yet.

        Returns:
            A token by which `commit` finds it, in this process or another; any value that state can hold.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define prepare(checkpoint_id, rows)")

    def commit(self, checkpoint_id: int, token: Any) -> None:
        """Have a prepared batch seen. Idempotent: after a crash it is called once more."""
        raise NotImplementedError(f"{type(self).__name__} has to define commit(checkpoint_id, token)")

    def abort(self, last_committed: int) -> None:
        """Forget every batch that was prepared for a later checkpoint than this. Idempotent."""
        raise NotImplementedError(f"{type(self).__name__} has to define abort(last_committed)")


class StoreEgress(Egress):
    """Write each batch in the transaction that stores its checkpoint; documented as a base.

    Exactly once without more ado. The engine's store must be of the kind that the egress names.

    Threads: `write_in` is called by the thread that stores checkpoints.
    """

    kind: ClassVar[str] = "store"

    guarantee: PartGuarantee = PartGuarantee(
        "egress", Guarantee.EXACTLY_ONCE, "a batch is written in the transaction that stores its checkpoint"
    )

    transaction_kind: ClassVar[str] = ""
    """The `transaction_kind` of the stores that it can write in."""

    def write_in(self, transaction: Any, batch_id: int, rows: Sequence[Any]) -> None:
        """Write a batch; neither commit nor roll back. What it raises makes the checkpoint fail.

        Args:
            transaction: What the store is written with, such as a `sqlite3.Connection`.
            batch_id: The number of the checkpoint.
            rows: What the query sent since the batch before.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define write_in(transaction, batch_id, rows)")


class EgressNode(StatefulNode):
    """Hosts an egress: a subscriber that collects rows, and hands them over by checkpoints.

    State: whether the query has ended, and the batches of an idempotent egress that are not known to be written.
    """

    name = "rx://engine/egress"

    def __init__(self, egress: Egress, host: Host) -> None:
        self.egress = egress
        self.outcome: str = "open"
        self.error: Exception | None = None
        self.last_error: Exception | None = None
        self.writer_id: str | None = None
        self.write: CheckpointWrite | None = None  # set by the checkpoint that saves
        self._host = host
        self._rows: list[Any] = []
        self._saved: tuple[int, list[Any], Any] | None = (
            None  # number, rows, token: of a checkpoint not known as stored
        )
        self._unwritten: dict[int, list[Any]] = {}
        self._uncommitted: dict[int, Any] = {}  # tokens, of two phases
        self._received = 0  # rows; counted by the scheduler
        self._released = 0  # rows that need not be held any more; counted by who stores checkpoints
        self._outstanding = 0
        self._subscription: Any = None
        self._is_open = False

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Connect the egress, once."""
        if not self._is_open:
            self.egress.open()
            self._is_open = True
            if isinstance(self.egress, IdempotentEgress):
                self.egress.resume(self._host.last_checkpoint)

    def on_start(self) -> None:
        """Connect the egress, unless recovery has."""
        self.open()

    def on_dispose(self) -> None:
        """Cancel the query, and disconnect."""
        if self._subscription is not None:
            self._subscription.cancel()
        self.unload()

    def unload(self) -> None:
        """Disconnect the egress, whose state remains."""
        if self._is_open:
            self._is_open = False
            self.egress.close()

    # --- the subscriber ---------------------------------------------------------------------------------------------

    def on_subscribe(self, subscription: Any, /) -> None:
        """Request as many rows as there is room for."""
        if self._subscription is not None or self.outcome != "open":
            subscription.cancel()  # §2.5
            return
        self._subscription = subscription
        self._replenish()

    def on_next(self, element: Any, /) -> None:
        """Collect a row."""
        self._rows.append(element)
        self._received += 1
        self._outstanding -= 1
        self.mark_changed()
        self._replenish()
        if self._held() * 2 >= self.egress.max_rows:
            self._host.request_checkpoint()

    def on_error(self, error: Exception, /) -> None:
        """Note that the query has failed."""
        self._end("failed", error)

    def on_complete(self) -> None:
        """Note that the query has completed."""
        self._end("complete", None)

    def forget_writer(self) -> None:
        """Let another query take the place of the one that was deleted."""
        self._subscription = None
        self._outstanding = 0

    def _end(self, outcome: str, error: Exception | None) -> None:
        self.outcome = outcome
        self.error = error
        self._subscription = None
        self.mark_changed()

    def _held(self) -> int:
        return self._received - self._released

    def figures(self) -> Figures:
        """Return its numbers."""
        held = self._held()
        return Figures(self._received, self._outstanding, held, self.egress.max_rows, held)

    def _replenish(self) -> None:
        free = self.egress.max_rows - self._held() - self._outstanding
        if self._subscription is not None and (free * 4 >= self.egress.max_rows or self._outstanding == 0 < free):
            self._outstanding += free
            self._subscription.request(free)

    # --- state --------------------------------------------------------------------------------------------------------

    def save_fields(self, writer: StateWriter) -> None:
        """Write the end, and hand over the rows since the last stored checkpoint as a batch."""
        number, write = writer.checkpoint_id, self.write
        if number is None or write is None:
            raise StateError(
                f"{self!r} can be saved by an engine only, whose checkpoint names the batch; call engine.checkpoint()"
            )
        rows = self._rows if self._saved is None else self._saved[1] + self._rows
        self._saved, self._rows = (number, rows, None), []
        batches = dict(self._unwritten)
        if rows and isinstance(self.egress, IdempotentEgress):
            batches[number] = rows
        writer.write(self.outcome)
        writer.write(self.error)
        writer.write(batches)
        if rows and isinstance(self.egress, TwoPhaseEgress):
            token = self.egress.prepare(number, rows)
            self._saved = (number, rows, token)
            write.prepared[self._host.artifact_id] = self._host.encode(token)
        elif rows and isinstance(self.egress, StoreEgress):
            egress = self.egress
            write.writes.append(lambda transaction: egress.write_in(transaction, number, rows))

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read the end, and the batches that may have to be written once more."""
        self.outcome = reader.read(str)
        self.error = reader.read((Exception, type(None)))
        self._unwritten = reader.read(dict)
        self._received = sum(map(len, self._unwritten.values()))

    # --- after the checkpoint, in the thread that stores it -----------------------------------------------------------

    def was_stored(self, number: int) -> None:
        """Note that a checkpoint is stored, whose batch counts from now on; `settle` has it written."""
        saved = self._saved
        if saved is None or saved[0] != number:
            return
        _, rows, token = saved
        self._saved = None
        if rows and isinstance(self.egress, IdempotentEgress):
            self._unwritten[number] = rows
            return
        if rows and isinstance(self.egress, TwoPhaseEgress):
            self._uncommitted[number] = token
        self._release(len(rows))

    def was_not_stored(self, last_committed: int) -> None:
        """Take the batch of a checkpoint back that was not stored; its rows are part of the next one."""
        if isinstance(self.egress, TwoPhaseEgress):
            self.egress.abort(last_committed)

    def recover(self, prepared: Sequence[tuple[int, Any]], last_committed: int) -> None:
        """Take over what the process before had prepared for stored checkpoints, and forget what it had for others."""
        self._uncommitted = {number: token for number, token in prepared if number <= last_committed}
        if isinstance(self.egress, TwoPhaseEgress):
            self.egress.abort(last_committed)

    def settle(self) -> int:
        """Write or commit the batches of stored checkpoints for which that is not known to be done, the oldest first.

        Returns:
            The number up to which the tokens of two phases are not needed any more; 0: of none.
        """
        settled = 0
        try:
            for number in sorted(self._unwritten):
                assert isinstance(self.egress, IdempotentEgress)
                self.egress.write(number, self._unwritten[number])
                self._release(len(self._unwritten.pop(number)))
                self.mark_changed()  # the next state need not have it any more
            for number in sorted(self._uncommitted):
                assert isinstance(self.egress, TwoPhaseEgress)
                self.egress.commit(number, self._uncommitted[number])
                del self._uncommitted[number]
                settled = number
        except Exception as error:  # tried again at the next checkpoint
            self.last_error = error
            self._host.report("egress", error)
        return settled

    def _release(self, rows: int) -> None:
        self._released += rows
        if rows:
            self._host.run_soon(self._replenish)
