"""A streaming query that a sink has started."""

import atexit
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.arguments import checked_timeout
from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.guarantees import PartGuarantee
from reactivestreams.spark.pipelines.failures import failure_summary, pipeline_error_in

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from reactivestreams.spark.replay.folder_lock import FolderLock
    from reactivestreams.spark.sinks.batch_function import BatchFunction

__all__ = ["RunningQuery", "release_ended"]

STOP_TIMEOUT_SECONDS = 60.0
"""How long `stop` waits for the query to end after Spark has said that it stopped."""

POLL_SECONDS = 0.05

running: "list[RunningQuery]" = []
"""The queries of this process whose checkpoints are locked."""


class RunningQuery:
    """A handle on a streaming query; leaving its `with` block stops the query.

    Sinks make it. Any thread may call any method.

    Args:
        query: Spark's own handle.
        function: What Spark calls with each batch.
        checkpoint: Folder of the checkpoint.
        lock: The lock on the checkpoint, or None.
        guarantee: What the sink promises.
    """

    def __init__(
        self,
        query: "StreamingQuery",
        *,
        function: "BatchFunction",
        checkpoint: Path,
        lock: "FolderLock | None",
        guarantee: PartGuarantee,
    ) -> None:
        self.query = query
        self.function = function
        self.checkpoint = checkpoint
        self.guarantee = guarantee
        self.guard: threading.Lock = threading.Lock()
        self.lock = lock
        if lock is not None:
            running.append(self)
            atexit.register(self.free)

    @property
    def name(self) -> str | None:
        """Name of the query, where it has one."""
        name: str | None = self.query.name
        return name

    @property
    def is_active(self) -> bool:
        """Whether the query runs."""
        active: bool = self.query.isActive
        return active

    @property
    def progress(self) -> Any:
        """Spark's report on the last micro-batch; None before the first."""
        return self.query.lastProgress

    @property
    def error(self) -> Exception | None:
        """What the query failed with, as the error of the part that failed; None where it did not fail."""
        failure = self.query.exception()
        return None if failure is None else self.explained(failure)

    def await_end(self, timeout_seconds: float | None = None) -> bool:
        """Wait for the end of the query.

        Args:
            timeout_seconds: How long at most; None means without limit.

        Returns:
            Whether it has ended.

        Raises:
            PipelineError: A stream, a pipeline or a batch function failed.
            SparkJobError: The query failed for another reason.
        """
        limit_seconds = checked_timeout(timeout_seconds, operator="await_end")
        try:
            if limit_seconds is None:
                self.query.awaitTermination()
            # Spark takes whole seconds alone, and none of nothing.
            elif not self.ended_within(limit_seconds):
                return False
        except Exception as error:
            self.free()
            found = self.explained(error)
            raise found from (found.__cause__ or error)
        self.free()
        return True

    def ended_within(self, limit_seconds: float) -> bool:
        """Tell whether the query ends in time; raise what it failed with."""
        deadline = time.monotonic() + limit_seconds
        while self.query.isActive:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(POLL_SECONDS, left))
        failure = self.query.exception()
        if failure is not None:
            raise failure
        return True

    def stop(self) -> None:
        """Stop the query, in the midst of a batch if need be, and free the checkpoint; may be called again."""
        self.query.stop()
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        while self.query.isActive and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        self.free()

    def explained(self, error: BaseException) -> Exception:
        """Return the short error for what Spark reports."""
        return (
            self.function.failure
            or pipeline_error_in(error)
            or SparkJobError(f"the query failed: {failure_summary(error)}; Spark's own exception is the cause")
        )

    def free(self) -> None:
        """Free the checkpoint for other queries; may be called again."""
        atexit.unregister(self.free)
        with self.guard:
            lock, self.lock = self.lock, None
            if lock is not None:
                running.remove(self)
        if lock is not None:
            lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "active" if self.is_active else "ended"
        return (
            f"RunningQuery({self.guarantee.part}, {state}, {self.guarantee.guarantee.value}, {str(self.checkpoint)!r})"
        )


def release_ended() -> None:
    """Free the checkpoints of queries that have ended and of which nobody has asked since."""
    for query in tuple(running):
        if not query.is_active:
            query.free()
