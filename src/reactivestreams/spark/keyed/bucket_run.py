"""One bucket's operators for one call of Spark: made from saved state, fed, and saved again."""

from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.errors import CapacityError, StateError
from reactivestreams.operators.keyed.expiry import Expiry, TimeOrder, TimeReached, WaitingElement, microseconds
from reactivestreams.operators.keyed.stage import KeyedStage
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.keyed.blob_store import refusal
from reactivestreams.spark.keyed.waiting_elements import loaded_elements, saved_elements
from reactivestreams.spark.operator_names import failed_operator, short_name
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.state import SnapshotReader, SnapshotWriter, load_nodes, save_nodes, stateful_nodes
from reactivestreams.stream import Pipeline, Stream
from rs_core.ends.subscriber import SubscriberStage

__all__ = ["FED_AHEAD", "BucketRun"]

FED_AHEAD = 1024
"""Demand of the operators' input that is asked for at a time; each element is handled when it is fed."""

RESULTS_HELD = 10_000
"""How many results are held before they are written."""

UNBOUNDED = 2**63 - 1


class Feed:
    """The publisher of a bucket's elements, fed by the thread that runs the operators."""

    def __init__(self) -> None:
        self.subscriber: Any = None

    def subscribe(self, subscriber: Any) -> None:
        """Keep the subscriber."""
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        """Nothing: the demand of what follows is unbounded, so that each element is asked for in time."""

    def cancel(self) -> None:
        """Nothing: what is fed to a cancelled stream is dropped."""


class Results:
    """The subscriber of a bucket's results."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []
        self.on_next = self.waiting.append  # type: ignore[method-assign, assignment]  # spares a call for each result
        self.error: Exception | None = None

    def on_subscribe(self, subscription: Any) -> None:
        """Request everything."""
        subscription.request(UNBOUNDED)

    def on_next(self, element: Any) -> None:
        """Keep a result."""
        self.waiting.append(element)

    def on_error(self, error: Exception) -> None:
        """Keep the error."""
        self.error = error

    def on_complete(self) -> None:
        """Nothing: an operator behind the keys may have had enough, and then nothing more comes."""


class BucketRun:
    """The operators of a bucket, from `key_by` on.

    Args:
        pipeline: These operators.
        state: What `save` returned for this bucket, or None for a bucket without state.

    Raises:
        PipelineError: The state is that of other operators, or of a later version, or damaged.
    """

    def __init__(self, pipeline: Pipeline[Any, Any], state: bytes | None) -> None:
        self.pipeline = pipeline
        self.feed: Feed = Feed()
        self.results: Results = Results()
        self.handle: SubscriberStage = (
            Stream.from_publisher(self.feed, prefetch=FED_AHEAD, recovery="exact").through(pipeline).bind(self.results)
        )
        if state is not None:
            try:
                snapshot = SnapshotReader(state)
                load_nodes(self.handle, snapshot)
                snapshot.finish()
                keyed = keyed_stage(self.handle)
                if keyed is not None:
                    keyed.order.take_over(loaded_elements(keyed.order.heap))
            except StateError as error:
                raise refusal(
                    pipeline.operators[0].definition.id,
                    f"the state in the checkpoint cannot be loaded: {one_line(error)}; start the pipeline and the "
                    "release that made it, or take a new checkpoint",
                ) from error
        self.handle.initialize()
        self.keyed: KeyedStage | None = keyed_stage(self.handle)

    def run(self, elements: Iterable[Any], *, now: int | None = None) -> Iterator[Any]:
        """Yield what follows from some elements.

        Args:
            elements: In their order.
            now: How late it is, in microseconds since 1970, where keys end by time; with event times the watermark.
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
        """Yield what follows from the elements that the watermark has reached.

        They wait here and not in the operator, which gets each when it can be handled at once: what fails is its own.
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
            PipelineError: More wait than may.
        """
        try:
            yield from order.take_due(now)
        except CapacityError as error:
            raise self.located(error, None, -1) from error

    def fed(self, element: Any, shown: Any, number: int) -> list[Any]:
        """Feed one element and return what follows."""
        self.feed.subscriber.on_next(element)
        if self.results.error is not None:
            raise self.located(self.results.error, shown, number)
        results = [*self.results.waiting]
        self.results.waiting.clear()
        return results

    def next_due(self) -> int | None:
        """Return how late it has to be, in microseconds since 1970, for more to follow; None where nothing waits."""
        return self.keyed.next_due() if self.keyed is not None and self.keyed.times is not None else None

    def take_waiting(self) -> list[WaitingElement]:
        """Remove and return the elements that wait for the watermark."""
        if self.keyed is None:
            return []
        waiting = self.keyed.order.heap
        self.keyed.order.take_over([])
        return waiting

    def put_waiting(self, order: TimeOrder) -> None:
        """Have elements that wait saved with the operators."""
        if self.keyed is not None:
            self.keyed.order.take_over(order.heap)

    def save(self) -> bytes:
        """Return the state of the operators."""
        snapshot, keyed = SnapshotWriter(), self.keyed
        waiting = [] if keyed is None else keyed.order.heap
        if keyed is not None:
            keyed.order.heap = saved_elements(waiting)
        try:
            save_nodes(self.handle, snapshot)
        finally:
            if keyed is not None:
                keyed.order.heap = waiting
        return snapshot.finish()

    def close(self) -> None:
        """Tear the operators down."""
        self.handle.cancel()

    def located(self, error: Exception, element: Any, number: int) -> PipelineError:
        """Return the error of an operator with its line, the element that was being handled, and its key."""
        found = failed_operator(error)
        keyed = self.pipeline.operators[0]
        try:
            key = short_repr(keyed.parameters[0](element))
        except Exception:
            key = ""  # the key function itself may be what failed
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
    """Return the operator with times in a tree that was loaded or initialized; None where there is none."""
    return next((node for node, _ in stateful_nodes(handle) if isinstance(node, KeyedStage)), None)
