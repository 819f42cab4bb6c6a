"""Failures of a stream that Spark reads, as errors with operator, line and element that survive as text."""

from collections.abc import Iterable
from typing import Any

from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.operator_names import failed_operator
from reactivestreams.spark.rows.row_encoding import RowEncoder

__all__ = ["as_fields", "first_mismatch", "from_fields", "schema_mismatch", "stream_failure"]

FIELDS = ("operator", "assembly", "row", "cause")


def stream_failure(error: BaseException, *, element: int) -> PipelineError:
    """Return the error for a stream that failed.

    Args:
        error: The error of the stream.
        element: Number of the next element.
    """
    if isinstance(error, PipelineError):
        return error
    found = failed_operator(error)
    operator = found.name if found else "to_streaming_dataframe"
    assembly = found.assembly if found else "?"
    cause = one_line(error)
    place = f"operator {operator}, built at {assembly}, " if found else "the stream "
    failure = PipelineError(
        f"{place}failed at element {element} of the stream: {cause}",
        operator=operator,
        assembly=assembly,
        row=f"element {element}",
        cause=cause,
        rule=getattr(error, "rule", None),
    )
    failure.__cause__ = error
    return failure


def first_mismatch(
    encoder: RowEncoder, elements: Iterable[Any], error: RowEncodingError
) -> tuple[int, RowEncodingError]:
    """Return the position of the first element that does not fit the schema, and its error.

    If each of them fits alone, the position is 0.

    Args:
        encoder: The encoder that refused the elements.
        elements: The elements that were encoded together.
        error: The exception of the encoder.
    """
    for position, element in enumerate(elements):
        try:
            list(encoder.encode([element]))
        except RowEncodingError as found:
            return position, found
    return 0, error


def schema_mismatch(number: int, error: RowEncodingError) -> PipelineError:
    """Return the error for an element that does not fit the schema.

    Args:
        number: Number of the element.
        error: The exception of the encoder.
    """
    failure = PipelineError(
        f"element {number} of the stream does not fit the schema: {error}",
        operator="to_streaming_dataframe",
        row=error.row,
        cause=str(error),
    )
    failure.__cause__ = error
    return failure


def as_fields(error: PipelineError) -> dict[str, Any]:
    """Convert an error into a message of the bridge."""
    return {"message": str(error), **{name: getattr(error, name) for name in FIELDS}}


def from_fields(fields: dict[str, Any]) -> PipelineError:
    """Convert a message into an error, with the note that carries it through Spark."""
    return with_details(PipelineError(fields["message"], **{name: fields[name] for name in FIELDS}))
