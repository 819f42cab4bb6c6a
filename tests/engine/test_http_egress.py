"""The egress over HTTP sends each batch with its key, until the server has it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reactivestreams.engine import Guarantee, HttpEgress
from reactivestreams.errors import ArgumentError, ArgumentTypeError


class Receiver(ThreadingHTTPServer):
    """A server that knows repeated keys; and answers with `status` where that is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.batches: dict[str, Any] = {}
        self.requests: list[dict[str, str]] = []
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/rows"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.requests.append(dict(self.headers))
        if server.status == 200:
            server.batches.setdefault(self.headers["Idempotency-Key"], json.loads(body))
        self.send_response(server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_batch_has_its_key_and_headers(receiver: Receiver) -> None:
    egress = HttpEgress(receiver.url, name="totals", headers={"Authorization": "Bearer x"})
    egress.write(3, [1, {"a": None}])
    egress.write(3, [1, {"a": None}])
    egress.write(4, [2])
    assert receiver.batches == {"totals-3": [1, {"a": None}], "totals-4": [2]}
    assert receiver.requests[0]["Authorization"] == "Bearer x"
    assert receiver.requests[0]["Content-Type"] == "application/json"


@pytest.mark.parametrize("status", [201, 204])
def test_other_answers_of_success_are_enough(receiver: Receiver, status: int) -> None:
    receiver.status = status
    HttpEgress(receiver.url, name="totals").write(1, [1])


@pytest.mark.parametrize("status", [302, 400, 503])
def test_answer_that_is_no_success_is_raised(receiver: Receiver, status: int) -> None:
    receiver.status = status
    with pytest.raises(OSError, match=f"answered batch 1 with {status}; it is sent again at the next checkpoint"):
        HttpEgress(receiver.url, name="totals").write(1, [1])
    assert len(receiver.requests) == 1


def test_rows_are_encoded_as_told(receiver: Receiver) -> None:
    HttpEgress(receiver.url, name="totals", encode=lambda rows: b'"%d"' % len(rows)).write(1, [1, 2])
    assert receiver.batches == {"totals-1": "2"}


def test_guarantee_is_what_the_server_is_declared_to_do() -> None:
    def guarantee(**arguments: Any) -> Guarantee:
        return HttpEgress("http://localhost/", name="x", **arguments).guarantee.guarantee

    assert guarantee() is Guarantee.AT_LEAST_ONCE
    assert guarantee(idempotent=True) is Guarantee.EXACTLY_ONCE


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"url": 7}, ArgumentTypeError, r"HttpEgress\(url\) needs a text, got 7"),
        ({"url": "file:///etc/passwd"}, ArgumentError, "needs an address with http or https"),
        ({"url": "http:///x"}, ArgumentError, "and a host"),
        ({"name": ""}, ArgumentError, "printable letters"),
        ({"name": "a\r\nb"}, ArgumentError, "printable letters"),
        ({"timeout_seconds": 0}, ArgumentError, "above 0"),
        ({"max_rows": 1}, ArgumentError, "max_rows"),
        ({"encode": 7}, ArgumentTypeError, "needs a callable"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        HttpEgress(**{"url": "http://localhost/", "name": "x", **arguments})
