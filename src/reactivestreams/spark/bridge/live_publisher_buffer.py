"""A live publisher for Spark: demand per micro-batch, and a buffer of elements until they are committed.

Roles: the *publisher's* threads signal; one *planner* at a time plans and commits; *readers* read planned elements;
the *requester* is a separate thread that subscribes, requests and encodes, because the first two may run the
publisher's code for a long time. Invariants, true whenever the lock is free:
    I1  the collected rows and the outstanding demand never exceed the limit of a plan: the current one or, without a
        log, the next one, so that the publisher works while Spark does. The rows of a publisher of batches are counted
        when they arrive.
    I2  an offset is returned only after the elements before it are buffered, and in the log if there is one.
    I3  the buffer contains the elements of the last planned batch, and those that are collected for the next. The log
        also contains the batch before, because Spark's files for that batch may not be on the disk yet.
    I4  nothing is outstanding after the publisher has ended or failed, or this was closed; later elements are dropped.
    I5  neither the publisher's code nor a subscription is called while the lock is held.
Progress: a planner waits for elements until its timeout; readers wait at most for a write to the log or for the
    encoding
of some rows.
"""

import threading
import time
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.errors import DemandExceededError, NullElementError
from reactivestreams.spark.bridge.failures import first_mismatch, schema_mismatch, stream_failure
from reactivestreams.spark.errors import PipelineError, ReplayError, RowEncodingError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder
from reactivestreams.spark.storage.write_ahead_log import ElementRun, WriteAheadLog
from reactivestreams.spec import Subscriber, Subscription

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["REQUESTER_JOIN_SECONDS", "LivePublisherBuffer"]

REQUESTER_JOIN_SECONDS = 5.0
"""How long `close` waits for a publisher that does not return from a request."""


