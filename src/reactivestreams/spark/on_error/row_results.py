"""Results and dead letters side by side, in batches with the two columns of `outcome_type`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.on_error.row_failures import (
    DEAD_LETTER_COLUMN,
    DEAD_LETTER_TEXTS,
    RESULT_COLUMN,
    FailedRow,
    outcome_type,
)
from reactivestreams.spark.rows.arrow_values import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Accumulator
    from pyspark.sql.types import StructType

__all__ = ["CountedFailures", "OutcomeBatches"]


class OutcomeBatches:
    """Makes the batches of one task.

    Args:
        result: Schema of the result.
        rows: Schema of the DataFrame that the pipeline is applied to.
        partition: Number of the task's partition, for failures that name no other.
    """

    def __init__(self, result: "StructType", rows: "StructType", *, partition: int) -> None:
        self.schema: pa.Schema = arrow_schema(outcome_type(result, rows))
        self.partition = partition

    def of(self, results: "Iterable[pa.RecordBatch]", failures: list[FailedRow]) -> "Iterator[pa.RecordBatch]":
        """Yield batches of results, then one of the dead letters of failures."""
        import pyarrow as pa

        result, letter = self.schema.field(RESULT_COLUMN).type, self.schema.field(DEAD_LETTER_COLUMN).type
        for batch in results:
            columns = struct_array(batch.columns, result, batch.num_rows)
            yield pa.RecordBatch.from_arrays([columns, pa.nulls(batch.num_rows, letter)], schema=self.schema)
        if failures:
            letters = dead_letters(failures, self.partition, letter.field("row").type, letter)
            yield pa.RecordBatch.from_arrays([pa.nulls(len(failures), result), letters], schema=self.schema)


class CountedFailures:
    """Gives the results of one task alone, and counts the failures.

    Args:
        counter: Spark's accumulator that counts them.
    """

    def __init__(self, counter: "Accumulator[int]") -> None:
        self.counter = counter

    def of(self, results: "Iterable[pa.RecordBatch]", failures: list[FailedRow]) -> "Iterator[pa.RecordBatch]":
        """Yield batches of results."""
        if failures:
            self.counter.add(len(failures))
        yield from results


def struct_array(columns: "list[pa.Array[Any]]", kind: "pa.StructType", size: int) -> "pa.Array[Any]":
    """Return columns as one column of structs."""
    import pyarrow as pa

    if not columns:
        return pa.array([{}] * size, kind)
    cast = [column.cast(field.type) for column, field in zip(columns, kind, strict=True)]
    return pa.StructArray.from_arrays(cast, fields=list(kind))


def dead_letters(
    failures: list[FailedRow], partition: int, row: "pa.StructType", letter: "pa.StructType"
) -> "pa.Array[Any]":
    """Return the column of some dead letters."""
    import pyarrow as pa

    if any(failure.rows is None for failure in failures):
        raise PipelineError("the row of a dead letter was dropped before it was written, which is a fault of apply")
    size = len(failures)
    gathered = pa.Table.from_batches([failure.rows for failure in failures]).combine_chunks()
    # A partition can have columns of other types than the schema says, such as points in time with another zone.
    columns = [gathered.column(index).combine_chunks() for index in range(gathered.num_columns)]
    parts = [
        struct_array(columns, row, size),
        *(pa.array([getattr(failure, name) for failure in failures], pa.string()) for name in DEAD_LETTER_TEXTS),
        pa.array([partition if failure.partition is None else failure.partition for failure in failures], pa.int32()),
        pa.array([failure.number for failure in failures], pa.int64()),
    ]
    return struct_array(parts, letter, size)
