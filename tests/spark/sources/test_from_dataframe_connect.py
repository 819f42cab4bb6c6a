"""A DataFrame as a stream through Spark Connect, and the socket over which executors push its batches."""

import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams import Stream
from reactivestreams.dropped import set_hook
from reactivestreams.spark import SparkJobError, from_dataframe
from reactivestreams.spark.sources import batch_server
from reactivestreams.spark.sources.batch_push import ANSWER, BATCH, END, HEAD, HELLO, PROTOCOL, SCHEMA, pusher
from reactivestreams.spark.sources.batch_server import BatchServer
from reactivestreams.spark.sources.dataframe_rows import PartitionRows
from tests.spark.in_process import SparkProcess

pytestmark = pytest.mark.spark

WAIT_SECONDS = 30.0
COLUMNS = [
    "id", "CAST(id AS STRING) AS s", "IF(id % 3 = 0, NULL, id) AS n", "array(id, NULL) AS arr",
    "timestamp_seconds(id * 86400) AS t", "timestamp_ntz'2020-01-01 00:00:00' AS nt", "CAST(s AS BINARY) AS b",
    "map('a', id) AS m", "CAST(id AS DECIMAL(20,2)) AS dec", "struct(id, 'x' AS x) AS st",
]  # fmt: skip


# --- through Spark Connect: these functions run in the process of the fixture `connect` ------------------------------


def all_forms_against_collect(session: Any) -> list[bool]:
    frame = session.range(0, 60, 1, 4).selectExpr(*COLUMNS)
    rows = frame.collect()
    batches = from_dataframe(frame, as_="batches").to_list()
    return [
        from_dataframe(frame).to_list() == rows,
        from_dataframe(frame, as_="tuples", window=1).to_list() == [tuple(row) for row in rows],
        from_dataframe(frame, as_="dicts").to_list() == [row.asDict() for row in rows],
        pa.Table.from_batches(batches).equals(frame.toArrow()),
        from_dataframe(session.range(0)).to_list() == [],
        from_dataframe(session.range(0, 9, 1, 3).where("id > 6"), as_="tuples").to_list() == [(7,), (8,)],
    ]


