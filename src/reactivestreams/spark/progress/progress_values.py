"""The figures of one micro-batch of a streaming query."""

from dataclasses import dataclass
from typing import Any

__all__ = ["QueryProgress"]


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
