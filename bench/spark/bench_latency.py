"""How long is an element on its way from a publisher through a streaming query to a subscriber, and what does a
pipeline add to a small micro-batch?

The publisher lives in this process, `to_streaming_dataframe` gives its elements to the query, `from_query` takes them
out again, one by one. The time of a run is the median of its elements. The bar, 120 ms, is for an element that finds
the query waiting, under the settings of `session(fast=True)` that a running session can take: those of `spark.sql`.

A micro-batch of 1,000 rows takes at most 30 ms more with `apply` than with the same function in `mapInArrow`.
"""

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench.interleaved import Case
from bench.rows import MILLISECOND, Bar, Family, Row
from bench.spark.data import fresh, micro_batches
from bench.spark.query_time import Median, micro_batch_times
from reactivestreams import Stream, pipeline
from reactivestreams.spark import apply, close_bridge, from_query, to_streaming_dataframe
from reactivestreams.spark.sessions.launch import FAST_SETTINGS

ELEMENTS = 30
WARM_ELEMENTS = 5
PAUSE_SECONDS = 0.3
"""Between elements, so that the micro-batch before has been committed."""

TRIGGER_WAIT_SECONDS = 0.01
WAIT_SECONDS = 60.0

SMALL_BATCH_ROWS = 1_000
WARM_BATCHES, BATCHES = 5, 15

BAR = Bar(120 * MILLISECOND, "ns")
NOT_MUCH_MORE = Bar(30 * MILLISECOND, "ns more")


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is measured.

    Args:
        session: A session with two threads.
        folder: Empty; for files of this part.
        scale: Factor of the number of elements.
    """
    count = max(1, int(ELEMENTS * scale))

    def times(pause_seconds: float) -> Median:
        return Median(lambda: way_times(session, folder, count, pause_seconds))

    return [
        [
            Row(times(PAUSE_SECONDS).case("publisher to subscriber, median"), None, BAR),
            Row(times(0.0).case("the same, each element sent when the one before arrived"), None),
        ],
        small_batches(session, folder),
    ]


def small_batches(session: Any, folder: Path) -> Family:
    """Return the comparison of small micro-batches with and without this package."""
    source = micro_batches(session, SMALL_BATCH_ROWS)

    def by_hand(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            doubled = [2 * number for number in batch.column("value").to_pylist()]
            yield pa.RecordBatch.from_pydict({"value": doubled})

    def case(name: str, frame: Any) -> Case:
        times = Median(lambda: micro_batch_times(frame, folder, "append", WARM_BATCHES, BATCHES))
        return times.case(f"{name}, {SMALL_BATCH_ROWS:,} rows a micro-batch")

    ours = apply(pipeline().map(lambda row: (2 * row[1],)), source, schema="value long", as_="tuples")
    baseline = case("mapInArrow by hand", source.mapInArrow(by_hand, "value long"))
    return [Row(case("apply", ours), baseline, NOT_MUCH_MORE)]


def way_times(session: Any, folder: Path, count: int, pause_seconds: float) -> list[int]:
    """Return the nanoseconds that each element was on its way, after some to warm up."""
    sent: queue.SimpleQueue[tuple[int] | None] = queue.SimpleQueue()
    arrived: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    publisher = Stream.from_iterable(iter(sent.get, None))
    with fast_settings(session):
        df = to_streaming_dataframe(publisher, "number bigint", session=session, wait_seconds=TRIGGER_WAIT_SECONDS)
        rows = iter(from_query(df, checkpoint=fresh(folder), as_="tuples").take(WARM_ELEMENTS + count))

        def take() -> None:
            for (number,) in rows:
                arrived.put((number, time.perf_counter_ns()))

        # Asks for the next element as soon as it has one: to ask is what lets Spark commit a micro-batch.
        subscriber = threading.Thread(target=take)
        subscriber.start()
        times = []
        try:
            for number in range(WARM_ELEMENTS + count):
                time.sleep(pause_seconds)
                began = time.perf_counter_ns()
                sent.put((number,))
                arrival, came = arrived.get(timeout=WAIT_SECONDS)
                assert arrival == number
                times.append(came - began)
            subscriber.join(WAIT_SECONDS)
        finally:
            sent.put(None)
            rows.close()
            close_bridge(df)
    return times[WARM_ELEMENTS:]


@contextmanager
def fast_settings(session: Any) -> Iterator[None]:
    """Give a session, for a while, the settings for small data."""
    changed = {name: value for name, value in FAST_SETTINGS.items() if name.startswith("spark.sql.")}
    before = {name: session.conf.get(name, None) for name in changed}
    for name, value in changed.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, value)