def early_end(session: Any) -> tuple[list[Any], list[str]]:
    frame = session.range(0, 8_000_000_000, 1, 8)
    taken = from_dataframe(frame, as_="tuples").take(3).to_list()
    return taken, [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-")]


def failing(session: Any) -> str:
    frame = session.range(0, 40, 1, 4).selectExpr("assert_true(id < 25, 'too late in the year') AS a")
    try:
        from_dataframe(frame).run()
    except SparkJobError as error:
        return str(error)
    return "no error"


def streaming(session: Any) -> str:
    try:
        from_dataframe(session.readStream.format("rate").load())
    except ValueError as error:
        return str(error)
    return "no error"


def test_rows_equal_what_collect_gives_through_connect(connect: SparkProcess) -> None:
    assert connect.run(all_forms_against_collect) == [True] * 6


def test_leaving_early_ends_the_job_and_the_threads(connect: SparkProcess) -> None:
    # Eight thousand million rows: it would not come back if the job were not ended.
    assert connect.run(early_end) == [[[0], [1], [2]], []]


def test_failing_job_is_told_shortly_through_connect(connect: SparkProcess) -> None:
    message = connect.run(failing)

    assert "a Spark job of the DataFrame failed" in message
    assert "too late in the year" in message
    assert len(message) < 900


def test_streaming_dataframe_is_refused_through_connect(connect: SparkProcess) -> None:
    assert "df is a streaming DataFrame, which never ends" in connect.run(streaming)


# --- the same transport in a classic session -------------------------------------------------------------------------


def test_batches_of_all_partitions_come_in_order(spark: Any) -> None:
    frame = spark.range(0, 300, 1, 7).selectExpr("id", "id % 7 AS k")

    for window in (1, 3):
        rows = PartitionRows(frame, form="tuples", window=window)
        assert Stream.from_iterable(rows).to_list() == [(id_, id_ % 7) for id_ in range(300)]


def test_exception_of_a_worker_is_told_by_its_last_line(spark: Any) -> None:
    def fail(batches: Any) -> Any:
        for _ in batches:
            raise LookupError("no such airport")
        yield

    with pytest.raises(SparkJobError, match="failed: LookupError: no such airport; Spark's exception"):
        Stream.from_iterable(PartitionRows(spark.range(3).mapInArrow(fail, "id long"), form="rows", window=1)).run()


def test_large_batches_are_cut(spark: Any) -> None:
    server = BatchServer(window=3, name="test-server")
    push = pusher(server.address, server.token, max_frame_bytes=2000)

    def run() -> None:
        spark.range(0, 1000, 1, 1).mapInArrow(push, "partition int, batches long").collect()
        server.job_ended(None)

    job = threading.Thread(target=run)
    job.start()
    try:
        sizes = [batch.num_rows for batch in server]
    finally:
        server.close()
        job.join(WAIT_SECONDS)

    assert sum(sizes) == 1000
    assert len(sizes) > 4


# --- the server alone, with executors that the test plays ------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[BatchServer]:
    made = BatchServer(window=2, name="test-server")
    yield made
    made.close()
    assert not made.thread.is_alive()


@pytest.fixture
def told() -> Iterator[list[str]]:
    """Return what went to the hook for what cannot be delivered."""
    messages: list[str] = []
    previous = set_hook(lambda signal, value, *, origin: messages.append(f"{signal}: {value}"))
    yield messages
    set_hook(previous)


SCHEMA_BYTES = pa.schema([("id", pa.int64())]).serialize().to_pybytes()


class Task:
    """An executor's side of a connection."""

    def __init__(self, server: BatchServer, partition: int, *, token: bytes | None = None, attempt: int = 0) -> None:
        self.socket = socket.create_connection(server.address, timeout=WAIT_SECONDS)
        self.socket.sendall(HELLO.pack(PROTOCOL, token or server.token, partition, attempt))

    def answer(self) -> int:
        (number,) = ANSWER.unpack(self.receive(ANSWER.size))
        return int(number)

    def receive(self, size: int) -> bytes:
        received = b""
        while len(received) < size and (part := self.socket.recv(size - len(received))):
            received += part
        return received

    def frame(self, kind: bytes, payload: bytes = b"") -> None:
        self.socket.sendall(HEAD.pack(kind, len(payload)) + payload)

    def batch(self, number: int) -> None:
        self.frame(BATCH, pa.record_batch([pa.array([number])], ["id"]).serialize().to_pybytes())

    def has_demand(self, seconds: float) -> bool:
        self.socket.settimeout(seconds)
        try:
            return self.receive(1) == b"\x01"
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(WAIT_SECONDS)

    def close(self) -> None:
        self.socket.close()


def task(server: BatchServer, partition: int, **options: Any) -> Task:
    """Return a task that was let in and has sent its schema."""
    made = Task(server, partition, **options)
    assert made.answer() >= 0
    made.frame(SCHEMA, SCHEMA_BYTES)
    return made


def numbers(batch: pa.RecordBatch) -> list[Any]:
    return batch.column(0).to_pylist()


def test_wrong_token_is_refused_and_others_go_on(server: BatchServer, told: list[str]) -> None:
    stranger = Task(server, 0, token=bytes(32))
    first = task(server, 0)

    assert stranger.answer() == -1
    assert stranger.receive(1) == b""
    assert first.has_demand(WAIT_SECONDS)
    first.batch(5)
    assert numbers(next(server)) == [5]
    assert (server.refused, told) == (1, ["connection: it has a wrong token"])
    stranger.close()
    first.close()


def test_dropped_connection_is_told_as_one_of_its_source() -> None:
    origins: list[str] = []
    previous = set_hook(lambda signal, value, *, origin: origins.append(origin))
    server = BatchServer(window=1, name="test-server", origin="from_query")
    try:
        stranger = Task(server, 0, token=bytes(32))
        assert (stranger.answer(), stranger.receive(1)) == (-1, b"")
        stranger.close()
    finally:
        server.close()
        set_hook(previous)

    assert origins == ["from_query"]


def test_who_shows_no_token_in_time_is_closed(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_server, "HELLO_SECONDS", 0.05)
    server = BatchServer(window=2, name="test-server")
    try:
        with socket.create_connection(server.address, timeout=WAIT_SECONDS) as silent:
            assert silent.recv(1) == b""
    finally:
        server.close()

    assert told == ["connection: it did not send its token in time"]


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ((b"X", 3), "a frame of kind b'X' with 3 bytes"),
        ((BATCH, 2**40), "a frame of kind b'B' with 1099511627776 bytes"),
        ((BATCH, -1), "a frame of kind b'B' with -1 bytes"),
        ((END, 1), "a frame of kind b'E' with 1 bytes"),
    ],
)
def test_frame_that_cannot_be_closes_its_connection(
    server: BatchServer, told: list[str], frame: tuple[bytes, int], complaint: str
) -> None:
    bad = task(server, 1)
    if bad.has_demand(WAIT_SECONDS):
        bad.socket.sendall(HEAD.pack(*frame))

    assert bad.receive(1) == b""
    assert told == [f"connection: {complaint}"]
    bad.close()


