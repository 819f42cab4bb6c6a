"""The progress of streaming queries, and showing it: bars on a terminal if rich is installed, else lines."""

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from reactivestreams.drawing.progress import LINE_SECONDS, MAX_NAME_CHARACTERS, bars, has_bars

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = ["MAX_SHOWN_QUERIES", "BarDisplay", "LineDisplay", "QueryDisplay", "QueryProgress", "open_display"]

MAX_SHOWN_QUERIES = 32
"""Maximum number of queries with a bar or a line; the bar of a query that has ended is removed for the next."""


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """A micro-batch that a streaming query has completed.

    Args:
        query: Name of the query, or its id if it has no name.
        run_id: Id of this run of the query.
        batch_id: Spark's number of the micro-batch.
        started_at: Its start in Spark's format: ISO 8601 in UTC.
        rows: How many rows it read.
        seconds: How long it took.
        state_rows: Total number of rows in the state of its operators.
    """

    query: str
    run_id: str
    batch_id: int
    started_at: str
    rows: int
    seconds: float
    state_rows: int

    @property
    def rows_per_second(self) -> float:
        """Rows per second of this micro-batch; 0 if its duration was too short to measure."""
        return self.rows / self.seconds if self.seconds > 0 else 0.0

    @classmethod
    def of(cls, progress: Any) -> "QueryProgress":
        """Convert Spark's `StreamingQueryProgress`."""
        return cls(
            query=progress.name or str(progress.id),
            run_id=str(progress.runId),
            batch_id=progress.batchId,
            started_at=progress.timestamp,
            rows=progress.numInputRows,
            seconds=progress.batchDuration / 1000,
            state_rows=sum(operator.numRowsTotal for operator in progress.stateOperators),
        )


class QueryDisplay(Protocol):
    """Shows progress; called by one thread at a time."""

    def show(self, progress: QueryProgress, total_rows: int) -> None:
        """Show a micro-batch, and how many rows the query has read since the watch began."""
        ...

    def end(self, run_id: str, error: str | None) -> None:
        """Show that a run has ended."""
        ...

    def close(self) -> None:
        """End the display."""
        ...


def described(progress: QueryProgress, total_rows: int) -> str:
    """Return a line on a micro-batch."""
    return (
        f"batch {progress.batch_id}, {total_rows:,} rows, {progress.rows_per_second:,.0f} rows/s, "
        f"{progress.seconds:.2f} s a batch"
    )


class LineDisplay:
    """Writes a line from time to time, for logs, pipes and terminals without rich."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.written: dict[str, float] = {}
        self.latest: dict[str, tuple[QueryProgress, int]] = {}

    def show(self, progress: QueryProgress, total_rows: int) -> None:
        """Write a line if the last one about this query is old enough."""
        run = progress.run_id
        if run not in self.latest and len(self.latest) == MAX_SHOWN_QUERIES:
            return
        self.latest[run] = (progress, total_rows)
        if run not in self.written or time.monotonic() - self.written[run] >= LINE_SECONDS:
            self.written[run] = time.monotonic()
            self.write(f"{progress.query}: {described(progress, total_rows)}")

    def end(self, run_id: str, error: str | None) -> None:
        """Write the last line about a query."""
        self.written.pop(run_id, None)
        last = self.latest.pop(run_id, None)
        if last is not None:
            progress, total_rows = last
            state = "failed" if error else "ended"
            self.write(f"{progress.query}: {state} after {described(progress, total_rows)}")

    def close(self) -> None:
        """Do nothing: the stream is the caller's."""

    def write(self, line: str) -> None:
        """Write a line at once."""
        self.stream.write(line + "\n")
        self.stream.flush()


class BarDisplay:
    """Draws a bar per query with rich; the bar pulses, because the total number of rows is unknown."""

    def __init__(self, stream: TextIO) -> None:
        from rich.progress import TimeElapsedColumn

        self._bars = bars(stream, TimeElapsedColumn())
        self._tasks: dict[str, TaskID] = {}
        self._ended: deque[str] = deque()
        self._bars.start()

    def show(self, progress: QueryProgress, total_rows: int) -> None:
        """Show the micro-batch next to the bar of its query."""
        from rich.markup import escape

        if progress.run_id not in self._tasks:
            if len(self._tasks) == MAX_SHOWN_QUERIES:
                if not self._ended:
                    return
                self._bars.remove_task(self._tasks.pop(self._ended.popleft()))
            # Escaped, because rich would read brackets in a name as markup.
            self._tasks[progress.run_id] = self._bars.add_task(
                escape(progress.query[:MAX_NAME_CHARACTERS]), total=None, note=""
            )
        self._bars.update(self._tasks[progress.run_id], note=described(progress, total_rows))

    def end(self, run_id: str, error: str | None) -> None:
        """Fill the bar of a query, or mark it as failed."""
        task = self._tasks.get(run_id)
        if task is None or run_id in self._ended:
            return
        self._ended.append(run_id)
        if error:
            self._bars.update(task, note="[red]failed")
            self._bars.stop_task(task)
        else:
            self._bars.update(task, total=1, completed=1)

    def close(self) -> None:
        """Stop drawing and leave the bars on the terminal."""
        self._bars.stop()


def open_display(stream: TextIO) -> QueryDisplay:
    """Return bars if rich is installed and the stream is a terminal, else lines."""
    return BarDisplay(stream) if has_bars(stream) else LineDisplay(stream)
