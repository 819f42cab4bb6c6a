"""A streaming query that a sink has started."""

import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from reactivestreams.arguments import checked_timeout
from reactivestreams.guarantees import PartGuarantee
from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.query_end import end_query
from reactivestreams.spark.sessions.stopped_session import is_stopped, is_stopped_soon
from reactivestreams.spark.sinks.batch_function import QUERY_CUT_OFF, RUN_AGAIN
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from reactivestreams.spark.sinks.batch_function import BatchFunction

__all__ = ["RunningQuery", "stop_cut_off"]

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
                f"the query failed: {failure_summary(error)}; {stopped}Spark's exception is the cause"
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
