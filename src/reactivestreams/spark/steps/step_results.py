"""A step on an executor: reading its rows, its results until a row fails, and the error for that row."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.operator_names import failed_operator
from reactivestreams.spark.rows.payload import payload_reader
from reactivestreams.spark.rows.row_encoding import RowEncoder, short_repr
from reactivestreams.spark.rows.row_forms import Decoder, decoder
from reactivestreams.spark.steps.numbered_pipeline import (
    Pair,
    first_unnumbered,
    needs_numbers,
    numbered,
    read_ahead,
)
from reactivestreams.spark.steps.tracked_rows import UNKNOWN_ROW, LocatedRow, NumberedRows, TrackedRows
from reactivestreams.stream import Pipeline, Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = [
    "PAYLOAD_COLUMN",
    "RowsIn",
    "ShuffledIn",
    "located_errors",
    "partition_number",
    "results_until_failure",
    "stream_of",
]

PAYLOAD_COLUMN = "payload"
"""Column that contains the elements as bytes during a shuffle."""

RESULTS_AHEAD = 128
"""How many results a step prefetches; batches are not prefetched."""


class RowsIn:
    """Reads the rows of the pipeline's DataFrame."""

    def __init__(self, form: str, schema: "StructType") -> None:
        self.form = form
        self.schema = schema
        self.results_ahead = 1 if form == "batches" else RESULTS_AHEAD

    def decoder(self) -> Decoder:
        """Return a function that decodes a batch into elements."""
        return decoder(self.form, self.schema)


class ShuffledIn:
    """Reads the elements that the step before has sent through the shuffle."""

    results_ahead = RESULTS_AHEAD

    def decoder(self) -> Decoder:
        """Return a function that decodes a batch into elements."""
        read = payload_reader()
        return lambda batch: map(read, batch.column(PAYLOAD_COLUMN).to_pylist())


def results_until_failure(
    pipeline: Pipeline[Any, Any],
    source: RowsIn | ShuffledIn,
    batches: "Iterable[pa.RecordBatch]",
    *,
    schema: "StructType",
    applied_at: str,
) -> "Iterator[pa.RecordBatch]":
    """Run the last step on one partition and yield its results; the first row that fails ends the task.

    Args:
        pipeline: The operators of the step.
        source: Reads the rows.
        batches: The partition.
        schema: Schema of the result.
        applied_at: Line at which the user applied the pipeline.
    """
    encoder, decode = RowEncoder(schema), source.decoder()
    reads_ahead, key = needs_numbers(pipeline), key_function(pipeline)
    if reads_ahead and first_unnumbered(pipeline) is None:
        rows = NumberedRows(batches, decode, read_ahead=read_ahead(pipeline))
        pairs = stream_of(numbered(pipeline), rows).iterate(prefetch=source.results_ahead)
        with located_errors(rows, applied_at, key=key):
            yield from encoder.encode(unnumbered(pairs, rows))
    else:
        tracked = TrackedRows(batches, decode, in_step=not reads_ahead)
        elements = stream_of(pipeline, tracked).iterate(prefetch=source.results_ahead)
        with located_errors(tracked, applied_at, key=key):
            yield from encoder.encode(elements)


def unnumbered(pairs: Iterable[Pair], rows: NumberedRows) -> Iterator[Any]:
    """Yield the elements of pairs, and drop batches that cause no more of them."""
    for number, element in pairs:
        rows.drop_before(number)
        yield element


def stream_of(pipeline: Pipeline[Any, Any], rows: TrackedRows | NumberedRows) -> Stream[Any]:
    """Return the stream of a step's results."""
    stream: Stream[Any] = Stream.from_iterable(rows)
    return stream.through(pipeline) if pipeline.operators else stream


@contextmanager
def located_errors(
    rows: TrackedRows | NumberedRows, applied_at: str = "?", *, key: Callable[[Any], object] | None = None
) -> Iterator[None]:
    """Convert an exception of a step into a `PipelineError` that survives as text, with operator, line and row.

    Args:
        rows: The rows of the step.
        applied_at: Line at which the user applied the pipeline.
        key: The key function, if the rows of the step have a key.
    """
    try:
        yield
    except PipelineError as error:
        with_details(error, error.__cause__)
        raise
    except RowEncodingError as error:
        # The error names a row of the result; which input row caused it is unknown within the batch.
        refused = PipelineError(str(error), operator="apply", assembly=applied_at, row=error.row, cause=str(error))
        raise with_details(refused) from error
    except Exception as error:
        found = failed_operator(error)
        if found is None:
            # Not a function of the user: Spark failed to read the partition, or this package has a bug.
            raise
        found_row = rows.located(error)
        located = PipelineError.of_row(
            operator=found.name,
            assembly=found.assembly,
            row=UNKNOWN_ROW if found_row is None else short_repr(found_row.row),
            cause=one_line(error),
            row_number=None if found_row is None else found_row.number,
            partition=None if found_row is None else partition_number(),
            key=key_of(found_row, key),
        )
        raise with_details(located, error) from error


def key_of(found: LocatedRow | None, key: Callable[[Any], object] | None) -> str:
    """Return the representation of a row's key; empty if it has no key or its key function fails."""
    if found is None or key is None:
        return ""
    try:
        return short_repr(key(found.row))
    except Exception:
        return ""  # the failed function may be the key function


def partition_number() -> int:
    """Return the number of the partition that this process is working on; 0 outside a Spark task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def key_function(pipeline: Pipeline[Any, Any]) -> Callable[[Any], object] | None:
    """Return the function that computes the keys of a step's rows, or None."""
    first = next(iter(pipeline.operators), None)
    return first.parameters[0] if first is not None and first.definition.keyed else None
