"""What travels to the buckets where rows may fail: elements with the rows that caused them, and failures."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from reactivestreams.operators.expiry import microseconds
from reactivestreams.spark.keyed_state.buckets import bucket_finder
from reactivestreams.spark.keyed_state.packs import event_time_of
from reactivestreams.spark.pipelines.executor_tasks import RowsIn, partition_number, stream_of
from reactivestreams.spark.pipelines.guarded_pipeline import failed, guarded
from reactivestreams.spark.pipelines.row_failures import FailedRow
from reactivestreams.spark.pipelines.tracked_rows import NumberedRows
from reactivestreams.stream import Operator, Pipeline

__all__ = ["FAILURES_BUCKET", "Sent", "Traveller", "sent_elements"]

FAILURES_BUCKET = 0
"""Bucket through which the failures of the first step pass; its operators never see them."""


class Traveller(NamedTuple):
    """An element on its way to the bucket of its key.

    Attributes:
        partition: Number of the partition in which the row was read that caused the element.
        number: Number of that row there, from 0.
        row: The row.
        element: The element, often the row itself.
    """

    partition: int
    number: int
    row: Any
    element: Any


class Sent(NamedTuple):
    """What a task sends to a bucket.

    Attributes:
        bucket: The bucket.
        number: Number of the row.
        item: The element, or the failure in its place.
        time: The element's own time in microseconds; None where elements have none.
    """

    bucket: int
    number: int
    item: Traveller | FailedRow
    time: int | None


def sent_elements(
    pipeline: Pipeline[Any, Any], rows: NumberedRows, source: RowsIn, *, keyed: Operator, buckets: int
) -> Iterator[Sent]:
    """Run the operators before `key_by` over a partition and yield what goes to the buckets.

    A row that one of them, the key function or the function of the event time fails on becomes a failure.

    Args:
        pipeline: These operators, none with a state.
        rows: The partition.
        source: How its rows are read.
        keyed: The keyed operator; its first parameter is the key function.
        buckets: How many buckets there are.
    """
    key: Callable[[Any], object] = keyed.parameters[0]
    event_time, find, partition = event_time_of(keyed), bucket_finder(buckets), partition_number()
    outcomes = stream_of(guarded(pipeline), rows).iterate(prefetch=source.results_ahead) if pipeline.operators else rows
    for outcome in outcomes:
        if isinstance(outcome, FailedRow):
            failure = outcome
        else:
            number, element = outcome
            try:
                bucket = find(key(element))
                time = None if event_time is None else microseconds(event_time(element))
            except Exception as error:
                failure = failed(outcome, keyed, error)
            else:
                yield Sent(bucket, number, Traveller(partition, number, rows.row_itself(number), element), time)
                continue
        whole = replace(failure, rows=rows.batch_of(failure.number), partition=partition)
        yield Sent(FAILURES_BUCKET, failure.number, whole, None)
