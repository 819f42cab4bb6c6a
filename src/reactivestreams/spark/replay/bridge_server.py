"""The driver's end of the bridge: a loopback socket over which Spark's Python workers plan, read and commit.

Roles: one *accepter* thread takes connections; one thread serves each; any thread may close.
Invariants, held whenever the lock is free:
    I1  a connection is served only after it has sent the token, compared in constant time.
    I2  at most one connection plans; it gives this up when it ends.
    I3  at most MAX_CLIENTS connections are served; further ones wait to be accepted.
    I4  once closed no thread of the bridge serves, and its sockets are closed.
Progress: `close` shuts the sockets, which ends every wait of the threads, and joins them.
"""

import hmac
import logging
import secrets
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import BridgeError, PipelineError
from reactivestreams.spark.replay.failures import as_fields, stream_failure
from reactivestreams.spark.replay.frames import receive, send

if TYPE_CHECKING:
    from reactivestreams.spark.replay.live_elements import LiveElements

__all__ = ["HANDSHAKE_TIMEOUT_SECONDS", "MAX_CLIENTS", "BridgeServer"]

MAX_CLIENTS = 64
"""How many connections are served at a time: one plans, each running task of the source has one."""

HANDSHAKE_TIMEOUT_SECONDS = 5.0
"""How long a new connection may take to send its token."""

WRITE_TIMEOUT_SECONDS = 60.0
"""How long a worker that reads elements may take none of them."""

RETRY_SECONDS = 0.1
"""How long to wait before the next connection is taken when one could not be, as where no descriptor is free."""

LOOPBACK = "127.0.0.1"
LONGEST_TOKEN_FRAME_BYTES = 256

logger: logging.Logger = logging.getLogger("reactivestreams.spark")


class BridgeServer:
    """Serves the elements of a live publisher.

    Args:
        elements: What is planned, read and committed.
        name: Name of the threads.
    """

    def __init__(self, elements: "LiveElements", *, name: str) -> None:
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
        """Take connections until the bridge is closed (I3)."""
        number = 0
        while True:
            self.slots.acquire()
            try:
                client, _ = self.listener.accept()
            except OSError as error:
                self.slots.release()
                if self.closed:
                    return
                logger.warning("%s: a connection could not be taken: %s", self.name, error)
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
                while True:
                    client.settimeout(None)
                    request = receive(file)
                    client.settimeout(WRITE_TIMEOUT_SECONDS)
                    self.answer(client, file, request)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass  # how connections end
        except Exception as error:
            if not self.closed:
                logger.warning("%s: a connection ended: %s", self.name, error)
        finally:
            with self.guard:
                self.clients.pop(client, None)
                if self.planner is client:
                    self.planner = None
            self.slots.release()

    def is_trusted(self, token: object) -> bool:
        """Tell whether a token is the right one, in a time that does not depend on it."""
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.token.encode())

    def answer(self, client: socket.socket, file: Any, request: Any) -> None:
        """Do what a worker asks, and tell it the result or the failure."""
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
            self.send_batches(file, result)
        else:
            send(file, ["ok", result])

    def send_batches(self, file: Any, batches: list[Any]) -> None:
        """Send the elements of a range."""
        import pyarrow as pa

        with pa.ipc.new_stream(file, self.elements.encoder.arrow) as writer:
            for batch in batches:
                writer.write_batch(batch)
        file.flush()

    def claim(self, client: socket.socket) -> None:
        """Let a connection be the one that plans (I2).

        Raises:
            BridgeError: Another one is.
        """
        with self.guard:
            if self.planner not in (None, client):
                raise BridgeError(
                    "another query, or another use in the same query, reads this DataFrame, and a live publisher gives "
                    "each element once; make a DataFrame for each use with to_streaming_dataframe"
                )
            self.planner = client

    def close(self) -> None:
        """End every thread and close every socket; may be called again."""
        with self.guard:
            self.closed = True
            clients = dict(self.clients)
        # Wakes the accepter, which a close alone does not everywhere; where the call is refused the close does.
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.accepter.join(HANDSHAKE_TIMEOUT_SECONDS)
        for client in clients:
            # It may have ended by itself.
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        for thread in clients.values():
            thread.join(HANDSHAKE_TIMEOUT_SECONDS)


def plain_failure(error: Exception) -> PipelineError:
    """Return the error that tells a worker why the bridge could not do what it asked."""
    if isinstance(error, (TypeError, ValueError)) and not hasattr(error, "rule"):
        return stream_failure(BridgeError(f"the bridge got a request it does not understand: {error}"), element=-1)
    return PipelineError(str(error), operator="to_streaming_dataframe", cause=f"{type(error).__name__}: {error}")
