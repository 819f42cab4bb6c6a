"""A live publisher, asked for what a micro-batch may take, whose elements can be read again until they are committed.

Roles: the *publisher's* threads signal; one *planner* at a time plans and commits; *readers* read planned elements;
the *requester* is a thread of its own that subscribes, requests and encodes, since the first two may run the
publisher's code for long.
Invariants, held whenever the lock is free:
    I1  the rows that are collected and the outstanding demand never exceed what a plan may take: the one under way or,
        without a log, the one after it, so that the publisher works while Spark does. Rows of a publisher of batches
        are counted when they have come.
    I2  an offset is returned only after the elements before it are held, and are in the log where there is one.
    I3  held are the elements of the last planned batch, and those that are collected for the next. The log keeps the
        batch before, too: what Spark has noted of that one may not be on the disk yet.
    I4  nothing is outstanding once the publisher has ended or failed, or this was closed; what comes then is dropped.
    I5  neither the publisher's code nor a subscription is called with the lock held.
Progress: a planner waits for elements until its time is up; readers wait for a write to the log or for the encoding of
some rows at most.
"""

import threading
import time
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.errors import DemandExceededError, NullElementError
from reactivestreams.spark.bridge.collected_elements import CollectedElements
from reactivestreams.spark.bridge.failures import stream_failure
from reactivestreams.spark.bridge.replay_buffer import ReplayBuffer
from reactivestreams.spark.errors import PipelineError, ReplayError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder
from reactivestreams.spark.storage.element_run import ElementRun
from reactivestreams.spark.storage.write_ahead_log import WriteAheadLog
from reactivestreams.spec import Subscriber, Subscription

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["REQUESTER_JOIN_SECONDS", "LivePublisherBuffer"]

REQUESTER_JOIN_SECONDS = 5.0
"""How long closing waits for a publisher that does not return from a request."""


