"""One bucket's operators where rows may fail: such a row leaves no trace in the state of its key."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ReactiveStreamsError
from reactivestreams.operators.keyed.expiry import Expiry, TimeOrder, TimeReached, microseconds
from reactivestreams.operators.keyed.stage import KeyedStage
from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.keyed.bucket_run import BucketRun
from reactivestreams.spark.keyed.router import RoutedElement
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.row_results import CountedFailures, FailedRow, RowResults
from reactivestreams.spark.on_error.tolerant_pipeline import message_of
from reactivestreams.spark.rows.row_encoding import RowEncoder, short_repr
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LEAST_SAVED_AFTER", "TolerantRun"]

LEAST_SAVED_AFTER = 10_000
"""After how many elements without a failure the state is saved, at least."""

BYTES_AN_ELEMENT = 100
"""So many bytes of state put a save off by one element: to save it costs about what these elements cost."""

RESULTS_AN_ELEMENT = 10
"""So many results for each of these elements bring the next save on."""

NO_ORIGIN = (-1, -1, None)
"""Stands for partition, number and row of an element that waits since a start of the query that let no row fail."""

Came = RoutedElement | TimeReached | FailedRow
"""An element, a time, or a failure of the step before."""


class ReplayBuffer:
    """What has come since the state was saved, and what became of it, in the order in which it came.

    Results stand in a list of the operators' own, one behind the other.

    Invariants: `ends` has an entry for each of `causes`, the number of results up to and with this one; `failures` has
        an entry for each that gave a failure in place of results.
    """

    def __init__(self) -> None:
        self.causes: list[Came] = []
        self.ends: list[int] = []
        self.failures: dict[int, FailedRow] = {}
        """By position in `causes`."""

    def add(self, cause: Came, end: int) -> None:
        """Add what has given results."""
        self.causes.append(cause)
        self.ends.append(end)

    def add_failure(self, cause: Came, failure: FailedRow) -> None:
        """Add what has failed."""
        self.failures[len(self.causes)] = failure
        self.add(cause, self.ends[-1] if self.ends else 0)

    def take_behind(self, position: int) -> Iterable[Came]:
        """Remove and return what came behind a position, without the times, which elements bring again."""
        behind = self.causes[position + 1 :]
        del self.causes[position + 1 :], self.ends[position + 1 :]
        self.failures = {place: failure for place, failure in self.failures.items() if place <= position}
        return [cause for cause in behind if not isinstance(cause, TimeReached)]

    def without_failures(self) -> Iterator[tuple[int, RoutedElement | TimeReached]]:
        """Yield what the operators have to get again, with its positions."""
        for position, cause in enumerate(self.causes):
            if position not in self.failures:
                assert not isinstance(cause, FailedRow)
                yield position, cause

    def last_time(self) -> int | None:
        """Return the last time that was told; None where none was."""
        return next((cause.now for cause in reversed(self.causes) if isinstance(cause, TimeReached)), None)

    def clear(self) -> None:
        """Forget everything: the state is saved."""
        self.causes.clear()
        self.ends.clear()
        self.failures.clear()


class TolerantRun:
    """Runs the operators of a bucket and goes on behind rows that fail, as if they had not been there.

    Where a function fails, the operators are made anew from the state that was saved last, and get again what has come
    since, without the row that failed. So functions are called again with the same elements and must do the same.

    Elements wait for the watermark here, with the rows that caused them, and not in the operators: these get an element
    when it can be handled at once, so that what fails is its own.

    What fails at the end of a key, or because there are too many keys, is no row's: it ends the task.

    Args:
        pipeline: The operators, from the keyed one on.
        state: What `save` returned for this bucket, or None.
        policy: What becomes of rows that fail.
        expiry: When a key is over, or None.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], state: bytes | None, *, policy: ErrorPolicy, expiry: Expiry | None
    ) -> None:
        self.pipeline = pipeline
        self.state = state
        self.encoder: RowEncoder = RowEncoder(policy.result)
        self.row_encoder: RowEncoder = RowEncoder(policy.rows)
        self.writer: RowResults | CountedFailures = policy.writer(partition=0)
        self.applied_at: str = policy.applied_at
        self.expiry = expiry
        self.bucket: BucketRun = BucketRun(pipeline, state)
        self.since: ReplayBuffer = ReplayBuffer()
        """What has come since the state was saved."""
        self.waiting: deque[Came] = deque()
        """What has to be handled again."""
        self.reached: int | None = None
        self.order: TimeOrder = TimeOrder(expiry.max_waiting if expiry is not None else 1)
        """Elements that wait for the watermark, with the rest of the routed element as their origin."""
        waiting = self.bucket.take_waiting()
        if waiting:
            self.order.take_over(waiting)
            self.state = self.bucket.save()

    def run(self, items: Iterable[RoutedElement | FailedRow], *, now: int | None = None) -> "Iterator[pa.RecordBatch]":
        """Yield what becomes of some elements, and pass on failures; the state is saved at the end.

        Args:
            items: In their order.
            now: How late it is, in microseconds since 1970, where keys end by time.
        """
        rest = iter(items)
        if now is not None and self.is_timed:
            rest = self.in_time(rest, now)
        elif now is not None:
            self.reach(now)
        while self.handle_until_due(rest):
            yield from self.settled()
        while self.since.causes:
            yield from self.settled()
        if now is not None:
            self.reach(now)
            while self.since.causes:
                yield from self.settled()
        if len(self.order):
            self.bucket.put_waiting(self.order)
            self.state = self.bucket.save()
        elif self.state is None:
            self.state = self.bucket.save()

    @property
    def is_timed(self) -> bool:
        """True where elements have times of their own."""
        return self.expiry is not None and self.expiry.event_time is not None

    def in_time(self, items: Iterator[Any], now: int) -> Iterator[Any]:
        """Yield failures, and the elements that the watermark has reached, in the order of their times.

        Args:
            items: What has come.
            now: The watermark.
        """
        for item in items:
            if isinstance(item, FailedRow):
                yield item
            else:
                self.order.add(self.time_of(item), item[3], now, origin=item[:3], name=KeyedStage.name)
        for due in self.bucket.due(self.order, now):
            yield (*(due.origin or NO_ORIGIN), due.element)

    def finish(self) -> "Iterator[pa.RecordBatch]":
        """End all keys, and yield what follows."""
        self.bucket.feed.subscriber.on_complete()
        if self.bucket.results.error is not None:
            raise self.bucket.located(self.bucket.results.error, None, -1)
        try:
            yield from self.writer.of(self.encoder.encode(self.bucket.results.waiting), [])
        except RowEncodingError as error:
            raise self.schema_mismatch(error) from error

    def handle_until_due(self, items: Iterator[Any]) -> bool:
        """Feed elements and note what becomes of them until the state should be saved; False: there are no more."""
        since, is_timed = self.since, self.is_timed
        limit, results = self.limit(), self.bucket.results
        on_next, follow = self.bucket.feed.subscriber.on_next, results.waiting
        for item in items:
            if isinstance(item, FailedRow):
                since.add_failure(item, item)
            else:
                if is_timed:
                    self.reach(self.time_of(item))
                on_next(item[3])
                if results.error is None:
                    since.add(item, len(follow))
                else:
                    self.leave_out_failed(item, results.error)
                    limit, results = self.limit(), self.bucket.results
                    on_next, follow = self.bucket.feed.subscriber.on_next, results.waiting
            if len(since.ends) >= limit or len(follow) >= limit * RESULTS_AN_ELEMENT:
                return True
        return False

    def limit(self) -> int:
        """Return after how many elements the state is saved: sooner where one failed, which cost what came since."""
        least = 1 if self.since.failures else LEAST_SAVED_AFTER
        return max(least, len(self.state or b"") // BYTES_AN_ELEMENT)

    def time_of(self, item: RoutedElement) -> int:
        """Return the time of an element, before which keys are ended first, since what ends by it is not its own."""
        assert self.expiry is not None
        assert self.expiry.event_time is not None
        return microseconds(self.expiry.event_time(item[3]))

    def reach(self, time: int) -> None:
        """Tell the operators how late it is, where they do not know."""
        if self.reached is None or time > self.reached:
            self.reached = time
            cause = TimeReached(time)
            self.feed(cause)
            self.since.add(cause, len(self.bucket.results.waiting))

    def feed(self, cause: RoutedElement | TimeReached) -> None:
        """Feed the operators with what they do not fail on."""
        element, number = (cause, -1) if isinstance(cause, TimeReached) else (cause[3], cause[1])
        self.bucket.feed.subscriber.on_next(element)
        if self.bucket.results.error is not None:
            raise self.bucket.located(self.bucket.results.error, None if number < 0 else element, number)

    def leave_out_failed(self, item: RoutedElement, error: Exception) -> None:
        """Note the failure of an element, and go back to before it."""
        refused = self.bucket.located(error, item[3], item[1])
        if isinstance(error, ReactiveStreamsError) or item[:3] == NO_ORIGIN:
            raise refused
        self.since.add_failure(item, self.failure_of(item, error, refused.operator, refused.assembly))
        self.go_back()

    def go_back(self) -> None:
        """Make the operators anew, as they are after what `since` holds and has not failed."""
        self.bucket.close()
        self.bucket = BucketRun(self.pipeline, self.state)
        ends, results = [0] * len(self.since.causes), self.bucket.results.waiting
        for position, cause in self.since.without_failures():
            self.feed(cause)
            ends[position] = len(results)
        for position in sorted(self.since.failures):
            ends[position] = ends[position - 1] if position else 0
        self.since.ends[:] = ends

    def settled(self) -> "Iterator[pa.RecordBatch]":
        """Yield what became of all that has come, but perhaps of the last."""
        yield from self.saved()
        while self.waiting and self.handle_until_due(taken_from(self.waiting)):
            yield from self.saved()

    def saved(self) -> "Iterator[pa.RecordBatch]":
        """Yield results and failures up to the first result that does not fit the schema, and save the state there.

        What came behind is handled again, since the state before it is another one without that result.
        """
        again: Iterable[Came] = ()
        batches = self.encoded(len(self.since.causes))
        if batches is None:
            position = self.first_mismatch()
            again = self.since.take_behind(position)
            self.leave_out_mismatch(position)
            batches = self.encoded(position + 1)
            assert batches is not None
        yield from self.writer.of(batches, [*self.since.failures.values()])
        self.state = self.bucket.save()
        self.since.clear()
        self.bucket.results.waiting.clear()
        self.waiting.extendleft(reversed([*again]))

    def encoded(self, count: int) -> "list[pa.RecordBatch] | None":
        """Return the results of the first so many in batches; None where one does not fit the schema."""
        try:
            return list(self.encoder.encode(islice(self.bucket.results.waiting, self.since.ends[count - 1])))
        except RowEncodingError:
            return None

    def first_mismatch(self) -> int:
        """Return the position of the first one whose results do not fit the schema; there is one."""
        count = len(self.since.causes)
        return bisect_left(range(count), True, key=lambda position: self.encoded(position + 1) is None)

    def leave_out_mismatch(self, position: int) -> None:
        """Go back, and leave out the last element, at a position, whose results do not fit the schema."""
        start = self.since.ends[position - 1] if position else 0
        cause = self.since.causes[position]
        try:
            list(self.encoder.encode(self.bucket.results.waiting[start : self.since.ends[position]]))
        except RowEncodingError as error:
            if not isinstance(cause, tuple) or cause[:3] == NO_ORIGIN:
                raise self.schema_mismatch(error) from error
            self.since.failures[position] = self.failure_of(cause, error, "apply", self.applied_at)
        self.reached = self.since.last_time()
        self.go_back()

    def failure_of(self, routed: RoutedElement, error: Exception, operator: str, line: str) -> FailedRow:
        """Return what takes the place of an element."""
        partition, number, cause, element = routed
        (row,) = self.row_encoder.encode([cause])
        return FailedRow(
            number=number,
            element=short_repr(element),
            error=type(error).__name__,
            message=message_of(error),
            operator=operator,
            line=line,
            rows=row,
            partition=partition,
        )

    def schema_mismatch(self, error: RowEncodingError) -> PipelineError:
        """Return the error for a result of a key's end that does not fit the schema."""
        return with_details(
            PipelineError(str(error), operator="apply", assembly=self.applied_at, row=error.row, cause=str(error))
        )

    def next_due(self) -> int | None:
        """Return how late it has to be for more to follow, as `BucketRun.next_due` does."""
        return self.bucket.next_due()

    def save(self) -> bytes:
        """Return the state that `run` has saved."""
        assert self.state is not None
        return self.state

    def close(self) -> None:
        """Tear the operators down."""
        self.bucket.close()


def taken_from(waiting: deque[Came]) -> Iterator[Came]:
    """Yield what waits, each taken out before it is handled."""
    while waiting:
        yield waiting.popleft()
