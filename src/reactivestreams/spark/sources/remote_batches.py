"""Micro-batches of a query of Spark Connect, which are in a process beside the server, for the reader in this one.

Who does what: the Spark server runs the query and calls the batch function (`remote_batch_function.py`) in a Python
    process of its own, the *worker*. The worker connects to a loopback socket of this process, the *reader's*, and says
    which batch it stands for. The rows do not pass through the worker: for each reading it runs a job whose tasks push
    their batches to a `BatchServer` of the reader, one for each unit of demand. So client, server and executors share
    one machine.
Protocol, in messages of `frames.py`, on one connection for each call of the batch function:
    worker  token; the answer `["ok", null]` or `["refused", reason]`
    worker  `["batch", id]`; the reader proves that it is the one that started the query: `["welcome", secret]`
    reader  `["read", number, port, token]`   begin a job that pushes the rows to that port
    worker  `["ended", number, failure]`      the job has ended; failure is None or a text
    reader  `["end", number]`                 end the job
    reader  `["compute"]`                     compute the batch for no reader
    reader  `["finish"]`                      return, so that Spark commits the batch
    reader  `["fail", reason]`                raise, so that Spark does not
Roles: for each connection a *conversation* thread hears the worker and a *delivery* thread is in `hand_over`, as the
    stream thread is in a classic session; any thread may read the batch; one closes the server.
Invariants, held whenever the lock of the server or of the batch is free:
    I1  at most one delivery thread is inside `BatchDelivery.deliver`: the turn is a lock.
    I2  `finish` is said only after `deliver` has returned: Spark commits no batch that was not read, and the record on
        the disk says so before. `compute`, which has no answer, is said before it, and the worker does both in turn.
        The worker returns for no other reason; the end of its connection is an error there.
    I3  reads holds the servers whose readers have not left; once the connection is lost each of them has been told that
        its job has ended, and later ones are at once.
Progress: the worker's connection ends when the worker does: when Spark stops the query, which kills it, or when it has
    raised or returned. Then the conversation tells the delivery thread, which wakes within `STOP_POLL_SECONDS`, and all
    readers. `close` shuts the connections, with the same effect here; the worker then ends its jobs and raises. While
    it waits it looks every `ATTENTION_SECONDS` whether its Spark server lives. So no wait outlives both sides. Demand
    may take its time: both sides use their sessions every `KEEP_ALIVE_SECONDS`, so that they do not expire meanwhile.
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
"""How long a batch function may wait for the end of the one before, which Spark runs one at a time."""

servers: "itertools.count[int]" = itertools.count(1)
"""Numbers the servers of this process, which names their threads."""


class RemoteBatches(LoopbackServer):
    """Takes the connections of batch functions and hands their micro-batches over; leaving its `with` block closes it.

    Args:
        delivery: Where the micro-batches go.
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
        """Stand for one micro-batch until the worker is gone."""
        match receive(file):
            case ["batch", int(batch_id)]:
                batch = RemoteBatch(batch_id, self.delivery.plan, file)
            case message:
                raise BridgeError(f"a batch function said {message!r:.100} in place of its batch; use this release's")
        batch.tell("welcome", self.secret)
        deliverer = threading.Thread(
            target=self.deliver, args=(batch,), name=f"{self.name}-batch-{batch.batch_id}", daemon=True
        )
        deliverer.start()
        try:
            batch.hear()
        finally:
            batch.lose()
            deliverer.join()

    def deliver(self, batch: RemoteBatch) -> None:
        """Hand a batch over and tell the worker how that ended (I1, I2)."""
        if not self.turn.acquire(timeout=TURN_SECONDS):
            batch.tell("fail", "another batch of this query is being read")
            return
        try:
            self.delivery.deliver(batch, batch.await_stop)
        except Exception as error:
            batch.tell("fail", one_line(error))
        else:
            batch.tell("finish")
        finally:
            self.turn.release()

    def __enter__(self) -> Callable[[Any, int], None]:
        return self.function()

    def __exit__(self, *_: object) -> None:
        self.close()
