"""What runs on the executors: the functions given to `mapInArrow`, which travel there as instances of plain values."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.payload import payload_reader
from reactivestreams.spark.row_encoding import RowEncoder, short_repr
from reactivestreams.spark.row_forms import Decoder, decoder
from reactivestreams.spark.tracked_rows import TrackedRows
from reactivestreams.stream import Pipeline, Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["PAYLOAD_COLUMN", "ResultTask", "RowsIn", "ShuffledIn", "located_errors", "stream_of"]

PAYLOAD_COLUMN = "payload"
"""Column of the elements' bytes while rows move between tasks."""

NOTE = re.compile(r"in (?P<operator>.+), assembled at (?P<assembly>.+)", re.DOTALL)
"""The note by which the core says which operator's function raised."""


class RowsIn:
    """Reads the rows of the DataFrame that the pipeline was applied to."""

    def __init__(self, form: str, schema: "StructType") -> None:
        self.form = form
        self.schema = schema

    def decoder(self) -> Decoder:
        """Return the function from a batch to its elements."""
        return decoder(self.form, self.schema)


class ShuffledIn:
    """Reads the elements that the step before has moved here."""

    def decoder(self) -> Decoder:
        """Return the function from a batch to its elements."""
        read = payload_reader()
        return lambda batch: map(read, batch.column(PAYLOAD_COLUMN).to_pylist())


class ResultTask:
    """Runs the last step and makes the rows of the result.

    Args:
        pipeline: The operators of the step.
        source: Reads what comes in.
        schema: Schema of the result.
        applied_at: Line at which the user applied the pipeline.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], source: RowsIn | ShuffledIn, *, schema: "StructType", applied_at: str
    ) -> None:
        self.applied_at = applied_at
        self.pipeline = pipeline
        self.source = source
        self.schema = schema

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step over one partition."""
        encoder = RowEncoder(self.schema)
        rows = TrackedRows(batches, self.source.decoder())
        with located_errors(rows, self.applied_at):
            yield from encoder.encode(iter(stream_of(self.pipeline, rows)))


def stream_of(pipeline: Pipeline[Any, Any], rows: TrackedRows) -> Stream[Any]:
    """Return the stream of the results of a step over some rows."""
    stream: Stream[Any] = Stream.from_iterable(rows)
    return stream.through(pipeline) if pipeline.operators else stream


@contextmanager
def located_errors(rows: TrackedRows, applied_at: str = "?") -> Iterator[None]:
    """Turn an exception that a step raises into a `PipelineError` with operator, line and row that survives as text."""
    try:
        yield
    except PipelineError as error:
        with_details(error)
        raise
    except RowEncodingError as error:
        # The row of the result: the rows that came in since are those of a whole batch.
        refused = PipelineError(str(error), operator="apply", assembly=applied_at, row=error.row, cause=str(error))
        raise with_details(refused) from error
    except Exception as error:
        found = next(filter(None, map(NOTE.fullmatch, getattr(error, "__notes__", ()))), None)
        if found is None:
            # Not a function of the user: Spark's own error while it reads the partition, or a fault of ours.
            raise
        cause = " ".join(f"{type(error).__name__}: {error}".split("\n"))
        operator = found["operator"].rpartition("/")[2]
        located = PipelineError.of_row(
            operator=operator, assembly=found["assembly"], row=short_repr(rows.row), cause=cause
        )
        raise with_details(located) from error
