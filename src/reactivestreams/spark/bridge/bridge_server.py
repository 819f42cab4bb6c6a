"""The driver's side of the bridge: a loopback socket over which Spark's Python workers plan, read and commit.

Roles and progress: those of `loopback_server.py`. An additional invariant, true whenever the lock is free:
    B1  at most one connection plans, until it ends.
"""

import socket
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import as_fields, stream_failure
from reactivestreams.spark.bridge.frames import receive, send
from reactivestreams.spark.bridge.loopback_server import LoopbackServer
from reactivestreams.spark.errors import BridgeError, PipelineError
from reactivestreams.spark.rows.arrow_stream import stream_buffer

if TYPE_CHECKING:
    from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer

__all__ = ["BridgeServer"]

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
