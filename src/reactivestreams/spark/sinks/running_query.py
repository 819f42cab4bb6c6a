"""A streaming query of a sink: its start, the function that Spark calls with each batch, and its handle."""

import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import PartGuarantee
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import NotSerializableError, PipelineError, SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in, with_details
from reactivestreams.spark.jvm_calls import batch_releaser, shown_plan
from reactivestreams.spark.plan.serialization import why_not_picklable
from reactivestreams.spark.query_arguments import QueryArguments, compute, end_query, is_stateful
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped, is_stopped_soon
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error, prepare_checkpoint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = [
    "QUERY_CUT_OFF",
    "RUN_AGAIN",
    "SINK_FAILED",
    "BatchFunction",
    "RunningQuery",
    "require_streaming",
    "start_query",
    "stop_cut_off",
]

STOP_TIMEOUT_SECONDS = 60.0
"""How long `stop` waits for the end of the query after Spark has stopped it."""

POLL_SECONDS = 0.05

LONGEST_WAIT_SECONDS = 1
"""Longest single wait for the end of a query: Spark does not end the wait when the session is stopped."""

handles: "WeakSet[RunningQuery]" = WeakSet()
"""The handles that somebody has."""


class RunningQuery:
    """A handle on a streaming query; leaving its `with` block stops the query.

    Sinks make it. Any thread may call any method.

    Args:
        query: Spark's handle.
        session: The session that runs it.
        function: The function that Spark calls with each batch.
        checkpoint: Folder of the checkpoint, as a URI.
        guarantee: The guarantee of the sink.
    """

    def __init__(
        self,
        query: "StreamingQuery",
        *,
        session: "SparkSession",
        function: "BatchFunction",
        checkpoint: str,
        guarantee: PartGuarantee,
    ) -> None:
        self.query = query
        self.session = session
        self.function = function
        self.checkpoint = checkpoint
        self.guarantee = guarantee
        self.is_cut_off: bool = False
        """Whether the query was running when its session was stopped."""
        handles.add(self)

    @property
    def name(self) -> str | None:
        """Name of the query, or None."""
        name: str | None = self.query.name
        return name

    @property
    def is_active(self) -> bool:
        """Whether the query runs; false if its session was stopped."""
        if is_stopped(self.session):
            return False
        try:
            return bool(self.query.isActive)
        except Exception as error:
            if is_stopped_soon(self.session, error):
                return False
            raise

    @property
    def progress(self) -> Any:
        """Spark's report on the last micro-batch; None before the first."""
        return self.query.lastProgress

    @property
    def error(self) -> Exception | None:
        """The error of the query, as the error of the part that failed, or None."""
        if is_stopped(self.session):
            self.note_cut_off()
            if self.is_cut_off:
                return self.function.failure or SparkJobError(QUERY_CUT_OFF)
        try:
            failure = self.query.exception()
        except Exception as error:
            # A Connect server ends and removes the queries of a session before the session reports its own end.
            if not is_stopped_soon(self.session, error):
                raise
            self.is_cut_off = True
            return self.function.failure or SparkJobError(QUERY_CUT_OFF)
        return None if failure is None else self.explained(failure)

    def await_end(self, timeout_seconds: float | None = None) -> bool:
        """Wait for the end of the query.

        Args:
            timeout_seconds: The longest wait; None means no limit.

        Returns:
            Whether it has ended.

        Raises:
            PipelineError: A stream, a pipeline or a batch function failed.
            CheckpointError: A file of the checkpoint is damaged.
            FolderInUseError: Another driver uses the checkpoint.
            SparkJobError: The query failed for another reason, or its session was stopped while it ran.
        """
        limit_seconds = checked_timeout(timeout_seconds, operator="await_end")
        if not self.has_ended_within(float("inf") if limit_seconds is None else limit_seconds):
            return False
        if is_stopped(self.session):
            self.stop()
        found = self.error
        if found is not None:
            raise found
        return True

    def has_ended_within(self, limit_seconds: float) -> bool:
        """Return whether the query ends in time."""
        deadline = time.monotonic() + limit_seconds
        while self.is_active:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if left < LONGEST_WAIT_SECONDS:  # Spark accepts whole positive seconds only
                time.sleep(min(POLL_SECONDS, left))
                continue
            # Spark raises the error of the query, which is read later.
            with suppress(Exception):
                self.query.awaitTermination(LONGEST_WAIT_SECONDS)
        return True

    def note_cut_off(self) -> None:
        """Record whether the query was running when the session was stopped."""
        try:
            self.is_cut_off = self.is_cut_off or bool(self.query.isActive)
        except Exception:
            self.is_cut_off = True  # the state cannot be read any more

    def stop(self) -> None:
        """Stop the query, if necessary during a batch. Further calls do nothing.

        Raises:
            SparkJobError: The query still runs `STOP_TIMEOUT_SECONDS` after Spark has stopped it.
        """
        if is_stopped(self.session):
            self.note_cut_off()
        end_query(self.query, self.session)
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        while self.is_active and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        if self.is_active:
            raise SparkJobError(
                f"the query still runs {STOP_TIMEOUT_SECONDS:g} seconds after Spark has stopped it, and uses its "
                f"checkpoint {self.checkpoint}; call stop() again, or stop the session"
            )

    def explained(self, error: BaseException) -> Exception:
        """Return the short error for Spark's exception."""
        found = (
            self.function.failure or pipeline_error_in(error) or checkpoint_error(self.checkpoint, self.session, error)
        )
        if found is None:
            # It is unknown which came first, and the end of a session causes many different errors.
            stopped = (
                f"its session was stopped, which may be the cause: {RUN_AGAIN}; "
                if is_stopped(self.session, error)
                else ""
            )
            found = SparkJobError(
                f"the query with the checkpoint {self.checkpoint} failed: {failure_summary(error)}; {stopped}Spark's "
                "exception is the cause"
            )
        if found.__cause__ is None:
            found.__cause__ = error
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        try:
            state = "active" if self.is_active else "ended"
        except Exception:
            state = "unreachable"  # a repr must not raise if the server has ended
        return f"RunningQuery({self.guarantee.part}, {state}, {self.guarantee.guarantee.value}, {self.checkpoint!r})"


