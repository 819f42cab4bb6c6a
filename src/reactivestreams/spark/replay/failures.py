"""Failures of a stream on its way to Spark, as errors with operator, line and element that survive as text."""

import re
from collections.abc import Iterable
from typing import Any

from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.pipelines.failures import with_details
from reactivestreams.spark.rows.row_encoding import RowEncoder

__all__ = ["as_fields", "from_fields", "misfit", "one_line", "stream_failure"]

NOTE = re.compile(r"in (?P<operator>.+), assembled at (?P<assembly>.+)", re.DOTALL)
"""The note by which the core says which operator's function raised."""

LONGEST_CAUSE_CHARACTERS = 400
"""Where the text of a cause is cut: Spark copies it into several messages."""

FIELDS = ("operator", "assembly", "row", "cause")


def stream_failure(error: BaseException, *, element: int) -> PipelineError:
    """Return the error of a stream that failed.

    Args:
        error: What it failed with.
        element: Number of the element that would have come next.
    """
    if isinstance(error, PipelineError):
        return error
    found = next(filter(None, map(NOTE.fullmatch, getattr(error, "__notes__", ()))), None)
    operator = found["operator"].rpartition("/")[2] if found else "to_streaming_dataframe"
    assembly = found["assembly"] if found else "?"
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


def misfit(encoder: RowEncoder, elements: Iterable[Any], first: int, error: RowEncodingError) -> PipelineError:
    """Return the error for elements of which one does not fit the schema, with the number of that one.

    Args:
        encoder: What refused them.
        elements: The elements that were encoded together.
        first: Number of the first of them.
        error: What the encoder raised.
    """
    number = first
    for number, element in enumerate(elements, first):  # noqa: B007 - the number is what is looked for
        try:
            list(encoder.encode([element]))
        except RowEncodingError as found:
            error = found
            break
    failure = PipelineError(
        f"element {number} of the stream does not fit the schema: {error}",
        operator="to_streaming_dataframe",
        row=error.row,
        cause=str(error),
    )
    failure.__cause__ = error
    return failure


def as_fields(error: PipelineError) -> dict[str, Any]:
    """Return an error as a message of the bridge."""
    return {"message": str(error), **{name: getattr(error, name) for name in FIELDS}}


def from_fields(fields: dict[str, Any]) -> PipelineError:
    """Return the error of a message, with the note that carries it through Spark."""
    return with_details(PipelineError(fields["message"], **{name: fields[name] for name in FIELDS}))


def one_line(error: BaseException) -> str:
    """Return type and message of an exception in one line of bounded length."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= LONGEST_CAUSE_CHARACTERS else text[:LONGEST_CAUSE_CHARACTERS] + "…"
