"""Micro-batches of a query of Spark Connect, which its server shows to the reader in this process.

The server calls the batch function in a separate Python process next to it, the *worker*. All that worker and *reader*
say to each other are global temporary views of the server, which all of its sessions see; so both may be on any
machine, and no other connection is needed than those of Spark Connect. The views of a query, with the name V from its
checkpoint and a random number:

    V_7       made by the worker: the rows of micro-batch 7, which the reader reads as any DataFrame
    V_worker  its column `shows_7` says that V_7 is there, and `shows_none` that the worker has returned or raised
    V_reader  its column `lives_12` changes every `BEAT_SECONDS` while the reader lives, and `read_7_S`, with the secret
              S of the reader, says that micro-batch 7 was consumed

What a view says is in the names of its columns, since the server answers for these in 2 ms: it need not run anything.

Roles: one *reader* calls `take`, then `finish`; a *beat* thread shows that the reader lives; the worker waits in its
    function.
Invariants:
    I1  the worker returns only if it has seen `read_7_S`, which the reader says after the record has the batch: Spark
        commits only batches that were read. Nobody but the reader knows S before it says so.
    I2  a worker that has returned or raised says `shows_none`. One that was killed, as by the stop of the query, does
        not: then its batch was not committed, and `abandoned` is true.
    I3  after the `with` block, which encloses start and stop of the query, no view of it is left, nor of a reader of
        the same checkpoint that was killed.
Progress: worker and reader look at each other's view at least every `POLL_SECONDS`. The worker raises if its reader
    showed no life for `READER_SECONDS`, or if its server has ended. What both ask keeps their sessions alive.
"""

import hashlib
import itertools
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.spark.jvm_calls import batch_releaser
from reactivestreams.spark.sources.batch_handover import DeliveryRecord, OfferedBatch, QueryPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["BEAT_SECONDS", "POLL_SECONDS", "READER_SECONDS", "ConnectBatches", "batch_function"]

POLL_SECONDS = 0.1
"""How often worker and reader look at each other's view; at first more often."""

FIRST_POLL_SECONDS = 0.005
POLL_GROWTH = 1.25

BEAT_SECONDS = 2.0
"""How often the reader shows that it lives."""

READER_SECONDS = 30.0
"""How long a worker waits for a sign of its reader."""

GLOBAL_VIEWS = "spark.sql.globalTempDatabase"
NOTHING = "shows_none"

readers: "itertools.count[int]" = itertools.count(1)
"""Numbers the readers of this process; the numbers are part of the names of their threads."""


