"""The bridge: a loopback socket of the driver over which Spark's Python workers plan, read and commit.

A client must send a token, and is served by its own thread. A message is a length and JSON, of bounded size.

Roles: one *accepter* thread accepts connections; one thread serves each; any thread may close.
Invariants, true whenever the lock is free:
    I1  a connection is served only after it has sent the token, which is compared in constant time.
    I2  at most MAX_CLIENTS connections are served; further ones wait to be accepted.
    I3  at most one connection plans, until it ends.
    I4  after close no thread of the server serves, and its sockets are closed.
Progress: `close` closes the sockets, which ends every wait of the threads, and joins the threads.
"""

import hmac
import json
import logging
import secrets
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import as_fields, from_fields, stream_failure
from reactivestreams.spark.errors import BridgeError, PipelineError
from reactivestreams.spark.rows.arrow_stream import stream_buffer

if TYPE_CHECKING:
    import pyarrow as pa

    from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer

__all__ = [
    "HANDSHAKE_TIMEOUT_SECONDS",
    "MAX_CLIENTS",
    "MAX_FRAME_BYTES",
    "RESPONSE_TIMEOUT_SECONDS",
    "BridgeClient",
    "BridgeServer",
    "receive",
    "send",
]

MAX_CLIENTS = 64
"""How many connections are served at a time."""

HANDSHAKE_TIMEOUT_SECONDS = 5.0
"""How long a new connection may take to send its token."""

RETRY_SECONDS = 0.1
"""How long to wait after a connection could not be accepted, for example because no file descriptor was free."""

LOOPBACK = "127.0.0.1"
LONGEST_TOKEN_FRAME_BYTES = 256

WRITE_TIMEOUT_SECONDS = 60.0
"""How long a worker that reads elements may pause."""

logger: logging.Logger = logging.getLogger("reactivestreams.spark")


class BridgeServer:
    """Serves the elements of a live publisher: one connection plans, and each running task reads with its own.

    Args:
        elements: The buffer in which elements are planned, read and committed.
        name: Name of the threads.
    """

    def __init__(self, elements: "LivePublisherBuffer", *, name: str) -> None:
        self.elements = elements
        self.name = name
        self.token: str = secrets.token_hex(32)
        self.guard: threading.Lock = threading.Lock()
        self.slots: threading.BoundedSemaphore = threading.BoundedSemaphore(MAX_CLIENTS)
        self.clients: dict[socket.socket, threading.Thread] = {}
        self.planner: socket.socket | None = None
        self.closed: bool = False
        self.listener: socket.socket = socket.create_server((LOOPBACK, 0), backlog=MAX_CLIENTS)
        self.port: int = self.listener.getsockname()[1]
        self.accepter: threading.Thread = threading.Thread(target=self.accept_all, name=f"{name}-accept", daemon=True)
        self.accepter.start()

    def accept_all(self) -> None:
        """Accept connections until the server is closed (I2)."""
        number = 0
        while True:
            self.slots.acquire()
            try:
                client, _ = self.listener.accept()
            except OSError as error:
                self.slots.release()
                if self.closed:
                    return
                logger.warning("%s: a connection could not be accepted: %s", self.name, error)
                time.sleep(RETRY_SECONDS)
                continue
            number += 1
            thread = threading.Thread(target=self.serve, args=(client,), name=f"{self.name}-{number}", daemon=True)
            with self.guard:
                if self.closed:
                    client.close()
                    return
                self.clients[client] = thread
                thread.start()

    def serve(self, client: socket.socket) -> None:
        """Serve one connection until it ends."""
        try:
            with client, client.makefile("rwb") as pair:
                file: Any = pair
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client.settimeout(HANDSHAKE_TIMEOUT_SECONDS)
                if not self.is_trusted(receive(file, at_most=LONGEST_TOKEN_FRAME_BYTES)):
                    send(file, ["refused", "the token is wrong; use the DataFrame of the driver that runs"])
                    raise BridgeError("a connection sent a wrong token and was refused")
                send(file, ["ok", None])
                client.settimeout(None)
                self.converse(client, file)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass  # the normal end of a connection
        except Exception as error:
            if not self.closed:
                logger.warning("%s: a connection ended: %s", self.name, error)
        finally:
            with self.guard:
                self.clients.pop(client, None)
            self.slots.release()

    def is_trusted(self, token: object) -> bool:
        """Compare a token in constant time."""
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.token.encode())

    def converse(self, client: socket.socket, file: Any) -> None:
        """Answer one connection until it ends."""
        try:
            while True:
                client.settimeout(None)
                request = receive(file)
                client.settimeout(WRITE_TIMEOUT_SECONDS)
                self.answer(client, file, request)
        finally:
            with self.guard:
                if self.planner is client:
                    self.planner = None

    def answer(self, client: socket.socket, file: Any, request: Any) -> None:
        """Execute a request of a worker, and send the result or the failure."""
        try:
            operation, *arguments = request
            result: Any = None
            if operation == "read":
                result = self.elements.read(*arguments)
            elif operation == "plan":
                self.claim(client)
                *place, is_final = arguments
                result = self.elements.plan(*place, is_final=is_final)
            elif operation == "commit":
                self.elements.commit(*arguments)
            else:
                raise BridgeError(f"the bridge knows no operation {operation!r}; use this bridge's client")
        except Exception as error:
            failure = error if isinstance(error, PipelineError) else plain_failure(error)
            send(file, ["failed", as_fields(failure)])
            return
        if operation == "read":
            send(file, ["ok", None])
            file.write(stream_buffer(result, self.elements.encoder.arrow))
            file.flush()
        else:
            send(file, ["ok", result])

    def claim(self, client: socket.socket) -> None:
        """Make a connection the one that plans (I3).

        Raises:
            BridgeError: Another connection plans.
        """
        with self.guard:
            if self.planner not in (None, client):
                raise BridgeError(
                    "another query, or another use in the same query, reads this DataFrame, but a live publisher sends "
                    "each element once; make a DataFrame for each use with to_streaming_dataframe"
                )
            self.planner = client

    def close(self) -> None:
        """End every thread and close every socket. Further calls do nothing."""
        with self.guard:
            self.closed = True
            clients = dict(self.clients)
        # Wakes the accepter, which close() does not do on all systems; where shutdown() fails, close() does.
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.accepter.join(HANDSHAKE_TIMEOUT_SECONDS)
        for client in clients:
            # It may have ended already.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        for thread in clients.values():
            thread.join(HANDSHAKE_TIMEOUT_SECONDS)