def test_broken_arrow_data_closes_its_connection(server: BatchServer, told: list[str]) -> None:
    bad = task(server, 0)
    assert bad.has_demand(WAIT_SECONDS)
    bad.frame(BATCH, b"no Arrow data at all")

    assert bad.receive(1) == b""
    assert told[0].startswith("connection: a batch that cannot be read: ")
    bad.close()


def test_no_more_than_window_and_one_batches_are_here(server: BatchServer) -> None:
    behind = [task(server, number) for number in range(1, 5)]
    granted = [made for made in behind if made.has_demand(0.5)]
    for number, made in enumerate(granted):
        made.batch(number)

    # Two for those behind, one for the partition that is read.
    assert granted == behind[:2]
    first = task(server, 0)
    assert first.has_demand(WAIT_SECONDS)
    first.batch(7)
    assert not first.has_demand(0.2)
    assert numbers(next(server)) == [7]
    assert first.has_demand(WAIT_SECONDS)
    assert server.most_held == 3
    for made in (first, *behind):
        made.close()


def test_task_that_is_started_anew_is_told_what_was_delivered(server: BatchServer) -> None:
    first = task(server, 0)
    for number in (1, 2):
        assert first.has_demand(WAIT_SECONDS)
        first.batch(number)
        assert numbers(next(server)) == [number]
    first.close()

    again = Task(server, 0, attempt=1)
    assert again.answer() == 2
    again.frame(SCHEMA, SCHEMA_BYTES)
    assert again.has_demand(WAIT_SECONDS)
    again.batch(3)
    assert again.has_demand(WAIT_SECONDS)
    again.frame(END)
    assert again.has_demand(WAIT_SECONDS)
    server.job_ended(None)
    assert [numbers(batch) for batch in server] == [[3]]
    again.close()


def test_close_ends_a_waiting_reader(server: BatchServer) -> None:
    ended = threading.Event()
    reader = threading.Thread(target=lambda: (list(server), ended.set()))
    reader.start()

    server.close()

    assert ended.wait(WAIT_SECONDS)
    reader.join(WAIT_SECONDS)


def test_frames_that_come_in_pieces_are_put_together() -> None:
    near, far = socket.socketpair()
    connection = batch_server.Connection(near)
    sent = struct.pack(f"!{HELLO.size}s", b"h" * HELLO.size) + HEAD.pack(BATCH, 5) + b"12345" + HEAD.pack(END, 0)
    frames = []
    for position in range(len(sent)):
        far.sendall(sent[position : position + 1])
        frames += [(kind, bytes(payload)) for kind, payload in connection.receive()]

    assert frames == [(b"", b"h" * HELLO.size), (BATCH, b"12345"), (END, b"")]
    near.close()
    far.close()
