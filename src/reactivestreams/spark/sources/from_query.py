"""A streaming query as a stream whose demand controls Spark."""

import os
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.errors import ReactiveStreamsError, StateError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.jvm_calls import shown_plan
from reactivestreams.spark.query_arguments import checked_arguments, end_query, is_stateful, source_names
from reactivestreams.spark.rows.dataframe_arguments import checked_count, is_connect, require_streaming_dataframe
from reactivestreams.spark.rows.row_forms import ROW_FORMS, checked_form
from reactivestreams.spark.sessions.stopped_session import is_stopped, is_stopped_soon
from reactivestreams.spark.sources.batch_handover import (
    BatchHandover,
    DeliveryRecord,
    OfferedBatch,
    QueryPlan,
    short_error,
)
from reactivestreams.spark.sources.connect_batches import ConnectBatches
from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW, MAX_WINDOW
from reactivestreams.spark.storage.checkpoint_folder import prepare_checkpoint
from reactivestreams.spark.storage.file_system import file_system
from reactivestreams.stream import Stream
from rs_core.operators.python_operator import PythonStage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = ["IDLE", "IDLE_SECONDS", "QUERY_FORMS", "MicroBatch", "QueryElements", "QueryStage", "from_query"]

QUERY_FORMS = (*ROW_FORMS, "micro_batches")
"""The values of `as_` for `from_query`."""

REDELIVERIES = ("deliver", "skip")


def from_query(
    streaming_df: "DataFrame",
    *,
    checkpoint: str | os.PathLike[str],
    as_: str = "rows",
    trigger: str | None = None,
    output_mode: str = "append",
    on_redelivery: str = "deliver",
    window: int = DEFAULT_WINDOW,
    name: str | None = None,
) -> Stream[Any]:
    """Make a stream of a streaming query's results; Spark runs the next micro-batch after this one was consumed.

    The batch function of the query waits until the subscriber has requested the element after the last one of the
    batch; only then Spark commits the batch. After an interruption the uncommitted batch is delivered again, complete
    and with the same number, so each element arrives at least once. The effect is exactly-once if the consumer is
    idempotent by `MicroBatch.batch_id`. A record in the checkpoint contains which batch was consumed, and Spark's
    log which was begun: `MicroBatch.is_redelivered` returns this, and with `on_redelivery="skip"` a batch that was
    consumed completely is left out, in all forms. A batch that was consumed in part is always delivered again.

    Through Spark Connect the batch function runs in a process next to the server, where it makes a global temporary
    view of the micro-batch, which this process reads, wherever it runs. If this process ends, or is held up for
    `READER_SECONDS`, the batch function fails, and the server does not commit the batch.

    Args:
        streaming_df: A streaming DataFrame.
        checkpoint: Folder for Spark's checkpoint and the record, one per query: a URI of any of Spark's file systems,
            such as `"s3a://bucket/flights"`, or a path of this machine, as for `to_path`. It is made if it is missing.
        as_: `"rows"`, `"tuples"`, `"dicts"`, `"batches"` as for `from_dataframe`, or `"micro_batches"` for one
            `MicroBatch` per micro-batch, including those without rows.
        trigger: None to start each micro-batch at once, `"available_now"` to read the data that exists at the start and
            end, or an interval such as `"5 seconds"`.
        output_mode: Spark's `"append"`, `"update"` or `"complete"`.
        on_redelivery: `"deliver"`, or `"skip"` to leave out a batch that was consumed completely.
        window: How many partitions of a micro-batch may be computed ahead of the one that is read, 1 to 64. A
            micro-batch that has no more is computed by one job: if that fails, none of its elements was sent. Through
            Spark Connect it has no effect.
        name: Name of the query, unique among the running queries.

    Returns:
        The stream. Each subscription runs the query from its checkpoint; one subscription at a time.

    Raises:
        ArgumentError: An argument has an invalid value, `streaming_df` is a batch DataFrame, or the executors do not
            see the checkpoint.
        ArgumentTypeError: An argument has the wrong type.

    Demand: The query starts with the first request. At most `window` + 1 partitions of the current micro-batch are
        computed beyond the requested elements; the next micro-batch does not start. Through Spark Connect all of
        it is computed. If the query has state, unread rows of a micro-batch are computed when the next element is
        requested, so that they count in the state.
    Errors: `FolderInUseError` if another query of the same session, or later another driver, uses the checkpoint;
        `CheckpointError` or `OSError` if it cannot be used; `PipelineError` if a pipeline that `apply` put into
        the query failed; `SparkJobError` with Spark's exception as its cause if the query failed otherwise, and without
        a cause if another program stopped it. Through Spark Connect an invalid interval is such a failure, too.
    State: The state is Spark's checkpoint. Saving a stream with this source raises StateError until it has ended: the
        checkpoint advances independently, so a loaded stream would count elements twice or leave some out.
    Threads: Signals run in the thread that requests, which waits for Spark. A cancellation from another thread takes
        effect within `IDLE_SECONDS` if there is no batch, else when the next partition, or through Spark Connect the
        next batch, has arrived. When `cancel` has returned, the query has ended. Through Spark Connect a
        thread shows the server that this process lives, and ends with the subscription.
    Rules: 1.1, 1.3, 3.3, 3.13, as for every source that iterates; 3.4 is bent, since a request may wait for Spark.

    Example:
        See the guide on Spark's sources.
    """
    require_streaming_dataframe(streaming_df)
    arguments = checked_arguments(
        streaming_df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode
    )
    plan = QueryPlan(
        dataframe=streaming_df,
        arguments=arguments,
        form=checked_query_form(as_, streaming_df),
        window=checked_count("window", window, DEFAULT_WINDOW, 1, MAX_WINDOW),
        skip_delivered=checked_choice("on_redelivery", on_redelivery, REDELIVERIES) == "skip",
    )
    elements = QueryElements(plan)
    return Stream.from_iterable(elements, recovery="none").lift(QueryStage, plan.label)