class LivePublisherBuffer(Subscriber[Any]):
    """The subscriber of a live publisher; Spark plans, reads and commits its elements.

    Args:
        publisher: The publisher; it is subscribed once, when the first batch is planned.
        schema: Schema of the rows.
        form: One of `ELEMENT_FORMS`.
        log: The log to which planned elements are written before Spark gets the plan; None to keep them in memory only.
        name: Name of the requester thread.
    """

    def __init__(
        self, publisher: Any, schema: "StructType", *, form: str, log: WriteAheadLog | None, name: str
    ) -> None:
        self.publisher = publisher
        self.encoder: RowEncoder = RowEncoder(schema)
        self.form = form
        self.log = log
        self.lock: threading.RLock = threading.RLock()
        self.changed: threading.Condition = threading.Condition(self.lock)
        self.held: ReplayBuffer | None = None
        self.collected: CollectedElements = CollectedElements(self.encoder, form)
        self.previous_start: int | None = None
        self.planned_from: int = 0
        """Start of the batch for which elements are collected."""
        self.wanted_rows: int = 0
        """Maximum rows of that batch; 0 while nothing is collected."""
        self.outstanding: int = 0
        self.ended: bool = False
        self.failure: PipelineError | None = None
        self.closed: bool = False
        self.subscription: Subscription | None = None
        self.requester: threading.Thread = threading.Thread(target=self.request_all, name=name, daemon=True)

    # --- the publisher's side -------------------------------------------------------------------------------------

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Store the subscription; a second one is cancelled (§2.5)."""
        with self.changed:
            unwanted = self.closed or self.subscription is not None
            if not unwanted:
                self.subscription = subscription
                self.changed.notify_all()
        if unwanted:
            subscription.cancel()

    def on_next(self, element: Any, /) -> None:
        """Store an element until the next plan."""
        if element is None:
            raise NullElementError("§2.13: on_next got None, which is not an element; send another value")
        with self.lock:
            if self.outstanding:
                self.outstanding -= 1
                self.collected.waiting.append(element)
                if self.outstanding == 0:
                    self.changed.notify_all()
                return
            if self.closed or self.ended or self.failure is not None:
                return
            self.fail(
                DemandExceededError(
                    "§1.1: the publisher sent an element that was not requested; let it send at most as many as "
                    "request(n) asks for"
                )
            )
            subscription = self.subscription
        if subscription is not None:
            subscription.cancel()

    def on_error(self, error: BaseException, /) -> None:
        """Store the failure of the publisher; the elements before it are planned first."""
        with self.changed:
            if not self.closed:
                self.fail(error)

    def on_complete(self) -> None:
        """Record that there are no more elements."""
        with self.changed:
            self.ended = True
            self.outstanding = 0
            self.changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Store the first failure. The lock is held."""
        if self.failure is None:
            number = (self.held.end if self.held is not None else 0) + self.collected.count()
            self.failure = stream_failure(error, element=number)
            self.outstanding = 0
            self.changed.notify_all()

    # --- the requester --------------------------------------------------------------------------------------------

    def request_all(self) -> None:
        """Subscribe, then request what plans need until the buffer is closed."""
        try:
            self.publisher.subscribe(self)
            while (count := self.next_request()) is not None:
                subscription = self.subscription
                if subscription is not None:
                    subscription.request(count)
        except Exception as error:
            self.on_error(error)

    def next_request(self) -> int | None:
        """Wait until a plan needs elements, and encode meanwhile; return how many, or None if the buffer is closed."""
        with self.changed:
            while not self.closed:
                if self.collected.is_due():
                    self.encode()
                count = self.due_demand()
                if count > 0 and self.subscription is not None:
                    self.outstanding += count
                    return count
                self.changed.wait()
            return None

    def due_demand(self) -> int:
        """Return how much to request now (I1). The lock is held.

        Batches are requested one by one, rows in groups that are encoded together, because many unencoded rows would
        keep the garbage collector busy.
        """
        if self.ended or self.failure is not None:
            return 0
        most = min(self.missing_rows(), ENCODED_BATCH_ROWS if self.form == "rows" else 1)
        return most - self.outstanding

    def missing_rows(self) -> int:
        """Return how many rows of the collected batch are missing. The lock is held."""
        if self.held is None:
            return 0
        return self.wanted_rows - self.held.rows_from(self.planned_from) - self.collected.rows()

    def encode(self) -> None:
        """Encode the waiting elements; one that does not fit is a failure of the publisher. The lock is held."""
        assert self.held is not None
        try:
            self.collected.encode(self.held.end)
        except PipelineError as mismatch:
            # An earlier recorded failure happened after this element.
            self.failure = mismatch
            self.outstanding = 0
            self.changed.notify_all()

    # --- Spark's side ---------------------------------------------------------------------------------------------

    def plan(self, start: int, most_rows: int, wait_seconds: float, *, is_final: bool = False) -> int:
        """Return the end of a batch that starts at an offset.

        Args:
            start: The offset.
            most_rows: Maximum number of rows; a single element that is a batch may have more.
            wait_seconds: How long to wait for them.
            is_final: Whether an empty plan ends the query. If not, Spark plans again at once, so the whole time is
                waited, also after the end of the publisher.

        Raises:
            PipelineError: The publisher failed and no element is left, or an element does not fit the schema.
            ReplayError: The elements at the offset are not available any more.
            WriteAheadLogError: The elements could not be written; the next plan tries again.
        """
        deadline = time.monotonic() + wait_seconds
        with self.changed:
            held = self.resumed(start)
            self.want(start, most_rows)
            while not self.closed and self.missing_rows() > 0 and not self.ended and self.failure is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self.changed.wait(left)
            self.settle(held)
            end = held.planned_end(start, most_rows)
            if end == start and self.failure is not None:
                raise self.failure
            if end == start and self.ended and not is_final:
                self.changed.wait(max(0.0, deadline - time.monotonic()))
            # With a log nothing is collected ahead, because a crash loses elements that are not in the log.
            self.want(end, most_rows if self.log is None else 0)
            return end

    def want(self, start: int, rows: int) -> None:
        """Start to collect elements for a batch. The lock is held."""
        self.planned_from, self.wanted_rows = start, rows
        self.changed.notify_all()

    def resumed(self, start: int) -> "ReplayBuffer":
        """Return the buffer, after dropping batches before `start`, which are finished. The lock is held."""
        if self.held is None:
            if self.log is not None:
                self.log.resume(start)
            self.held = ReplayBuffer(start if self.log is None else self.log.end_offset, self.form)
            if self.held.end > start:
                assert self.log is not None
                batches = self.log.read(start, self.held.end)
                self.held = ReplayBuffer(start, self.form)
                self.held.add(ElementRun(start, self.log.end_offset, batches, self.form))
            self.requester.start()
        if not self.held.start <= start <= self.held.end:
            raise ReplayError(
                f"the query resumes at element {start}, but the elements {self.held.start} to {self.held.end - 1} are "
                "buffered: a live publisher sends each element once; use the checkpoint of this stream, or make a new "
                "stream"
            )
        # Spark plans a batch only after the one before has finished, and never reads that one again.
        self.held.drop_before(start)
        if self.log is not None and self.previous_start is not None and start > self.previous_start:
            self.log.trim(self.previous_start)
        self.previous_start = start
        return self.held

    def settle(self, held: "ReplayBuffer") -> None:
        """Make a run of the collected elements, in the log first (I2). The lock is held."""
        self.encode()
        run = self.collected.run(held.end)
        if run.start == run.end:
            return
        if self.log is not None:
            self.log.append(run, self.encoder.arrow)
        held.add(run)
        self.collected.clear()

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the batches of a planned range.

        Raises:
            ReplayError: They were planned before a restart and there is no log, or they have been dropped.
        """
        with self.changed:
            if self.held is not None and self.held.start <= start and end <= self.held.end:
                return self.held.read(start, end)
            if self.log is not None:
                return self.log.read(start, end)
            held = self.held
        if held is None:
            raise ReplayError(
                f"the elements {start} to {end - 1} were planned before the driver was restarted, and a live publisher "
                "cannot send them again; pass log= or a replayable factory, and start with a new checkpoint"
            )
        raise ReplayError(
            f"the elements {start} to {end - 1} are wanted, and {held.start} to {held.end - 1} are held: the batches "
            "before are finished; make a DataFrame for each query"
        )

    def commit(self, end: int) -> None:
        """Drop the elements before an offset, whose batch is finished."""
        with self.changed:
            if self.held is not None:
                self.held.drop_before(end)
            if self.log is not None:
                self.log.trim(end)

    def close(self) -> None:
        """Cancel the publisher and wait for the requester. Further calls do nothing."""
        with self.changed:
            self.closed = True
            self.outstanding = 0
            subscription, self.subscription = self.subscription, None
            self.changed.notify_all()
        if subscription is not None:
            subscription.cancel()
        if self.requester.is_alive():
            self.requester.join(REQUESTER_JOIN_SECONDS)
            if self.requester.is_alive():
                dropped(
                    "cancel",
                    TimeoutError(f"the publisher has not returned from a request for {REQUESTER_JOIN_SECONDS:g} s"),
                    origin="to_streaming_dataframe",
                )


class CollectedElements:
    """Elements that are not yet planned, in order, and their encoding as Arrow batches. The owner holds a lock.

    Args:
        encoder: Encodes the elements as batches.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, encoder: RowEncoder, form: str) -> None:
        self.encoder = encoder
        self.form = form
        self.waiting: list[Any] = []
        self.encoded: list[pa.RecordBatch] = []
        self.encoded_elements: int = 0
        self.rows_counted: int = 0
        """If elements are batches: the rows of those that `rows` has counted."""
        self.elements_counted: int = 0

    def count(self) -> int:
        """Return how many elements there are."""
        return self.encoded_elements + len(self.waiting)

    def rows(self) -> int:
        """Return how many rows they have."""
        if self.form == "rows":
            return self.count()
        news = self.waiting[self.elements_counted - self.encoded_elements :]
        self.rows_counted += sum(getattr(batch, "num_rows", 1) for batch in news)
        self.elements_counted += len(news)
        return self.rows_counted

    def is_due(self) -> bool:
        """Return whether the waiting elements fill a batch."""
        return len(self.waiting) >= ENCODED_BATCH_ROWS

    def encode(self, first: int) -> None:
        """Encode the waiting elements as batches.

        Args:
            first: Number of the first element.

        Raises:
            PipelineError: An element does not fit the schema; those before it are encoded, those after it are dropped.
        """
        try:
            self.keep(len(self.waiting))
        except RowEncodingError as error:
            fitting, found = first_mismatch(self.encoder, self.waiting, error)
            self.keep(fitting)
            raise schema_mismatch(first + self.encoded_elements, found) from found
        finally:
            self.waiting.clear()

    def keep(self, count: int) -> None:
        """Encode the first waiting elements."""
        if count:
            self.encoded += [*self.encoder.encode(self.waiting[:count])]
            self.encoded_elements += count

    def run(self, start: int) -> ElementRun:
        """Return the encoded elements as a run from a number on."""
        return ElementRun(start, start + self.encoded_elements, [*self.encoded], self.form)

    def clear(self) -> None:
        """Remove the encoded elements."""
        self.encoded.clear()
        self.encoded_elements = self.elements_counted = self.rows_counted = 0


