"""The error policy of one `apply`: what happens to rows that fail, on the driver and in the tasks, and its results."""

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.on_error.row_results import (
    DEAD_LETTER_COLUMN,
    RESULT_COLUMN,
    CountedFailures,
    RowResults,
    row_results_type,
)
from reactivestreams.spark.sent_version import SentVersion

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = [
    "DEAD_LETTER",
    "FAIL",
    "POLICIES",
    "SKIP",
    "DeadLetterResult",
    "ErrorPolicy",
    "SkippedRows",
    "SkippingResult",
    "checked_policy",
    "dead_letter_result",
]

FAIL = "fail"
SKIP = "skip"
DEAD_LETTER = "dead_letter"
POLICIES = {
    FAIL: "the action fails",
    SKIP: "left out and counted",
    DEAD_LETTER: "collected as dead letters",
}
"""The values of `on_error`, and what happens to rows that fail."""

numbers: "itertools.count[int]" = itertools.count(1)
"""Numbers the skipping results of this process; the numbers are part of the names of their metrics."""


def checked_policy(on_error: object) -> str:
    """Check the argument `on_error` and return it.

    Raises:
        ArgumentTypeError: The value is not a text.
        ArgumentError: There is no such policy.
    """
    return checked_choice("on_error", on_error, tuple(POLICIES))


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


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """What happens to rows that fail. An instance is sent to the executors as part of a task.

    Attributes:
        on_error: One of `POLICIES`.
        rows: Schema of the DataFrame.
        result: Schema of the result.
        applied_at: Line at which the user applied the pipeline.
        counter: The accumulator that counts rows that fail, or None. With a counter the tasks write results only.
        version: The version of this package.
    """

    on_error: str
    rows: "StructType"
    result: "StructType"
    applied_at: str
    counter: "Accumulator[int] | None" = None
    version: SentVersion = field(default_factory=SentVersion, init=False, repr=False, compare=False)

    @property
    def is_tolerant(self) -> bool:
        """Whether processing continues after a row that fails."""
        return self.on_error != FAIL

    @property
    def output(self) -> "StructType":
        """Schema of the DataFrame that a strategy makes: results only, or row results."""
        return row_results_type(self.result, self.rows) if self.is_tolerant and self.counter is None else self.result

    def writer(self, *, partition: int) -> RowResults | CountedFailures:
        """Return the writer of `output` batches for a task.

        Args:
            partition: Number of the task's partition, for failures without a partition.
        """
        if self.counter is not None:
            return CountedFailures(self.counter)
        return RowResults(self.result, self.rows, partition=partition)

    def returned(self, made: "DataFrame") -> "DataFrame | SkippingResult | DeadLetterResult":
        """Return the result of `apply`.

        Args:
            made: The DataFrame of a strategy, with the schema `output`.
        """
        if self.on_error == FAIL:
            return made
        if self.counter is not None:
            return SkippingResult(made, SkippedRows(metric_name(), counter=self.counter))
        return observed_result(made) if self.on_error == SKIP else dead_letter_result(made)


def metric_name() -> str:
    """Return a new name for the metric of a skipping result."""
    return f"reactivestreams_skipped_{os.getpid()}_{next(numbers)}"


def observed_result(combined: "DataFrame") -> SkippingResult:
    """Return a skipping result of Spark Connect, which has no accumulators: an observed metric counts the failures."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812  # the usual name

    name = metric_name()
    counted: Any = F.sum(F.col(DEAD_LETTER_COLUMN).isNotNull().cast("bigint")).alias("skipped")
    observation = None if combined.isStreaming else Observation(name)
    observed = combined.observe(name if observation is None else observation, counted)
    return SkippingResult(dead_letter_result(observed).results, SkippedRows(name, observation=observation))
