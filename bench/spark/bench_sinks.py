"""What does it cost to bring a stream into a streaming query, beside a Python data source written by hand?

Bars: batches of 100,000 rows take at most 1.15 of the time of a hand-written Arrow source, with the log 1.5;
rows at most 1.3 of its form with tuples.
"""

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.interleaved import WALL_TIME, Case
from bench.rows import Bar, Family, Row
from reactivestreams import Stream
from reactivestreams.spark import close_bridge, to_dataframe, to_path, to_streaming_dataframe

BATCH_ROWS = 100_000
BATCHES = 12
WAIT_SECONDS = 300
SCHEMA = "id bigint, x double"

OF_ARROW = Bar(1.15, "x")
OF_ARROW_WITH_LOG = Bar(1.5, "x")
OF_TUPLES = Bar(1.3, "x")

runs: "itertools.count[int]" = itertools.count()


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is compared.

    Args:
        session: A session with two threads.
        folder: Empty; for files of this part.
        scale: Factor of the amounts of data.
    """
    size = max(1_000, int(BATCH_ROWS * scale))
    register_by_hand(session)
    return [
        batches(session, folder, size),
        rows(session, folder, size),
        folders(session, folder, size),
        frames(session),
    ]


def batches(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of whole Arrow batches."""
    total = BATCHES * size

    def ours(source: Callable[[], Any], *, log: bool = False) -> Callable[[], None]:
        def run() -> None:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                given = {"log": place} if log else {}
                df = to_streaming_dataframe(source(), SCHEMA, session=session, max_rows=size, as_="batches", **given)
                drain(df, folder, BATCHES)
                close_bridge(df)

        return run

    by_hand = Case(
        f"hand-written Arrow source, {size:,} rows a batch",
        hand_written(session, folder, size, "arrow"),
        total,
        WALL_TIME,
    )

    def factory() -> Any:
        return lambda offset: arrow_batches(offset, BATCHES, size)

    def live() -> Any:
        return Stream.from_iterable(arrow_batches(0, BATCHES, size))

    return [
        Row(Case("to_streaming_dataframe, factory, batches", ours(factory), total, WALL_TIME), by_hand, OF_ARROW),
        Row(Case("to_streaming_dataframe, live, batches", ours(live), total, WALL_TIME), by_hand, OF_ARROW),
        Row(
            Case("to_streaming_dataframe, live, batches, log", ours(live, log=True), total, WALL_TIME),
            by_hand,
            OF_ARROW_WITH_LOG,
        ),
    ]


def rows(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of single rows."""
    total = BATCHES * size

    def ours(source: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            df = to_streaming_dataframe(source(), SCHEMA, session=session, max_rows=size)
            drain(df, folder, BATCHES)
            close_bridge(df)

        return run

    by_hand = Case(
        f"hand-written source of tuples, {size:,} rows a batch",
        hand_written(session, folder, size, "tuples"),
        total,
        WALL_TIME,
    )

    def factory() -> Any:
        return lambda offset: tuples(offset, total)

    def live() -> Any:
        return Stream.from_iterable(tuples(0, total))

    return [
        Row(Case("to_streaming_dataframe, factory, rows", ours(factory), total, WALL_TIME), by_hand, OF_TUPLES),
        Row(Case("to_streaming_dataframe, live, rows", ours(live), total, WALL_TIME), by_hand, OF_TUPLES),
    ]


def folders(session: Any, folder: Path, size: int) -> Family:
    """Return the comparison of a folder of Parquet files with Spark's own file sink, from one source."""
    total = BATCHES * size

    def source() -> Any:
        return session.readStream.format("by-hand").options(kind="arrow", size=size, batches=BATCHES).load()

    def ours() -> None:
        with to_path(source(), fresh(folder), checkpoint=fresh(folder), trigger="available_now") as query:
            assert query.await_end(WAIT_SECONDS)

    def by_hand() -> None:
        writer = source().writeStream.format("parquet").option("path", str(fresh(folder)))
        query = writer.option("checkpointLocation", str(fresh(folder))).trigger(availableNow=True).start()
        assert query.awaitTermination(WAIT_SECONDS)

    baseline = Case(f"Spark's own Parquet sink, {size:,} rows a batch", by_hand, total, WALL_TIME)
    return [Row(Case("to_path", ours, total, WALL_TIME), baseline)]


def frames(session: Any) -> Family:
    """Return the comparison of a stream as a batch DataFrame with `createDataFrame` of its list."""
    count = 100_000

    def ours() -> None:
        df = to_dataframe(Stream.from_iterable(tuples(0, count)), SCHEMA, session=session)
        assert df.count() == count

    def by_hand() -> None:
        assert session.createDataFrame(list(tuples(0, count)), SCHEMA).count() == count

    baseline = Case("createDataFrame of a list", by_hand, count, WALL_TIME)
    return [Row(Case("to_dataframe, rows", ours, count, WALL_TIME), baseline)]


def fresh(folder: Path) -> Path:
    """Return the path of a folder that does not exist yet."""
    return folder / f"run-{next(runs)}"


def drain(df: Any, folder: Path, batches_expected: int) -> None:
    """Run a query over all that a source has, and throw it away."""
    writer = df.writeStream.format("noop").option("checkpointLocation", str(fresh(folder)))
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(WAIT_SECONDS)
    assert query.lastProgress.batchId == batches_expected - 1


def hand_written(session: Any, folder: Path, size: int, kind: str) -> Callable[[], None]:
    """Return a run over the source below."""

    def run() -> None:
        reader = session.readStream.format("by-hand").options(kind=kind, size=size, batches=BATCHES)
        drain(reader.load(), folder, BATCHES)

    return run


def arrow_batches(first: int, last: int, size: int) -> Iterator[Any]:
    """Yield batches with consecutive numbers."""
    import numpy as np
    import pyarrow as pa

    for number in range(first, last):
        ids = np.arange(number * size, (number + 1) * size)
        yield pa.RecordBatch.from_arrays([pa.array(ids), pa.array(ids * 0.5)], ["id", "x"])


def tuples(first: int, last: int) -> Iterator[tuple[int, float]]:
    """Yield rows with consecutive numbers."""
    return ((number, number * 0.5) for number in range(first, last))


def register_by_hand(session: Any) -> None:
    """Register the source that somebody would write for this: finite, without a count of its own, in memory alone."""
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
    from pyspark.sql.streaming.datasource import ReadMaxRows, SupportsTriggerAvailableNow

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: dict[str, str]) -> None:
            self.kind = options["kind"]
            self.size = int(options["size"])
            self.batches = int(options["batches"])

        def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"batch": 0}

        def getDefaultReadLimit(self) -> ReadMaxRows:  # noqa: N802 - Spark's name
            return ReadMaxRows(self.size)

        def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
            pass

        def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"batch": min(start["batch"] + 1, self.batches)}

        def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
            return [InputPartition((start["batch"], end["batch"]))]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            first, last = partition.value
            if self.kind == "arrow":
                return arrow_batches(first, last, self.size)
            return tuples(first * self.size, last * self.size)

    class ByHand(DataSource):
        @classmethod
        def name(cls) -> str:
            return "by-hand"

        def schema(self) -> str:
            return SCHEMA

        def streamReader(self, schema: Any) -> Reader:  # noqa: N802 - Spark's name
            return Reader(self.options)

    session.dataSource.register(ByHand)
