"""What does it cost to bring a stream into a streaming query, beside a Python data source written by hand for it?

Bars: batches of 100,000 rows take at most 1.15 of the time of a hand-written Arrow source, with the write-ahead log
1.5; rows at most 1.3 of its form with tuples. `to_path` takes at most 1.10 of the time of Spark's own sink in the same
file system. What is compared is a micro-batch of a query that runs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.interleaved import WALL_TIME, Case
from bench.rows import Bar, Family, Row
from bench.spark.data import ELEMENTS_SCHEMA, arrow_batches, fresh, tuples
from bench.spark.hand_written_source import hand_written, register
from bench.spark.query_time import Median, micro_batch_times, times_after
from reactivestreams import Stream
from reactivestreams.spark import close_bridge, to_dataframe, to_path, to_streaming_dataframe

BATCH_ROWS = 100_000
BATCHES = 8
WARM_BATCHES = 2
ENDLESS = 1_000_000
"""More micro-batches than any query here takes."""

FRAME_ROWS = 100_000
WAIT_SECONDS = 300

OF_ARROW = Bar(1.15, "x")
OF_ARROW_WITH_LOG = Bar(1.5, "x")
OF_TUPLES = Bar(1.3, "x")
OF_SPARKS_SINK = Bar(1.10, "x")


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is compared.

    Args:
        session: A session with two threads.
        folder: Empty; for files of this part.
        scale: Factor of the amounts of data.
    """
    size = max(1, int(BATCH_ROWS * scale))
    register(session)
    return [
        batches(session, folder, size),
        rows(session, folder, size),
        folders(session, folder, size),
        frames(session, max(1, int(FRAME_ROWS * scale))),
    ]


def batches(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of whole Arrow batches."""

    def factory(count: int) -> Any:
        return lambda offset: arrow_batches(offset, count, size)

    def live(count: int) -> Any:
        return Stream.from_iterable(arrow_batches(0, count, size))

    def ours(source: Callable[[int], Any], *, has_log: bool = False) -> Case:
        def times() -> list[float]:
            log = fresh(folder) if has_log else None
            df = to_streaming_dataframe(
                source(ENDLESS), ELEMENTS_SCHEMA, session=session, max_rows=size, log=log, as_="batches"
            )
            return times_of(df, folder)

        form = f"{source.__name__}, batches{', log' if has_log else ''}"
        return Median(times).case(f"to_streaming_dataframe, {form}", size)

    def whole() -> None:
        df = to_streaming_dataframe(factory(BATCHES), ELEMENTS_SCHEMA, session=session, max_rows=size, as_="batches")
        drain(df, folder, BATCHES * size)

    def whole_by_hand() -> None:
        drain(hand_written(session, "arrow", size, BATCHES), folder, BATCHES * size)

    baseline, total = by_hand(session, folder, "arrow", size), BATCHES * size
    started_by_hand = Case(
        f"hand-written source of arrow, a query of {BATCHES} batches", whole_by_hand, total, WALL_TIME
    )
    return [
        Row(ours(factory), baseline, OF_ARROW),
        Row(ours(live), baseline, OF_ARROW),
        Row(ours(live, has_log=True), baseline, OF_ARROW_WITH_LOG),
        Row(Case(f"factory, a whole query of {BATCHES} batches", whole, total, WALL_TIME), started_by_hand),
    ]


def rows(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of single rows."""

    def factory() -> Any:
        return lambda offset: tuples(offset, ENDLESS * size)

    def live() -> Any:
        return Stream.from_iterable(tuples(0, ENDLESS * size))

    def ours(source: Callable[[], Any]) -> Case:
        def times() -> list[float]:
            df = to_streaming_dataframe(source(), ELEMENTS_SCHEMA, session=session, max_rows=size)
            return times_of(df, folder)

        return Median(times).case(f"to_streaming_dataframe, {source.__name__}, rows", size)

    baseline = by_hand(session, folder, "tuples", size)
    return [Row(ours(factory), baseline, OF_TUPLES), Row(ours(live), baseline, OF_TUPLES)]


def by_hand(session: Any, folder: Path, kind: str, size: int) -> Case:
    """Return the baseline: a query over the hand-written source."""
    times = Median(lambda: times_of(hand_written(session, kind, size, ENDLESS), folder))
    return times.case(f"hand-written source of {kind}, {size:,} rows a batch", size)


def times_of(df: Any, folder: Path) -> list[float]:
    """Return the nanoseconds of some micro-batches of a running query; its start is a matter of its own."""
    try:
        return micro_batch_times(df, folder, "append", WARM_BATCHES, BATCHES)
    finally:
        close_bridge(df)


def folders(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of a folder of Parquet files with Spark's own file sink, from one source."""

    def source() -> Any:
        return hand_written(session, "arrow", size, WARM_BATCHES + BATCHES)

    def ours() -> list[float]:
        with to_path(source(), fresh(folder), checkpoint=fresh(folder), trigger="available_now") as running:
            assert running.await_end(WAIT_SECONDS)
            return times_after(WARM_BATCHES, running.query)

    def spark_alone() -> list[float]:
        writer = source().writeStream.format("parquet").option("path", str(fresh(folder)))
        query = writer.option("checkpointLocation", str(fresh(folder))).trigger(availableNow=True).start()
        assert query.awaitTermination(WAIT_SECONDS)
        return times_after(WARM_BATCHES, query)

    baseline = Median(spark_alone).case(f"Spark's own Parquet sink, {size:,} rows a batch", size)
    return [Row(Median(ours).case("to_path", size), baseline, OF_SPARKS_SINK)]


def frames(session: Any, count: int) -> Family:
    """Return the comparison of a stream as a batch DataFrame with `createDataFrame` of its list."""

    def ours() -> None:
        df = to_dataframe(Stream.from_iterable(tuples(0, count)), ELEMENTS_SCHEMA, session=session)
        assert df.count() == count

    def of_list() -> None:
        assert session.createDataFrame(list(tuples(0, count)), ELEMENTS_SCHEMA).count() == count

    baseline = Case(f"createDataFrame of a list, {count:,} rows", of_list, count, WALL_TIME)
    return [Row(Case("to_dataframe, rows", ours, count, WALL_TIME), baseline)]


def drain(df: Any, folder: Path, rows_expected: int) -> None:
    """Run a query over all that a source has, and throw it away."""
    writer = df.writeStream.format("noop").option("checkpointLocation", str(fresh(folder)))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(WAIT_SECONDS)
    progress = query.recentProgress
    assert sum(each.numInputRows for each in progress) == rows_expected
    assert len([each for each in progress if each.numInputRows]) == BATCHES
