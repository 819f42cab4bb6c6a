"""A step without state whose rows may fail: results and failures, in bounded pieces."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.row_results import FailedRow
from reactivestreams.spark.on_error.tolerant_pipeline import RowResult, message_of, tolerant
from reactivestreams.spark.operator_names import failed_operator
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder, short_repr
from reactivestreams.spark.steps.numbered_pipeline import Pair, read_ahead
from reactivestreams.spark.steps.step_results import RowsIn, located_errors, stream_of
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.stream import Pipeline, Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["TolerantStep"]

Piece = tuple[list["pa.RecordBatch"], list[FailedRow]]
"""Batches of results, and the failures among the same rows."""


class TolerantStep:
    """Runs a pipeline without state on a partition and continues after rows that fail.

    If rows enter one by one, each function is called once per element. If batches enter, a batch that fails is halved
    until single rows fail, so functions are called again with smaller batches.

    Args:
        pipeline: The operators.
        source: Reads the input.
        policy: What happens to rows that fail.
    """

    def __init__(self, pipeline: Pipeline[Any, Any], source: RowsIn, policy: ErrorPolicy) -> None:
        self.pipeline = pipeline
        self.source = source
        self.schema: StructType = policy.result
        self.applied_at: str = policy.applied_at

    def pieces(self, batches: "Iterable[pa.RecordBatch]") -> Iterator[Piece]:
        """Yield the row results of a partition, at most `ENCODED_BATCH_ROWS` rows or one incoming batch at a time."""
        encoder = RowEncoder(self.schema)
        if self.source.form == "batches":
            first = 0
            for batch in batches:
                if batch.num_rows:
                    yield from self.of_batch(batch, first, encoder)
                first += batch.num_rows
            return
        rows = NumberedRows(batches, self.source.decoder(), read_ahead=read_ahead(self.pipeline))
        with located_errors(rows, self.applied_at):
            yield from self.of_rows(rows, encoder)

    def of_rows(self, rows: NumberedRows, encoder: RowEncoder) -> Iterator[Piece]:
        """Yield the row results of rows."""
        pairs: list[Pair] = []
        failures: list[FailedRow] = []
        # Nothing is read ahead, so the rows of waiting results are still retained.
        for result in self.row_results(rows):
            if isinstance(result, FailedRow):
                failures.append(replace(result, rows=rows.batch_of(result.number)))
            else:
                rows.needed_from = min(rows.needed_from, result[0])
                pairs.append(result)
            if len(pairs) + len(failures) == ENCODED_BATCH_ROWS:
                yield self.encoded(pairs, encoder, rows, failures)
                pairs, failures = [], []
                rows.drop_waiting()
        if pairs or failures:
            yield self.encoded(pairs, encoder, rows, failures)

    def row_results(self, rows: NumberedRows) -> Iterable[RowResult]:
        """Return the results of the operators."""
        return stream_of(tolerant(self.pipeline), rows).iterate(prefetch=1) if self.pipeline.operators else rows

    def encoded(self, pairs: list[Pair], encoder: RowEncoder, rows: NumberedRows, failures: list[FailedRow]) -> Piece:
        """Return the batches of some results; results that do not fit the schema become failures."""
        if not pairs:
            return [], failures
        try:
            return list(encoder.encode(element for _, element in pairs)), failures
        except RowEncodingError as error:
            if len(pairs) == 1:
                number, element = pairs[0]
                failure = FailedRow(
                    number,
                    short_repr(element),
                    type(error).__name__,
                    str(error),
                    "apply",
                    self.applied_at,
                    rows.batch_of(number),
                )
                return [], [*failures, failure]
            middle = len(pairs) // 2
            left, some = self.encoded(pairs[:middle], encoder, rows, failures)
            right, all_failures = self.encoded(pairs[middle:], encoder, rows, some)
            return [*left, *right], all_failures

    def of_batch(self, batch: "pa.RecordBatch", first: int, encoder: RowEncoder) -> Iterator[Piece]:
        """Yield the row results of a batch; `first` is the number of its first row."""
        stream: Stream[Any] = Stream.just(batch)
        try:
            results = list(encoder.encode(stream.through(self.pipeline).to_list()))
        except Exception as error:
            if batch.num_rows == 1:
                yield [], [self.failed_batch(batch, first, error)]
                return
        else:
            yield results, []
            return
        middle = batch.num_rows // 2
        yield from self.of_batch(batch.slice(0, middle), first, encoder)
        yield from self.of_batch(batch.slice(middle), first + middle, encoder)

    def failed_batch(self, batch: "pa.RecordBatch", number: int, error: Exception) -> FailedRow:
        """Return the failure for a batch of one row."""
        found = failed_operator(error)
        encoding = isinstance(error, RowEncodingError)
        if found is None and not encoding:
            # Not a function of the user: a bug of this package, which must not count as a failure of the row.
            raise error
        return FailedRow(
            number=number,
            element=short_repr(batch.to_pylist()[0]),
            error=type(error).__name__,
            message=message_of(error),
            operator="apply" if found is None else found.name,
            line=self.applied_at if found is None else found.assembly,
            rows=batch,
        )
