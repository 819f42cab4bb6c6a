"""What a type checker sees of the operators over Arrow batches."""

from typing import Any, assert_type

import pyarrow as pa
import pyarrow.compute as pc

from reactivestreams import Pipeline, Stream, pipeline


def sorted_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.sort_by("id")


def mask(batch: pa.RecordBatch) -> object:
    return batch.column("late")


batches: Stream[pa.RecordBatch] = Stream.from_iterable([])
late = pc.field("delay") > 0

assert_type(batches.map_batches(sorted_batch), Stream[pa.RecordBatch])
assert_type(batches.filter_batches(late), Stream[pa.RecordBatch])
assert_type(batches.filter_batches(mask), Stream[pa.RecordBatch])
assert_type(batches.project("id", late=late), Stream[pa.RecordBatch])
assert_type(batches.with_columns(late=late), Stream[pa.RecordBatch])
assert_type(batches.project("id").map(str), Stream[str])

described = pipeline().filter_batches(late).with_columns(late=late)
assert_type(described, Pipeline[Any, pa.RecordBatch])
assert_type(described.project("id").map_batches(sorted_batch), Pipeline[Any, pa.RecordBatch])
assert_type(described.map(str), Pipeline[Any, str])

batches.map_batches(3)  # type: ignore[arg-type]
batches.project(3)  # type: ignore[arg-type]
described.with_columns(late)  # type: ignore[call-arg]
