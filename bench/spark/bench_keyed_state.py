"""Do keyed pipelines cost less than hand-written per-key state, and about what Spark's own aggregate costs?

Bars: a keyed scan takes at most 0.20 of the time of a state for each key written by hand, and 1.5 times that of Spark's
aggregate; a pipeline of each key's own takes no longer than the state by hand. Each case is a streaming query, 100,000
rows a micro-batch, of which the median time of the later micro-batches is taken. What it costs to leave failing rows
out, where none fails, is told over a batch DataFrame.

Queries that hold many keys and get few rows take at most 1.2 times the time of Spark's aggregate a micro-batch, also
those with a window of each key, and their checkpoint at most 2 times the bytes, which stand in the columns of
nanoseconds. One micro-batch fills them. The floor is what Spark takes to call Python for eight buckets, with one small
value of state each, with a small value for each key, of which nothing is made, and with that behind another call of
Python, which tells the bucket of each key, as in a keyed pipeline.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from pyspark.sql.types import StructType

from bench.interleaved import WALL_TIME, Case
from bench.rows import Bar, Family, Row
from bench.spark.data import batch_of_keyed_numbers, fresh, keyed_numbers
from bench.spark.query_time import Median, micro_batch_times
from reactivestreams import Pipeline, pipeline
from reactivestreams.spark import apply
from reactivestreams.spark.keyed.map_calls import MapCalls

ROWS_A_BATCH = 100_000
KEYS = 10_000
MANY_KEYS = 1_000_000
WARM_BATCHES = 2
MEASURED_BATCHES = 3
FILLING_BATCHES = MANY_KEYS // ROWS_A_BATCH
"""Micro-batches until the state holds the many keys."""

HELD_KEYS = (1_000_000, 3_000_000)
"""How many keys the queries hold that get few rows."""

HELD_WINDOWS = 1_000_000
"""How many windows the queries hold that get few rows, each of one key."""

WINDOW_SECONDS = 1_000_000_000
"""Longer than what the rows tell of, so that no window closes."""

HELD_ROWS = 1_000
HELD_WARM, HELD_BATCHES = 2, 8
"""Micro-batches of a run: the first ones load the state; of the others the median is taken."""

KEPT_VALUES, VALUE_BYTES = 2_000, 100
"""What a bucket of `ValueOfKey` holds."""

SCHEMA = "key long, n long, total double"
HAND_WRITTEN_BAR = Bar(0.20, "x")
AGGREGATE_BAR = Bar(1.5, "x")
HELD_BAR = Bar(1.2, "x")
SIZE_BAR = Bar(2.0, "x")
NO_SLOWER = Bar(1.0, "x")

Apply = Callable[[Any], Any]


def mean_step(state: tuple[int, int, float], row: tuple[int, float]) -> tuple[int, int, float]:
    """Return key, count and sum."""
    return (row[0], state[1] + 1, state[2] + row[1])


class PerKey:
    """What one writes by hand: a typed value for each key, and a result for each row, as scan has it."""

    def init(self, handle: Any) -> None:
        self.state = handle.getValueState("mean", "n long, total double")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        from pyspark.sql import Row

        count, total = self.state.get() or (0, 0.0)
        for row in rows:
            count += 1
            total += row[1]
            yield Row(key=key[0], n=count, total=total)
        self.state.update((count, total))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        return iter([])

    def close(self) -> None:
        pass


def by_hand(frame: Any) -> Any:
    return frame.groupBy("key").transformWithState(PerKey(), SCHEMA, "Update", "None")


class ValueOfBucket:
    """The least that a stateful processor in Python does: a count in one value of each bucket."""

    def init(self, handle: Any) -> None:
        self.state = handle.getValueState("count", "n long")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        import pandas as pd

        count = (self.state.get() or (0,))[0] + sum(map(len, rows))
        self.state.update((count,))
        yield pd.DataFrame({"bucket": [key[0]], "n": [count]})

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        return iter([])

    def close(self) -> None:
        pass


class ValueOfKey(ValueOfBucket):
    """The least that one does that has a value for each key: it reads and writes those that come, without more.

    PySpark waits for each of these calls, which takes much longer; `MapCalls` sends all of them and then waits.
    """

    def init(self, handle: Any) -> None:
        super().init(handle)
        number, value = StructType().add("number", "integer"), StructType().add("value", "binary")
        self.values = MapCalls(handle.getMapState("values", number, value))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        frames = [*rows]
        numbers = sorted({number // 8 % KEPT_VALUES for frame in frames for number in frame["key"].tolist()})
        self.values.values(numbers)
        self.values.update((number, b"x" * VALUE_BYTES) for number in numbers)
        return super().handleInputRows(key, iter(frames), timerValues)


def value_a_key(frame: Any) -> Any:
    """Read and write a value for each key."""
    buckets = frame.selectExpr("int(key % 8) AS bucket", "key").groupBy("bucket")
    return buckets.transformWithStateInPandas(ValueOfKey(), "bucket int, n long", "Update", "None")


def told_buckets(batches: Iterator[Any]) -> Iterator[Any]:
    """Tell the bucket of each key."""
    import pyarrow as pa

    for batch in batches:
        keys = batch.column("key")
        yield pa.record_batch({"bucket": pa.array([key % 8 for key in keys.to_pylist()], pa.int32()), "key": keys})


def told_value_a_key(frame: Any) -> Any:
    """Read and write a value for each key, after Python has told its bucket."""
    buckets = frame.mapInArrow(told_buckets, "bucket int, key long").groupBy("bucket")
    return buckets.transformWithStateInPandas(ValueOfKey(), "bucket int, n long", "Update", "None")


def value_a_bucket(frame: Any) -> Any:
    """Count the rows of each of eight buckets."""
    buckets = frame.selectExpr("int(key % 8) AS bucket", "x").groupBy("bucket")
    return buckets.transformWithStateInPandas(ValueOfBucket(), "bucket int, n long", "Update", "None")


def keyed_scan() -> Pipeline[Any, Any]:
    """Return a keyed scan, one result a row."""
    return pipeline().key_by(itemgetter(0), max_keys=4 * MANY_KEYS).scan(mean_step, (0, 0, 0.0))


def ours(buckets: int) -> Apply:
    """Return what applies a keyed scan."""

    def applied(frame: Any) -> Any:
        return apply(keyed_scan(), frame, schema=SCHEMA, as_="tuples", order_by="x", buckets=buckets)

    return applied


def chains(frame: Any) -> Any:
    """Apply a pipeline of each key's own."""
    stages = pipeline().key_by(itemgetter(0)).through(pipeline().scan(mean_step, (0, 0, 0.0)))
    return apply(stages, frame, schema=SCHEMA, as_="tuples", order_by="x", buckets=8)


