"""The ingresses that listen: requests over HTTP, and lines over TCP, stored before they are answered."""

import json
import socket
import socketserver
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from reactivestreams.arguments import checked_count
from reactivestreams.engine.push_input import PushInput
from reactivestreams.errors import ArgumentTypeError, StateError

__all__ = ["HttpInput", "SocketInput"]

MAX_BODY_BYTES = 2**20
"""How long a request, or a line, may be by default."""

MAX_WAITING = 100_000
"""How many elements may wait by default until a checkpoint contains them; then no more are accepted."""

REMEMBERED_KEYS = 1_000
"""How many idempotency keys are remembered by default, the newest ones."""

CONNECTION_SECONDS = 30.0
"""How long a connection may be silent."""

_STOP_SECONDS = 0.02  # how long the server takes to see that it is to end


class _ServerInput(PushInput):
    """What both have in common: a server in threads, bounds, and keys; meant to be subclassed."""

    def __init__(self, host: str, port: int, *, max_bytes: int, max_waiting: int, remembered_keys: int) -> None:
        super().__init__()
        name = type(self).__name__
        if not isinstance(host, str):
            raise ArgumentTypeError(
                f"{name}(host) needs a text, got {host!r} ({type(host).__name__}); pass e.g. '127.0.0.1'"
            )
        self.host: str = host
        self.port: int = checked_count(port, operator=name, name="port", at_least=0, at_most=65_535)
        """Where it listens; after `open` the port that the system has given, where it was 0."""
        self.max_bytes: int = checked_count(max_bytes, operator=name, name="max_bytes", at_least=1, at_most=2**30)
        self._max_waiting = checked_count(max_waiting, operator=name, name="max_waiting", at_least=1)
        self._remembered = checked_count(remembered_keys, operator=name, name="remembered_keys", at_least=0)
        self._receiving = threading.Lock()
        self._keys: OrderedDict[str, int] = OrderedDict()  # each with its position, in their order
        self._last = 0
        self._is_in_doubt = False
        self._acknowledged = 0
        self._server: Any = None
        self._thread: threading.Thread | None = None

    # --- the ingress ------------------------------------------------------------------------------------------------

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after a position, know again which keys came, and listen."""
        super().open(position, None)
        with self._receiving:
            self._keys = OrderedDict(bookmark or ())
            self._last = self._acknowledged = position
            self._catch_up()
        self._server = self._listen()
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            args=(_STOP_SECONDS,),
            name=f"{type(self).__name__} {self.port}",
            daemon=True,
        )
        self._thread.start()

    def read(self, max_elements: int) -> list[tuple[int, Any]]:
        """Return the next stored elements."""
        found = super().read(max_elements)
        with self._receiving:
            self._take_notice(found)  # later they are in the store no more
        return [(position, element) for position, (_, element) in found]

    @property
    def bookmark(self) -> Any:
        """The keys of what was read, with their positions."""
        with self._receiving:
            return [(key, position) for key, position in self._keys.items() if position <= self._position]

    def acknowledge(self, position: int) -> None:
        """Delete what a checkpoint contains, and accept as many more."""
        super().acknowledge(position)
        self._acknowledged = max(self._acknowledged, position)

    def close(self) -> None:
        """Listen no more, and end all connections."""
        server, self._server = self._server, None
        thread, self._thread = self._thread, None
        has_started = thread is not None and thread.ident is not None
        if server is not None:
            if has_started:  # else shutdown() would wait for ever
                server.shutdown()
            server.end_connections()
            server.server_close()
        if thread is not None and has_started:
            thread.join()

    # --- receiving --------------------------------------------------------------------------------------------------

    def receive(self, elements: Sequence[Any], key: str | None = None) -> int | None:
        """Store elements, unless those of the same key were stored; return the position of the last one.

        When this returns a position, the elements are stored: they survive the process, and are sent exactly once.

        Returns:
            The position; None: too many wait, come again later.

        Raises:
            StateTypeError: An element is no value that state can hold; none was stored.
        """
        with self._receiving:
            if self._is_in_doubt:
                self._catch_up()
            if key is not None and key in self._keys:
                return self._keys[key]
            if self._last - self._acknowledged + len(elements) > self._max_waiting:
                return None
            # The key stands with the last element, so that it is known only where all of them are.
            keyed = [(key if place == len(elements) - 1 else None, each) for place, each in enumerate(elements)]
            self._is_in_doubt = True  # unless it returns, nobody knows whether they are stored
            self._last = self.push(keyed)
            self._is_in_doubt = False
            self._remember(key, self._last)
            return self._last

    def _catch_up(self) -> None:
        """Take notice of all that is stored."""
        while found := self.read_stored(self._last, 1_000):
            self._take_notice(found)
        self._is_in_doubt = False

    def _take_notice(self, found: Sequence[tuple[int, Any]]) -> None:
        """Know stored elements, and their keys, also where nobody knew whether they were stored."""
        for position, (key, _) in found:
            if position > self._last:
                self._remember(key, position)
                self._last = position

    def _remember(self, key: str | None, position: int) -> None:
        if key is not None:
            self._keys[key] = position
            while len(self._keys) > self._remembered:
                self._keys.popitem(last=False)

    def _listen(self) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.host!r}, {self.port})"


class _Connections:
    """The open connections of a server, which are ended with it."""

    daemon_threads = True
    allow_reuse_address = True
    socket: socket.socket

    def __init__(self, ingress: _ServerInput, handler: Any) -> None:
        self.ingress = ingress
        self._sockets: set[socket.socket] = set()
        self._sockets_lock = threading.Lock()
        super().__init__((ingress.host, ingress.port), handler)  # type: ignore[call-arg]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._sockets_lock:
            self._sockets.add(request)
        super().process_request(request, client_address)  # type: ignore[misc]

    def shutdown_request(self, request: Any) -> None:
        with self._sockets_lock:
            self._sockets.discard(request)
        super().shutdown_request(request)  # type: ignore[misc]

    def shutdown(self) -> None:
        with suppress(OSError):  # where the system does not wake who waits for connections, the interval does
            self.socket.shutdown(socket.SHUT_RDWR)
        super().shutdown()  # type: ignore[misc]

    def end_connections(self) -> None:
        with self._sockets_lock:
            for each in self._sockets:
                with suppress(OSError):  # it has ended by itself
                    each.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the client has gone, and asks again."""


