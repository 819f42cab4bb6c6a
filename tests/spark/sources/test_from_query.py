"""A streaming query as a stream: its forms, its pace, its end."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row

from reactivestreams import Stream, Subscriber, Subscription
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.spark import MicroBatch, SparkJobError, from_query
from reactivestreams.state import load_tree, save_tree

pytestmark = pytest.mark.spark

WAIT_SECONDS = 60.0
ROWS = 5


def write_file(folder: Path, number: int) -> None:
    """Write the file that becomes micro-batch `number`: Spark takes the oldest first."""
    rows = [{"id": number * ROWS + row, "batch": number} for row in range(ROWS)]
    (folder / f".{number:04d}").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    # A second apart: Spark orders files by their times alone.
    os.utime(folder / f".{number:04d}", (number, number))
    (folder / f".{number:04d}").rename(folder / f"{number:04d}.json")


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    """Return the folder with the files of three micro-batches."""
    folder = tmp_path / "incoming"
    folder.mkdir()
    for number in range(3):
        write_file(folder, number)
    return folder


@pytest.fixture
def frame(spark: Any, incoming: Path) -> Any:
    """Return the streaming DataFrame over the files, one a micro-batch."""
    reader = spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1)
    return reader.json(str(incoming))


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


@pytest.fixture(autouse=True)
def nothing_is_left(spark: Any) -> Iterator[None]:
    """Check after each test that no query, job or thread is left."""
    yield
    assert [query.name for query in spark.streams.active] == []
    assert [
        thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-dataframe")
    ] == []


def committed(checkpoint: Path) -> list[int]:
    """Return the batches that Spark has committed."""
    return sorted(int(path.name) for path in (checkpoint / "commits").glob("[0-9]*"))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.02)


class Reader(Subscriber[Any]):
    """Keeps what it gets; requests when told."""

    def __init__(self) -> None:
        self.elements: list[Any] = []
        self.ended = threading.Event()
        self.end: Any = None
        self.subscribed = threading.Event()

    def on_subscribe(self, subscription: Subscription) -> None:
        self.subscription = subscription
        self.subscribed.set()

    def on_next(self, element: Any) -> None:
        self.elements.append(element)

    def on_error(self, error: BaseException) -> None:
        self.end = error
        self.ended.set()

    def on_complete(self) -> None:
        self.end = "complete"
        self.ended.set()


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("rows", [Row(id=id_, batch=id_ // ROWS) for id_ in range(3 * ROWS)]),
        ("tuples", [(id_, id_ // ROWS) for id_ in range(3 * ROWS)]),
        ("dicts", [{"id": id_, "batch": id_ // ROWS} for id_ in range(3 * ROWS)]),
    ],
)
def test_rows_come_in_the_order_of_the_batches(frame: Any, checkpoint: Path, form: str, expected: list[Any]) -> None:
    stream = from_query(frame, checkpoint=checkpoint, as_=form, trigger="available_now")

    assert stream.to_list() == expected
    assert committed(checkpoint) == [0, 1, 2]


def test_arrow_batches_hold_the_same(frame: Any, checkpoint: Path) -> None:
    batches = from_query(frame, checkpoint=str(checkpoint), as_="batches", trigger="available_now").to_list()

    assert pa.Table.from_batches(batches).column("id").to_pylist() == list(range(3 * ROWS))


@pytest.mark.parametrize("name", ["by batch", "für 100%", "file URI"])
def test_checkpoint_is_the_folder_that_was_named(frame: Any, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    from_query(
        frame, checkpoint=folder.as_uri() if "URI" in name else folder, as_="tuples", trigger="available_now"
    ).to_list()

    # Spark's own folders and the record: all in one place.
    assert committed(folder) == [0, 1, 2]
    assert [path.name for path in tmp_path.iterdir() if path.name not in (name, "incoming")] == []


def test_micro_batches_have_ids_and_can_be_read(frame: Any, checkpoint: Path) -> None:
    def read(batch: MicroBatch) -> tuple[int, bool, list[int], int]:
        ids = [row.id for row in batch.read()]
        return batch.batch_id, batch.is_redelivered, ids, batch.dataframe.count()

    seen = from_query(frame, checkpoint=checkpoint, as_="micro_batches", trigger="available_now").map(read).to_list()

    assert seen == [(number, False, list(range(number * ROWS, (number + 1) * ROWS)), ROWS) for number in range(3)]


def test_micro_batch_is_over_when_the_next_element_is_asked_for(frame: Any, checkpoint: Path) -> None:
    batches = from_query(frame, checkpoint=checkpoint, as_="micro_batches", trigger="available_now").to_list()

    with pytest.raises(StateError, match="micro-batch 0 is over, since the next element was requested"):
        batches[0].read()
    assert repr(batches[2]) == "MicroBatch(batch_id=2)"


def test_next_subscription_goes_on_from_the_checkpoint(frame: Any, incoming: Path, checkpoint: Path) -> None:
    stream = from_query(frame, checkpoint=checkpoint, as_="tuples", trigger="available_now").map(lambda row: row[1])

    first = stream.to_list()
    write_file(incoming, 3)
    second = stream.to_list()

    assert (first, second) == ([0] * ROWS + [1] * ROWS + [2] * ROWS, [3] * ROWS)


def test_nothing_starts_before_the_first_request(spark: Any, frame: Any, checkpoint: Path) -> None:
    reader = Reader()
    from_query(frame, checkpoint=checkpoint).subscribe(reader)

    assert spark.streams.active == []
    assert not checkpoint.exists()
    reader.subscription.cancel()


def test_batch_is_committed_when_what_is_behind_it_is_asked_for(frame: Any, checkpoint: Path) -> None:
    iterator = iter(from_query(frame, checkpoint=checkpoint, as_="tuples"))

    assert [next(iterator)[1] for _ in range(ROWS)] == [0] * ROWS
    # Spark has had its time: a second query of three batches ends in between.
    time.sleep(0.5)
    assert committed(checkpoint) == []
    assert next(iterator)[1] == 1
    assert committed(checkpoint) == [0]
    iterator.close()
    assert committed(checkpoint) == [0]


def test_leaving_a_loop_stops_the_query_and_the_batch_comes_again(frame: Any, checkpoint: Path) -> None:
    stream = from_query(frame, checkpoint=checkpoint, as_="tuples")
    for row in stream:
        if row == (ROWS + 1, 1):
            break

    again = from_query(frame, checkpoint=checkpoint, as_="tuples", trigger="available_now").to_list()

    assert [row[0] for row in again] == list(range(ROWS, 3 * ROWS))


def cancelled(frame: Any, checkpoint: Path, state: str) -> Reader:
    """Cancel a query from another thread than the one that requests, and return the reader when that one has ended."""
    reader, at_work, go_on = Reader(), threading.Event(), threading.Event()
    stream: Stream[Any] = from_query(frame, checkpoint=checkpoint, as_="tuples")

    def hold(row: Any) -> Any:
        if state == "inside a batch":
            at_work.set()
            assert go_on.wait(WAIT_SECONDS)
        elif row[0] == 3 * ROWS - 1:
            at_work.set()
        return row

    stream.map(hold).subscribe(reader)
    thread = threading.Thread(target=reader.subscription.request, args=(2**62,))
    thread.start()
    assert at_work.wait(WAIT_SECONDS)
    if state == "waiting for a batch":
        wait_for(lambda: committed(checkpoint) == [0, 1, 2])
    reader.subscription.cancel()
    go_on.set()
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive()
    return reader


@pytest.mark.parametrize("state", ["waiting for a batch", "inside a batch"])
def test_cancel_from_another_thread_ends_the_query(frame: Any, checkpoint: Path, state: str) -> None:
    assert cancelled(frame, checkpoint, state).end is None


def test_function_of_the_user_that_raises_ends_the_query(frame: Any, checkpoint: Path) -> None:
    def fail(row: Any) -> Any:
        if row[1] == 1:
            raise LookupError("no such airport")
        return row

    stream = from_query(frame, checkpoint=checkpoint, as_="tuples").map(fail)

    with pytest.raises(LookupError, match="no such airport"):
        stream.run()
    assert committed(checkpoint) == [0]


def test_query_that_fails_is_told_shortly(spark: Any, frame: Any, checkpoint: Path) -> None:
    failing = frame.selectExpr("assert_true(id < 7, 'too late in the year') AS a", "id")
    seen: list[int] = []

    with pytest.raises(SparkJobError, match="too late in the year") as caught:
        from_query(failing, checkpoint=checkpoint, as_="tuples").for_each(lambda row: seen.append(row[1]))

    assert seen == list(range(ROWS))
    assert len(str(caught.value)) < 600


def test_query_that_cannot_start_is_told_with_its_name(frame: Any, checkpoint: Path) -> None:
    totals = frame.groupBy("batch").count()

    with pytest.raises(
        SparkJobError, match=r"the streaming query 'totals' failed: .*Invalid streaming output mode: append"
    ):
        from_query(totals, checkpoint=checkpoint, name="totals").run()


def test_keyed_totals_come_in_the_output_mode_asked_for(frame: Any, checkpoint: Path) -> None:
    totals = frame.groupBy("batch").count()

    stream = from_query(totals, checkpoint=checkpoint, as_="tuples", output_mode="update", trigger="available_now")

    assert stream.to_list() == [(0, ROWS), (1, ROWS), (2, ROWS)]


def test_query_stopped_by_somebody_else_is_an_error(spark: Any, frame: Any, checkpoint: Path) -> None:
    iterator = iter(from_query(frame, checkpoint=checkpoint, as_="tuples", name="flights"))
    next(iterator)

    spark.streams.active[0].stop()

    with pytest.raises(SparkJobError, match="the streaming query 'flights' was stopped by another program"):
        list(iterator)
    assert committed(checkpoint) == []


def test_stop_of_a_query_that_waits_for_demand_returns(spark: Any, frame: Any, checkpoint: Path) -> None:
    iterator = iter(from_query(frame, checkpoint=checkpoint, as_="tuples"))
    next(iterator)
    stopper = threading.Thread(target=spark.streams.active[0].stop)

    stopper.start()
    stopper.join(WAIT_SECONDS)

    assert not stopper.is_alive()
    iterator.close()


def test_state_of_a_running_query_is_refused_and_the_query_goes_on(frame: Any, checkpoint: Path) -> None:
    reader = Reader()
    handle = from_query(frame, checkpoint=checkpoint, as_="tuples", trigger="available_now").bind(reader)
    handle.initialize()
    for requested in (0, 7):
        if requested:
            handle.request(requested)
        with pytest.raises(
            StateError, match=r"streaming query at .* cannot be saved: the query's checkpoint is its"
        ) as e:
            save_tree(handle)
        assert "from_query" in str(e.value.location)

    handle.request(2**62)

    assert [row[0] for row in reader.elements] == list(range(3 * ROWS))
    assert reader.end == "complete"


def test_state_of_an_ended_query_can_be_saved_and_loaded(spark: Any, frame: Any, checkpoint: Path) -> None:
    def totals() -> Stream[int]:
        query = from_query(frame, checkpoint=checkpoint, as_="tuples", trigger="available_now", name="totals")
        return query.scan(lambda total, row: total + row[0], 0)

    reader, again = Reader(), Reader()
    ended = totals().bind(reader)
    ended.initialize()
    ended.request(2**62)
    state = save_tree(ended)
    loaded = totals().bind(again)
    load_tree(loaded, state)
    loaded.initialize()
    loaded.request(2**62)

    assert (reader.elements[-1], reader.end) == (sum(range(3 * ROWS)), "complete")
    assert (again.elements, spark.streams.active) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"as_": "micro_batch"}, ArgumentError, "as_ must be one of .* did you mean 'micro_batches'"),
        ({"as_": 1}, ArgumentTypeError, "as_ must be a str, got 1"),
        ({"trigger": "soon"}, ArgumentError, "trigger must be None, 'available_now' or an interval, got 'soon'"),
        ({"trigger": 5}, ArgumentTypeError, "trigger must be None or a str, got 5"),
        ({"output_mode": "appending"}, ArgumentError, "output_mode must be one of .* did you mean 'append'"),
        ({"on_redelivery": "mark"}, ArgumentError, "on_redelivery must be one of 'deliver', 'skip', got 'mark'"),
        ({"window": 0}, ArgumentError, "window must be from 1 to 64, got 0"),
        ({"name": ""}, ArgumentError, "name must not be empty"),
        ({"name": 3}, ArgumentTypeError, "name must be None or a str, got 3"),
        ({"checkpoint": 3}, ArgumentTypeError, "checkpoint must be a path, got 3"),
        ({"checkpoint": ""}, ArgumentError, "checkpoint must be the path of a folder, got ''"),
        ({"checkpoint": "s3://bucket/c"}, ArgumentError, "must be on a file system that Spark reaches"),
        ({"checkpoint": __file__}, ArgumentError, "checkpoint names .*, which is a file"),
    ],
)
def test_bad_argument_is_refused_when_built(
    frame: Any, tmp_path: Path, arguments: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        from_query(frame, **{"checkpoint": tmp_path / "checkpoint", **arguments})


def test_what_is_no_streaming_dataframe_is_refused_when_built(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match=r"streaming_df must be a Spark DataFrame, got \[1\]"):
        from_query([1], checkpoint=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="streaming_df is a batch DataFrame; read it with from_dataframe"):
        from_query(spark.range(3), checkpoint=tmp_path)