def aggregate(frame: Any) -> Any:
    from pyspark.sql import functions

    return frame.groupBy("key").agg(functions.count("x").alias("n"), functions.sum("x").alias("total"))


def windows(frame: Any) -> Any:
    """Apply windows of event time."""
    timed = pipeline().with_timestamps(itemgetter(1)).key_by(itemgetter(0))
    counted = timed.tumbling(WINDOW_SECONDS, max_windows=4 * MANY_KEYS).count()
    stages = counted.map(lambda window: (window.key, window.value, window.start))
    return apply(stages, frame, schema=SCHEMA, as_="tuples", order_by="x", buckets=8)


def windows_of_spark(frame: Any) -> Any:
    from pyspark.sql import functions

    timed = frame.select("key", functions.timestamp_seconds("x").alias("at")).withWatermark("at", "0 seconds")
    return timed.groupBy(functions.window("at", f"{WINDOW_SECONDS} seconds"), "key").count()


def policies(session: Any, count: int, keys: int) -> Family:
    """Return the rows that compare skipping rows that fail with failing, over a batch DataFrame where none fails."""
    frame = batch_of_keyed_numbers(session, keys, count)
    arguments: dict[str, Any] = {"schema": SCHEMA, "as_": "tuples", "order_by": "x", "buckets": 8}

    def case(name: str, applied: Any) -> Case:
        run: Callable[[], object] = applied.write.format("noop").mode("overwrite").save
        return Case(f"{name}, {keys:,} keys", run, count, WALL_TIME)

    failing = case("keyed scan of a batch DataFrame", apply(keyed_scan(), frame, **arguments))
    skipping = apply(keyed_scan(), frame, **arguments, on_error="skip").results
    return [Row(case("the same, on_error=skip", skipping), failing)]


