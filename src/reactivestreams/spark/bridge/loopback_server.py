"""A server on a loopback socket; clients must send a token, and each is served by its own thread.

A message is a length and JSON, of bounded size.

Roles: one *accepter* thread accepts connections; one thread serves each; any thread may close.
Invariants, true whenever the lock is free:
    I1  a connection is served only after it has sent the token, which is compared in constant time.
    I2  at most MAX_CLIENTS connections are served; further ones wait to be accepted.
    I3  after close no thread of the server serves, and its sockets are closed.
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
from contextlib import suppress
from typing import IO, Any

from reactivestreams.spark.errors import BridgeError

__all__ = [
    "HANDSHAKE_TIMEOUT_SECONDS",
    "LOOPBACK",
    "MAX_CLIENTS",
    "MAX_FRAME_BYTES",
    "LoopbackServer",
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

logger: logging.Logger = logging.getLogger("reactivestreams.spark")


class LoopbackServer:
    """Base of servers on the loopback interface; a subclass serves a connection in `converse`.

    A subclass calls `open` when it is ready.

    Args:
        name: Name of the threads.
    """

    def __init__(self, *, name: str) -> None:
        self.name = name
        self.token: str = secrets.token_hex(32)
        self.guard: threading.Lock = threading.Lock()
        self.slots: threading.BoundedSemaphore = threading.BoundedSemaphore(MAX_CLIENTS)
        self.clients: dict[socket.socket, threading.Thread] = {}
        self.closed: bool = False
        self.listener: socket.socket = socket.create_server((LOOPBACK, 0), backlog=MAX_CLIENTS)
        self.port: int = self.listener.getsockname()[1]
        self.accepter: threading.Thread = threading.Thread(target=self.accept_all, name=f"{name}-accept", daemon=True)

    def open(self) -> None:
        """Start to accept connections."""
        self.accepter.start()

    def converse(self, client: socket.socket, file: Any) -> None:
        """Serve a connection that has sent the token; the connection is closed after the return.

        Args:
            client: Its socket.
            file: The socket as a file, for `frames`.

        Raises:
            EOFError: The other side has closed it.
            Exception: It cannot be served any more; the error is logged.
        """
        raise NotImplementedError

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
