"""The operators of one bucket if rows may fail: a failing row does not change the state of its key."""

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
from reactivestreams.spark.keyed.saved_run import SavedRun
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.row_results import CountedFailures, FailedRow, RowResults
from reactivestreams.spark.on_error.tolerant_pipeline import message_of
from reactivestreams.spark.rows.row_encoding import RowEncoder, short_repr
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LEAST_SAVED_AFTER", "TolerantRun"]

LEAST_SAVED_AFTER = 10_000
"""Least number of elements without a failure between two saves of the state."""

BYTES_AN_ELEMENT = 100
"""Each so many bytes of state delay the next save by one element, so that saving costs about as much as processing."""

RESULTS_AN_ELEMENT = 10
"""Number of results per element between two saves that triggers the next save."""

NO_ORIGIN = (-1, -1, None)
"""Stands for the partition, number and row of an element that waits since the query ran with on_error="fail"."""

Came = RoutedElement | TimeReached | FailedRow
"""An element, a time, or a failure of the step before."""


class ReplayBuffer:
    """The input since the last save, in order, and the result of each element.

    The operators store all results in one list.

    Invariants: `ends` has an entry for each of `causes`, the number of results up to and with this one; `failures` has
        an entry for each that failed.
    """

    def __init__(self) -> None:
        self.causes: list[Came] = []
        self.ends: list[int] = []
        self.failures: dict[int, FailedRow] = {}
        """By position in `causes`."""

    def add(self, cause: Came, end: int) -> None:
        """Add an element that did not fail."""
        self.causes.append(cause)
        self.ends.append(end)

    def add_failure(self, cause: Came, failure: FailedRow) -> None:
        """Add an element that failed."""
        self.failures[len(self.causes)] = failure
        self.add(cause, self.ends[-1] if self.ends else 0)

    def take_after(self, position: int) -> Iterable[Came]:
        """Remove and return the input after a position, without times, which are derived from elements again."""
        later = self.causes[position + 1 :]
        del self.causes[position + 1 :], self.ends[position + 1 :]
        self.failures = {place: failure for place, failure in self.failures.items() if place <= position}
        return [cause for cause in later if not isinstance(cause, TimeReached)]

    def without_failures(self) -> Iterator[tuple[int, RoutedElement | TimeReached]]:
        """Yield the input that did not fail, with its positions."""
        for position, cause in enumerate(self.causes):
            if position not in self.failures:
                assert not isinstance(cause, FailedRow)
                yield position, cause

    def last_time(self) -> int | None:
        """Return the last time in the buffer, or None."""
        return next((cause.now for cause in reversed(self.causes) if isinstance(cause, TimeReached)), None)

    def clear(self) -> None:
        """Remove everything, after the state was saved."""
        self.causes.clear()
        self.ends.clear()
        self.failures.clear()


