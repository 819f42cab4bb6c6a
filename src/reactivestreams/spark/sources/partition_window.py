"""Reading the partitions of a DataFrame in order, a bounded number of them at a time.

Roles: one *reader* calls `__next__`; up to `window` *workers* run the jobs; any thread may call `close`.
Invariants, true whenever the lock is free:
    I1  taken <= delivered + window: no job starts beyond the window.
    I2  results contains only partitions from delivered to taken - 1, so at most `window` of them.
    I3  after close no job starts, and every waiting thread has been woken.
Progress: a reader waits for the job of the next partition; `close` and the end of the session end that wait. A job that
    is submitted while Spark's context stops never ends, so the reader checks the session every `STOP_POLL_SECONDS`.
"""

import threading
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.dropped import dropped
from reactivestreams.spark.errors import PipelineError, SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.sessions.stopped_session import SESSION_STOPPED

if TYPE_CHECKING:
    from reactivestreams.spark.sources.partition_jobs import PartitionJobs

__all__ = ["JOIN_TIMEOUT_SECONDS", "PartitionWindow", "translated"]

STOP_POLL_SECONDS = 1.0
"""How often a waiting reader checks whether the session was stopped."""

JOIN_TIMEOUT_SECONDS = 30.0
"""Longest wait of `close` for the threads of cancelled jobs; Spark usually ends such jobs much sooner."""

RESULT_LIMIT = "spark.driver.maxResultSize"
"""Spark's option for the most bytes of results that the driver takes from a job."""


class PartitionWindow:
    """Iterator over the partitions of a DataFrame, each as the list of its batches.

    Nothing is planned or computed before the first `next`. From then on at most `window` partitions after the one that
    was delivered last are being computed or finished.

    Args:
        jobs: Plans and computes the partitions.
        window: How many partitions may be computed ahead.
        name: Name of the threads.
    """

    def __init__(self, jobs: "PartitionJobs", *, window: int, name: str) -> None:
        self.jobs = jobs
        self.window = window
        self.name = name
        self.changed: threading.Condition = threading.Condition()
        self.threads: list[threading.Thread] = []
        self.partitions: int | None = None
        self.taken: int = 0
        self.delivered: int = 0
        self.results: dict[int, list[Any] | BaseException] = {}
        self.closed: bool = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> list[Any]:
        """Return the batches of the next partition.

        Raises:
            StopIteration: All partitions were delivered, or the window was closed.
            PipelineError: A pipeline that the DataFrame contains failed.
            SparkJobError: The job failed for another reason, or ended with its session.
        """
        with self.changed:
            if self.delivered == 0 and not self.threads and not self.closed:
                self.start_worker()
        # Outside the lock: close joins threads that need it, and the check of the session is slow.
        while True:
            result = self.next_result(STOP_POLL_SECONDS)
            if isinstance(result, list):
                return result
            if result is not None:
                self.close()
                raise translated(result, is_stopped=self.jobs.is_stopped()) from result
            if self.closed or self.delivered == self.partitions:
                self.close()
                raise StopIteration
            if self.jobs.is_stopped():
                self.close()
                raise SparkJobError(SESSION_STOPPED)

    def next_result(self, timeout_seconds: float) -> list[Any] | BaseException | None:
        """Return the batches or the error of the next partition; None if there is none, or after the timeout."""
        with self.changed:
            while not self.closed and self.delivered != self.partitions:
                if self.partitions is not None:
                    while len(self.threads) < min(self.window, self.partitions - self.delivered):
                        self.start_worker()
                result = self.results.pop(self.delivered, None)
                if result is not None:
                    self.delivered += 1
                    self.changed.notify_all()
                    return result
                if not self.changed.wait(timeout_seconds):
                    break
            return None

    def close(self) -> None:
        """Stop running jobs, start no more and join the threads. Any thread may call it; further calls do nothing."""
        with self.changed:
            self.closed = True
            self.results.clear()
            threads, self.threads = self.threads, []
            self.changed.notify_all()
        if self.delivered != self.partitions and any(thread.is_alive() for thread in threads):
            try:
                self.jobs.cancel()
            except Exception as error:
                # No one can receive this error: the reader has closed, or has received another error.
                dropped("cancel", error, origin="from_dataframe")
        for thread in threads:
            thread.join(JOIN_TIMEOUT_SECONDS)

    def start_worker(self) -> None:
        """Start a thread for jobs, with the caller's Spark properties such as its scheduler pool. The lock is held."""
        from pyspark import InheritableThread

        thread = InheritableThread(target=self.work, name=f"{self.name}-{len(self.threads)}", daemon=True)
        self.threads.append(thread)
        thread.start()

    def work(self) -> None:
        """Run jobs until none is left; the exception of a job is its result."""
        index: int | None = 0  # a failure of the plan is the result of the first partition
        try:
            if self.partitions is None:
                self.plan()
            index = self.take()
            while index is not None:
                self.put(index, self.jobs.fetch(index))
                index = self.take()
        except BaseException as error:
            self.put(index or 0, error)

    def plan(self) -> None:
        """Determine the number of partitions. Only the first worker does this; the others start afterwards."""
        partitions = self.jobs.prepare()
        with self.changed:
            self.partitions = partitions
            self.changed.notify_all()

    def take(self) -> int | None:
        """Return the next partition to compute, as soon as the window allows it (I1); None if there is none (I3)."""
        with self.changed:
            while not self.closed and self.taken != self.partitions and self.taken == self.delivered + self.window:
                self.changed.wait()
            if self.closed or self.taken == self.partitions:
                return None
            self.taken += 1
            return self.taken - 1

    def put(self, index: int, result: list[Any] | BaseException) -> None:
        """Store the batches of a partition, or its exception."""
        with self.changed:
            if not self.closed:
                self.results[index] = result
                self.changed.notify_all()


def translated(error: BaseException, *, is_stopped: bool) -> PipelineError | SparkJobError:
    """Return the short error for the exception of a job.

    Args:
        error: The exception.
        is_stopped: Whether its session was stopped.
    """
    found = pipeline_error_in(error)
    if found is None and is_stopped:
        return SparkJobError(SESSION_STOPPED)
    summary = failure_summary(error)
    remedy = "raise it where the driver starts, or read the DataFrame in parts; " if RESULT_LIMIT in summary else ""
    return found or SparkJobError(
        f"a Spark job of the DataFrame failed: {summary}; {remedy}Spark's exception is the cause of this one"
    )
