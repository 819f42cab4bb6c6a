"""Micro-batches of a query of Spark Connect, from a process next to the server to the reader in this process.

Who does what: the Spark server runs the query and calls the batch function in a separate
    Python process, the *worker*, whose session is a clone of the one of this process, the *reader*. The worker makes a
    global temporary view of the batch, which all sessions of the server see, connects to a loopback socket of the
    reader, and names the batch. The reader reads the view as it reads any DataFrame of Spark Connect. So client, server
    and executors share one machine.

Protocol, in messages of `loopback_server.py`, on one connection for each call of the batch function:
    worker  token; the answer `["ok", null]` or `["refused", reason]`
    worker  `["batch", id]`; the reader proves that it started the query: `["welcome", secret]`
    reader  `["finish"]`         return, so that Spark commits the batch
    reader  `["fail", reason]`   raise, so that Spark does not commit

Roles: for each connection a *conversation* thread waits for the end of the worker and a *delivery* thread waits in
    `hand_over`, like the stream thread of a classic session; any thread may read the batch; one thread closes the
    server.
Invariants, true whenever the lock of the server is free:
    I1  at most one delivery thread is inside `BatchDelivery.deliver`; the lock `turn` ensures this.
    I2  `finish` is sent only after `deliver` has returned: Spark commits only batches that were read, and the record on
        disk contains this before. The worker returns for no other reason; the end of its connection is an error there.
    I3  after the loss of the connection each reading of the batch, also a later one, has failed.
    I4  the view of a batch whose function has ended is dropped, here or, if this process has ended, by the worker.
Progress: the worker's connection ends with the worker: when Spark stops the query, which kills it, or when it has
    raised or returned. Then the conversation thread wakes the delivery thread within `STOP_POLL_SECONDS`, and all
    readers. `close` closes the connections, with the same effect here; the worker then raises. While it waits, it
    checks every `ATTENTION_SECONDS` that its Spark server lives. So no wait outlives both sides. Demand may arrive
    late: both sides use their sessions every `KEEP_ALIVE_SECONDS`, so that they do not expire meanwhile.
"""

import itertools
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.loopback_server import (
    LENGTH,
    LOOPBACK,
    MAX_FRAME_BYTES,
    LoopbackServer,
    receive,
    send,
)
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import BridgeError, SparkJobError
from reactivestreams.spark.jvm_calls import batch_releaser
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_handover import BatchDelivery, OfferedBatch
from reactivestreams.spark.sources.dataframe_rows import PartitionRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ATTENTION_SECONDS", "CONNECT_SECONDS", "TURN_SECONDS", "BatchLostError", "RemoteBatches"]

TURN_SECONDS = 10.0
"""How long a batch function may wait for the end of the one before; Spark runs one at a time."""

CONNECT_SECONDS = 10.0
"""How long the batch function waits for a connection to its reader."""

ATTENTION_SECONDS = 0.5
"""How often a waiting batch function checks that its server lives."""

KEEP_ALIVE_SECONDS = 60.0
"""How often both ends of a waiting batch read a setting from Spark: an unused session expires after an hour."""

ASKED_SETTING = "spark.sql.session.timeZone"

GLOBAL_VIEWS = "spark.sql.globalTempDatabase"

servers: "itertools.count[int]" = itertools.count(1)
"""Numbers the servers of this process; the numbers are part of the names of their threads."""


class BatchLostError(SparkJobError):
    """Report that the batch function of a micro-batch ended while its rows were read."""


class RemoteBatch(OfferedBatch):
    """A micro-batch that a batch function next to the server shows.

    Args:
        batch_id: Spark's number of the batch.
        delivery: What is done with it.
        view: The view with its rows.
        file: The connection of the batch function.
    """

    def __init__(self, batch_id: int, delivery: BatchDelivery, view: str, file: Any) -> None:
        self.session: SparkSession = delivery.plan.dataframe.sparkSession
        super().__init__(batch_id, self.session.table(view), is_stateful=delivery.is_stateful)
        self.label: str = delivery.plan.label
        self.file = file
        self.is_lost: threading.Event = threading.Event()
        self.asked: float = time.monotonic()

    def rows(self, form: str, window: int) -> Iterable[Any]:
        """Return the rows as a re-iterable, which fails if the batch function has ended (I3)."""
        rows = super().rows(form, window)
        if self.is_lost.is_set():
            self.fail_readers()
        return rows

    def await_stop(self, seconds: float) -> None:
        """Wait for the end of the batch function, and keep the session alive.

        Raises:
            Exception: The session has expired, or its server does not answer.
            SparkJobError: The batch function has ended within the time, or the session was stopped.
        """
        if self.is_lost.wait(seconds):
            raise SparkJobError("the batch function has ended")
        if is_stopped(self.session):
            raise SparkJobError("the Spark session was stopped")
        if time.monotonic() - self.asked >= KEEP_ALIVE_SECONDS:
            self.asked = time.monotonic()
            self.session.conf.get(ASKED_SETTING)

    def send_order(self, *order: object) -> None:
        """Send the batch function a message; if it has ended, the conversation notices that."""
        # ValueError: the file was closed.
        with suppress(OSError, ValueError):
            send(self.file, order)

    def fail_readers(self) -> None:
        """Wake all waiting threads after the end of the batch function (I3)."""
        self.is_lost.set()
        for rows in self.readings:
            assert isinstance(rows, PartitionRows)
            rows.fail(
                BatchLostError(
                    f"the streaming query {self.label} has ended while micro-batch {self.batch_id} was read: it "
                    "failed, or it or its session was stopped; subscribe again in a running session to continue from "
                    "the checkpoint"
                )
            )


