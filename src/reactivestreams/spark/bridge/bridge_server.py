"""The bridge: a loopback socket of the driver over which Spark's Python workers plan, read and commit.

Roles and progress: those of `loopback_server.py`. An additional invariant, true whenever the lock is free:
    B1  at most one connection plans, until it ends.
"""

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import as_fields, from_fields, stream_failure
from reactivestreams.spark.bridge.loopback_server import LoopbackServer, receive, send
from reactivestreams.spark.errors import BridgeError, PipelineError
from reactivestreams.spark.rows.arrow_stream import stream_buffer

if TYPE_CHECKING:
    import pyarrow as pa

    from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer

__all__ = ["RESPONSE_TIMEOUT_SECONDS", "BridgeClient", "BridgeServer"]

WRITE_TIMEOUT_SECONDS = 60.0
"""How long a worker that reads elements may pause."""


class BridgeServer(LoopbackServer):
    """Serves the elements of a live publisher: one connection plans, and each running task reads with its own.

    Args:
        elements: The buffer in which elements are planned, read and committed.
        name: Name of the threads.
    """

    def __init__(self, elements: "LivePublisherBuffer", *, name: str) -> None:
        super().__init__(name=name)
        self.elements = elements
        self.planner: socket.socket | None = None
        self.open()

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
        """Make a connection the one that plans (B1).

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
            self.socket: socket.socket = socket.create_connection(("127.0.0.1", port), CONNECT_TIMEOUT_SECONDS)
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
