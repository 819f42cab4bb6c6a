"""Rows that fail: what may be done with them, and the columns in which a dead letter tells of one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reactivestreams.spark.choice_argument import checked_choice

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = [
    "DEAD_LETTER",
    "DEAD_LETTER_COLUMN",
    "DEAD_LETTER_TEXTS",
    "FAIL",
    "POLICIES",
    "RESULT_COLUMN",
    "SKIP",
    "FailedRow",
    "checked_policy",
    "nullable",
    "outcome_type",
]

FAIL = "fail"
SKIP = "skip"
DEAD_LETTER = "dead_letter"
POLICIES = (FAIL, SKIP, DEAD_LETTER)
"""What `on_error` may be: fail at the first row that fails, leave such rows out, or collect them."""

RESULT_COLUMN = "result"
DEAD_LETTER_COLUMN = "dead_letter"

DEAD_LETTER_TEXTS = ("element", "error", "message", "operator", "line")
"""Columns of a dead letter that are attributes of `FailedRow` and texts."""


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A row that an operator failed on, in place of what it would have given.

    Attributes:
        number: Number of the row, from 0, among those that its task has read.
        element: Representation of the element that the function was called with.
        error: Class of the exception.
        message: Text of the exception.
        operator: Name of the operator.
        line: Where the operator was added.
        rows: The row as a batch of one.
        partition: Number of the partition that the row was read in, where that is not the task's own.
    """

    number: int
    element: str
    error: str
    message: str
    operator: str
    line: str
    rows: "pa.RecordBatch | None" = None
    partition: int | None = None


def checked_policy(on_error: object) -> str:
    """Check the argument `on_error` and return it.

    Raises:
        ArgumentTypeError: It is no text.
        ArgumentError: There is no such policy.
    """
    return checked_choice("on_error", on_error, POLICIES)


def dead_letter_type(rows: "StructType") -> "StructType":
    """Return the columns of a dead letter.

    Args:
        rows: Schema of the DataFrame that the pipeline is applied to.
    """
    from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

    return StructType(
        [
            StructField("row", rows),
            *(StructField(name, StringType()) for name in DEAD_LETTER_TEXTS),
            StructField("partition", IntegerType()),
            StructField("row_number", LongType()),
        ]
    )


def outcome_type(result: "StructType", rows: "StructType") -> "StructType":
    """Return the schema of results and dead letters in one DataFrame: of the two columns one is null."""
    from pyspark.sql.types import StructField, StructType

    return StructType(
        [
            StructField(RESULT_COLUMN, nullable(result)),
            StructField(DEAD_LETTER_COLUMN, dead_letter_type(nullable(rows))),
        ]
    )


def nullable(schema: "StructType") -> "StructType":
    """Return a schema whose columns may be null, as they are where the other column has the row."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(field.name, field.dataType, metadata=field.metadata) for field in schema.fields])
