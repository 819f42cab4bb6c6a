"""A micro-batch of a query of Spark Connect, offered to its reader; `remote_batches.py` describes the protocol."""

import itertools
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.frames import receive, send
from reactivestreams.spark.errors import BridgeError, SessionKindError, SparkJobError
from reactivestreams.spark.sessions.stopped_session import is_stopped, is_stopped_soon
from reactivestreams.spark.sources.batch_handover import OfferedBatch
from reactivestreams.spark.sources.batch_server import BatchServer
from reactivestreams.spark.sources.partition_window import JOIN_TIMEOUT_SECONDS, translated
from reactivestreams.spark.sources.pushed_rows import PushedRows
from reactivestreams.spark.sources.remote_batch_function import ASKED_SETTING, KEEP_ALIVE_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from reactivestreams.spark.sources.query_start import QueryPlan

__all__ = ["BatchLostError", "RemoteBatch"]


class BatchLostError(SparkJobError):
    """Report that the batch function of a micro-batch ended while its rows were read."""


class RemoteFailureError(Exception):
    """Report Spark's error in the process of the batch function; it is the cause of the reader's error."""


class RemoteBatch(OfferedBatch):
    """A micro-batch that a batch function next to the server represents.

    Args:
        batch_id: Spark's number of the batch.
        plan: The query.
        file: The connection of the batch function.
    """

    def __init__(self, batch_id: int, plan: "QueryPlan", file: Any) -> None:
        super().__init__(batch_id)
        self.plan = plan
        self.file = file
        self.sending: threading.Lock = threading.Lock()
        self.guard: threading.Lock = threading.Lock()
        self.reads: dict[int, BatchServer] = {}
        self.numbers: itertools.count[int] = itertools.count(1)
        self.is_lost: threading.Event = threading.Event()
        self.asked: float = time.monotonic()

    # --- for the reader ---------------------------------------------------------------------------------------------

    @property
    def dataframe(self) -> "DataFrame":
        """Not available.

        Raises:
            SessionKindError: Always.
        """
        raise SessionKindError(
            f"micro-batch {self.batch_id} is a DataFrame of a session inside the Spark Connect server, which cannot be "
            "used here; read it with read(), or make its processing a part of the query"
        )

    @property
    def schema(self) -> "StructType":
        """Schema of the rows, which is that of the query."""
        return self.plan.dataframe.schema

    def new_rows(self, form: str, window: int) -> "RemoteRows":
        """Return the rows as a re-iterable to which executors push."""
        return RemoteRows(self, form=form, window=window)

    def compute(self) -> None:
        """Let the batch function compute the batch and discard the rows, before it does anything else."""
        self.send_order("compute")

    def begin_read(self, server: BatchServer) -> int:
        """Start a job that pushes the rows to a server, and return its number."""
        with self.guard:
            number = next(self.numbers)
            self.reads[number] = server
        if self.is_lost.is_set():
            server.job_ended(self.lost())
        self.send_order("read", number, server.address[1], server.token.hex())
        return number

    def end_read(self, server: BatchServer, number: int) -> None:
        """End a job if it still runs, close its server, and wait for the end of both."""
        if not server.is_over:
            self.send_order("end", number)
        server.close()
        with server.changed:
            server.changed.wait_for(lambda: server.is_over, JOIN_TIMEOUT_SECONDS)
        with self.guard:
            del self.reads[number]

    # --- for the delivery thread ------------------------------------------------------------------------------------

    def await_stop(self, seconds: float) -> None:
        """Wait for the end of the batch function, and keep the session alive.

        Raises:
            Exception: The session has expired, or its server does not answer.
            SparkJobError: The batch function has ended within the time, or the session was stopped.
        """
        if self.is_lost.wait(seconds):
            raise SparkJobError("the batch function has ended")
        if is_stopped(self.plan.dataframe.sparkSession):
            raise SparkJobError("the Spark session was stopped")
        if time.monotonic() - self.asked >= KEEP_ALIVE_SECONDS:
            self.asked = time.monotonic()
            self.plan.dataframe.sparkSession.conf.get(ASKED_SETTING)

    def send_order(self, *order: object) -> None:
        """Send the batch function a message; if it has ended, the conversation notices that."""
        # ValueError: the file was closed.
        with self.sending, suppress(OSError, ValueError):
            send(self.file, order)

    # --- for the conversation thread --------------------------------------------------------------------------------

    def listen(self) -> None:
        """Handle the ends of jobs until the batch function ends.

        Raises:
            EOFError: It has closed the connection.
            OSError: The connection broke.
            BridgeError: It sent an invalid message.
        """
        while True:
            match receive(self.file):
                case ["ended", int(number), None | str() as text]:
                    with self.guard:
                        server = self.reads.get(number)
                    if server is not None:
                        server.job_ended(None if text is None else self.failure(text))
                case message:
                    raise BridgeError(f"a batch function sent {message!r:.100}; use the batch function of this release")

    def fail_readers(self) -> None:
        """Wake all waiting threads after the end of the batch function (I3)."""
        self.is_lost.set()
        with self.guard:
            servers = [*self.reads.values()]
        for server in servers:
            server.job_ended(self.lost())

    def lost(self) -> BatchLostError:
        """Return the error for a reading whose batch function has ended."""
        return BatchLostError(
            f"the streaming query {self.plan.label} has ended while micro-batch {self.batch_id} was read: it failed, "
            "or it or its session was stopped; subscribe again in a running session to continue from the checkpoint"
        )

    def failure(self, text: str) -> Exception:
        """Return the error for a job that failed."""
        cause, session = RemoteFailureError(text), self.plan.dataframe.sparkSession
        # A server cancels the jobs of a session that stop() releases, and answers stop() afterwards.
        has_stopped = is_stopped_soon if "OPERATION_CANCELED" in text else is_stopped
        failure = translated(cause, is_stopped=has_stopped(session, cause))
        failure.__cause__ = cause
        return failure


class RemoteRows(PushedRows):
    """Iterable over the rows or batches of a remote batch.

    Args:
        batch: The micro-batch.
        form: One of `ROW_FORMS`.
        window: How many batches may be buffered besides the one that is read.
    """

    def __init__(self, batch: RemoteBatch, *, form: str, window: int) -> None:
        super().__init__(form=form, window=window, origin="from_query")
        self.batch = batch

    def schema(self) -> "StructType":
        """Return the schema of the query."""
        return self.batch.schema

    def begin_job(self, server: BatchServer, name: str) -> Callable[[], None]:
        """Let the batch function run the job."""
        return partial(self.batch.end_read, server, self.batch.begin_read(server))

    def __repr__(self) -> str:
        return f"RemoteRows({self.batch.batch_id}, form={self.form!r}, window={self.window})"
