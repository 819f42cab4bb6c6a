"""What `apply` returns where rows may fail: the results, and what is known of the rows that failed."""

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

    On classic Spark they are counted by an accumulator: over all actions on the result, and again where an action, or a
    task, computes rows a second time. Through Spark Connect Spark's own observed metrics count them: those of the
    first action on a batch result, and for a streaming one those that a query reports.

    Threads: may be read in any thread, at any time.
    """

    def __init__(self, name: str, *, counter: "Accumulator[int] | None" = None, observation: Any = None) -> None:
        self.name = name
        """Name of the observed metric in the progress of a streaming query; on classic Spark it is not there."""
        self._counter = counter
        self._observation = observation

    @property
    def count(self) -> int:
        """Rows left out so far.

        Raises:
            ArgumentError: The result is a streaming DataFrame of Spark Connect, whose queries have a count each.
        """
        if self._counter is not None:
            return int(self._counter.value)
        if self._observation is None:
            raise ArgumentError(
                "count is not known for a streaming DataFrame of Spark Connect, since each of its queries counts for "
                "itself; pass a query's progress to count_in(progress)"
            )
        return skipped_in(self._observation.get)

    def count_in(self, progress: Any) -> int:
        """Return how many rows a streaming query has left out in one micro-batch; through Spark Connect only.

        Args:
            progress: What `query.lastProgress` is, or an entry of `query.recentProgress`.

        Raises:
            ArgumentTypeError: It is no progress of a query.
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
        # Spark Connect hands on the JVM's row as it is written in JSON: values beside their schema.
        return int(metrics["values"][0] or 0)
    return int(metrics.get("skipped") or 0)


@dataclass(frozen=True, slots=True)
class SkippingResult:
    """What `apply(..., on_error="skip")` returns.

    Attributes:
        results: The rows that did not fail.
        skipped: How many did.
    """

    results: "DataFrame"
    skipped: SkippedRows


@dataclass(frozen=True, slots=True)
class DeadLetterResult:
    """What `apply(..., on_error="dead_letter")` returns.

    An action on `results` and one on `dead_letters` compute the pipeline once each. To compute it once, persist
    `combined` or write it somewhere, and split what was read back; a streaming query splits each micro-batch of
    `combined` in its `foreachBatch`.

    Attributes:
        results: The rows that did not fail; every column may be null for Spark.
        dead_letters: One row for each element that failed: `row` (a struct, the row that caused it), `element` (the
            representation of what the function was called with), `error` and `message` (of the exception), `operator`,
            `line` (where the operator was added), `partition`, `row_number` (from 0, among those that the task read).
        combined: Both, in the columns `result` and `dead_letter`, of which one is null.
    """

    results: "DataFrame"
    dead_letters: "DataFrame"
    combined: "DataFrame"

    @staticmethod
    def split(combined: "DataFrame") -> "DeadLetterResult":
        """Return the parts of a DataFrame that has the rows of `combined`.

        Raises:
            ArgumentError: It has other columns.
        """
        return dead_letter_result(combined)


def dead_letter_result(combined: "DataFrame") -> DeadLetterResult:
    """Return results and dead letters of a DataFrame that has both."""
    if combined.columns != [RESULT_COLUMN, DEAD_LETTER_COLUMN]:
        raise ArgumentError(
            f"combined must have the columns {RESULT_COLUMN} and {DEAD_LETTER_COLUMN}, got "
            f"{', '.join(combined.columns)}; pass the DataFrame `combined`, or what was written of it"
        )
    return DeadLetterResult(
        combined.where(f"{DEAD_LETTER_COLUMN} IS NULL").select(f"{RESULT_COLUMN}.*"),
        combined.where(f"{DEAD_LETTER_COLUMN} IS NOT NULL").select(f"{DEAD_LETTER_COLUMN}.*"),
        combined,
    )
