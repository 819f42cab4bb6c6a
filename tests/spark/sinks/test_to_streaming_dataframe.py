"""Streams as the source of streaming queries: each row once and in order, errors with their place, bad input."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import (
    Guarantee,
    NotSerializableError,
    PipelineError,
    SparkJobError,
    WriteAheadLog,
    close_bridge,
    explain,
    for_each_batch,
    source_guarantee,
    to_streaming_dataframe,
)
from tests.spark.stream_cases import SCHEMA, Changed, Counted, CountedBatches, FailsAt, batch, pairs

pytestmark = pytest.mark.spark

SOON = 60.0

Run = Callable[..., list[list[int]]]


@pytest.fixture
def live(spark: Any) -> Iterator[Any]:
    """Return `to_streaming_dataframe` for the session of the tests; what it makes is closed at the end."""
    made = []

    def make(stream: Any, **arguments: Any) -> Any:
        made.append(to_streaming_dataframe(stream, SCHEMA, session=spark, **arguments))
        return made[-1]

    yield make
    for df in made:
        close_bridge(df)
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-bridge")] == []


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return the function that runs a query to its end and gives the numbers of each batch."""

    def run_query(df: Any, *, checkpoint: str = "checkpoint") -> list[list[int]]:
        seen: list[list[int]] = []

        def take(batch_id: int, batches: Any) -> None:
            seen.append([number for batch in batches for number in batch["id"].to_pylist()])

        with for_each_batch(df, take, checkpoint=tmp_path / checkpoint, trigger="available_now") as query:
            assert query.await_end(SOON)
        return seen

    return run_query


@pytest.mark.smoke
def test_live_stream_arrives_in_batches_of_the_limit(live: Any, run: Run) -> None:
    df = live(pairs(0, 25), max_rows=10)

    assert run(df) == [[*range(10)], [*range(10, 20)], [*range(20, 25)]]
    assert df.schema["id"].nullable is False


def test_factory_arrives_in_batches_read_by_several_tasks(live: Any, run: Run) -> None:
    assert run(live(Counted(25), max_rows=10, tasks=3)) == [[*range(10)], [*range(10, 20)], [*range(20, 25)]]


@pytest.mark.parametrize("kind", ["live", "factory"])
def test_whole_batches_are_never_cut(live: Any, run: Run, kind: str) -> None:
    batches = CountedBatches(5, 4)
    source = Stream.from_iterable(list(batches(0))) if kind == "live" else batches

    assert run(live(source, max_rows=10, as_="batches", tasks=2)) == [[*range(8)], [*range(8, 16)], [*range(16, 20)]]


def test_query_goes_on_where_it_ended(live: Any, run: Run) -> None:
    assert run(live(Counted(12), max_rows=10)) == [[*range(10)], [10, 11]]
    assert run(live(Counted(15), max_rows=10)) == [[12, 13, 14]]


def test_factory_that_grows_is_asked_again(spark: Any, live: Any, tmp_path: Path) -> None:
    data = tmp_path / "lines"
    data.write_text("0\n1\n")

    def lines(offset: int) -> list[tuple[int, str]]:
        return [(int(line), line) for line in data.read_text().split()[offset:]]

    seen: list[int] = []

    def take(batch_id: int, batches: Any) -> None:
        seen.extend(number for batch in batches for number in batch["id"].to_pylist())

    with for_each_batch(live(lines), take, checkpoint=tmp_path / "checkpoint") as query:
        deadline = time.monotonic() + SOON
        while len(seen) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        data.write_text("0\n1\n2\n")
        while len(seen) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (seen, query.is_active) == ([0, 1, 2], True)
    assert not query.is_active