class HttpInput(_ServerInput):
    r"""Send what comes as POST requests with JSON: an element a request, or one a line.

    A request is answered with 200 and `{"position": n}` when its elements are stored: they survive the process, and are
    sent exactly once. A client that got no answer asks again; with the same header `Idempotency-Key` its elements are
    not stored twice, and the answer is that of the first time. Other answers store nothing: 400 for what is no JSON,
    413 for too long a body, 503 with `Retry-After` while too many elements wait. After 500 nobody knows.

    The server speaks plain HTTP and lets everybody in: it is meant for this machine, or to stand behind a proxy that
    does encryption and authentication.

    Args:
        host: Where to listen, such as `127.0.0.1`.
        port: The port, from 0 to 65535; 0: any that is free.
        lines: Whether a body has an element in each line; False: it is one element.
        max_bytes: How long a body may be, from 1.
        max_waiting: How many elements may wait until a checkpoint contains them, from 1.
        remembered_keys: How many idempotency keys are remembered, the newest ones, from 0.

    Raises:
        ArgumentTypeError: The host is not a text.
        ArgumentError: A number is out of its bounds.

    State: the position, and the remembered keys; elements are in the store.

    Example:
        >>> from urllib.request import urlopen
        >>> from reactivestreams.engine import Engine, MemoryStore, factories
        >>> @factories.register("example/requests")
        ... def requests(engine):
        ...     return HttpInput("127.0.0.1", 0)
        >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
        ...     artifact = engine.define("requests", requests)
        ...     port = artifact.node.ingress.port
        ...     urlopen(f"http://127.0.0.1:{port}/", data=b'{"item": "tea"}').read()
        b'{"position": 1}'
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        lines: bool = False,
        max_bytes: int = MAX_BODY_BYTES,
        max_waiting: int = MAX_WAITING,
        remembered_keys: int = REMEMBERED_KEYS,
    ) -> None:
        super().__init__(host, port, max_bytes=max_bytes, max_waiting=max_waiting, remembered_keys=remembered_keys)
        self.lines: bool = lines

    def _listen(self) -> Any:
        return _HttpServer(self, _HttpHandler)


class _HttpServer(_Connections, ThreadingHTTPServer):
    pass


class _HttpHandler(BaseHTTPRequestHandler):
    timeout = CONNECTION_SECONDS
    server_version = "reactivestreams"

    def do_POST(self) -> None:
        ingress = cast("HttpInput", cast("_HttpServer", self.server).ingress)
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self._answer(HTTPStatus.LENGTH_REQUIRED, {"error": "send the header Content-Length"})
        if int(length) > ingress.max_bytes:
            return self._answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"a body may have {ingress.max_bytes} bytes"}
            )
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return None  # the client has gone in the middle
        try:
            texts = [line for line in body.splitlines() if line.strip()] if ingress.lines else [body]
            elements = [json.loads(text) for text in texts]
            position = ingress.receive(elements, self.headers.get("Idempotency-Key")) if elements else 0
        except (ValueError, StateError) as error:
            return self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except Exception as error:  # nobody knows whether it is stored; with a key the client may ask again
            return self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"{type(error).__name__}: {error}"})
        if position is None:
            return self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "too many elements wait; come again later"})
        return self._answer(HTTPStatus.OK, {"position": position})

    def _answer(self, status: HTTPStatus, facts: dict[str, Any]) -> None:
        body = json.dumps(facts).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the answer says it."""


