"""What generated pipelines give in a thread and applied to a DataFrame, and what rows that fail give there."""

import warnings
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.functions import lit

from reactivestreams.spark import (
    PartitionStateWarning,
    apply,
    from_dataframe,
    to_path,
    to_streaming_dataframe,
)
from reactivestreams.stream import Stream, pipeline
from tests.conftest import Depth
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.spark.operator_deck import ROUND, SCHEMA, entering, made, made_input, run_in_thread

RESULT = "result string"


def seeds_of_run(depth: Depth) -> list[int]:
    """Return the seeds of some rounds, of which each has every operator; other ones for another seed of the run."""
    first = sum(map(ord, str(depth.seed)))
    return list(range(first * ROUND, (first + depth.scaled(1)) * ROUND))


def comparable(rows: Any, *, is_keyed: bool) -> list[str]:
    """Return the results; those of a keyed pipeline sorted, since between keys there is no order.

    A pipeline for each key numbers its results, so that their order within a key is compared, too.
    """
    results = [row[0] for row in rows]
    return sorted(results) if is_keyed else results


def result_in_thread(seed: int) -> list[str]:
    """Return what the pipeline of a seed gives in the caller's thread."""
    one = made(seed)
    return comparable(run_in_thread(one.text, made_input(seed), one.form), is_keyed=one.is_keyed)


def applied(session: Any, seed: int) -> Any:
    """Return the DataFrame of the results of the pipeline of a seed."""
    one = made(seed)
    frame = session.createDataFrame(made_input(seed), SCHEMA)
    arguments: dict[str, Any] = {"order_by": "number", "buckets": 2} if one.is_keyed else {}
    described = one.pipeline()
    if any(each.definition.stateful and not each.definition.keyed for each in described.operators):
        frame = frame.coalesce(1)  # such a state starts again in each partition
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitionStateWarning)
        return apply(described, frame, schema=RESULT, as_=one.form, **arguments)


def results_on_spark(session: Any, seeds: list[int]) -> dict[str, list[str]]:
    """Return what the pipelines of some seeds give on a session, in one job, by the text of the seed."""
    frames = [applied(session, seed).withColumn("seed", lit(seed)) for seed in seeds]
    rows: dict[int, list[Any]] = {seed: [] for seed in seeds}
    for row in reduce(DataFrame.unionAll, frames).collect():
        rows[row.seed].append(row)
    return {str(seed): comparable(found, is_keyed=made(seed).is_keyed) for seed, found in rows.items()}


def check_results(there: dict[str, list[str]]) -> None:
    """Compare what pipelines gave, by the text of the seed, with what they give in the caller's thread."""
    for seed, results in there.items():
        assert results == result_in_thread(int(seed)), f"seed {seed}: {made(int(seed)).text}"


def skipped_on_spark(session: Any) -> dict[str, Any]:
    """Return what the policies for failing rows give on a session."""
    frame = session.range(0, 20, 1, 2)
    failing = pipeline().map(lambda row: (row.id, 10 // (row.id % 5)))
    skipping = apply(failing, frame, schema="id bigint, part bigint", on_error="skip")
    before = skipping.skipped.count
    rows = [row.id for row in skipping.results.collect()]
    letters = apply(failing, frame, schema="id bigint, part bigint", on_error="dead_letter")
    return {
        "before": before,
        "rows": rows,
        "skipped": skipping.skipped.count,
        "results": [row.id for row in letters.results.collect()],
        "dead": sorted([row.row.id, row.operator, row.error] for row in letters.dead_letters.collect()),
    }


def streamed_on_spark(session: Any, folder: str) -> dict[str, Any]:
    """Return what a streaming query over the JSON files of a folder writes, skipping rows that fail."""
    frame = session.readStream.schema("number bigint").json(f"{folder}/in")
    skipping = apply(
        pipeline().map(lambda row: (row.number, 10 // (row.number % 5))),
        frame,
        schema="number bigint, part bigint",
        on_error="skip",
    )
    writer = skipping.results.writeStream.format("parquet").trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/out")
    assert query.awaitTermination(90)
    rows = session.read.schema("number bigint, part bigint").parquet(f"{folder}/out").collect()
    try:
        skipped = skipping.skipped.count
    except ValueError:
        skipped = sum(skipping.skipped.count_in(progress) for progress in query.recentProgress)
    return {"numbers": sorted(row.number for row in rows), "skipped": skipped}


def failed_on_spark(session: Any) -> dict[str, Any]:
    """Return the fields of the error of a pipeline that fails on a session."""
    from reactivestreams.spark import PipelineError, pipeline_errors

    failing = apply(
        pipeline().map(lambda row: (10 // (row.id - 13),)), session.range(0, 20, 1, 2), schema="part bigint"
    )
    try:
        with pipeline_errors():
            failing.collect()
    except PipelineError as error:
        return {"operator": error.operator, "row": error.row, "cause": error.cause, "number": error.row_number}
    return {}


def is_streamable(seed: int) -> bool:
    """Return whether a streaming query has the operators of a keyed pipeline, and results before its input ends."""
    one = made(seed)
    operators = one.pipeline().operators
    has_times = any(part in one.text for part in ("with_timestamps", "expire_after"))
    has_one_state = [each.definition.keyed for each in operators if each.definition.stateful] == [True]
    return one.is_keyed and has_one_state and not has_times and result_before_the_end(seed) != []


def result_before_the_end(seed: int) -> list[str]:
    """Return what the pipeline of a seed gives in the caller's thread as long as its input goes on."""
    one = made(seed)
    goes_on = Stream.from_iterable(entering(made_input(seed), one.form)).concat_with(Stream.never())
    subscriber = RecordingSubscriber()
    goes_on.through(one.pipeline()).subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    subscriber.cancel()
    return comparable(subscriber.elements, is_keyed=True)


class RowsOf:
    """A replayable factory of the rows of a seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, offset: int) -> Stream[Any]:
        return Stream.from_iterable(made_input(self.seed)[offset:])


def result_in_stream(session: Any, seed: int, folder: str) -> list[str]:
    """Return what the pipeline of a seed gives in a streaming query of some micro-batches."""
    one = made(seed)
    arriving = to_streaming_dataframe(RowsOf(seed), SCHEMA, max_rows=15, tasks=2)
    there = apply(one.pipeline(), arriving, schema=RESULT, as_=one.form, order_by="number", buckets=2)
    query = to_path(there, f"{folder}/out", checkpoint=f"{folder}/checkpoint", trigger="available_now")
    assert query.await_end(90)
    return comparable(session.read.parquet(f"{folder}/out").select("result").collect(), is_keyed=True)


def streams_of_results(session: Any, seed: int) -> list[str]:
    """Return what `from_dataframe` reads of a pipeline's result."""
    there = from_dataframe(applied(session, seed), as_="tuples").to_list()
    return comparable(there, is_keyed=made(seed).is_keyed)