def test_log_gives_the_rows_of_an_unfinished_batch_again(live: Any, tmp_path: Path) -> None:
    seen: list[tuple[int, list[int]]] = []

    def fail_once(batch_id: int, batches: Any) -> None:
        numbers = [number for batch in batches for number in batch["id"].to_pylist()]
        seen.append((batch_id, numbers))
        if len(seen) == 2:
            raise OSError("the disk of the result is full")

    def go_on(position: int, log: WriteAheadLog) -> Any:
        df = live(pairs(position, 25), max_rows=10, log=log)
        return df, for_each_batch(df, fail_once, checkpoint=tmp_path / "checkpoint", trigger="available_now")

    with WriteAheadLog(tmp_path / "log") as log:
        df, query = go_on(0, log)
        with pytest.raises(
            PipelineError, match="for_each_batch failed on batch 1: OSError: the disk of the result"
        ) as e:
            query.await_end(SOON)
        assert (e.value.operator, e.value.row) == ("for_each_batch", "batch 1")
        close_bridge(df)
    with WriteAheadLog(tmp_path / "log") as log:
        # The publisher goes on after what the log has; the rest of batch 1 comes from the log.
        df, query = go_on(log.end_offset, log)
        assert query.await_end(SOON)
        close_bridge(df)

    assert seen == [(0, [*range(10)]), (1, [*range(10, 20)]), (1, [*range(10, 20)]), (2, [*range(20, 25)])]


def test_stream_without_a_log_says_what_it_lost(live: Any, run: Run, tmp_path: Path) -> None:
    def fail(batch_id: int, batches: Any) -> None:
        raise OSError

    first = live(pairs(0, 25), max_rows=10)
    with pytest.raises(PipelineError, match="failed on batch 0"):
        for_each_batch(first, fail, checkpoint=tmp_path / "checkpoint", trigger="available_now").await_end(SOON)

    with pytest.raises(PipelineError, match="elements 0 to 9 were planned before the driver was restarted"):
        run(live(pairs(10, 25), max_rows=10))


