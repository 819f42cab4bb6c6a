"""The schema of a result: the user's schema, checked, or the one that the operators imply.

The schema of expressions over batches is found by evaluating them on a batch without rows.
"""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators import (
    Cast,
    Checkpoint,
    Distinct,
    DistinctUntilChanged,
    Do,
    Filter,
    FilterBatches,
    FilterIndexed,
    Finally,
    IgnoreElements,
    KeyedScan,
    Log,
    Map,
    MapBatches,
    MapIndexed,
    MapNotNone,
    OfType,
    Project,
    Skip,
    SkipLast,
    SkipWhile,
    Starmap,
    Take,
    TakeLast,
    TakeWhile,
    WithColumns,
)
from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.operator_names import place_of
from reactivestreams.spark.rows.arrow_values import arrow_schema, spark_schema
from reactivestreams.spark.rows.row_classes import class_schema, field_names, returned_class
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["BATCH_OPERATORS", "checked_schema", "empty_result", "known_schema"]

BATCH_OPERATORS = frozenset({MapBatches, FilterBatches, Project, WithColumns})
"""Operators whose elements are Arrow batches."""

SAME_ELEMENTS = frozenset(
    {
        *(Filter, FilterIndexed, Distinct, DistinctUntilChanged, OfType, Cast, IgnoreElements),
        *(Skip, SkipLast, SkipWhile, Take, TakeLast, TakeWhile),
        *(Do, Finally, Log, Checkpoint),
    }
)
"""Operators that pass elements on as they are, or not at all, so that the columns remain."""

MADE_ELEMENTS = frozenset({Map, MapIndexed, MapNotNone, Starmap, KeyedScan})
"""Operators whose elements are what their function returns."""


def checked_schema(schema: object) -> "StructType":
    """Check the argument `schema` and return it as a `StructType`."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    if isinstance(schema, type) and field_names(schema):
        schema = class_schema(schema)
    if not isinstance(schema, (str, StructType)):
        raise ArgumentTypeError(
            "schema must be a DDL text, a StructType, or a dataclass, named tuple, typed dict or model of pydantic, "
            f"got {schema!r}; write it such as 'carrier string, delay double'"
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
        raise ArgumentError(f"schema {schema!r} {problem}; give each column of the result its own name")
    return parsed


def known_schema(pipeline: Pipeline[Any, Any], form: str, schema: "StructType") -> "StructType":
    """Return the schema that the operators of a pipeline imply.

    Raises:
        ArgumentError: They do not imply one.
    """
    from pyspark.errors import PySparkException

    changing = [operator for operator in pipeline.operators if operator.definition not in SAME_ELEMENTS]
    if not changing:
        return schema
    first, last = changing[0], changing[-1]
    if last.definition in MADE_ELEMENTS and (made := returned_class(function_of(last))):
        return checked_schema(made)
    if form == "batches":
        batch, unknown = empty_result(pipeline, schema)
        if unknown is None:
            try:
                return spark_schema(batch.schema)
            except PySparkException as error:
                raise ArgumentError(
                    f"schema is needed, since Spark has no type for a column of {short_repr(batch.schema)}: "
                    f"{first_line(error)}; pass for example schema='carrier string, delay double'"
                ) from error
        first = unknown
    raise ArgumentError(
        f"schema is needed, since the result of operator {place_of(first)}, is unknown; "
        "pass the columns of the result, such as schema='carrier string, delay double', or let the function of the "
        "last operator say with a type hint that it returns a dataclass"
    )


def function_of(operator: Operator) -> Any:
    """Return the function of an operator whose elements are what it returns."""
    return operator.parameters[operator.definition.parameter_names().index("function")]


def empty_result(pipeline: Pipeline[Any, Any], schema: "StructType") -> "tuple[pa.RecordBatch, Operator | None]":
    """Evaluate the expressions at the start of a pipeline on a batch without rows.

    Args:
        pipeline: The operators.
        schema: Columns of the DataFrame.

    Returns:
        The result of the expressions, and the first operator that calls a function of the user, or None.

    Raises:
        ArgumentError: An expression does not fit the columns; the message names operator, line and column.
    """
    import pyarrow as pa

    batch = pa.RecordBatch.from_pylist([], schema=arrow_schema(schema))
    for operator in pipeline.operators:
        if operator.definition in SAME_ELEMENTS:
            continue
        if not is_known(operator):
            return batch, operator
        try:
            batch = operator.parameters[0](batch)
        except Exception as error:
            raise ArgumentError(
                f"operator {place_of(operator)}, does not fit the columns "
                f"{', '.join(f'{field.name} ({field.type})' for field in batch.schema)}: {first_line(error)}"
            ) from error
    return batch, None


def is_known(operator: Operator) -> bool:
    """Return whether an operator consists of expressions only."""
    if operator.definition is FilterBatches:
        return not callable(operator.parameters[0].predicate)
    return operator.definition in (Project, WithColumns)