def checked_query_form(as_: object, streaming_df: "DataFrame") -> str:
    """Check the argument `as_`."""
    if as_ == "micro_batches":
        return "micro_batches"
    if isinstance(as_, str) and as_ not in ROW_FORMS:
        checked_choice("as_", as_, QUERY_FORMS)
    return checked_form(as_, streaming_df.schema)


IDLE_SECONDS = 0.1
"""How long an iteration waits for a batch before it yields `IDLE`."""


class Idle:
    """The type of `IDLE`."""

    def __repr__(self) -> str:
        return "IDLE"


IDLE = Idle()
"""Yielded while there is no batch, so that the iterating code can notice a cancellation."""


class QueryElements:
    """Iterable over the elements of a streaming query, and `IDLE` in between; nothing runs before the first `next`.

    Args:
        plan: The checked arguments.
    """

    def __init__(self, plan: QueryPlan) -> None:
        self.plan = plan

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements; the generator's `close()` stops the query.

        The request for the element after the last one of a batch means that the batch was consumed.
        """
        if is_stopped(self.plan.dataframe.sparkSession):
            raise self.stopped()
        try:
            yield from self.elements()
        except (ReactiveStreamsError, OSError):
            raise
        except Exception as error:
            # With Spark Connect each step calls the server, which may have ended.
            raise self.told(error, is_stopped_soon) from error

    def elements(self) -> Generator[Any, None, None]:
        """Yield the elements, and raise also exceptions of Spark."""
        plan, session = self.plan, self.plan.dataframe.sparkSession
        checkpoint = plan.arguments.checkpoint
        prepare_checkpoint(checkpoint, session)
        names, has_state = self.describe()
        record = DeliveryRecord(checkpoint, names, file_system(checkpoint, session))
        record.load()
        kind = ConnectBatches if is_connect(plan.dataframe) else BatchHandover
        with kind(plan, record, is_stateful=has_state) as batches:
            query = self.start(batches.function)
            try:
                while True:
                    batch = batches.take(IDLE_SECONDS)
                    if batch is not None:
                        yield from self.elements_of(batch, is_redelivered=batches.redelivered)
                        record.finish(batch.batch_id)
                        batches.finish()
                    elif self.has_ended(query, batches):
                        return
                    else:
                        yield IDLE
            finally:
                batches.close()
                self.stop(query)

    def describe(self) -> tuple[list[str], bool]:
        """Return the kinds of the sources for the record, and whether it has state."""
        try:
            plans = shown_plan(self.plan.dataframe)
        except Exception as error:
            raise self.told(error, is_stopped) from error
        return source_names(plans), is_stateful(plans)

    def start(self, function: Callable[[Any, int], None]) -> "StreamingQuery":
        """Start the query."""
        try:
            return self.plan.arguments.writer(self.plan.dataframe).foreachBatch(function).start()
        except Exception as error:
            raise self.told(error, is_stopped) from error

    def told(self, error: Exception, was_stopped: Callable[["SparkSession", Exception], bool]) -> Exception:
        """Return the short error for an exception of Spark."""
        return self.stopped() if was_stopped(self.plan.dataframe.sparkSession, error) else short_error(error, self.plan)

    def elements_of(self, batch: OfferedBatch, *, is_redelivered: bool) -> Iterator[Any]:
        """Yield the elements of one batch."""
        if self.plan.form != "micro_batches":
            yield from batch.rows(self.plan.form, self.plan.window)
            return
        micro_batch = MicroBatch(batch, is_redelivered=is_redelivered, window=self.plan.window)
        try:
            yield micro_batch
        finally:
            micro_batch.close()

    def has_ended(self, query: "StreamingQuery", batches: BatchHandover | ConnectBatches) -> bool:
        """Return whether the query has ended.

        Raises:
            PipelineError: A pipeline that the query contains failed.
            SparkJobError: The query failed for another reason, or another program stopped it.
        """
        if is_stopped(self.plan.dataframe.sparkSession):
            raise self.stopped()
        if query.isActive:
            return False
        failure = query.exception()
        if failure is not None:
            raise self.told(failure, is_stopped) from failure
        if batches.abandoned or "availableNow" not in self.plan.arguments.trigger:
            raise self.stopped()
        return True

    def stopped(self) -> SparkJobError:
        """Return the error for a query that another program stopped."""
        return SparkJobError(
            f"the streaming query {self.plan.label} was stopped by another program, or its session was stopped; "
            "subscribe again in a running session to continue from the checkpoint"
        )

    def stop(self, query: "StreamingQuery") -> None:
        """Stop the query and wait until it has ended."""
        try:
            end_query(query, self.plan.dataframe.sparkSession)
        except Exception as error:
            # No one can receive this error: the reader has closed, or has received another error.
            dropped("cancel", error, origin="from_query")

    def __repr__(self) -> str:
        return f"QueryElements({self.plan.dataframe!r}, checkpoint={self.plan.arguments.checkpoint!r})"


class QueryStage(PythonStage[Any, Any]):
    """Pass on the elements of a query and leave `IDLE` out.

    Saved state would not match the checkpoint, which advances independently: a stream that loads it would count
    elements twice or leave some out.

    Args:
        label: Names the query.

    Demand: as requested.
    Errors: the query's are passed on.
    State: none: saving raises StateError until the stream has ended. Version 1.0.0.0.
    """

    name = "rx://spark/from_query"

    def __init__(self, label: str) -> None:
        self.label = label
        self.has_ended: bool = False
        self.is_idle: bool = False

    def on_next(self, element: Any) -> None:
        """Pass an element on."""
        self.is_idle = element is IDLE
        if not self.is_idle:
            self.emit(element)

    def inspect(self) -> dict[str, Any]:
        """Return what is known of this node, as `Stage.inspect` does, and whether Spark has no rows for it."""
        facts = super().inspect()
        if self.is_idle:
            facts["waits_outside"] = (
                f"the streaming query {self.label} runs, and Spark has found no new rows in its source",
                (
                    "let something write to that source, wait for the next interval of the trigger, bound the stream "
                    'with take_for() or take_until(), or read what is there with trigger="available_now"'
                ),
            )
        return facts

    def on_dispose(self) -> None:
        """Record the end."""
        self.has_ended = True

    def save_fields(self, writer: Any) -> None:
        """Refuse before the end.

        Raises:
            StateError: The stream has not ended.
        """
        if not self.has_ended:
            raise StateError(
                f"the stream of the streaming query {self.label} cannot be saved: the query's checkpoint is its state, "
                "and advances independently; subscribe again to continue from the checkpoint, and store results by "
                "MicroBatch.batch_id, or put operators with state into the query by spark.apply(pipeline, df)"
            )

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Record that the stream had ended; only ended streams are saved."""
        self.has_ended = True