class ReplayBuffer:
    """The elements of planned batches until these are finished: runs from `start` up to, not including, `end`.

    The owner holds a lock.

    Args:
        start: Number of the first element that will be added.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, start: int, form: str) -> None:
        self.start: int = start
        self.end: int = start
        self.form = form
        self.runs: list[ElementRun] = []

    def add(self, run: ElementRun) -> None:
        """Add the next run."""
        self.runs.append(run)
        self.end = run.end

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the batches of a buffered range."""
        return [batch for run in self.runs for batch in run.part(start, end)]

    def planned_end(self, start: int, most_rows: int) -> int:
        """Return the end of the elements from `start` with at most `most_rows` rows; a single batch may have more."""
        if self.form == "rows":
            return max(start, min(self.end, start + most_rows))
        end, rows = start, 0
        for batch in self.read(start, self.end):
            if end > start and rows + batch.num_rows > most_rows:
                break
            end, rows = end + 1, rows + batch.num_rows
        return end

    def rows_from(self, start: int) -> int:
        """Return the number of rows of the elements from `start`."""
        if self.form == "rows":
            return max(0, self.end - start)
        return sum(batch.num_rows for batch in self.read(start, self.end))

    def drop_before(self, offset: int) -> None:
        """Drop the elements before an offset."""
        kept = []
        for run in self.runs:
            if run.end <= offset:
                continue
            if run.start < offset:
                kept.append(ElementRun(offset, run.end, run.part(offset, run.end), run.form))
            else:
                kept.append(run)
        self.runs = kept
        self.start = min(max(self.start, offset), self.end)