class SocketInput(_ServerInput):
    r"""Send the lines that come over TCP connections, as texts.

    Each line is answered with a line: its position when it is stored, so that it survives the process and is sent
    exactly once; or `busy` while too many lines wait, and it is not stored. A client that got no answer does not know
    whether its last line is stored; where that matters, use `HttpInput` with its keys. A line that is too long ends its
    connection.

    The server lets everybody in, and is meant for this machine.

    Args:
        host: Where to listen, such as `127.0.0.1`.
        port: The port, from 0 to 65535; 0: any that is free.
        max_bytes: How long a line may be, from 1.
        max_waiting: How many lines may wait until a checkpoint contains them, from 1.

    Raises:
        ArgumentTypeError: The host is not a text.
        ArgumentError: A number is out of its bounds.

    State: the position; lines are in the store.

    Example:
        >>> import socket
        >>> from reactivestreams.engine import Engine, MemoryStore, factories
        >>> @factories.register("example/lines")
        ... def lines(engine):
        ...     return SocketInput("127.0.0.1", 0)
        >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
        ...     artifact = engine.define("lines", lines)
        ...     with socket.create_connection(("127.0.0.1", artifact.node.ingress.port)) as connection:
        ...         connection.sendall(b"one\ntwo\n")
        ...         answers = connection.makefile("rb")
        ...         answers.readline(), answers.readline(), answers.close()
        (b'1\n', b'2\n', None)
    """

    def __init__(
        self, host: str, port: int, *, max_bytes: int = MAX_BODY_BYTES, max_waiting: int = MAX_WAITING
    ) -> None:
        super().__init__(host, port, max_bytes=max_bytes, max_waiting=max_waiting, remembered_keys=0)

    def _listen(self) -> Any:
        return _LineServer(self, _LineHandler)


class _LineServer(_Connections, socketserver.ThreadingTCPServer):
    pass


class _LineHandler(socketserver.StreamRequestHandler):
    timeout = CONNECTION_SECONDS

    def handle(self) -> None:
        ingress = cast("_LineServer", self.server).ingress
        while line := self.rfile.readline(ingress.max_bytes + 1):
            if not line.endswith(b"\n"):
                return  # it is too long, or the client has gone in its middle
            position = ingress.receive([line.removesuffix(b"\n").decode("utf-8", "backslashreplace")])
            self.wfile.write(b"busy\n" if position is None else b"%d\n" % position)
