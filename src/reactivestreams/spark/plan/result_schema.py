"""The schema of a result: checked where the user tells it, computed where it is known."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.plan.batch_schema import empty_result
from reactivestreams.spark.plan.pipeline_plan import short_name
from reactivestreams.spark.rows.arrow_values import arrow_schema, spark_schema
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["checked_schema", "known_schema"]


def checked_schema(schema: object) -> "StructType":
    """Check the argument `schema` and return it as a `StructType`."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    if not isinstance(schema, (str, StructType)):
        raise ArgumentTypeError(
            f"schema must be a DDL text or a StructType, got {schema!r}; write it such as 'carrier string, delay "
            "double'"
        )
    try:
        parsed = StructType.fromDDL(schema) if isinstance(schema, str) else schema
        if not isinstance(parsed, StructType):
            raise ArgumentError(
                f"schema must name its columns, got {schema!r}; write it such as 'carrier string, delay double'"
            )
        arrow_schema(parsed)
    except PySparkException as error:
        raise ArgumentError(
            f"schema {schema!r} cannot be used: {first_line(error)}; write it such as 'carrier string, delay double'"
        ) from error
    names = parsed.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        problem = f"names {twice[0]!r} twice" if twice else "has no column"
        raise ArgumentError(f"schema {schema!r} {problem}; give each column of the result a name of its own")
    return parsed


def known_schema(pipeline: Pipeline[Any, Any], form: str, schema: "StructType") -> "StructType":
    """Return the schema of a pipeline's result, where nobody has told it.

    Raises:
        ArgumentError: It cannot be known.
    """
    from pyspark.errors import PySparkException

    if not pipeline.operators:
        return schema
    first = pipeline.operators[0]
    if form == "batches":
        batch, unknown = empty_result(pipeline, schema)
        if unknown is None:
            try:
                return spark_schema(batch.schema)
            except PySparkException as error:
                raise ArgumentError(
                    f"schema is needed, since Spark has no type for a column of {short_repr(batch.schema)}: "
                    f"{first_line(error)}; "
                    "pass such as schema='carrier string, delay double'"
                ) from error
        first = unknown
    raise ArgumentError(
        f"schema is needed, since nobody knows what operator {short_name(first)}, built at {first.assembly}, returns; "
        "pass the columns of the result, such as schema='carrier string, delay double'"
    )