def stop_cut_off() -> None:
    """Stop the queries whose session was stopped: Spark leaves them running, and the next one would meet them."""
    for query in tuple(handles):
        if is_stopped(query.session):
            query.stop()


RUN_AGAIN = "start it again in a running session to continue from the checkpoint"
QUERY_CUT_OFF = f"the query was stopped with its Spark session; {RUN_AGAIN}"
"""The message for a query that ended with its session."""

SINK_FAILED = "the sink failed, and its handle has the error"
"""The message for Spark; it is short, because a long one can overflow the stack of the stream thread."""


class BatchFunction:
    """Calls the sink with each batch, and stores its exception for the handle of the query.

    Spark calls it in one thread at a time. Through Spark Connect a copy of it runs in a process next to the server, so
    the exception comes back as text.

    Args:
        sink: Name of the sink.
        write: Takes the batch's DataFrame and id, and returns whether it has computed all of the batch.
        is_stateful: Whether the query has state. Then rows that the sink did not compute are computed after it.
    """

    def __init__(self, sink: str, write: "Callable[[DataFrame, int], bool]", *, is_stateful: bool) -> None:
        self.sink = sink
        self.write = write
        self.is_stateful = is_stateful
        self.failure: Exception | None = None

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> None:
        """Write a batch."""
        try:
            is_computed = self.write(dataframe, batch_id)
            if self.is_stateful and not is_computed:
                compute(dataframe)
        except Exception as error:
            self.failure = error if isinstance(error, PipelineError) else pipeline_error_in(error)
            if self.failure is None and is_stopped(dataframe.sparkSession):
                self.failure = SparkJobError(QUERY_CUT_OFF)
                self.failure.__cause__ = error
            elif self.failure is None:
                is_of_jvm = getattr(error, "java_exception", None) is not None
                cause = failure_summary(error) if is_of_jvm else one_line(error)
                self.failure = PipelineError(
                    f"{self.sink} failed on batch {batch_id}: {cause}",
                    operator=self.sink,
                    row=f"batch {batch_id}",
                    cause=cause,
                )
                self.failure.__cause__ = error
            if is_connect(dataframe):
                raise with_details(self.failure) if isinstance(self.failure, PipelineError) else self.failure from None
            raise RuntimeError(SINK_FAILED) from None
        finally:
            if is_connect(dataframe):
                batch_releaser()(dataframe)


def require_streaming(df: object, sink: str) -> None:
    """Check that an argument is a streaming DataFrame.

    Raises:
        ArgumentTypeError: It is not a DataFrame.
        ArgumentError: It is a batch DataFrame.
    """
    require_spark()
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(
            f"{sink}(df) needs a streaming DataFrame, got {df!r:.200}; make one with to_streaming_dataframe or "
            "session.readStream"
        )
    if not df.isStreaming:
        raise ArgumentError(
            f"{sink}(df) needs a streaming DataFrame, got a batch DataFrame, whose rows have no batch ids; write it "
            "with df.write"
        )


def start_query(
    df: "DataFrame",
    write: "Callable[[DataFrame, int], bool]",
    arguments: QueryArguments,
    *,
    sink: str,
    guarantee: PartGuarantee,
) -> RunningQuery:
    """Start a query whose batches a function writes.

    Args:
        df: A streaming DataFrame.
        write: As for `BatchFunction`.
        arguments: The arguments of the query.
        sink: Name of the sink.
        guarantee: The guarantee of the sink.

    Raises:
        FolderInUseError: Another query uses the checkpoint.
        NotSerializableError: The function cannot be sent to the server of Spark Connect.
        CheckpointError: The checkpoint is damaged.
        OSError: The file system of the checkpoint failed, or does not list a file as soon as it is written.
        SparkJobError: Spark cannot write the checkpoint.
    """
    from pyspark.errors import PySparkException

    function = BatchFunction(sink, write, is_stateful=is_stateful(shown_plan(df)))
    stop_cut_off()
    if is_connect(df):
        require_serializable(function)
    prepare_checkpoint(arguments.checkpoint, df.sparkSession)
    try:
        query = arguments.writer(df).foreachBatch(function).start()
    except PySparkException as error:
        raise checkpoint_error(arguments.checkpoint, df.sparkSession, error) or error from error.__cause__
    except Exception as error:
        raise checkpoint_error(arguments.checkpoint, df.sparkSession, error) or SparkJobError(
            f"the query cannot start with the checkpoint {arguments.checkpoint}: {failure_summary(error)}; correct "
            "that, such as a missing permission, and start it again"
        ) from error
    return RunningQuery(
        query,
        session=df.sparkSession,
        function=function,
        checkpoint=arguments.checkpoint,
        guarantee=guarantee,
    )


def require_serializable(function: BatchFunction) -> None:
    """Check that a function can be sent to the server of Spark Connect.

    Raises:
        NotSerializableError: It cannot.
    """
    reason = why_not_picklable(function)
    if reason is not None:
        raise NotSerializableError(
            f"{function.sink} through Spark Connect runs in a process of the server, but its function cannot be "
            f"pickled: {reason}; open files, create locks and get sessions inside the function"
        )