class RemoteBatches(LoopbackServer):
    """Accepts the connections of batch functions and hands over their micro-batches, inside its `with` block.

    Args:
        delivery: Receives the micro-batches.
    """

    def __init__(self, delivery: BatchDelivery) -> None:
        super().__init__(name=f"reactivestreams-query-{next(servers)}")
        self.delivery = delivery
        self.session: SparkSession = delivery.plan.dataframe.sparkSession
        self.secret: str = secrets.token_hex(32)
        self.view: str = f"reactivestreams_{secrets.token_hex(16)}"
        self.views: str = str(self.session.conf.get(GLOBAL_VIEWS, "global_temp"))
        self.turn: threading.Lock = threading.Lock()
        self.open()

    def function(self) -> Callable[[Any, int], None]:
        """Return the function for `foreachBatch`."""
        return remote_batch_function(self.port, self.token, self.secret, self.view)

    def converse(self, client: socket.socket, file: Any) -> None:
        """Represent one micro-batch until the worker ends."""
        match receive(file):
            case ["batch", int(batch_id)]:
                view = f"{self.view}_{batch_id}"
                batch = RemoteBatch(batch_id, self.delivery, f"{self.views}.{view}", file)
            case message:
                raise BridgeError(
                    f"a batch function sent {message!r:.100} instead of its batch; use the batch function of this "
                    "release"
                )
        batch.send_order("welcome", self.secret)
        deliverer = threading.Thread(
            target=self.deliver, args=(batch,), name=f"{self.name}-batch-{batch.batch_id}", daemon=True
        )
        deliverer.start()
        try:
            receive(file)  # the worker says nothing more, so this waits for its end
        finally:
            batch.fail_readers()
            deliverer.join()
            # If the server has ended, so has the view.
            with suppress(Exception):
                self.session.catalog.dropGlobalTempView(view)

    def deliver(self, batch: RemoteBatch) -> None:
        """Hand over a batch and send the result to the worker (I1, I2)."""
        if not self.turn.acquire(timeout=TURN_SECONDS):
            batch.send_order("fail", "another batch of this query is being read")
            return
        try:
            self.delivery.deliver(batch, batch.await_stop)
        except Exception as error:
            batch.send_order("fail", one_line(error))
        else:
            batch.send_order("finish")
        finally:
            batch.close()
            self.turn.release()

    def __enter__(self) -> Callable[[Any, int], None]:
        return self.function()

    def __exit__(self, *_: object) -> None:
        self.close()


def remote_batch_function(port: int, token: str, secret: str, view: str) -> Callable[[Any, int], None]:
    """Return the function for `foreachBatch`: it shows one micro-batch to the process that reads it.

    It is sent by value and does not import this package, so that the server need not have it installed.

    Args:
        port: The reader's port on the loopback interface.
        token: The token that the reader requires.
        secret: Proves the reader's identity: a program that gets its port after it has ended cannot let Spark commit.
        view: The start of the names of the global temporary views in which the micro-batches are shown.
    """
    # Variables of this call and no globals: the function is sent by value, with everything that it names.
    host, length, most_bytes, connect_seconds = LOOPBACK, LENGTH.format, MAX_FRAME_BYTES, CONNECT_SECONDS
    attention_seconds, keep_alive_seconds, asked_setting = ATTENTION_SECONDS, KEEP_ALIVE_SECONDS, ASKED_SETTING
    release = batch_releaser()

    def deliver(dataframe: Any, batch_id: int) -> None:
        import hmac
        import json
        import os
        import socket
        import struct
        import time
        from contextlib import suppress

        session, server_pid = dataframe.sparkSession, os.getppid()
        asked = time.monotonic()

        def keep_alive() -> None:
            nonlocal asked
            if time.monotonic() - asked >= keep_alive_seconds:
                asked = time.monotonic()
                # An error of the session is reported when it is used.
                with suppress(Exception):
                    session.conf.get(asked_setting)

        def send(message: object) -> None:
            content = json.dumps(message).encode()
            connection.sendall(struct.pack(length, len(content)) + content)

        def received(size: int) -> bytes:
            content = b""
            while len(content) < size:
                try:
                    part = connection.recv(size - len(content))
                except TimeoutError:
                    if os.getppid() != server_pid:
                        raise ConnectionError("the Spark server of this query has ended") from None
                    keep_alive()
                    continue
                if not part:
                    raise ConnectionError("the subscription of this query has ended")
                content += part
            return content

        def receive() -> Any:
            (size,) = struct.unpack(length, received(struct.calcsize(length)))
            if size > most_bytes:
                raise ConnectionError(f"the reader of this query announced a message of {size} bytes")
            return json.loads(received(size))

        try:
            connection = socket.create_connection((host, port), connect_seconds)
        except OSError as error:
            raise ConnectionError(
                f"the reader of this query cannot be reached at {host}:{port} from the Spark server ({error}): it has "
                "ended, or runs on another machine than the server"
            ) from None
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(attention_seconds)
            send(token)
            outcome, reason = receive()
            if outcome != "ok":
                raise ConnectionError(f"the reader of this query refused the batch function: {reason}")
            dataframe.createOrReplaceGlobalTempView(f"{view}_{batch_id}")
            release(dataframe)
            try:
                send(["batch", batch_id])
                order, *arguments = receive()
                if order != "welcome" or not hmac.compare_digest(str(*arguments), secret):
                    raise ConnectionError("another program than the reader of this query answers at its port")
                order, *arguments = receive()
                if order != "finish":
                    raise RuntimeError(*arguments)
            except BaseException:
                # Otherwise the reader does this. If the server has ended, so has the view.
                with suppress(Exception):
                    session.catalog.dropGlobalTempView(f"{view}_{batch_id}")
                raise

    return deliver
