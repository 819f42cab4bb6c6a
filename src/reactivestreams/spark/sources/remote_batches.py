"""Micro-batches of a query of Spark Connect, from a process next to the server to the reader in this process.

Who does what: the Spark server runs the query and calls the batch function (`remote_batch_function.py`) in a separate
    Python process, the *worker*. The worker connects to a loopback socket of this process, the *reader*, and names its
    batch. The rows do not pass through the worker: for each reading it runs a job whose tasks push their batches to a
    `BatchServer` of the reader, one per unit of demand. So client, server and executors share one machine.

Protocol, in messages of `frames.py`, on one connection for each call of the batch function:
    worker  token; the answer `["ok", null]` or `["refused", reason]`
    worker  `["batch", id]`; the reader proves that it started the query: `["welcome", secret]`
    reader  `["read", number, port, token]`   begin a job that pushes the rows to that port
    worker  `["ended", number, failure]`      the job has ended; failure is None or a text
    reader  `["end", number]`                 end the job
    reader  `["compute"]`                     compute the batch without a reader
    reader  `["finish"]`                      return, so that Spark commits the batch
    reader  `["fail", reason]`                raise, so that Spark does not commit

Roles: for each connection a *conversation* thread reads from the worker and a *delivery* thread waits in `hand_over`,
    like the stream thread of a classic session; any thread may read the batch; one thread closes the server.
Invariants, true whenever the lock of the server or of the batch is free:
    I1  at most one delivery thread is inside `BatchDelivery.deliver`; the lock `turn` ensures this.
    I2  `finish` is sent only after `deliver` has returned: Spark commits only batches that were read, and the record on
        disk contains this before. `compute`, which has no answer, is sent before it, and the worker processes both in
        order. The worker returns for no other reason; the end of its connection is an error there.
    I3  reads contains the servers whose readers have not left; after the loss of the connection each of them, and each
        later one, has been notified of the end of its job.
Progress: the worker's connection ends with the worker: when Spark stops the query, which kills it, or when it has
    raised or returned. Then the conversation thread wakes the delivery thread within `STOP_POLL_SECONDS`, and all
    readers. `close` closes the connections, with the same effect here; the worker then ends its jobs and raises. While
    it waits, it checks every `ATTENTION_SECONDS` that its Spark server lives. So no wait outlives both sides. Demand
    may arrive late: both sides use their sessions every `KEEP_ALIVE_SECONDS`, so that they do not expire meanwhile.
"""

import itertools
import secrets
import socket
import threading
from collections.abc import Callable
from typing import Any

from reactivestreams.spark.bridge.frames import receive
from reactivestreams.spark.bridge.loopback_server import LoopbackServer
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import BridgeError
from reactivestreams.spark.sources.query_start import BatchDelivery
from reactivestreams.spark.sources.remote_batch import RemoteBatch
from reactivestreams.spark.sources.remote_batch_function import remote_batch_function

__all__ = ["TURN_SECONDS", "RemoteBatches"]

TURN_SECONDS = 10.0
"""How long a batch function may wait for the end of the one before; Spark runs one at a time."""

servers: "itertools.count[int]" = itertools.count(1)
"""Numbers the servers of this process; the numbers are part of the names of their threads."""


class RemoteBatches(LoopbackServer):
    """Accepts the connections of batch functions and hands over their micro-batches, inside its `with` block.

    Args:
        delivery: Receives the micro-batches.
    """

    def __init__(self, delivery: BatchDelivery) -> None:
        super().__init__(name=f"reactivestreams-query-{next(servers)}")
        self.delivery = delivery
        self.secret: str = secrets.token_hex(32)
        self.turn: threading.Lock = threading.Lock()
        self.open()

    def function(self) -> Callable[[Any, int], None]:
        """Return the function for `foreachBatch`."""
        return remote_batch_function(self.port, self.token, self.secret)

    def converse(self, client: socket.socket, file: Any) -> None:
        """Represent one micro-batch until the worker ends."""
        match receive(file):
            case ["batch", int(batch_id)]:
                batch = RemoteBatch(batch_id, self.delivery.plan, file)
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
            batch.listen()
        finally:
            batch.fail_readers()
            deliverer.join()

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
            self.turn.release()

    def __enter__(self) -> Callable[[Any, int], None]:
        return self.function()

    def __exit__(self, *_: object) -> None:
        self.close()
