"""Batches that executors push over a socket, in order and with a bounded number of buffered batches.

Roles: one *socket thread* accepts, reads and grants; one *reader* calls `__next__`; a *job thread* calls `job_ended`;
    any thread may call `close`.
Invariants, true whenever the lock is free:
    I1  held, the batches that are buffered or granted and not yet taken, is at most window + 1.
    I2  batches of partitions after the one that is read are at most `window` of these, so that the next batch of the
        partition that is read always has a place.
    I3  after close nothing is granted, and every waiting thread has been woken.
Progress: a reader waits for the next batch of its partition or the end of the job; `close` ends that wait. Spark starts
    tasks in the order of their numbers, so the partition that is read is among the first to have a task; a restarted
    task runs before those that have not started.
Trust: a connection that does not send the token within `HELLO_SECONDS` is closed; at most `MAX_STRANGERS` may try.
"""

import hmac
import secrets
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.dropped import dropped
from reactivestreams.spark.sources.batch_push import (
    ANSWER,
    BATCH,
    DEMAND,
    END,
    HEAD,
    HELLO,
    MAX_FRAME_BYTES,
    PROTOCOL,
    REFUSED,
    SCHEMA,
    TOKEN_BYTES,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HELLO_SECONDS", "MAX_STRANGERS", "BatchServer", "Connection", "FrameError"]

MAX_SCHEMA_BYTES = 2**24


class FrameError(Exception):
    """Report invalid bytes or an unwanted connection; the error never leaves the server."""


class Connection:
    """Reads the frames of one executor from a socket that does not block; only the socket thread uses it.

    Args:
        accepted: The socket.
    """

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.partition: int | None = None
        self.schema: pa.Schema | None = None
        self.kind: bytes | None = b""  # the first frame, the hello, has no head
        self.buffer: bytearray = bytearray(HELLO.size)
        self.filled: int = 0

    def receive(self) -> Iterator[tuple[bytes, bytearray]]:
        """Read available bytes and yield the frame that they complete, if any, with its kind.

        Raises:
            ConnectionError: The other side has closed.
            FrameError: The bytes are not a frame.
        """
        count = self.socket.recv_into(memoryview(self.buffer)[self.filled :])
        if count == 0:
            raise ConnectionError("closed by the other side")
        self.filled += count
        if self.filled < len(self.buffer):
            return
        buffer, kind = self.buffer, self.kind
        if kind is not None:
            self.expect_frames()
            yield kind, buffer
            return
        kind, size = HEAD.unpack(buffer)
        limit = {SCHEMA: MAX_SCHEMA_BYTES, BATCH: MAX_FRAME_BYTES, END: 0}.get(kind)
        if limit is None or not 0 <= size <= limit:
            raise FrameError(f"a frame of kind {kind!r} with {size} bytes")
        if size == 0:
            self.expect_frames()
            yield kind, bytearray()
            return
        self.kind, self.buffer, self.filled = kind, bytearray(size), 0

    def expect_frames(self) -> None:
        """Read the head of a frame next."""
        self.kind, self.buffer, self.filled = None, bytearray(HEAD.size), 0

    def read_schema(self, payload: bytearray) -> None:
        """Store the schema of the following batches."""
        import pyarrow as pa

        try:
            self.schema = pa.ipc.read_schema(pa.py_buffer(payload))
        except pa.ArrowException as error:
            raise FrameError(f"a schema that cannot be read: {error}") from error

    def read_batch(self, payload: bytearray) -> "pa.RecordBatch":
        """Return a batch; its columns reference the payload."""
        import pyarrow as pa

        if self.schema is None:
            raise FrameError("a batch before its schema")
        try:
            return pa.ipc.read_record_batch(pa.py_buffer(payload), self.schema)
        except (pa.ArrowException, OSError) as error:
            raise FrameError(f"a batch that cannot be read: {error}") from error


HELLO_SECONDS = 10.0
"""How long a connection may take to send the token."""

MAX_STRANGERS = 64
"""Most connections that have not yet sent the token; further ones are closed."""

JOIN_SECONDS = 10.0


@dataclass
class Partition:
    """The batches of one partition, and its connection."""

    batches: "deque[pa.RecordBatch]" = field(default_factory=deque)
    received: int = 0
    ended: bool = False
    connection: Connection | None = None
    attempt: int = -1
    granted: bool = False


class BatchServer:
    """Iterator over the batches of all partitions, in the order of the partitions.

    Args:
        window: How many batches may be buffered besides the one that is read next.
        name: Name of the thread.
        host: Address of this machine for executors.
        origin: Name of the source, for dropped errors.
    """

    def __init__(self, *, window: int, name: str, host: str = "127.0.0.1", origin: str = "from_dataframe") -> None:
        self.window = window
        self.origin = origin
        self.token: bytes = secrets.token_bytes(TOKEN_BYTES)
        self.changed: threading.Condition = threading.Condition()
        self.partitions: dict[int, Partition] = {}
        self.current: int = 0
        self.held: int = 0
        self.most_held: int = 0
        self.refused: int = 0
        self.closed: bool = False
        self.is_over: bool = False
        self.error: BaseException | None = None
        self.listener: socket.socket = socket.create_server((host, 0), backlog=128)
        self.listener.setblocking(False)
        self.address: tuple[str, int] = self.listener.getsockname()[:2]
        self.waker: socket.socket
        self.woken: socket.socket
        self.waker, self.woken = socket.socketpair()
        self.woken.setblocking(False)
        self.selector: selectors.BaseSelector = selectors.DefaultSelector()
        self.strangers: dict[Connection, float] = {}
        self.thread: threading.Thread = threading.Thread(target=self.serve, name=name, daemon=True)
        self.thread.start()

    # --- the reader -------------------------------------------------------------------------------------------------

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> "pa.RecordBatch":
        """Return the next batch.

        Raises:
            StopIteration: The job has ended and all of its batches were taken, or the server was closed.
            BaseException: The error of the job.
        """
        with self.changed:
            while not self.closed:
                partition = self.partitions.get(self.current)
                if partition is not None and partition.batches:
                    batch = partition.batches.popleft()
                    self.held -= 1
                    self.wake()
                    return batch
                if partition is not None and partition.ended:
                    del self.partitions[self.current]
                    self.current += 1
                    self.wake()
                elif self.is_over:
                    if self.error is not None:
                        raise self.error
                    break
                else:
                    self.changed.wait()
        raise StopIteration

    def job_ended(self, error: BaseException | None) -> None:
        """Record the end of Spark's job, and its error or None."""
        with self.changed:
            if not self.is_over:
                self.is_over, self.error = True, error
            self.changed.notify_all()

    def close(self) -> None:
        """Close all connections and end the thread. Further calls do nothing."""
        with self.changed:
            self.closed = True
            self.partitions.clear()
            self.changed.notify_all()
            self.wake()
        if self.thread is not threading.current_thread():
            self.thread.join(JOIN_SECONDS)

    def wake(self) -> None:
        """Let the socket thread check for demand to grant. The lock is held."""
        # If the thread has ended, there is nothing to grant, and the reader gets the reason.
        with suppress(OSError):
            self.waker.send(b"\0")

    # --- the socket thread ------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Accept, read and grant until closed."""
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.woken, selectors.EVENT_READ)
        try:
            while not self.closed:
                for key, _ in self.selector.select(HELLO_SECONDS if self.strangers else None):
                    self.handle(key.fileobj, key.data)
                self.expel_strangers()
                with self.changed:
                    grants = self.grants()
                for connection in grants:
                    self.reply(connection, DEMAND)
        except BaseException as error:
            self.job_ended(error)
        finally:
            for key in [*self.selector.get_map().values()]:
                key.fileobj.close()  # type: ignore[union-attr]
            self.selector.close()
            self.waker.close()

    def handle(self, source: Any, connection: Connection | None) -> None:
        """Handle a socket that is ready."""
        if source is self.listener:
            self.accept()
        elif connection is None:
            self.woken.recv(4096)
        else:
            try:
                for kind, payload in connection.receive():
                    self.take_frame(connection, kind, payload)
            except (OSError, FrameError) as error:
                self.drop(connection, error)

    def accept(self) -> None:
        """Accept a connection, which must still send the token."""
        accepted, _ = self.listener.accept()
        if len(self.strangers) >= MAX_STRANGERS:
            accepted.close()
            return
        accepted.setblocking(False)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = Connection(accepted)
        self.strangers[connection] = time.monotonic()
        self.selector.register(accepted, selectors.EVENT_READ, connection)

    def expel_strangers(self) -> None:
        """Close connections that have not sent the token in time."""
        limit = time.monotonic() - HELLO_SECONDS
        for connection in [connection for connection, since in self.strangers.items() if since < limit]:
            self.drop(connection, FrameError("it did not send its token in time"))

    def take_frame(self, connection: Connection, kind: bytes, payload: bytearray) -> None:
        """Handle a complete frame."""
        if connection in self.strangers:
            self.welcome(connection, bytes(payload))
        elif kind == SCHEMA:
            connection.read_schema(payload)
        elif kind == BATCH:
            batch = connection.read_batch(payload)
            with self.changed:
                partition = self.partition_of(connection)
                partition.granted = False
                partition.batches.append(batch)
                partition.received += 1
                self.changed.notify_all()
        elif kind == END:
            with self.changed:
                partition = self.partition_of(connection)
                self.held -= partition.granted
                partition.granted, partition.ended, partition.connection = False, True, None
                self.changed.notify_all()
            self.reply(connection, DEMAND)

    def partition_of(self, connection: Connection) -> Partition:
        """Return the partition that a connection delivers; the lock is held.

        Raises:
            FrameError: The connection does not deliver a partition any more.
        """
        partition = None if connection.partition is None else self.partitions.get(connection.partition)
        if partition is None or partition.connection is not connection:
            raise FrameError("a frame of a task that was replaced or has ended")
        return partition

    def welcome(self, connection: Connection, hello: bytes) -> None:
        """Check the token of a connection, and let it deliver its partition."""
        del self.strangers[connection]
        protocol, token, number, attempt = HELLO.unpack(hello)
        # Both are always compared, so that the duration reveals nothing about either.
        if not (hmac.compare_digest(token, self.token) & (protocol == PROTOCOL)):
            self.refused += 1
            self.refuse(connection, "it has a wrong token")
            return
        with self.changed:
            partition = None if number < self.current else self.partitions.setdefault(number, Partition())
            is_wanted = partition is not None and not partition.ended and attempt > partition.attempt
            if partition is None or not is_wanted or self.closed:
                replaced = None
            else:
                replaced, partition.connection, partition.attempt = partition.connection, connection, attempt
                self.held -= partition.granted
                partition.granted = False
                connection.partition = number
        if partition is None or not is_wanted:
            self.refuse(connection, "its partition was delivered")
            return
        if replaced is not None:
            self.drop(replaced, FrameError("its task was restarted"))
        self.reply(connection, ANSWER.pack(partition.received))
        connection.expect_frames()

    def grants(self) -> list[Connection]:
        """Grant demand to the connections that may send a batch now (I1, I2), and return them. The lock is held."""
        granted: list[Connection] = []
        if self.closed:
            return granted
        for number in sorted(self.partitions):
            partition = self.partitions[number]
            limit = self.window + 1 if number == self.current else self.window
            if partition.connection is not None and not partition.granted and self.held < limit:
                partition.granted = True
                self.held += 1
                granted.append(partition.connection)
        self.most_held = max(self.most_held, self.held)
        return granted

    def reply(self, connection: Connection, message: bytes) -> None:
        """Send a few bytes, which always fit a socket's buffer."""
        try:
            connection.socket.sendall(message)
        except OSError as error:
            self.drop(connection, error)

    def refuse(self, connection: Connection, reason: str) -> None:
        """Send a refusal to a connection, and close it."""
        self.reply(connection, ANSWER.pack(REFUSED))
        self.drop(connection, FrameError(reason))

    def drop(self, connection: Connection, error: Exception) -> None:
        """Close a connection; its delivered batches remain."""
        if connection.socket.fileno() < 0:
            return
        if isinstance(error, FrameError) and not self.closed:
            dropped("connection", error, origin=self.origin)
        self.strangers.pop(connection, None)
        self.selector.unregister(connection.socket)
        connection.socket.close()
        with self.changed:
            partition = None if connection.partition is None else self.partitions.get(connection.partition)
            if partition is not None and partition.connection is connection:
                self.held -= partition.granted
                partition.granted, partition.connection = False, None
