"""Keys that end by event time get the same elements in a thread, a batch and a stream as in Spark's sessions."""

import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import apply
from reactivestreams.stream import Stream, pipeline
from tests.contracts.dropped_signals import recorded_drops
from tests.spark.keyed.test_keyed_streaming import ROWS, Folder, drained

pytestmark = pytest.mark.spark

Row = tuple[Any, ...]

IDLE, LATENESS = 10, 25
SESSION = "key string, first double, last double, ids array<bigint>"
FLUSH: Row = (-1, "flush", 0, 10_000.0)


def came(seed: int, count: int = 240) -> list[Row]:
    """Return rows as they come: each by less than the lateness behind its time, many at the very end of a session."""
    choose = random.Random(seed)
    times = [float(choose.randrange(60)) * IDLE + choose.choice((0.0, 0.0, 0.5)) for _ in range(count)]
    late = [time + choose.random() * LATENESS for time in times]
    order = sorted(range(count), key=late.__getitem__)
    return [(number, choose.choice("abcdefghijkl"), number % 7, times[place]) for number, place in enumerate(order)]


def gathered(found: Row | None, row: Row) -> Row:
    """Fold so that each order of other times gives another result."""
    first, ids = (row[3], []) if found is None else (found[0], found[2])
    return first, row[3], [*ids, row[0]]


def sessions(fold: Any = gathered) -> Any:
    by_key = pipeline().key_by(lambda row: row[1])
    expiring = by_key.expire_after(IDLE, event_time=lambda row: row[3], lateness=LATENESS)
    return expiring.reduce(fold, None).map(lambda pair: (pair[0], *pair[1]))


def told(results: Any) -> list[Row]:
    """Return the sessions without that of the row behind all."""
    return sorted((key, first, last, list(ids)) for key, first, last, ids in results if key != FLUSH[1])


def in_thread(rows: list[Row]) -> list[Row]:
    with recorded_drops() as drops:
        results = told(Stream.from_iterable(rows).through(sessions()).to_list())
    assert drops == []
    return results


def write(folder: Folder, rows: list[Row], size: int) -> None:
    """Write files of so many rows, and the row behind all, which lets every other session end."""
    rest = iter(rows)
    while part := [*islice(rest, size)]:
        folder.write(part)
    folder.write([FLUSH])


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Folder:
    return Folder(spark, tmp_path / "in")


def test_batch_has_the_sessions_of_the_thread_and_of_spark(spark: Any, depth: Any) -> None:
    rows = came(depth.seed)
    expected = in_thread(rows)
    frame = spark.createDataFrame(rows, ROWS)

    for buckets in (1, 3):
        there = apply(sessions(), frame, schema=SESSION, as_="tuples", order_by="id", buckets=buckets).collect()
        assert told(there) == expected

    windows = frame.selectExpr("key", "id", "at", "timestamp_micros(cast(at * 1000000 as bigint)) AS time").groupBy(
        "key", _session_window(spark)
    )
    counts = windows.agg({"at": "min", "id": "count"}).select("key", "min(at)", "count(id)").collect()
    assert sorted(map(tuple, counts)) == [(key, first, len(ids)) for key, first, _, ids in expected]


def _session_window(spark: Any) -> Any:
    from pyspark.sql.functions import session_window

    return session_window("time", f"{IDLE} seconds")


@pytest.mark.parametrize(("buckets", "form"), [(1, "tuples"), (4, "rows")])
def test_stream_has_the_sessions_of_the_thread(
    folder: Folder, tmp_path: Path, depth: Any, buckets: int, form: str
) -> None:
    rows = came(depth.seed)
    write(folder, rows, 60)

    frame = apply(sessions(), folder.stream(), schema=SESSION, as_=form, order_by="id", buckets=buckets)

    assert told(drained(frame, tmp_path / "checkpoint", tmp_path / "out")) == in_thread(rows)


def failing(found: Row | None, row: Row) -> Row:
    if row[2] == 3:
        raise ValueError("three")
    return gathered(found, row)


def test_rows_that_fail_while_others_come_are_told_as_themselves(folder: Folder, tmp_path: Path, depth: Any) -> None:
    rows = came(depth.seed)
    write(folder, rows, 60)

    outcome = apply(
        sessions(failing),
        folder.stream(),
        schema=SESSION,
        as_="rows",
        order_by="id",
        buckets=3,
        on_error="dead_letter",
    )
    found = drained(outcome.combined, tmp_path / "checkpoint", tmp_path / "out")

    assert told(result for result, _ in found if result is not None) == in_thread([row for row in rows if row[2] != 3])
    letters = [tuple(letter.row) for _, letter in found if letter is not None]
    assert sorted(letters) == [row for row in rows if row[2] == 3]
