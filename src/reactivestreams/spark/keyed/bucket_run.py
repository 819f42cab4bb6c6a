"""The operators of one bucket during one call of Spark: loaded from saved state, fed, and saved again."""

from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.errors import CapacityError, StateError
from reactivestreams.operators.keyed.event_windows import WindowsStage
from reactivestreams.operators.keyed.expiry import Expiry, TimeOrder, TimeReached, WaitingElement, microseconds
from reactivestreams.operators.keyed.stage import KeyedStage
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.keyed.saved_run import SavedRun, refusal
from reactivestreams.spark.keyed.waiting_elements import loaded_elements, saved_elements
from reactivestreams.spark.operator_names import failed_operator, short_name
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.state import (
    SnapshotReader,
    SnapshotWriter,
    load_nodes,
    save_nodes,
    stateful_nodes,
    tree_was_saved,
)
from reactivestreams.stream import Pipeline, Stream
from rs_core.ends.subscriber import SubscriberStage

__all__ = ["FED_AHEAD", "BucketRun"]

FED_AHEAD = 1024
"""Prefetch of the operators' input; each element is processed when it is fed."""

RESULTS_HELD = 10_000
"""How many results are buffered before they are written."""

UNBOUNDED = 2**63 - 1


class Feed:
    """The publisher of a bucket's elements; the thread that runs the operators feeds it."""

    def __init__(self) -> None:
        self.subscriber: Any = None

    def subscribe(self, subscriber: Any) -> None:
        """Store the subscriber."""
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        """Do nothing: demand is unbounded, so each element is requested in time."""

    def cancel(self) -> None:
        """Do nothing: a cancelled stream drops what it is fed."""