MAX_FRAME_BYTES = 1_048_576
"""The longest message; elements are sent as Arrow streams, not as messages."""

LENGTH = struct.Struct(">I")


def send(file: IO[bytes], message: object) -> None:
    """Send a message and flush it.

    Raises:
        OSError: The other side has ended.
    """
    content = json.dumps(message).encode()
    file.write(LENGTH.pack(len(content)) + content)
    file.flush()


def receive(file: IO[bytes], *, at_most: int = MAX_FRAME_BYTES) -> Any:
    """Return the next message.

    Raises:
        EOFError: The other side has closed the connection.
        BridgeError: The data is not a message, or too long.
        OSError: The connection broke, or the timeout has passed.
    """
    prefix = file.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(prefix)
    if length > at_most:
        raise BridgeError(f"a message has {length} bytes, but {at_most} is the limit; use the client of this release")
    content = file.read(length)
    if len(content) < length:
        raise EOFError
    try:
        return json.loads(content)
    except ValueError as error:
        raise BridgeError("the bridge received data that is not a message; use the client of this release") from error


def plain_failure(error: Exception) -> PipelineError:
    """Return the error for a worker whose request failed."""
    if isinstance(error, (TypeError, ValueError)) and not hasattr(error, "rule"):
        return stream_failure(BridgeError(f"the bridge received an invalid request: {error}"), element=-1)
    return PipelineError(str(error), operator="to_streaming_dataframe", cause=f"{type(error).__name__}: {error}")


CONNECT_TIMEOUT_SECONDS = 10.0
"""How long a worker waits for the driver to accept its connection."""

RESPONSE_TIMEOUT_SECONDS = 60.0
"""How long a worker waits for an answer in addition to the time that it allows the driver."""


class BridgeClient:
    """One connection to the driver's bridge; one thread uses it.

    Args:
        port: The port on the loopback interface.
        token: The token that the bridge requires.

    Raises:
        BridgeError: The driver cannot be reached, or the token is wrong.
    """

    def __init__(self, port: int, token: str) -> None:
        try:
            self.socket: socket.socket = socket.create_connection((LOOPBACK, port), CONNECT_TIMEOUT_SECONDS)
        except OSError as error:
            raise BridgeError(
                f"the driver's bridge on port {port} cannot be reached ({error}): the driver that made the DataFrame "
                "has ended, or this worker runs on another machine; only workers on the driver's "
                "machine can read a live publisher, all workers can read a replayable factory"
            ) from error
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file: Any = self.socket.makefile("rwb")
        try:
            self.exchange(token, allowed_seconds=0)
        except BaseException:
            self.close()
            raise

    def call(self, operation: str, *arguments: object, allowed_seconds: float = 0.0) -> Any:
        """Return the driver's answer.

        Args:
            operation: One of `"plan"`, `"commit"`, `"read"`.
            *arguments: The arguments of the operation.
            allowed_seconds: How long the driver itself may wait.

        Raises:
            PipelineError: The driver failed.
            BridgeError: The connection broke.
        """
        return self.exchange([operation, *arguments], allowed_seconds=allowed_seconds)

    def exchange(self, message: object, *, allowed_seconds: float) -> Any:
        """Send a message and return the answer."""
        self.socket.settimeout(allowed_seconds + RESPONSE_TIMEOUT_SECONDS)
        try:
            send(self.file, message)
            outcome, content = receive(self.file)
        except (OSError, EOFError) as error:
            raise BridgeError(
                f"the driver's bridge does not answer ({type(error).__name__} {error}): the driver has ended or is "
                "stuck; start the query again"
            ) from error
        if outcome == "refused":
            raise BridgeError(f"the driver's bridge refused the connection: {content}")
        if outcome == "failed":
            raise from_fields(content)
        return content

    def read(self, start: int, end: int) -> "Iterator[pa.RecordBatch]":
        """Yield the batches of a planned range."""
        import pyarrow as pa

        self.call("read", start, end)
        with pa.ipc.open_stream(self.file) as batches:
            yield from batches

    def close(self) -> None:
        """Close the connection."""
        # Unsent data may have no receiver.
        with suppress(OSError):
            self.file.close()
        self.socket.close()
