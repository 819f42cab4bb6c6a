"""The error policy of one `apply`: what happens to rows that fail, on the driver and in the tasks."""

import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.on_error.row_results import (
    DEAD_LETTER_COLUMN,
    CountedFailures,
    RowResults,
    row_results_type,
)
from reactivestreams.spark.on_error.tolerant_results import (
    DeadLetterResult,
    SkippedRows,
    SkippingResult,
    dead_letter_result,
)

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["DEAD_LETTER", "FAIL", "POLICIES", "SKIP", "ErrorPolicy", "checked_policy"]

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


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    """What happens to rows that fail. An instance is sent to the executors as part of a task.

    Attributes:
        on_error: One of `POLICIES`.
        rows: Schema of the DataFrame.
        result: Schema of the result.
        applied_at: Line at which the user applied the pipeline.
        counter: The accumulator that counts rows that fail, or None. With a counter the tasks write results only.
    """

    on_error: str
    rows: "StructType"
    result: "StructType"
    applied_at: str
    counter: "Accumulator[int] | None" = None

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
