"""The ingresses that listen store what comes before they answer, each key once, and refuse what they cannot take."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams.engine import Engine, FactoryRegistry, HttpInput, IdempotentEgress, MemoryStore, SocketInput
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler

HOST = "127.0.0.1"


class Kept(IdempotentEgress):
    def __init__(self, batches: dict[int, list[Any]]) -> None:
        self.batches = batches

    def write(self, batch_id: int, rows: Any) -> None:
        self.batches[batch_id] = list(rows)


class Served:
    """An engine with one ingress that listens, and what came out of it; it can die and go on."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.batches: dict[int, list[Any]] = {}
        self.store = MemoryStore()
        self.registry = FactoryRegistry()
        self.registry.register("in")(lambda engine: make())
        self.registry.register("out")(lambda engine: Kept(self.batches))
        self.registry.register("same")(lambda engine, source: engine.stream(source).map(lambda element: element))
        self.engine = self.start()

    def start(self) -> Engine:
        self.clock = VirtualTime()
        scheduler = VirtualTimeScheduler(self.clock)
        engine = Engine(self.store, scheduler=scheduler, checkpoint_every=None, registry=self.registry).start()
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("same", "same", source="in", into="out")
        self.engine = engine
        return engine

    def die(self) -> None:
        """Let the process die: only its sockets are closed."""
        self.engine.find("in").node.ingress.close()
        self.store = self.store.after_crash()
        self.start()

    def checkpoint(self) -> list[Any]:
        self.clock.advance_to(self.clock.ticks + 1_000_000)
        self.engine.checkpoint()
        return [row for number in sorted(self.batches) for row in self.batches[number]]

    @property
    def port(self) -> int:
        port: int = self.engine.find("in").node.ingress.port
        return port

    def post(self, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(f"http://{HOST}:{self.port}/", data=body, headers=named, method="POST")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    make = getattr(request, "param", lambda: HttpInput(HOST, 0))
    served = Served(make)
    yield served
    served.engine.unload()


def test_request_is_stored_when_it_is_answered(served: Served) -> None:
    assert served.post(b'{"item": "tea"}') == (200, {"position": 1})
    assert served.post(b"[1, null]") == (200, {"position": 2})
    served.die()
    assert served.checkpoint() == [{"item": "tea"}, [1, None]]


def test_key_that_came_is_not_stored_again(served: Served) -> None:
    assert served.post(b"1", Idempotency_Key="a") == (200, {"position": 1})
    assert served.post(b"1", Idempotency_Key="a") == (200, {"position": 1})
    served.die()  # the key is known from the stored element
    assert served.post(b"1", Idempotency_Key="a") == (200, {"position": 1})
    assert served.checkpoint() == [1]
    served.die()  # the key is known from the state
    assert served.post(b"1", Idempotency_Key="a") == (200, {"position": 1})
    assert served.post(b"2", Idempotency_Key="b") == (200, {"position": 2})
    assert served.checkpoint() == [1, 2]


@pytest.mark.parametrize("served", [lambda: HttpInput(HOST, 0, remembered_keys=2)], indirect=True)
def test_oldest_keys_are_forgotten(served: Served) -> None:
    for key in "abca":
        served.post(b"0", Idempotency_Key=key)
    assert served.checkpoint() == [0, 0, 0, 0]


@pytest.mark.parametrize("served", [lambda: HttpInput(HOST, 0, lines=True)], indirect=True)
def test_body_has_an_element_a_line(served: Served) -> None:
    assert served.post(b'1\n"two"\n\n3\n') == (200, {"position": 3})
    assert served.post(b"\n") == (200, {"position": 0})
    assert served.checkpoint() == [1, "two", 3]


@pytest.mark.parametrize("served", [lambda: HttpInput(HOST, 0, max_bytes=9, max_waiting=2)], indirect=True)
def test_what_cannot_be_taken_is_refused_and_stores_nothing(served: Served) -> None:
    assert served.post(b"{")[0] == 400
    assert served.post(b"0123456789") == (413, {"error": "a body may have 9 bytes"})
    assert [served.post(b"1")[0] for _ in range(3)] == [200, 200, 503]
    assert served.checkpoint() == [1, 1]
    assert served.post(b"2") == (200, {"position": 3})
    assert served.checkpoint() == [1, 1, 2]


def test_request_without_length_is_refused(served: Served) -> None:
    with socket.create_connection((HOST, served.port), timeout=30) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n\r\n")
        with connection.makefile("rb") as answer:
            assert answer.readline().split()[1] == b"411"


@pytest.mark.parametrize("is_taken_meanwhile", [False, True])
def test_store_that_fails_is_told_and_the_key_is_not_stored_twice(
    served: Served, monkeypatch: Any, is_taken_meanwhile: bool
) -> None:
    append = MemoryStore.append_input

    def lies(store: MemoryStore, artifact_id: str, elements: Any) -> int:
        append(store, artifact_id, elements)
        raise OSError("the answer of the disk got lost")

    monkeypatch.setattr(MemoryStore, "append_input", lies)
    assert served.post(b"1", Idempotency_Key="a") == (500, {"error": "OSError: the answer of the disk got lost"})
    monkeypatch.undo()
    if is_taken_meanwhile:
        assert served.checkpoint() == [1]  # and the store has it no more
    assert served.post(b"1", Idempotency_Key="a") == (200, {"position": 1})
    assert served.post(b"2") == (200, {"position": 2})
    assert served.checkpoint() == [1, 2]


@pytest.mark.parametrize("served", [lambda: SocketInput(HOST, 0, max_bytes=9, max_waiting=3)], indirect=True)
def test_lines_are_answered_with_their_positions(served: Served) -> None:
    with socket.create_connection((HOST, served.port), timeout=30) as connection, connection.makefile("rb") as answers:
        connection.sendall(b"one\ntwo\nthr\xff\nfour\n")
        assert [answers.readline() for _ in range(4)] == [b"1\n", b"2\n", b"3\n", b"busy\n"]
        served.checkpoint()
        connection.sendall(b"four\nfar too long\n")
        assert [answers.readline() for _ in range(2)] == [b"4\n", b""]
    assert served.checkpoint() == ["one", "two", "thr\\xff", "four"]


@pytest.mark.parametrize("served", [lambda: SocketInput(HOST, 0)], indirect=True)
def test_connection_that_is_open_ends_with_the_engine(served: Served) -> None:
    with socket.create_connection((HOST, served.port), timeout=30) as connection, connection.makefile("rb") as answers:
        connection.sendall(b"one\n")
        assert answers.readline() == b"1\n"
        served.engine.stop()
        assert answers.readline() == b""


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"host": 7}, ArgumentTypeError, r"HttpInput\(host\) needs a text, got 7"),
        ({"port": 65_536}, ArgumentError, "port"),
        ({"max_bytes": 0}, ArgumentError, "max_bytes"),
        ({"max_waiting": 0}, ArgumentError, "max_waiting"),
        ({"remembered_keys": -1}, ArgumentError, "remembered_keys"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        HttpInput(**{"host": HOST, "port": 0, **arguments})