class MicroBatch:
    """One micro-batch of a streaming query; its rows can be read until the next element is requested.

    Made by `from_query(..., as_="micro_batches")`.

    Threads: may be read in any thread while the stream waits.
    """

    def __init__(self, offered: OfferedBatch, *, is_redelivered: bool, window: int) -> None:
        self._offered = offered
        self._is_redelivered = is_redelivered
        self._window = window
        self._is_open = True

    @property
    def batch_id(self) -> int:
        """Spark's number of the batch; a batch that is delivered again has the same number and the same rows."""
        return self._offered.batch_id

    @property
    def is_redelivered(self) -> bool:
        """Whether the batch, or a part of it, may have been delivered before the last interruption."""
        return self._is_redelivered

    @property
    def dataframe(self) -> "DataFrame":
        """The batch as Spark's batch DataFrame.

        If the query has state, it is persisted until the batch is over; then the rest of it is computed.

        Raises:
            StateError: The batch is over.
        """
        self._require_open()
        return self._offered.dataframe

    def read(self, as_: str = "rows") -> Stream[Any]:
        """Return the rows of the batch as a stream, like `from_dataframe`; each subscription computes them again.

        Args:
            as_: `"rows"`, `"tuples"`, `"dicts"` or `"batches"`.

        Raises:
            ArgumentError: `as_` is none of these.
            ArgumentTypeError: `as_` is not a text.
            StateError: The batch is over.
        """
        self._require_open()
        form = checked_form(as_, self._offered.frame.schema)
        return Stream.from_iterable(self._offered.rows(form, self._window), recovery="none")

    def close(self) -> None:
        """Refuse to be read from now on; called when the next element is requested."""
        self._is_open = False

    def _require_open(self) -> None:
        if not self._is_open:
            raise StateError(
                f"micro-batch {self.batch_id} is over, since the next element was requested; read a micro-batch where "
                "it arrives, for example in map or for_each"
            )

    def __repr__(self) -> str:
        again = ", is_redelivered=True" if self.is_redelivered else ""
        return f"MicroBatch(batch_id={self.batch_id}{again})"
