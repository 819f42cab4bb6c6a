"""What is known of a pipeline over batches before it runs: its expressions are tried on a batch without rows."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators import Do, FilterBatches, MapBatches, Project, WithColumns
from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.plan.pipeline_plan import short_name
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["BATCH_OPERATORS", "empty_result"]

BATCH_OPERATORS = frozenset({MapBatches, FilterBatches, Project, WithColumns})
"""Operators whose elements are Arrow batches."""


def empty_result(pipeline: Pipeline[Any, Any], schema: "StructType") -> "tuple[pa.RecordBatch, Operator | None]":
    """Run the expressions at the head of a pipeline over a batch without rows.

    Args:
        pipeline: The operators.
        schema: Columns of what enters.

    Returns:
        The result of the expressions, and the first operator that cannot be known without calling a function of the
        user; None where all are known.

    Raises:
        ArgumentError: An expression does not fit the columns; the message names operator, line and column.
    """
    import pyarrow as pa

    batch = pa.RecordBatch.from_pylist([], schema=arrow_schema(schema))
    for operator in pipeline.operators:
        if operator.definition is Do:
            continue
        if not is_known(operator):
            return batch, operator
        try:
            batch = operator.parameters[0](batch)
        except Exception as error:
            raise ArgumentError(
                f"operator {short_name(operator)}, built at {operator.assembly}, does not fit the columns "
                f"{', '.join(f'{field.name} ({field.type})' for field in batch.schema)}: {first_line(error)}"
            ) from error
    return batch, None


def is_known(operator: Operator) -> bool:
    """Tell whether what an operator does with a batch is told by expressions."""
    if operator.definition is FilterBatches:
        return not callable(operator.parameters[0].predicate)
    return operator.definition in (Project, WithColumns)
