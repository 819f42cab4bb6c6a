"""A pipeline that replaces failing elements by failures, so that one bad row does not end its partition.

An element is a pair as in `numbered_pipeline`. If a function raises, a `FailedRow` replaces the pair, and the operators
after it pass it on unchanged.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reactivestreams.operators import (
    Cast,
    Do,
    Filter,
    FilterBatches,
    Finally,
    FlatMap,
    IgnoreElements,
    Map,
    MapBatches,
    MapNotNone,
    OfType,
    Pluck,
    PluckAttr,
    Project,
    Starmap,
    WithColumns,
)
from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.row_results import FailedRow
from reactivestreams.spark.operator_names import failed_operator, short_name
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder, short_repr
from reactivestreams.spark.steps.numbered_pipeline import (
    Pair,
    checking,
    first_outside,
    read_ahead,
    rewritten,
    selecting,
    spreading,
    unchanged,
)
from reactivestreams.spark.steps.step_results import RowsIn, located_errors, stream_of
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.stream import Operator, Pipeline, Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["RowResult", "TolerantStep", "failed", "first_intolerant", "message_of", "tolerant"]

RowResult = Pair | FailedRow
"""An element with its row's number, or the failure that replaces it."""


def tolerant(described: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return the pipeline that processes row results as the given one processes elements, and never fails."""
    return rewritten(described, TOLERANT)


def first_intolerant(described: Pipeline[Any, Any]) -> Operator | None:
    """Return the first operator without a tolerant form, or None."""
    return first_outside(described, TOLERANT)


def failed(pair: Pair, operator: Operator, error: Exception) -> FailedRow:
    """Return the failure that replaces a pair on which an operator failed."""
    return FailedRow(
        number=pair[0],
        element=short_repr(pair[1]),
        error=type(error).__name__,
        message=message_of(error),
        operator=short_name(operator),
        line=str(operator.assembly),
    )


def message_of(error: BaseException) -> str:
    """Return the text of an exception, also if its `__str__` raises."""
    try:
        return str(error)
    except Exception as second:
        return f"<{type(error).__name__} whose text raises {type(second).__name__}>"


def tolerant_map(operator: Operator) -> list[Operator]:
    """Wrap an operator that gives one element for each."""
    return tolerant_call(operator, operator.parameters[0])


def tolerant_starmap(operator: Operator) -> list[Operator]:
    """Wrap starmap."""
    return tolerant_call(operator, spreading(operator.parameters[0]))


def tolerant_call(operator: Operator, function: Callable[[Any], Any]) -> list[Operator]:
    """Return what passes on the result of a function of each element, or the failure."""

    def call(result: RowResult) -> RowResult:
        if type(result) is FailedRow:
            return result
        assert isinstance(result, tuple)
        try:
            return result[0], function(result[1])
        except Exception as error:
            return failed(result, operator, error)

    return [Operator(Map, (call,), operator.assembly)]


def tolerant_map_not_none(operator: Operator) -> list[Operator]:
    """Wrap map_not_none: an element gives another, a failure, or nothing."""
    function: Callable[[Any], Any] = operator.parameters[0]

    def call(result: RowResult) -> RowResult | None:
        if type(result) is FailedRow:
            return result
        assert isinstance(result, tuple)
        try:
            mapped = function(result[1])
        except Exception as error:
            return failed(result, operator, error)
        return None if mapped is None else (result[0], mapped)

    return [Operator(MapNotNone, (call,), operator.assembly)]


def tolerant_filter(operator: Operator) -> list[Operator]:
    """Wrap filter: an element passes, fails, or is left out."""
    predicate: Callable[[Any], object] = operator.parameters[0]

    def call(result: RowResult) -> RowResult | None:
        if type(result) is FailedRow:
            return result
        assert isinstance(result, tuple)
        try:
            return result if predicate(result[1]) else None
        except Exception as error:
            return failed(result, operator, error)

    return [Operator(MapNotNone, (call,), operator.assembly)]


def tolerant_of_type(operator: Operator) -> list[Operator]:
    """Wrap of_type: an element gives itself, or nothing."""
    return tolerant_filter(selecting(operator))


def tolerant_cast(operator: Operator) -> list[Operator]:
    """Wrap cast: an element gives itself, or a failure."""
    return tolerant_map(checking(operator))


def tolerant_ignore_elements(operator: Operator) -> list[Operator]:
    """Wrap ignore_elements: what failed before is no element."""
    return [Operator(Filter, (is_failure,), operator.assembly)]


def is_failure(result: RowResult) -> bool:
    """Tell whether a row has failed."""
    return type(result) is FailedRow


def tolerant_flat_map(operator: Operator) -> list[Operator]:
    """Wrap flat_map: the elements of an iterable before its failure remain."""
    function, *others = operator.parameters

    def call(result: RowResult) -> Iterator[RowResult]:
        if type(result) is FailedRow:
            yield result
            return
        assert isinstance(result, tuple)
        try:
            for part in function(result[1]):
                yield result[0], part
        except Exception as error:
            yield failed(result, operator, error)

    return [Operator(FlatMap, (call, *others), operator.assembly)]


def tolerant_do(operator: Operator) -> list[Operator]:
    """Wrap do: only its first function takes elements; an error of the others belongs to no row."""
    on_next, *others = operator.parameters
    steps = []
    if on_next is not None:

        def call(result: RowResult) -> RowResult:
            if type(result) is FailedRow:
                return result
            assert isinstance(result, tuple)
            try:
                on_next(result[1])
            except Exception as error:
                return failed(result, operator, error)
            return result

        steps.append(Operator(Map, (call,), operator.assembly))
    if any(others):
        steps.append(Operator(Do, (None, *others), operator.assembly))
    return steps


TOLERANT: dict[type, Callable[[Operator], list[Operator]]] = {
    Map: tolerant_map,
    Starmap: tolerant_starmap,
    Pluck: tolerant_map,
    PluckAttr: tolerant_map,
    MapNotNone: tolerant_map_not_none,
    Filter: tolerant_filter,
    OfType: tolerant_of_type,
    Cast: tolerant_cast,
    IgnoreElements: tolerant_ignore_elements,
    FlatMap: tolerant_flat_map,
    Do: tolerant_do,
    Finally: unchanged,
    MapBatches: tolerant_map,
    FilterBatches: tolerant_map,
    Project: tolerant_map,
    WithColumns: tolerant_map,
}
"""The operators without state: their result depends on one element only, so that an element can be left out."""


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