@dataclass
class HeldQuery:
    """A streaming query that is filled with keys by its first micro-batch, and gets a few rows in each later one.

    Attributes:
        session: The session.
        folder: For its input and its checkpoint.
        applied: Returns its result for its input.
        mode: Spark's output mode.
        keys: How many keys it holds.
    """

    session: Any
    folder: Path
    applied: Apply
    mode: str
    keys: int
    rows: int = field(default=0, init=False)

    def times(self) -> list[float]:
        """Run some micro-batches, at first the one that fills it; return the nanoseconds of each of the later ones."""
        if self.rows == 0:
            (self.folder / "in").mkdir(parents=True)
            self.add(self.keys)
            self.progress()
        for _ in range(HELD_WARM + HELD_BATCHES):
            self.add(HELD_ROWS)
        return [each.durationMs["triggerExecution"] * 1e6 for each in self.progress()[HELD_WARM:]]

    def add(self, count: int) -> None:
        """Add a file of rows with the next keys."""
        import numpy as np
        import pyarrow as pa
        from pyarrow import parquet

        numbers = np.arange(self.rows, self.rows + count)
        rows = pa.table({"key": numbers * 7919 % self.keys, "x": numbers.astype(float)})
        parquet.write_table(rows, self.folder / "in" / f"{self.rows:012}.parquet")
        self.rows += count

    def progress(self) -> list[Any]:
        """Process all files, one a micro-batch, and return the progress of each."""
        source = self.session.readStream.schema("key long, x double").option("maxFilesPerTrigger", 1)
        writer = self.applied(source.parquet(str(self.folder / "in"))).writeStream.format("noop").outputMode(self.mode)
        query = writer.option("checkpointLocation", str(self.folder / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
        return [each for each in query.recentProgress if each.numInputRows]

    def sizes(self) -> list[float]:
        """Return the bytes of the checkpoint, in a list of one."""
        return [sum(path.stat().st_size for path in (self.folder / "checkpoint").rglob("*") if path.is_file())]


def held(session: Any, folder: Path, keys: int, applied: dict[str, tuple[Apply, str]]) -> Family:
    """Return the rows of queries that hold many keys and get few rows a micro-batch.

    Args:
        session: The session.
        folder: Empty.
        keys: How many keys they hold.
        applied: The result and the output mode of each by its name: ours, that of Spark, and others.
    """
    queries = {name: HeldQuery(session, folder / name, *each, keys) for name, each in applied.items()}
    times = {
        name: Median(query.times).case(f"{name}, {keys:,} keys, {HELD_ROWS:,} rows") for name, query in queries.items()
    }
    sizes = {name: Median(query.sizes).case(f"its checkpoint, {name}") for name, query in queries.items()}
    own, built_in, *others = queries
    return [
        Row(times[own], times[built_in], HELD_BAR),
        *(Row(times[other], times[built_in]) for other in others),
        Row(sizes[own], sizes[built_in], SIZE_BAR),
    ]


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is compared.

    Args:
        session: A session with two threads and two shuffle partitions.
        folder: Empty; for files of this part.
        scale: Factor of the rows in a micro-batch, and of the keys.
    """
    size = max(1, int(ROWS_A_BATCH * scale))
    keys, many_keys = max(1, int(KEYS * scale)), max(1, int(MANY_KEYS * scale))

    def case(name: str, applied: Apply, mode: str, count: int, warm: int = WARM_BATCHES) -> Case:
        frame = applied(keyed_numbers(session, count, size))
        times = Median(lambda: micro_batch_times(frame, folder, mode, warm, MEASURED_BATCHES))
        return times.case(f"{name}, {count:,} keys", size)

    own = case("keyed scan", ours(8), "append", keys)
    user_state = case("transformWithState a key", by_hand, "update", keys)
    built_in = case("groupBy().agg()", aggregate, "update", keys)
    many = case("keyed scan, 64 buckets", ours(64), "append", many_keys, FILLING_BATCHES)
    keyed: dict[str, tuple[Apply, str]] = {
        "keyed scan": (ours(8), "append"),
        "groupBy().agg()": (aggregate, "update"),
        "the floor: a value a bucket": (value_a_bucket, "update"),
        "a value a key, and nothing else": (value_a_key, "update"),
        "the same, its bucket told by Python": (told_value_a_key, "update"),
    }
    timed: dict[str, tuple[Apply, str]] = {
        "tumbling windows": (windows, "append"),
        "those of Spark": (windows_of_spark, "append"),
    }
    many_built_in = case("groupBy().agg()", aggregate, "update", many_keys, FILLING_BATCHES)
    return [
        [
            Row(own, user_state, HAND_WRITTEN_BAR),
            Row(own, built_in, AGGREGATE_BAR),
            Row(case("pipeline a key", chains, "append", keys), user_state, NO_SLOWER),
        ],
        [Row(many, many_built_in)],
        *(held(session, fresh(folder), max(1, int(count * scale)), keyed) for count in HELD_KEYS),
        held(session, fresh(folder), max(1, int(HELD_WINDOWS * scale)), timed),
        policies(session, size, keys),
    ]
