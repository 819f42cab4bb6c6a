"""The bridge: tokens, bounded messages, one planner, and threads that end."""

import logging
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from reactivestreams import Stream
from reactivestreams.spark import BridgeError, PipelineError
from reactivestreams.spark.bridge.bridge_server import BridgeClient, BridgeServer, receive, send
from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer
from tests.spark.bridge.live_publishers import SOON, eventually

pytestmark = pytest.mark.spark

SCHEMA = StructType([StructField("id", LongType(), nullable=False)])


class Bridged:
    """A bridge to a stream, with a way to connect to it."""

    def __init__(self, stream: Any) -> None:
        self.elements = LivePublisherBuffer(stream, SCHEMA, form="rows", log=None, name="test-bridge-requests")
        self.server = BridgeServer(self.elements, name="test-bridge")

    def connect(self, token: str | None = None) -> BridgeClient:
        return BridgeClient(self.server.port, self.server.token if token is None else token)

    def close(self) -> None:
        self.elements.close()
        self.server.close()


@pytest.fixture
def bridged() -> Iterator[Bridged]:
    made = Bridged(Stream.range(100).map(lambda number: (number,)))
    yield made
    made.close()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("test-bridge")] == []


def ids(client: BridgeClient, start: int, end: int) -> list[int]:
    return [number for batch in client.read(start, end) for number in batch["id"].to_pylist()]


def test_worker_plans_reads_and_commits(bridged: Bridged) -> None:
    planner, reader = bridged.connect(), bridged.connect()

    assert planner.call("plan", 0, 30, SOON, False) == 30
    assert ids(reader, 0, 30) == list(range(30))
    assert planner.call("plan", 30, 30, SOON, False) == 60
    planner.call("commit", 30)
    assert ids(reader, 40, 45) == [40, 41, 42, 43, 44]

    planner.close()
    reader.close()


def test_what_was_committed_is_gone(bridged: Bridged) -> None:
    planner = bridged.connect()
    planner.call("plan", 0, 30, SOON, False)
    planner.call("commit", 20)

    with pytest.raises(PipelineError, match="elements 10 to 29 are wanted, and 20 to 29 are held"):
        ids(planner, 10, 30)

    planner.close()


@pytest.mark.parametrize("token", ["", "0" * 64, "ü"])
def test_wrong_token_is_refused_and_logged_and_hurts_nobody_else(
    bridged: Bridged, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = bridged.connect()

    with caplog.at_level(logging.WARNING), pytest.raises(BridgeError, match="refused the connection: the token is"):
        bridged.connect(token)

    assert good.call("plan", 0, 5, SOON, False) == 5
    assert eventually(lambda: "sent a wrong token and was refused" in caplog.text)
    good.close()


@pytest.mark.parametrize(
    "content",
    [b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n", struct.pack(">I", 3) + b"{{{", struct.pack(">I", 2) + b"{}"],
)
def test_what_is_no_client_is_dropped(bridged: Bridged, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), socket.create_connection(("127.0.0.1", bridged.server.port), SOON) as raw:
        raw.sendall(content)
        raw.settimeout(SOON)
        answer = raw.recv(4096)

    assert answer == b"" or b"refused" in answer
    assert eventually(lambda: "a connection ended" in caplog.text)


def test_endless_message_of_a_trusted_client_is_refused(bridged: Bridged) -> None:
    with socket.create_connection(("127.0.0.1", bridged.server.port), SOON) as raw, raw.makefile("rwb") as file:
        send(file, bridged.server.token)
        assert receive(file) == ["ok", None]
        raw.sendall(struct.pack(">I", 2**31))
        raw.settimeout(SOON)
        assert raw.recv(1) == b""


@pytest.mark.parametrize("request_", [["drop", 1], ["plan", 1], ["plan", "a", "b", "c"], 5, ["read", 0, 10, 2]])
def test_request_that_is_none_is_answered_with_an_error(bridged: Bridged, request_: Any) -> None:
    client = bridged.connect()

    with pytest.raises(PipelineError):
        client.exchange(request_, allowed_seconds=0)
    assert client.call("plan", 0, 3, SOON, False) == 3

    client.close()


def test_live_stream_has_one_planner_at_a_time(bridged: Bridged) -> None:
    first, second = bridged.connect(), bridged.connect()
    first.call("plan", 0, 5, SOON, False)

    with pytest.raises(PipelineError, match="another query, or another use in the same query"):
        second.call("plan", 0, 5, SOON, False)
    first.close()

    assert eventually(lambda: bridged.server.planner is None)
    assert second.call("plan", 5, 5, SOON, False) == 10
    second.close()


def test_client_of_an_ended_driver_is_told_so() -> None:
    bridged = Bridged(Stream.never())
    client = bridged.connect()
    bridged.close()

    with pytest.raises(BridgeError, match="the driver has ended or is stuck"):
        client.call("plan", 0, 5, 0.1, False)
    with pytest.raises(BridgeError, match=r"cannot be reached .* the driver that made the DataFrame has ended"):
        bridged.connect()

    client.close()


def test_closing_ends_a_plan_that_waits() -> None:
    bridged = Bridged(Stream.never())
    client = bridged.connect()
    failures: list[BaseException] = []

    def plan() -> None:
        try:
            client.call("plan", 0, 5, 60.0, False)
        except BridgeError as error:
            failures.append(error)

    waiting = threading.Thread(target=plan)
    waiting.start()
    assert eventually(lambda: bridged.elements.outstanding == 5)
    bridged.close()
    waiting.join(SOON)

    assert not waiting.is_alive()
    assert len(failures) <= 1  # the answer and the end of the connection race
    client.close()