class ConnectBatches:
    """Takes the micro-batches of one run of a query, inside its `with` block.

    Args:
        plan: The checked arguments.
        record: The record of earlier deliveries.
        is_stateful: Whether the query has state, so that unread rows of a batch are computed.
    """

    def __init__(self, plan: QueryPlan, record: DeliveryRecord, *, is_stateful: bool) -> None:
        self.plan = plan
        self.record = record
        self.is_stateful = is_stateful
        self.session: SparkSession = plan.dataframe.sparkSession
        self.secret: str = secrets.token_hex(16)
        checkpoint = hashlib.sha256(plan.arguments.checkpoint.encode()).hexdigest()[:32]
        self.of_checkpoint: str = f"reactivestreams_{checkpoint}"
        self.view: str = f"{self.of_checkpoint}_{secrets.token_hex(16)}"
        self.views: str = str(self.session.conf.get(GLOBAL_VIEWS, "global_temp"))
        self.function: Callable[[Any, int], None] = batch_function(self.views, self.view, self.secret)
        self.batch: OfferedBatch | None = None
        """The batch that is read."""
        self.taken: str = NOTHING
        """What the worker said of the last batch that was taken."""
        self.redelivered: bool = False
        self.guard: threading.Lock = threading.Lock()
        """Guards what this process says."""
        self.beats: int = 0
        self.last_read: str = "read_none"
        self.is_over: threading.Event = threading.Event()
        name = f"reactivestreams-query-{next(readers)}"
        self.beat: threading.Thread = threading.Thread(target=self.show_life, name=name, daemon=True)

    def take(self, timeout_seconds: float) -> OfferedBatch | None:
        """Return the next batch, or None after the timeout.

        Raises:
            CheckpointError: The record refuses the batch.
            Exception: The server does not answer.
        """
        deadline, wait = time.monotonic() + timeout_seconds, FIRST_POLL_SECONDS
        while True:
            shown = self.shown()
            if shown not in (NOTHING, self.taken):
                self.taken = shown
                return self.begun(int(shown.rpartition("_")[2]))
            if time.monotonic() >= deadline:
                return None
            time.sleep(wait)
            wait = min(wait * POLL_GROWTH, POLL_SECONDS)

    def shown(self) -> str:
        """Return what the worker says."""
        from pyspark.errors import AnalysisException

        try:
            return str(self.session.table(f"{self.views}.{self.view}_worker").columns[0])
        except AnalysisException:
            return NOTHING  # the worker has missed this process and dropped the view; its query has the reason

    def begun(self, batch_id: int) -> OfferedBatch | None:
        """Return a batch, or None for one that is left out."""
        delivered = self.record.begin(batch_id)
        self.redelivered = delivered.begun
        frame = self.session.table(f"{self.views}.{self.view}_{batch_id}")
        self.batch = OfferedBatch(batch_id, frame, is_stateful=self.is_stateful)
        if delivered.wholly and self.plan.skip_delivered:
            self.batch.compute()
            self.finish()
        return self.batch

    def finish(self) -> None:
        """Let the worker return, after the record has the batch."""
        batch, self.batch = self.batch, None
        assert batch is not None
        batch.compute_unread()
        batch.close()
        self.say(f"read_{batch.batch_id}_{self.secret}")

    @property
    def abandoned(self) -> bool:
        """Whether a batch was not committed, though its query has ended (I2)."""
        return self.shown() != NOTHING

    def show_life(self) -> None:
        """Show that this process lives, until closed."""
        while not self.is_over.wait(BEAT_SECONDS):
            # What is wrong with the server or the session, the reader finds out itself.
            with suppress(Exception):
                self.say()

    def say(self, read: str | None = None) -> None:
        """Say that this process lives, and which batch was consumed last."""
        with self.guard:
            self.beats += 1
            self.last_read = read or self.last_read
            said = self.session.range(0).selectExpr(f"id AS lives_{self.beats}", f"id AS {self.last_read}")
            said.createOrReplaceGlobalTempView(f"{self.view}_reader")

    def close(self) -> None:
        """Show no more signs of life. Further calls do nothing."""
        self.is_over.set()

    def drop(self, beginning: str) -> None:
        """Drop the views with this beginning of their names."""
        for table in self.session.catalog.listTables(self.views, f"{beginning}_*"):
            self.session.catalog.dropGlobalTempView(table.name)

    def __enter__(self) -> Self:
        self.drop(self.of_checkpoint)  # of a reader that was killed, whose query ends when that of this one starts
        self.session.range(0).toDF(NOTHING).createOrReplaceGlobalTempView(f"{self.view}_worker")
        self.say()
        self.beat.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Drop all views; the query has ended."""
        self.close()
        self.beat.join()
        # If the server or the session has ended, so have the views.
        with suppress(Exception):
            self.drop(self.view)


def batch_function(views: str, view: str, secret: str) -> Callable[[Any, int], None]:
    """Return the function for `foreachBatch`: it shows one micro-batch to the process that reads it.

    It is sent by value and does not import this package, so that the server need not have it installed.

    Args:
        views: The name of the database of global temporary views.
        view: The start of the names of the views of the query.
        secret: The end of the name of the column that lets Spark commit.
    """
    # Variables of this call and no globals: the function is sent by value, with everything that it names.
    first_poll_seconds, poll_seconds, growth = FIRST_POLL_SECONDS, POLL_SECONDS, POLL_GROWTH
    reader_seconds, nothing = READER_SECONDS, NOTHING
    release = batch_releaser()

    def deliver(dataframe: Any, batch_id: int) -> None:
        import os
        import time
        from contextlib import suppress

        session, server_pid = dataframe.sparkSession, os.getppid()

        def show(what: str) -> None:
            session.range(0).toDF(what).createOrReplaceGlobalTempView(f"{view}_worker")

        def said() -> list[str]:
            # A view that is missing, or a server that does not answer, is no sign of life.
            try:
                return list(session.table(f"{views}.{view}_reader").columns)
            except Exception:
                return last

        dataframe.createOrReplaceGlobalTempView(f"{view}_{batch_id}")
        release(dataframe)
        names = [f"{view}_{batch_id}"]
        last: list[str] = []
        heard, wait = time.monotonic(), first_poll_seconds
        try:
            show(f"shows_{batch_id}")
            while f"read_{batch_id}_{secret}" not in (now_said := said()):
                if os.getppid() != server_pid:
                    raise ConnectionError("the Spark server of this query has ended")
                if now_said != last:
                    last, heard = now_said, time.monotonic()
                elif time.monotonic() - heard >= reader_seconds:
                    names += [f"{view}_worker", f"{view}_reader"]  # the reader will not drop them
                    raise ConnectionError(
                        f"the reader of this query has ended, or was held up for more than {reader_seconds:.0f} s"
                    )
                time.sleep(wait)
                wait = min(wait * growth, poll_seconds)
        finally:
            # If the server has ended, so have the views.
            with suppress(Exception):
                show(nothing)
                for name in names:
                    session.catalog.dropGlobalTempView(name)

    return deliver
