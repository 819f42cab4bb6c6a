"""The results of `apply` if rows may fail: the results, and the rows that failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.on_error.row_results import DEAD_LETTER_COLUMN, RESULT_COLUMN

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame

__all__ = ["DeadLetterResult", "SkippedRows", "SkippingResult", "dead_letter_result"]


class SkippedRows:
    """How many rows `on_error="skip"` has left out.

    On classic Spark an accumulator counts them over all actions on the result; if an action or a task computes rows
    again, they are counted again. Through Spark Connect an observed metric counts them: for a batch result the rows of
    the first action, for a streaming result those in the progress of a query.

    Threads: may be read in any thread, at any time.
    """

    def __init__(self, name: str, *, counter: "Accumulator[int] | None" = None, observation: Any = None) -> None:
        self.name = name
        """Name of the observed metric in the progress of a streaming query; it does not exist on classic Spark."""
        self._counter = counter
        self._observation = observation

    @property
    def count(self) -> int:
        """Rows left out so far.

        Raises:
            ArgumentError: The result is a streaming DataFrame of Spark Connect; each of its queries has its own count.
        """
        if self._counter is not None:
            return int(self._counter.value)
        if self._observation is None:
            raise ArgumentError(
                "count is unknown for a streaming DataFrame of Spark Connect, since each of its queries has its own "
                "count; pass a query's progress to count_in(progress)"
            )
        return skipped_in(self._observation.get)

    def count_in(self, progress: Any) -> int:
        """Return how many rows a streaming query of Spark Connect left out in one micro-batch.

        Args:
            progress: `query.lastProgress`, or an entry of `query.recentProgress`.

        Raises:
            ArgumentTypeError: The value is not the progress of a query.
        """
        metrics = progress.get("observedMetrics", {}) if isinstance(progress, Mapping) else None
        if metrics is None:
            metrics = getattr(progress, "observedMetrics", None)
        if metrics is None:
            raise ArgumentTypeError(
                f"count_in(progress) needs the progress of a query, got {progress!r:.200}; pass query.lastProgress"
            )
        row = metrics.get(self.name)
        return 0 if row is None else skipped_in(row if isinstance(row, Mapping) else row.asDict())

    def __repr__(self) -> str:
        so_far = "" if self._counter is None else f", {self.count:,} so far"
        return f"SkippedRows({self.name!r}{so_far})"


def skipped_in(metrics: Mapping[str, Any]) -> int:
    """Return the count in observed metrics, which are empty before the first action and null without rows."""
    if "skipped" not in metrics and "values" in metrics:
        # Spark Connect passes the JVM's row as JSON: the values and their schema.
        return int(metrics["values"][0] or 0)
    return int(metrics.get("skipped") or 0)


@dataclass(frozen=True, slots=True)
class SkippingResult:
    """What `apply(..., on_error="skip")` returns.

    Attributes:
        results: The rows that did not fail.
        skipped: How many rows failed.
    """

    results: "DataFrame"
    skipped: SkippedRows


@dataclass(frozen=True, slots=True)
class DeadLetterResult:
    """What `apply(..., on_error="dead_letter")` returns.

    Each action on `results` or `dead_letters` computes the pipeline. To compute it once, persist `combined`, or write
    it, read it back and split it. A streaming query splits each micro-batch of `combined` in its `foreachBatch`.

    Attributes:
        results: The rows that did not fail; all columns are nullable.
        dead_letters: One row for each element that failed: `row` (a struct, the row that caused it), `element` (the
            representation of the function's argument), `error` and `message` (of the exception), `operator`, `line`
            (where the operator was added), `partition`, `row_number` (from 0, among the rows that the task read).
        combined: Both, in the columns `result` and `dead_letter`, of which one is null.
    """

    results: "DataFrame"
    dead_letters: "DataFrame"
    combined: "DataFrame"

    @staticmethod
    def split(combined: "DataFrame") -> "DeadLetterResult":
        """Split a DataFrame with the rows of `combined`.

        Raises:
            ArgumentError: It has other columns.
        """
        return dead_letter_result(combined)


def dead_letter_result(combined: "DataFrame") -> DeadLetterResult:
    """Split a DataFrame of row results into results and dead letters."""
    if combined.columns != [RESULT_COLUMN, DEAD_LETTER_COLUMN]:
        raise ArgumentError(
            f"combined must have the columns {RESULT_COLUMN} and {DEAD_LETTER_COLUMN}, got "
            f"{', '.join(combined.columns)}; pass the DataFrame `combined`, or a copy of it"
        )
    return DeadLetterResult(
        combined.where(f"{DEAD_LETTER_COLUMN} IS NULL").select(f"{RESULT_COLUMN}.*"),
        combined.where(f"{DEAD_LETTER_COLUMN} IS NOT NULL").select(f"{DEAD_LETTER_COLUMN}.*"),
        combined,
    )