class Results:
    """The subscriber of a bucket's results."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.on_next = self.waiting.append  # type: ignore[method-assign, assignment]  # saves a call per result
        self.error: Exception | None = None

    def on_subscribe(self, subscription: Any) -> None:
        """Request everything."""
        subscription.request(UNBOUNDED)

    def on_next(self, element: Any) -> None:
        """Store a result."""
        self.waiting.append(element)

    def on_error(self, error: Exception) -> None:
        """Store the error."""
        self.error = error

    def on_complete(self) -> None:
        """Do nothing: a later operator such as take may complete the stream early."""


class BucketRun:
    """The operators of a bucket, from `key_by` on.

    Args:
        pipeline: These operators.
        state: The result of `save` for this bucket, or None for a bucket without state. It needs the rows of the keys
            alone that come or end in this run.

    Raises:
        PipelineError: The state belongs to other operators or to a later version, or is damaged.
    """

    def __init__(self, pipeline: Pipeline[Any, Any], state: SavedRun | None) -> None:
        self.pipeline = pipeline
        self.rows: dict[int, bytes] = {} if state is None else state.rows
        self.feed: Feed = Feed()
        self.results: Results = Results()
        self.handle: SubscriberStage = (
            Stream.from_publisher(self.feed, prefetch=FED_AHEAD, recovery="exact").through(pipeline).bind(self.results)
        )
        if state is not None:
            try:
                snapshot = SnapshotReader(state.records, read_table=state.table(), is_partial=True)
                load_nodes(self.handle, snapshot)
                snapshot.finish()
                keyed = keyed_stage(self.handle)
                if keyed is not None:
                    keyed.order.take_over(loaded_elements(keyed.order.heap))
                    keyed.is_hosted = True
            except StateError as error:
                raise refusal(
                    pipeline.operators[0].definition.id,
                    f"the state in the checkpoint cannot be loaded: {one_line(error)}; use the pipeline and the "
                    "release that wrote it, or a new checkpoint",
                ) from error
        self.handle.initialize()
        self.keyed: KeyedStage | None = keyed_stage(self.handle)
        if self.keyed is not None:
            self.keyed.is_hosted = True  # Spark calls again when the next key is due
        self.windows: WindowsStage | None = windows_stage(self.handle)

    def run(self, elements: Iterable[Any], *, now: int | None = None) -> Iterator[Any]:
        """Feed elements and yield their results.

        Args:
            elements: The elements, in order.
            now: The time in microseconds since 1970, if keys or windows end; with event times it is the watermark.
        """
        expiry = None if self.keyed is None else self.keyed.expiry
        if now is not None and expiry is not None and expiry.event_time is not None:
            yield from self.run_in_time(elements, now, expiry)
            return
        take = self.results.waiting
        if now is not None:
            yield from self.fed(TimeReached(now), None, -1)
        on_next = self.feed.subscriber.on_next
        for number, element in enumerate(elements):
            on_next(element)
            if self.results.error is not None:
                raise self.located(self.results.error, element, number)
            if len(take) >= RESULTS_HELD:
                yield from take
                take.clear()
        yield from take
        take.clear()

    def run_in_time(self, elements: Iterable[Any], now: int, expiry: Expiry) -> Iterator[Any]:
        """Feed the elements that the watermark has reached and yield their results.

        Elements wait here and not in the operator, which gets each element when it can process it at once. So an error
        belongs to the element that was fed.
        """
        assert expiry.event_time is not None
        order = TimeOrder(expiry.max_waiting)
        order.take_over(self.take_waiting())
        for element in elements:
            order.add(microseconds(expiry.event_time(element)), element, now, name=KeyedStage.name)
        for due in self.due(order, now):
            yield from self.fed(TimeReached(due.time), None, -1)
            yield from self.fed(due.element, due.element, -1)
        yield from self.fed(TimeReached(now), None, -1)
        self.put_waiting(order)

    def due(self, order: TimeOrder, now: int) -> Iterator[WaitingElement]:
        """Remove and yield the elements that the watermark has reached.

        Raises:
            PipelineError: More elements wait than `max_waiting` allows.
        """
        try:
            yield from order.take_due(now)
        except CapacityError as error:
            raise self.located(error, None, -1) from error

    def fed(self, element: Any, shown: Any, number: int) -> list[Any]:
        """Feed one element and return its results."""
        self.feed.subscriber.on_next(element)
        if self.results.error is not None:
            raise self.located(self.results.error, shown, number)
        results = [*self.results.waiting]
        self.results.waiting.clear()
        return results

    def due_of(self, row: Any) -> int:
        """Return when a key or window ends by time without further elements, in microseconds since 1970."""
        timed = self.windows or self.keyed
        assert timed is not None
        return timed.due_of(row)

    def next_waiting(self) -> int | None:
        """Return the time of the first element that waits for the watermark, or None."""
        return None if self.keyed is None else self.keyed.order.next_time()

    def take_waiting(self) -> list[WaitingElement]:
        """Remove and return the elements that wait for the watermark."""
        if self.keyed is None:
            return []
        waiting = self.keyed.order.heap
        self.keyed.order.take_over([])
        return waiting

    def put_waiting(self, order: TimeOrder) -> None:
        """Store waiting elements, so that they are saved with the operators."""
        if self.keyed is not None:
            self.keyed.order.take_over(order.heap)

    def save(self) -> SavedRun:
        """Return the records of the operators, and the rows of the keys that were loaded or came since.

        Rows that have not changed are the same objects as before.
        """
        snapshot, keyed = SnapshotWriter(keeps_tables=True), self.keyed
        waiting = [] if keyed is None else keyed.order.heap
        if keyed is not None:
            keyed.order.heap = saved_elements(waiting)
        try:
            token = save_nodes(self.handle, snapshot)
        finally:
            if keyed is not None:
                keyed.order.heap = waiting
        records = snapshot.finish()
        for table in snapshot.tables.values():  # the keyed operator's
            self.rows = table.rows if table.is_whole else self.rows | table.rows
            for row in table.deleted:
                self.rows.pop(row, None)
        tree_was_saved(self.handle, token)
        return SavedRun(records, self.rows)

    def close(self) -> None:
        """Cancel the operators."""
        self.handle.cancel()

    def located(self, error: Exception, element: Any, number: int) -> PipelineError:
        """Return the error of an operator with its line, the element and its key."""
        found = failed_operator(error)
        keyed = self.pipeline.operators[0]
        try:
            key = short_repr(keyed.parameters[0](element))
        except Exception:
            key = ""  # the failed function may be the key function
        refused = PipelineError.of_row(
            operator=found.name if found else short_name(keyed),
            assembly=found.assembly if found else str(keyed.assembly),
            row=short_repr(element),
            cause=one_line(error),
            row_number=number if number >= 0 else None,
            key=key,
        )
        refused.__cause__ = error
        return with_details(refused, error)


def keyed_stage(handle: SubscriberStage) -> KeyedStage | None:
    """Return the keyed stage of a tree that was loaded or initialized, or None."""
    return next((node for node, _ in stateful_nodes(handle) if isinstance(node, KeyedStage)), None)


def windows_stage(handle: SubscriberStage) -> WindowsStage | None:
    """Return the stage with windows of a tree that was loaded or initialized, or None."""
    return next((node for node, _ in stateful_nodes(handle) if isinstance(node, WindowsStage)), None)
