"""Do keyed pipelines cost less than hand-written per-key state, and about what Spark's own aggregate costs?

Each case is a streaming query over the built-in rate source, 100,000 rows a micro-batch, of which the median time of
the later micro-batches is taken; all cases of a row run in one session, one after the other.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

from reactivestreams import pipeline
from reactivestreams.spark import apply

ROWS_A_BATCH = 100_000
KEYS = 10_000
MANY_KEYS = 1_000_000
WARM_BATCHES = 3
MEASURED_BATCHES = 7
DEADLINE_SECONDS = 240.0

SCHEMA = "key long, n long, total double"
HAND_WRITTEN_BAR = 0.25
AGGREGATE_BAR = 2.0


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


def numbers(session: Any, keys: int, rows_a_batch: int) -> Any:
    """Return a stream of keys and numbers."""
    stream = session.readStream.format("rate-micro-batch").option("rowsPerBatch", rows_a_batch)
    frame = stream.option("numPartitions", 2).load()
    return frame.selectExpr(f"value * 7919 % {keys} as key", "cast(value as double) as x")


def by_hand(frame: Any) -> Any:
    return frame.groupBy("key").transformWithState(PerKey(), SCHEMA, "Update", "None")


def ours(buckets: int) -> Callable[[Any], Any]:
    """Return what applies a keyed scan, one result a row."""

    def applied(frame: Any) -> Any:
        stages = pipeline().key_by(itemgetter(0), max_keys=2 * MANY_KEYS).scan(mean_step, (0, 0, 0.0))
        return apply(stages, frame, schema=SCHEMA, as_="tuples", order_by="x", buckets=buckets)

    return applied


def chains(frame: Any) -> Any:
    """Apply a pipeline of each key's own."""
    stages = pipeline().key_by(itemgetter(0)).through(pipeline().scan(mean_step, (0, 0, 0.0)))
    return apply(stages, frame, schema=SCHEMA, as_="tuples", order_by="x", buckets=8)


def aggregate(frame: Any) -> Any:
    from pyspark.sql import functions

    return frame.groupBy("key").agg(functions.count("x").alias("n"), functions.sum("x").alias("total"))


def batch_milliseconds(frame: Any, folder: Path, name: str, *, mode: str) -> float:
    """Return the median time of a micro-batch of a query."""
    writer = frame.writeStream.format("noop").outputMode(mode).option("checkpointLocation", str(folder / name))
    query = writer.trigger(processingTime="0 seconds").start()
    deadline = time.monotonic() + DEADLINE_SECONDS
    try:
        while query.lastProgress is None or query.lastProgress.batchId < WARM_BATCHES + MEASURED_BATCHES:
            failure = query.exception()
            if failure is not None:
                raise failure
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{name}: no {WARM_BATCHES + MEASURED_BATCHES} micro-batches in {DEADLINE_SECONDS} s"
                )
            time.sleep(0.05)
        progress = query.recentProgress
    finally:
        query.stop()
    times = [each.durationMs["triggerExecution"] for each in progress if each.batchId >= WARM_BATCHES]
    return statistics.median(times)


def rows(session: Any, folder: Path, scale: float = 1.0) -> list[tuple[str, float, str, float, float]]:
    """Measure the cases.

    Args:
        session: A session of Spark.
        folder: Where checkpoints go.
        scale: Of the rows in a micro-batch; 1 is that of the bars.

    Returns:
        Rows of name, milliseconds, name of the baseline, its milliseconds, and the bar: the largest ratio allowed.
    """
    count = int(ROWS_A_BATCH * scale)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    measured = {
        name: batch_milliseconds(make(numbers(session, KEYS, count)), folder, name, mode=mode)
        for name, make, mode in (
            ("keyed scan, 8 buckets", ours(8), "append"),
            ("state a key by hand", by_hand, "update"),
            ("groupBy().agg()", aggregate, "update"),
            ("pipeline a key", chains, "append"),
        )
    }
    own, chain = measured["keyed scan, 8 buckets"], measured["pipeline a key"]
    by_user, built_in = measured["state a key by hand"], measured["groupBy().agg()"]
    many = batch_milliseconds(ours(64)(numbers(session, MANY_KEYS, count)), folder, "many keys", mode="append")
    return [
        ("keyed scan, 10,000 keys", own, "transformWithState a key", by_user, HAND_WRITTEN_BAR),
        ("keyed scan, 10,000 keys", own, "groupBy().agg()", built_in, AGGREGATE_BAR),
        ("pipeline a key, 10,000 keys", chain, "transformWithState a key", by_user, 1.0),
        ("keyed scan, 1,000,000 keys, 64 buckets", many, "groupBy().agg() of 10,000", built_in, float("inf")),
    ]


def main() -> None:
    import tempfile

    from reactivestreams.spark import session

    running = session("local[2]", config={"spark.driver.memory": "3g"})
    with tempfile.TemporaryDirectory(prefix="bench-keyed-state-") as folder:
        for name, value, baseline, against, bar in rows(running, Path(folder)):
            print(f"{name:40s} {value:7.0f} ms  {baseline:28s} {against:7.0f} ms  {value / against:5.2f} (bar {bar})")
    running.stop()


if __name__ == "__main__":
    main()
