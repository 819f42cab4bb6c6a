"""Queries that the tests of `from_query` run in a process with a session of Spark Connect."""

import os
import threading
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from reactivestreams.spark import CheckpointError, FolderInUseError, SparkJobError, apply, from_query
from reactivestreams.spark.sources import connect_batches
from reactivestreams.stream import pipeline
from tests.spark.sources.test_from_dataframe_connect import COLUMNS
from tests.spark.sources.test_from_query import ROWS, cancelled, committed, write_file

WAIT_SECONDS = 60.0
NOW: dict[str, Any] = {"trigger": "available_now"}


def frame_over(spark: Any, base: str) -> Any:
    return spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(f"{base}/in")


def left_over(spark: Any) -> list[str]:
    """Return what is left of ended queries: names of queries, views and threads."""
    names = [f"query {query.name}" for query in spark.streams.active]
    names += [f"view {row.viewName}" for row in spark.sql("SHOW VIEWS IN global_temp").collect()]
    return names + [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-")]


def observed(function: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Return the function with what it leaves behind added to its result."""

    @wraps(function)
    def run(spark: Any, base: str) -> Any:
        return {"result": function(spark, base), "left": left_over(spark)}

    return run


def forms_of(spark: Any, base: str) -> list[list[str]]:
    """Return what a query gives in each form, as texts; also run in a classic session."""
    numbers = frame_over(spark, base)
    frame = numbers.selectExpr(*COLUMNS)
    found = []
    for form in ("rows", "tuples", "dicts"):
        checkpoint = f"{base}/{type(spark).__module__} {form}"
        found.append([*map(repr, from_query(frame, checkpoint=checkpoint, as_=form, window=1, **NOW))])
    batches = from_query(frame, checkpoint=f"{base}/{type(spark).__module__} batches", as_="batches", **NOW)
    return [*found, [repr(batch.to_pylist()) + repr(batch.schema) for batch in batches]]


@observed
def micro_batches(spark: Any, base: str) -> list[Any]:
    seen: list[Any] = []
    for batch in from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="micro_batches", **NOW):
        rows = batch.dataframe.count()
        # Read twice, the first time not to its end.
        first = batch.read("tuples").first()
        seen.append([batch.batch_id, batch.is_redelivered, first, [row.id for row in batch.read()], rows])
    return seen


@observed
def keyed_totals(spark: Any, base: str) -> list[Any]:
    totals = frame_over(spark, base).selectExpr("id % 2 AS odd").groupBy("odd").count()
    options: dict[str, Any] = {"checkpoint": f"{base}/c", "as_": "micro_batches", "output_mode": "update"}
    iterator = iter(from_query(totals, **options))
    next(iterator)
    finish_in_record(base, 0)
    iterator.close()
    # The batch that is left out is computed all the same: the later totals count its rows.
    stream = from_query(totals, **options, **NOW, on_redelivery="skip")
    return [[batch.batch_id, sorted(batch.read("tuples").to_list())] for batch in stream]


def finish_in_record(base: str, number: int) -> None:
    """Do what the reader does when a batch was consumed, without what follows."""
    Path(f"{base}/c/reactivestreams/delivered-{number % 2}").write_text(f"{number}\n")


@observed
def slow_reader(spark: Any, base: str) -> dict[str, Any]:
    iterator = iter(from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="tuples"))
    first = [next(iterator) for _ in range(ROWS)]
    # Spark has had its time: a query of three batches ends in between.
    time.sleep(1.0)
    held = [committed(Path(f"{base}/c")), len(spark.streams.active), os.listdir(f"{base}/c/reactivestreams")]
    second = next(iterator)
    released = committed(Path(f"{base}/c"))
    iterator.close()
    return {"first": first, "held": held, "second": second, "released": released}


def cancelled_over(spark: Any, base: str, state: str) -> Any:
    reader = cancelled(frame_over(spark, base), Path(f"{base}/c"), state)
    return [repr(reader.end), committed(Path(f"{base}/c"))]


@observed
def cancelled_inside(spark: Any, base: str) -> Any:
    return cancelled_over(spark, base, "inside a batch")


@observed
def cancelled_waiting(spark: Any, base: str) -> Any:
    return cancelled_over(spark, base, "waiting for a batch")


@observed
def left_in_an_endless_batch(spark: Any, base: str) -> list[Any]:
    """Leave a batch whose partitions but the first one have no end."""

    def endless(batches: Any) -> Any:
        import time

        from pyspark import TaskContext

        for batch in batches:
            while TaskContext.get().partitionId():
                time.sleep(0.01)
            yield batch

    frame = frame_over(spark, base).repartition(2, "id").mapInArrow(endless, "id long, batch int")
    return from_query(frame, checkpoint=f"{base}/c", as_="tuples").take(1).to_list()


@observed
def errors(spark: Any, base: str) -> dict[str, list[str]]:
    def divide(row: Any) -> tuple[int]:
        return (10 // (row.id - 7),)

    frame = frame_over(spark, base)
    queries = {
        "job": lambda: from_query(
            frame.selectExpr("assert_true(id < 7, 'too late in the year') AS a", "id"), checkpoint=f"{base}/job"
        ),
        "start": lambda: from_query(frame.groupBy("batch").count(), checkpoint=f"{base}/start", name="totals"),
        "pipeline": lambda: from_query(
            apply(pipeline().map(divide), frame, schema="tens bigint"), checkpoint=f"{base}/pipeline"
        ),
        "source": lambda: from_query(
            spark.readStream.schema("id long").option("mode", "FAILFAST").csv(f"{base}/in"), checkpoint=f"{base}/source"
        ),
    }
    found = {}
    for name, query in queries.items():
        try:
            query().run()
        except Exception as error:
            found[name] = [type(error).__name__, str(error), type(error.__cause__).__name__]
    return found


@observed
def consumer_fails(spark: Any, base: str) -> list[Any]:
    def fail(row: Any) -> None:
        if row[1] == 1:
            raise LookupError("no such airport")

    try:
        from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="tuples").for_each(fail)
    except LookupError as error:
        return [str(error), committed(Path(f"{base}/c"))]
    return []


@observed
def restarts(spark: Any, base: str) -> dict[str, Any]:
    def described(batch: Any) -> list[Any]:
        return [batch.batch_id, batch.is_redelivered, batch.read("tuples").to_list()]

    options: dict[str, Any] = {"checkpoint": f"{base}/c", "as_": "micro_batches"}
    before = []
    for batch in from_query(frame_over(spark, base), **options):
        before.append(described(batch))
        if batch.batch_id == 1:
            break
    after = from_query(frame_over(spark, base), **options, **NOW).map(described).to_list()
    write_file(Path(base) / "in", 3)
    later = from_query(frame_over(spark, base), **options, **NOW).map(described).to_list()
    return {"before": before, "after": after, "later": later}


@observed
def whose_checkpoint(spark: Any, base: str) -> dict[str, str]:
    said = {}
    frame = frame_over(spark, base)
    iterator = iter(from_query(frame, checkpoint=f"{base}/c", as_="tuples"))
    next(iterator)
    try:
        from_query(frame, checkpoint=f"{base}/c").run()
    except FolderInUseError as error:
        said["in use"] = str(error)
    iterator.close()
    try:
        from_query(spark.readStream.format("rate").load(), checkpoint=f"{base}/c").run()
    except CheckpointError as error:
        said["other"] = str(error)
    return said


def read_on(spark: Any, base: str) -> list[Any]:
    """Go on from a checkpoint, in whatever session."""
    stream = from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="micro_batches", **NOW)
    return stream.map(lambda batch: [batch.batch_id, batch.is_redelivered, batch.read("tuples").to_list()]).to_list()


@observed
def stopped_by_somebody_else(spark: Any, base: str) -> list[Any]:
    iterator = iter(from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="tuples", name="flights"))
    next(iterator)
    stopper = threading.Thread(target=spark.streams.active[0].stop)
    stopper.start()
    stopper.join(WAIT_SECONDS)
    try:
        list(iterator)
    except SparkJobError as error:
        return [stopper.is_alive(), str(error), committed(Path(f"{base}/c"))]
    return []


@observed
def held_up(spark: Any, base: str) -> list[Any]:
    """Show no life for longer than the batch function waits, in the midst of a batch."""
    seconds = connect_batches.BEAT_SECONDS, connect_batches.READER_SECONDS
    connect_batches.BEAT_SECONDS, connect_batches.READER_SECONDS = 60.0, 0.5
    try:
        iterator = iter(from_query(frame_over(spark, base), checkpoint=f"{base}/c", as_="tuples", name="flights"))
        rows = [next(iterator)]
        time.sleep(2.0)
        try:
            rows += iterator
        except SparkJobError as error:
            return [str(error), committed(Path(f"{base}/c"))]
    finally:
        connect_batches.BEAT_SECONDS, connect_batches.READER_SECONDS = seconds
    return rows