class LivePublisherBuffer(Subscriber[Any]):
    """The subscriber of a live publisher, and what Spark plans, reads and commits of it.

    Args:
        publisher: Who has the elements; it is subscribed once, when the first batch is planned.
        schema: Schema of the rows.
        form: One of `ELEMENT_FORMS`.
        log: Where planned elements are written before the plan is known to Spark; None to hold them in memory alone.
        name: Name of the thread that requests.
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
        """Start of the batch that elements are collected for."""
        self.wanted_rows: int = 0
        """How many rows that batch may have; 0 while nothing is collected."""
        self.outstanding: int = 0
        self.ended: bool = False
        self.failure: PipelineError | None = None
        self.closed: bool = False
        self.subscription: Subscription | None = None
        self.requester: threading.Thread = threading.Thread(target=self.request_all, name=name, daemon=True)

    # --- the publisher's side -------------------------------------------------------------------------------------

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; a second one is cancelled (§2.5)."""
        with self.changed:
            unwanted = self.closed or self.subscription is not None
            if not unwanted:
                self.subscription = subscription
                self.changed.notify_all()
        if unwanted:
            subscription.cancel()

    def on_next(self, element: Any, /) -> None:
        """Keep an element until the next plan."""
        if element is None:
            raise NullElementError("§2.13: on_next got None, which is no element; send something else")
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
        """Remember why the publisher failed; the elements before it are planned first."""
        with self.changed:
            if not self.closed:
                self.fail(error)

    def on_complete(self) -> None:
        """Remember that no more elements come."""
        with self.changed:
            self.ended = True
            self.outstanding = 0
            self.changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Keep the first failure. The lock is held."""
        if self.failure is None:
            number = (self.held.end if self.held is not None else 0) + self.collected.count()
            self.failure = stream_failure(error, element=number)
            self.outstanding = 0
            self.changed.notify_all()

    # --- the requester --------------------------------------------------------------------------------------------

    def request_all(self) -> None:
        """Subscribe, then request what plans ask for until the elements are closed."""
        try:
            self.publisher.subscribe(self)
            while (count := self.next_request()) is not None:
                subscription = self.subscription
                if subscription is not None:
                    subscription.request(count)
        except Exception as error:
            self.on_error(error)

    def next_request(self) -> int | None:
        """Wait until more elements are wanted; return how many, or None where this is closed. Encode what has come."""
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
        """Return how much is to be requested now (I1). The lock is held.

        Batches are asked for one at a time, rows as many as are encoded together: so many objects of Python that
        nobody needs any more would be in the garbage collector's way.
        """
        if self.ended or self.failure is not None:
            return 0
        most = min(self.missing_rows(), ENCODED_BATCH_ROWS if self.form == "rows" else 1)
        return most - self.outstanding

    def missing_rows(self) -> int:
        """Return how many rows the batch that is collected for still lacks. The lock is held."""
        if self.held is None:
            return 0
        return self.wanted_rows - self.held.rows_from(self.planned_from) - self.collected.rows()

    def encode(self) -> None:
        """Turn the elements that wait into batches; one that does not fit is the publisher's failure. Lock is held."""
        assert self.held is not None
        try:
            self.collected.encode(self.held.end)
        except PipelineError as mismatch:
            # What was told first came after this element.
            self.failure = mismatch
            self.outstanding = 0
            self.changed.notify_all()

    # --- Spark's side ---------------------------------------------------------------------------------------------

    def plan(self, start: int, most_rows: int, wait_seconds: float, *, is_final: bool = False) -> int:
        """Return up to which element a batch may go that starts at an offset.

        Args:
            start: The offset.
            most_rows: How many rows it may have; a batch that is an element may have more.
            wait_seconds: How long to wait for them.
            is_final: Whether an answer of nothing ends the query; else Spark asks again at once, and the time is
                waited out also where none can come any more.

        Raises:
            PipelineError: The publisher failed and no element is left, or an element does not fit the schema.
            ReplayError: The elements at the offset are gone.
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
            # With a log nothing is collected ahead: what is not in the log is lost by a crash.
            self.want(end, most_rows if self.log is None else 0)
            return end

    def want(self, start: int, rows: int) -> None:
        """Have elements collected for a batch. The lock is held."""
        self.planned_from, self.wanted_rows = start, rows
        self.changed.notify_all()

    def resumed(self, start: int) -> ReplayBuffer:
        """Return what is held, after forgetting what a batch from `start` shows to be finished. The lock is held."""
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
                f"the query goes on at element {start}, but the elements {self.held.start} to {self.held.end - 1} are "
                "held: a live publisher gives each element once; use the checkpoint that goes with this stream, or "
                "make a new stream"
            )
        # Spark plans a batch only when the one before has finished, which is then never read again.
        self.held.drop_before(start)
        if self.log is not None and self.previous_start is not None and start > self.previous_start:
            self.log.trim(self.previous_start)
        self.previous_start = start
        return self.held

    def settle(self, held: ReplayBuffer) -> None:
        """Turn what is collected into a run, in the log first (I2). The lock is held."""
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
            ReplayError: They were planned before a restart and there is no log, or they are gone.
        """
        with self.changed:
            if self.held is not None and self.held.start <= start and end <= self.held.end:
                return self.held.read(start, end)
            if self.log is not None:
                return self.log.read(start, end)
            held = self.held
        if held is None:
            raise ReplayError(
                f"the elements {start} to {end - 1} were planned before the driver was started again, and a live "
                "publisher cannot give them again; pass log= or a replayable factory, and start with a new checkpoint"
            )
        raise ReplayError(
            f"the elements {start} to {end - 1} are wanted, and {held.start} to {held.end - 1} are held: the batches "
            "before are finished; make a DataFrame for each query"
        )

    def commit(self, end: int) -> None:
        """Forget the elements before an offset whose batch is finished."""
        with self.changed:
            if self.held is not None:
                self.held.drop_before(end)
            if self.log is not None:
                self.log.trim(end)

    def close(self) -> None:
        """Cancel the publisher and wait for the requester; may be called again."""
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