class TolerantRun:
    """Runs the operators of a bucket and continues after a row that fails, as if the row did not exist.

    When a function fails, the operators are loaded from the last saved state and process the input since then again,
    without the row that failed. So functions are called again with the same elements and must return the same.

    Elements wait for the watermark here, with the rows that caused them, and not in the operators, which get an element
    when they can process it at once. So an error belongs to the element that was fed.

    An error at the end of a key, or because there are too many keys, belongs to no row and ends the task.

    Args:
        pipeline: The operators, from the keyed one on.
        state: The result of `save` for this bucket, or None.
        policy: What happens to rows that fail.
        expiry: When a key expires, or None.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], state: SavedRun | None, *, policy: ErrorPolicy, expiry: Expiry | None
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
        """The input since the state was saved."""
        self.waiting: deque[Came] = deque()
        """The input to process again."""
        self.reached: int | None = None
        self.order: TimeOrder = TimeOrder(expiry.max_waiting if expiry is not None else 1)
        """Elements that wait for the watermark; the rest of the routed element is their origin."""
        waiting = self.bucket.take_waiting()
        if waiting:
            self.order.take_over(waiting)
            self.state = self.bucket.save()

    def run(self, items: Iterable[RoutedElement | FailedRow], *, now: int | None = None) -> "Iterator[pa.RecordBatch]":
        """Process elements, yield results and failures, and save the state at the end.

        Args:
            items: The items, in order.
            now: The time in microseconds since 1970, if keys expire.
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
        """Whether there are event times."""
        return self.expiry is not None and self.expiry.event_time is not None

    def in_time(self, items: Iterator[Any], now: int) -> Iterator[Any]:
        """Yield failures, and the elements that the watermark has reached, sorted by their times.

        Args:
            items: The input.
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
        """End all keys, and yield their last results."""
        self.bucket.feed.subscriber.on_complete()
        if self.bucket.results.error is not None:
            raise self.bucket.located(self.bucket.results.error, None, -1)
        try:
            yield from self.writer.of(self.encoder.encode(self.bucket.results.waiting), [])
        except RowEncodingError as error:
            raise self.schema_mismatch(error) from error

    def handle_until_due(self, items: Iterator[Any]) -> bool:
        """Process elements until the state should be saved; return False if there are no more."""
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
        """Return after how many elements the state is saved: sooner after a failure, which causes a replay."""
        least = 1 if self.since.failures else LEAST_SAVED_AFTER
        size = 0 if self.state is None else len(self.state.records)  # of rows, only the changed ones are saved
        return max(least, size // BYTES_AN_ELEMENT)

    def time_of(self, item: RoutedElement) -> int:
        """Return the time of an element. Keys that expire before it end first, so that its errors are its own."""
        assert self.expiry is not None
        assert self.expiry.event_time is not None
        return microseconds(self.expiry.event_time(item[3]))

    def reach(self, time: int) -> None:
        """Set the time of the operators."""
        if self.reached is None or time > self.reached:
            self.reached = time
            cause = TimeReached(time)
            self.feed(cause)
            self.since.add(cause, len(self.bucket.results.waiting))

    def feed(self, cause: RoutedElement | TimeReached) -> None:
        """Feed the operators, and record the element if they did not fail."""
        element, number = (cause, -1) if isinstance(cause, TimeReached) else (cause[3], cause[1])
        self.bucket.feed.subscriber.on_next(element)
        if self.bucket.results.error is not None:
            raise self.bucket.located(self.bucket.results.error, None if number < 0 else element, number)

    def leave_out_failed(self, item: RoutedElement, error: Exception) -> None:
        """Record the failure of an element, and restore the state before it."""
        refused = self.bucket.located(error, item[3], item[1])
        if isinstance(error, ReactiveStreamsError) or item[:3] == NO_ORIGIN:
            raise refused
        self.since.add_failure(item, self.failure_of(item, error, refused.operator, refused.assembly))
        self.go_back()

    def go_back(self) -> None:
        """Load the operators again and replay the input of `since` that did not fail."""
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
        """Save until at most the last element is unsaved, and yield results and failures."""
        yield from self.saved()
        while self.waiting and self.handle_until_due(taken_from(self.waiting)):
            yield from self.saved()

    def saved(self) -> "Iterator[pa.RecordBatch]":
        """Yield results and failures up to the first result that does not fit the schema, and save the state there.

        The input after it is processed again, because without that element the state is a different one.
        """
        again: Iterable[Came] = ()
        batches = self.encoded(len(self.since.causes))
        if batches is None:
            position = self.first_mismatch()
            again = self.since.take_after(position)
            self.leave_out_mismatch(position)
            batches = self.encoded(position + 1)
            assert batches is not None
        yield from self.writer.of(batches, [*self.since.failures.values()])
        self.state = self.bucket.save()
        self.since.clear()
        self.bucket.results.waiting.clear()
        self.waiting.extendleft(reversed([*again]))

    def encoded(self, count: int) -> "list[pa.RecordBatch] | None":
        """Return the first `count` results in batches; None if one does not fit the schema."""
        try:
            return list(self.encoder.encode(islice(self.bucket.results.waiting, self.since.ends[count - 1])))
        except RowEncodingError:
            return None

    def first_mismatch(self) -> int:
        """Return the position of the first element whose results do not fit the schema; there must be one."""
        count = len(self.since.causes)
        return bisect_left(range(count), True, key=lambda position: self.encoded(position + 1) is None)

    def leave_out_mismatch(self, position: int) -> None:
        """Restore the state without the last element, at `position`, whose results do not fit the schema."""
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
        """Return the failure that replaces an element."""
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
        """Return the error for a result at the end of a key that does not fit the schema."""
        return with_details(
            PipelineError(str(error), operator="apply", assembly=self.applied_at, row=error.row, cause=str(error))
        )

    def due_of(self, row: Any) -> int:
        """Return when a key or window ends by time, like `BucketRun.due_of`."""
        return self.bucket.due_of(row)

    def next_waiting(self) -> int | None:
        """Return the time of the first element that waits, like `BucketRun.next_waiting`."""
        return self.bucket.next_waiting()

    def save(self) -> SavedRun:
        """Return the state that `run` has saved."""
        assert self.state is not None
        return self.state

    def close(self) -> None:
        """Cancel the operators."""
        self.bucket.close()


def taken_from(waiting: deque[Came]) -> Iterator[Came]:
    """Yield waiting elements; each is removed before it is processed."""
    while waiting:
        yield waiting.popleft()
