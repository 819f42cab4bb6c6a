"""Windows of event time have the same results in a thread, a batch and a stream, and as those of Spark itself."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spark import apply
from reactivestreams.stream import Stream, pipeline
from tests.contracts.dropped_signals import recorded_drops
from tests.spark.keyed.test_event_time_sessions import FLUSH, came, write
from tests.spark.keyed.test_keyed_streaming import ROWS, Folder, Row, drained

pytestmark = pytest.mark.spark

LATENESS = 25
SCHEMA = "key string, start double, end double, ids array<bigint>"

WINDOWS: dict[str, Callable[[Any], Any]] = {
    "tumbling": lambda by_key: by_key.tumbling(30),
    "sliding": lambda by_key: by_key.sliding(30, 10),
    "session": lambda by_key: by_key.session(10),
}


def id_of(row: Row) -> Any:
    return row[0]


def gathered(ids: tuple[int, ...], row: Row) -> tuple[int, ...]:
    return (*ids, id_of(row))


def both(earlier: tuple[int, ...], later: tuple[int, ...]) -> tuple[int, ...]:
    return earlier + later


def windows(kind: str, fold: Any = gathered) -> Any:
    timed = pipeline().with_timestamps(lambda row: row[3], max_lateness=LATENESS)
    kinds = WINDOWS[kind](timed.key_by(lambda row: row[1])).reduce(fold, (), merge=both)
    return kinds.map(lambda window: (window.key, window.start, window.end, [*window.value]))


def told(results: Any) -> list[Row]:
    """Return the windows without that of the row behind all; of joined sessions the order depends on the way there."""
    return sorted((key, start, end, sorted(ids)) for key, start, end, ids in results if key != FLUSH[1])


def in_thread(kind: str, rows: list[Row]) -> list[Row]:
    with recorded_drops() as drops:
        results = told(Stream.from_iterable(rows).through(windows(kind)).to_list())
    assert drops == []
    return results


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Folder:
    return Folder(spark, tmp_path / "in")


def window_of_spark(kind: str) -> Any:
    from pyspark.sql.functions import session_window, window

    if kind == "session":
        return session_window("time", "10 seconds").alias("window")
    return window("time", "30 seconds", *(["10 seconds"] if kind == "sliding" else [])).alias("window")


@pytest.mark.parametrize("kind", WINDOWS)
def test_batch_has_the_windows_of_the_thread_and_of_spark(spark: Any, depth: Any, kind: str) -> None:
    rows = came(depth.seed)
    expected = in_thread(kind, rows)
    frame = spark.createDataFrame(rows, ROWS)

    for buckets in (1, 3):
        there = apply(windows(kind), frame, schema=SCHEMA, as_="tuples", order_by="id", buckets=buckets).collect()
        assert told(there) == expected

    timed = frame.selectExpr("key", "id", "timestamp_micros(cast(at * 1000000 as bigint)) AS time")
    counts = timed.groupBy("key", window_of_spark(kind)).agg({"id": "count"})
    shown = counts.selectExpr(
        "key", "unix_micros(window.start) / 1e6", "unix_micros(window.end) / 1e6", "`count(id)`"
    ).collect()
    assert sorted(map(tuple, shown)) == [(key, start, end, len(ids)) for key, start, end, ids in expected]


def test_nothing_is_late_in_a_batch(spark: Any) -> None:
    rows = [(1, "a", 0, 500.0), (2, "a", 0, 1.0), (3, "a", 0, 2.0)]
    frame = spark.createDataFrame(rows, ROWS)
    there = apply(windows("tumbling"), frame, schema=SCHEMA, as_="tuples", order_by="id", buckets=1).collect()
    assert told(there) == [("a", 0.0, 30.0, [2, 3]), ("a", 480.0, 510.0, [1])]


@pytest.mark.parametrize(("kind", "buckets", "form"), [
    ("tumbling", 3, "tuples"), ("sliding", 1, "tuples"), ("session", 3, "rows"),
])  # fmt: skip
def test_stream_has_the_windows_of_the_thread(
    folder: Folder, tmp_path: Path, depth: Any, kind: str, buckets: int, form: str
) -> None:
    rows = came(depth.seed)
    write(folder, rows, 60)

    frame = apply(windows(kind), folder.stream(), schema=SCHEMA, as_=form, order_by="id", buckets=buckets)

    assert told(drained(frame, tmp_path / "checkpoint", tmp_path / "out")) == in_thread(kind, rows)


def test_stream_closes_windows_by_the_watermark_of_all_keys(folder: Folder, tmp_path: Path) -> None:
    folder.write([(1, "a", 0, 1.0), (2, "b", 0, 2.0)])
    folder.write([(3, "c", 0, 100.0)])  # the watermark is 75 behind this one
    folder.write([(4, "a", 0, 3.0), (5, "b", 0, 80.0)])  # the first is late
    folder.write([(6, "c", 0, 101.0)])

    frame = apply(windows("tumbling"), folder.stream(), schema=SCHEMA, as_="tuples", order_by="id", buckets=2)

    found = told(drained(frame, tmp_path / "checkpoint", tmp_path / "out"))
    assert found == [("a", 0.0, 30.0, [1]), ("b", 0.0, 30.0, [2])]


def failing(ids: tuple[int, ...], row: Row) -> tuple[int, ...]:
    if row[2] == 3:
        raise ValueError("three")
    return gathered(ids, row)


@pytest.mark.parametrize("streams", [False, True], ids=["batch", "stream"])
def test_rows_that_fail_are_left_out_of_their_windows(
    spark: Any, folder: Folder, tmp_path: Path, depth: Any, streams: bool
) -> None:
    rows = came(depth.seed)
    if streams:
        write(folder, rows, 60)
    outcome = apply(
        windows("sliding", failing),
        folder.stream() if streams else spark.createDataFrame(rows, ROWS),
        schema=SCHEMA,
        as_="rows",
        order_by="id",
        buckets=3,
        on_error="dead_letter",
    )
    combined = outcome.combined
    found = drained(combined, tmp_path / "checkpoint", tmp_path / "out") if streams else combined.collect()

    expected = in_thread("sliding", [row for row in rows if row[2] != 3])
    assert told(result for result, _ in found if result is not None) == expected
    letters = [tuple(letter.row) for _, letter in found if letter is not None]
    assert sorted(letters) == [row for row in rows if row[2] == 3]


def test_function_for_late_elements_is_refused(spark: Any) -> None:
    timed = pipeline().with_timestamps(lambda row: row[3]).key_by(lambda row: row[1])
    stages = timed.tumbling(10, late=print).count()
    with pytest.raises(ArgumentError, match="has late=, which would be called in the processes of Spark"):
        apply(stages, spark.createDataFrame([FLUSH], ROWS), schema=SCHEMA, order_by="id")


def test_windows_are_not_disturbed_by_rows_in_any_order(spark: Any) -> None:
    rows = came(7)
    random.Random(7).shuffle(rows)
    frame = spark.createDataFrame(rows, ROWS)
    there = apply(windows("session"), frame, schema=SCHEMA, as_="tuples", order_by="id", buckets=2).collect()
    assert told(there) == in_thread("session", sorted(rows))
