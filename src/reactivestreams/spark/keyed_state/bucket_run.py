"""One bucket's operators for one call of Spark: made from saved state, fed, and saved again."""

from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.errors import StateError
from reactivestreams.operators.expiry import TimeReached
from reactivestreams.operators.keyed_stage import KeyedStage
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failed_operator import failed_operator
from reactivestreams.spark.keyed_state.blob_store import refusal
from reactivestreams.spark.pipelines.failures import with_details
from reactivestreams.spark.pipelines.plan import short_name
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.state import SnapshotReader, SnapshotWriter, load_nodes, save_nodes, stateful_nodes
from reactivestreams.stream import Pipeline, Stream
from rs_core.subscriber_stage import SubscriberStage

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
            except StateError as error:
                raise refusal(
                    pipeline.operators[0].definition.id,
                    f"the state in the checkpoint cannot be loaded: {one_line(error)}; start the pipeline and the "
                    "release that made it, or take a new checkpoint",
                ) from error
        self.handle.initialize()

    def run(self, elements: Iterable[Any], *, now: int | None = None) -> Iterator[Any]:
        """Yield what follows from some elements.

        Args:
            elements: In their order.
            now: How late it is, in microseconds since 1970, where keys end by time.
        """
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

    def fed(self, element: Any, shown: Any, number: int) -> list[Any]:
        """Feed one element and return what follows."""
        self.feed.subscriber.on_next(element)
        if self.results.error is not None:
            raise self.located(self.results.error, shown, number)
        results = [*self.results.waiting]
        self.results.waiting.clear()
        return results

    def next_end(self) -> int | None:
        """Return when the next key is over, in microseconds since 1970; None where none ever is."""
        for node, _ in stateful_nodes(self.handle):
            if isinstance(node, KeyedStage) and node.times is not None:
                return node.times.next_end()
        return None

    def save(self) -> bytes:
        """Return the state of the operators."""
        snapshot = SnapshotWriter()
        save_nodes(self.handle, snapshot)
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
