"""Row results: a column of results and a column of dead letters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.rows.arrow_values import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Accumulator
    from pyspark.sql.types import StructType

__all__ = [
    "DEAD_LETTER_COLUMN",
    "RESULT_COLUMN",
    "CountedFailures",
    "FailedRow",
    "RowResults",
    "row_results_type",
]

RESULT_COLUMN = "result"
DEAD_LETTER_COLUMN = "dead_letter"

DEAD_LETTER_TEXTS = ("element", "error", "message", "operator", "line")
"""Text columns of a dead letter; they are attributes of `FailedRow`."""


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A row on which an operator failed.

    Attributes:
        number: Number of the row, from 0, among those that its task has read.
        element: Representation of the element that the function was called with.
        error: Class of the exception.
        message: Text of the exception.
        operator: Name of the operator.
        line: Where the operator was added.
        rows: A batch that contains only the row.
        partition: Number of the row's partition, if it differs from that of the task.
    """

    number: int
    element: str
    error: str
    message: str
    operator: str
    line: str
    rows: "pa.RecordBatch | None" = None
    partition: int | None = None


class RowResults:
    """Writes the batches of one task with the two columns of `row_results_type`.

    Args:
        result: Schema of the result.
        rows: Schema of the DataFrame.
        partition: Number of the task's partition, for failures without a partition.
    """

    def __init__(self, result: "StructType", rows: "StructType", *, partition: int) -> None:
        self.schema: pa.Schema = arrow_schema(row_results_type(result, rows))
        self.partition = partition

    def of(self, results: "Iterable[pa.RecordBatch]", failures: list[FailedRow]) -> "Iterator[pa.RecordBatch]":
        """Yield batches of results, then a batch of dead letters."""
        import pyarrow as pa

        result, letter = self.schema.field(RESULT_COLUMN).type, self.schema.field(DEAD_LETTER_COLUMN).type
        for batch in results:
            columns = struct_array(batch.columns, result, batch.num_rows)
            yield pa.RecordBatch.from_arrays([columns, pa.nulls(batch.num_rows, letter)], schema=self.schema)
        if failures:
            letters = dead_letters(failures, self.partition, letter.field("row").type, letter)
            yield pa.RecordBatch.from_arrays([pa.nulls(len(failures), result), letters], schema=self.schema)


class CountedFailures:
    """Writes only the results of one task, and counts the failures.

    Args:
        counter: The accumulator that counts them.
    """

    def __init__(self, counter: "Accumulator[int]") -> None:
        self.counter = counter

    def of(self, results: "Iterable[pa.RecordBatch]", failures: list[FailedRow]) -> "Iterator[pa.RecordBatch]":
        """Yield batches of results."""
        if failures:
            self.counter.add(len(failures))
        yield from results


def row_results_type(result: "StructType", rows: "StructType") -> "StructType":
    """Return the schema of row results; one of the two columns is null.

    Args:
        result: Schema of the result.
        rows: Schema of the DataFrame.
    """
    from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

    letter = StructType(
        [
            StructField("row", nullable(rows)),
            *(StructField(name, StringType()) for name in DEAD_LETTER_TEXTS),
            StructField("partition", IntegerType()),
            StructField("row_number", LongType()),
        ]
    )
    return StructType([StructField(RESULT_COLUMN, nullable(result)), StructField(DEAD_LETTER_COLUMN, letter)])


def nullable(schema: "StructType") -> "StructType":
    """Return a schema whose columns may be null."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(field.name, field.dataType, metadata=field.metadata) for field in schema.fields])


def struct_array(columns: "list[pa.Array[Any]]", kind: "pa.StructType", size: int) -> "pa.Array[Any]":
    """Combine columns into one column of structs."""
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
        raise PipelineError(
            "the row of a dead letter was dropped before it was written; this is a bug of apply, please report it"
        )
    size = len(failures)
    gathered = pa.Table.from_batches([failure.rows for failure in failures]).combine_chunks()
    # The types of a partition's columns can differ from the schema, such as timestamps in another time zone.
    columns = [gathered.column(index).combine_chunks() for index in range(gathered.num_columns)]
    parts = [
        struct_array(columns, row, size),
        *(pa.array([getattr(failure, name) for failure in failures], pa.string()) for name in DEAD_LETTER_TEXTS),
        pa.array([partition if failure.partition is None else failure.partition for failure in failures], pa.int32()),
        pa.array([failure.number for failure in failures], pa.int64()),
    ]
    return struct_array(parts, letter, size)
