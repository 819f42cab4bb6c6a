"""The worker's side of the bridge."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import from_fields
from reactivestreams.spark.bridge.frames import receive, send
from reactivestreams.spark.errors import BridgeError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RESPONSE_TIMEOUT_SECONDS", "BridgeClient"]

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