def test_failing_stream_fails_the_query_with_operator_line_and_element(live: Any, run: Run) -> None:
    with pytest.raises(PipelineError, match="ZeroDivisionError") as caught:
        run(live(Stream.range(100).map(lambda number: (1 // (7 - number), "")), max_rows=5))

    assert (caught.value.operator, caught.value.row) == ("map", "element 7")
    assert "test_to_streaming_dataframe.py" in caught.value.assembly


def test_failing_factory_fails_the_query_with_operator_line_and_element(live: Any, run: Run) -> None:
    with pytest.raises(PipelineError, match="ZeroDivisionError") as caught:
        run(live(FailsAt(lambda number: (1 // (7 - number), "")), max_rows=5))

    assert (caught.value.operator, caught.value.row) == ("map", "element 7")
    assert "stream_cases.py" in caught.value.assembly


@pytest.mark.parametrize("kind", ["live", "factory"])
def test_schema_mismatch_is_named_by_number_and_column(live: Any, run: Run, kind: str) -> None:
    def schema_mismatch(number: int) -> tuple[Any, str]:
        return ("x" if number == 12 else number, "")

    with pytest.raises(PipelineError, match="element 12 of the stream does not fit the schema: column 'id'"):
        run(live(Stream.range(100).map(schema_mismatch) if kind == "live" else FailsAt(schema_mismatch), max_rows=5))


def test_factory_that_is_not_replayable_is_found_out(live: Any, run: Run) -> None:
    with pytest.raises(PipelineError, match=r"returned the elements 10 to 19 .* but now ends before element 14"):
        run(live(Changed(25, on_executors=14), max_rows=10))


def test_live_stream_serves_one_query(live: Any, run: Run, tmp_path: Path) -> None:
    df = live(pairs(0, 25), max_rows=10)
    begun = threading.Event()

    with for_each_batch(df, lambda *_: begun.set(), checkpoint=tmp_path / "first"):
        assert begun.wait(SOON)
        with pytest.raises(PipelineError, match="another query, or another use in the same"):
            run(df, checkpoint="second")


def test_live_stream_may_stand_twice_in_one_plan(live: Any, run: Run) -> None:
    df = live(pairs(0, 12), max_rows=10)

    assert run(df.union(df)) == [[*range(10), *range(10)], [10, 11, 10, 11]]


def test_checkpoint_of_another_source_is_refused(spark: Any, live: Any, run: Run, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").mkdir()
    rate = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", 3)
        .load()
        .selectExpr("value AS id", "'' AS n")
    )
    query = rate.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    deadline = time.monotonic() + SOON
    while query.lastProgress is None and time.monotonic() < deadline:
        time.sleep(0.02)
    query.stop()

    with pytest.raises((PipelineError, SparkJobError), match="which belongs to another kind of source"):
        run(live(Counted(5)))


def test_guarantee_is_known_of_derived_dataframes_too(live: Any, tmp_path: Path) -> None:
    frames = live(Counted(5)), live(pairs(0, 5), log=tmp_path / "log"), live(pairs(0, 5))

    assert [source_guarantee(df).guarantee for df in frames] == [
        Guarantee.EXACTLY_ONCE,
        Guarantee.EXACTLY_ONCE,
        Guarantee.NONE,
    ]
    derived = [df.filter("id > 1").selectExpr("id + 1 AS more") for df in frames]
    assert [source_guarantee(df) for df in derived] == [source_guarantee(df) for df in frames]
    assert source_guarantee(frames[0].union(frames[2])) == source_guarantee(frames[2])
    plans = [str(explain(pipeline(), df)) for df in derived]
    assert ["the executors call the replayable factory" in plan for plan in plans] == [True, False, False]
    assert ["this process reads the stream, and its rows travel" in plan for plan in plans] == [False, True, True]


def test_dataframe_of_another_source_has_no_guarantee_of_ours(spark: Any) -> None:
    assert source_guarantee(spark.range(3)) is None


class Socketful:
    """A factory that holds what cannot be sent."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __call__(self, offset: int) -> list[Any]:
        return []


async def later(offset: int) -> list[Any]:
    return []


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        (
            {"stream_or_factory": [1]},
            ArgumentTypeError,
            r"must be a Stream, another Publisher, or a function .*got \[1\]",
        ),
        ({"stream_or_factory": later}, ArgumentTypeError, "got the coroutine function"),
        ({"stream_or_factory": Socketful()}, NotSerializableError, "cannot be sent to a worker"),
        ({"log": "log"}, ArgumentError, "log is for a live stream, got 'log' with a factory"),
        ({"max_rows": 0}, ArgumentError, r"to_streaming_dataframe\(max_rows\) needs a count from 1"),
        ({"max_rows": "9"}, ArgumentTypeError, "needs an integer"),
        ({"tasks": 2000}, ArgumentError, r"\(tasks\) needs a count from 1 to 1024"),
        ({"wait_seconds": 0}, ArgumentError, "wait_seconds must be above 0"),
        ({"wait_seconds": None}, ArgumentTypeError, "wait_seconds must be a number"),
        ({"as_": "row"}, ArgumentError, "as_ must be one of 'rows', 'batches'"),
        ({"schema": "id"}, ArgumentError, "cannot be used"),
        ({"session": 1}, ArgumentTypeError, "session must be a SparkSession"),
    ],
)
def test_bad_argument_is_refused(spark: Any, arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        to_streaming_dataframe(**{"stream_or_factory": Counted(5), "schema": SCHEMA, "session": spark, **arguments})


def test_log_of_another_stream_is_refused_and_freed(spark: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        df = to_streaming_dataframe(Stream.just(batch(0, 3)), SCHEMA, session=spark, log=log, as_="batches")
        query = for_each_batch(df, lambda *_: None, checkpoint=tmp_path / "checkpoint", trigger="available_now")
        assert query.await_end(SOON)
        close_bridge(df)

    with pytest.raises(Exception, match="written with as_='batches'"):
        to_streaming_dataframe(pairs(0, 3), SCHEMA, session=spark, log=tmp_path)
    WriteAheadLog(tmp_path).close()


@pytest.mark.parametrize(
    ("error", "is_told"), [("EOFError", False), ("ConnectionResetError", False), ("OSError", True)]
)
def test_process_that_plans_ends_quietly_when_spark_has_gone(error: str, is_told: bool) -> None:
    # As Spark's runner does: it stops the reader, and then fails to write to a connection that is closed.
    script = f"""
from reactivestreams.spark.sinks.stream_data_source import BridgeReader

options = {{"max_rows": "1", "tasks": "1", "wait_seconds": "1", "port": "1", "token": "none"}}
reader = BridgeReader(options, None)
try:
    try:
        raise {error}
    finally:
        reader.stop()
except {error}:
    raise BrokenPipeError
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ("BrokenPipeError" in ended.stderr) is is_told
