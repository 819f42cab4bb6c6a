"""One bucket's operators where rows may fail: such a row leaves no trace in the state of its key."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ReactiveStreamsError
from reactivestreams.operators.expiry import Expiry, TimeReached, microseconds
from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.keyed_state.bucket_run import BucketRun
from reactivestreams.spark.keyed_state.travellers import Traveller
from reactivestreams.spark.pipelines.failures import with_details
from reactivestreams.spark.pipelines.guarded_pipeline import message_of
from reactivestreams.spark.pipelines.outcome_batches import OutcomeBatches
from reactivestreams.spark.pipelines.row_failures import FailedRow
from reactivestreams.spark.rows.row_encoding import RowEncoder, short_repr
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["LEAST_SAVED_AFTER", "GuardedRun"]

LEAST_SAVED_AFTER = 10_000
"""After how many elements without a failure the state is saved, at least."""

BYTES_AN_ELEMENT = 100
"""So many bytes of state put a save off by one element: to save it costs about what these elements cost."""

RESULTS_AN_ELEMENT = 10
"""So many results for each of these elements bring the next save on."""


@dataclass(slots=True)
class Handled:
    """What came to the operators, and what became of it.

    Attributes:
        cause: An element, or a time; None for a failure of the step before.
        results: What followed; empty for what failed.
        failure: What took the element's place.
    """

    cause: Traveller | TimeReached | None
    results: list[Any]
    failure: FailedRow | None = None


class GuardedRun:
    """Runs the operators of a bucket and goes on behind rows that fail, as if they had not been there.

    Where a function fails, the operators are made anew from the state that was saved last, and get again what has come
    since, without the row that failed. So functions are called again with the same elements and must do the same.

    What fails at the end of a key, or because there are too many keys, is no row's: it ends the task.

    Args:
        pipeline: The operators, from the keyed one on.
        state: What `save` returned for this bucket, or None.
        result: Schema of the result.
        rows: Schema of the DataFrame that the pipeline is applied to.
        applied_at: Line at which the user applied the pipeline.
        expiry: When a key is over, or None.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        state: bytes | None,
        *,
        result: "StructType",
        rows: "StructType",
        applied_at: str,
        expiry: Expiry | None,
    ) -> None:
        self.pipeline = pipeline
        self.state = state
        self.encoder: RowEncoder = RowEncoder(result)
        self.row_encoder: RowEncoder = RowEncoder(rows)
        self.outcomes: OutcomeBatches = OutcomeBatches(result, rows, partition=0)
        self.applied_at = applied_at
        self.expiry = expiry
        self.bucket: BucketRun = BucketRun(pipeline, state)
        self.since: list[Handled] = []
        """What has come since the state was saved, in its order."""
        self.waiting: deque[Traveller | FailedRow] = deque()
        """What has to be handled again."""
        self.results: int = 0
        self.reached: int | None = None
        self.has_failed: bool = False

    def run(self, items: Iterable[Traveller | FailedRow], *, now: int | None = None) -> "Iterator[pa.RecordBatch]":
        """Yield what becomes of some elements, and pass on failures; the state is saved at the end.

        Args:
            items: In their order.
            now: How late it is, in microseconds since 1970, where keys end by time.
        """
        if now is not None:
            self.reach(now)
        for item in items:
            self.handle(item)
            if self.is_due():
                yield from self.settled()
        while self.since:
            yield from self.settled()
        if self.state is None:
            self.state = self.bucket.save()

    def finish(self) -> "Iterator[pa.RecordBatch]":
        """End all keys, and yield what follows."""
        self.bucket.feed.subscriber.on_complete()
        if self.bucket.results.error is not None:
            raise self.bucket.located(self.bucket.results.error, None, -1)
        try:
            yield from self.outcomes.of(self.encoder.encode(self.bucket.results.waiting), [])
        except RowEncodingError as error:
            raise self.misfit(error) from error

    def handle(self, item: Traveller | FailedRow) -> None:
        """Feed an element and note what becomes of it, or keep a failure."""
        if isinstance(item, FailedRow):
            self.since.append(Handled(None, [], item))
            return
        if self.expiry is not None and self.expiry.event_time is not None:
            # What ends by the time of an element is not that element's: it is ended before.
            self.reach(microseconds(self.expiry.event_time(item.element)) - self.expiry.lateness)
        try:
            self.feed(item)
        except PipelineError as refused:
            cause = refused.__cause__
            if not isinstance(cause, Exception) or isinstance(cause, ReactiveStreamsError):
                raise
            self.since.append(Handled(item, [], self.failure_of(item, cause, refused.operator, refused.assembly)))
            self.go_back()

    def reach(self, time: int) -> None:
        """Tell the operators how late it is, where they do not know."""
        if self.reached is None or time > self.reached:
            self.reached = time
            self.feed(TimeReached(time))

    def feed(self, cause: Traveller | TimeReached) -> None:
        """Feed the operators and note what follows."""
        self.since.append(Handled(cause, self.fed(cause)))
        self.results += len(self.since[-1].results)

    def fed(self, cause: Traveller | TimeReached) -> list[Any]:
        """Feed the operators and return what follows."""
        if isinstance(cause, TimeReached):
            return self.bucket.fed(cause, None, -1)
        return self.bucket.fed(cause.element, cause.element, cause.number)

    def go_back(self) -> None:
        """Make the operators anew, as they are after what `since` holds and has not failed."""
        self.has_failed = True
        self.bucket.close()
        self.bucket = BucketRun(self.pipeline, self.state)
        for handled in self.since:
            if handled.cause is not None and handled.failure is None:
                handled.results = self.fed(handled.cause)

    def is_due(self) -> bool:
        """Tell whether the state should be saved; sooner where rows fail, each of which costs what came since."""
        limit = max(1 if self.has_failed else LEAST_SAVED_AFTER, len(self.state or b"") // BYTES_AN_ELEMENT)
        return len(self.since) >= limit or self.results >= limit * RESULTS_AN_ELEMENT

    def settled(self) -> "Iterator[pa.RecordBatch]":
        """Yield what became of all that has come, but perhaps of the last."""
        yield from self.saved()
        while self.waiting:
            self.handle(self.waiting.popleft())
            if self.is_due():
                yield from self.saved()

    def saved(self) -> "Iterator[pa.RecordBatch]":
        """Yield results and failures up to the first result that does not fit the schema, and save the state there.

        What came behind is handled again, since the state before it is another one without the misfit.
        """
        batches = self.encoded(len(self.since))
        again: list[Handled] = []
        if batches is None:
            position = self.first_misfit()
            again = self.since[position + 1 :]
            del self.since[position + 1 :]
            self.leave_out(self.since[position])
            batches = self.encoded(len(self.since))
            assert batches is not None
        yield from self.outcomes.of(batches, [each.failure for each in self.since if each.failure is not None])
        self.state, self.since, self.results, self.has_failed = self.bucket.save(), [], 0, False
        for each in reversed(again):
            item = each.failure if each.cause is None else each.cause
            if isinstance(item, Traveller | FailedRow):  # times are told again with the elements that brought them
                self.waiting.appendleft(item)

    def encoded(self, count: int) -> "list[pa.RecordBatch] | None":
        """Return the results of the first so many in batches; None where one does not fit the schema."""
        try:
            return list(self.encoder.encode(result for each in self.since[:count] for result in each.results))
        except RowEncodingError:
            return None

    def first_misfit(self) -> int:
        """Return the position of the first one whose results do not fit the schema; there is one."""
        return bisect_left(range(len(self.since)), True, key=lambda position: self.encoded(position + 1) is None)

    def leave_out(self, misfit: Handled) -> None:
        """Go back, and leave out the last element, whose results do not fit the schema."""
        try:
            list(self.encoder.encode(misfit.results))
        except RowEncodingError as error:
            if not isinstance(misfit.cause, Traveller):
                raise self.misfit(error) from error
            misfit.results, misfit.failure = [], self.failure_of(misfit.cause, error, "apply", self.applied_at)
        times = [each.cause.now for each in self.since if isinstance(each.cause, TimeReached)]
        self.reached = times[-1] if times else None
        self.go_back()

    def failure_of(self, traveller: Traveller, error: Exception, operator: str, line: str) -> FailedRow:
        """Return what takes the place of an element."""
        (row,) = self.row_encoder.encode([traveller.row])
        return FailedRow(
            number=traveller.number,
            element=short_repr(traveller.element),
            error=type(error).__name__,
            message=message_of(error),
            operator=operator,
            line=line,
            rows=row,
            partition=traveller.partition,
        )

    def misfit(self, error: RowEncodingError) -> PipelineError:
        """Return the error for a result of a key's end that does not fit the schema."""
        return with_details(
            PipelineError(str(error), operator="apply", assembly=self.applied_at, row=error.row, cause=str(error))
        )

    def next_end(self) -> int | None:
        """Return when the next key is over, as `BucketRun.next_end` does."""
        return self.bucket.next_end()

    def save(self) -> bytes:
        """Return the state that `run` has saved."""
        assert self.state is not None
        return self.state

    def close(self) -> None:
        """Tear the operators down."""
        self.bucket.close()
