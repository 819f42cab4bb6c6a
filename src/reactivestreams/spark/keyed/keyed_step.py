"""The step before a keyed operator, as batch and streaming tasks use it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.operator_names import short_name
from reactivestreams.spark.plan.pipeline_plan import expiry_of
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.steps.step_results import RowsIn, ShuffledIn
from reactivestreams.stream import Operator, Pipeline

__all__ = ["KeyedStep", "event_time_of", "in_time_order"]


@dataclass(frozen=True, slots=True)
class KeyedStep:
    """The operators before a keyed operator. An instance is sent to the executors.

    Attributes:
        pipeline: These operators.
        source: Reads the input.
        keyed: The next keyed operator; its first parameter is the key function.
        buckets: Number of buckets.
        is_tolerant: Whether processing continues after a row that fails.
    """

    pipeline: Pipeline[Any, Any]
    source: RowsIn | ShuffledIn
    keyed: Operator
    buckets: int
    is_tolerant: bool = False

    @property
    def key_function(self) -> Callable[[Any], object]:
        """The key function."""
        function: Callable[[Any], object] = self.keyed.parameters[0]
        return function

    @property
    def event_time(self) -> Callable[[Any], Any] | None:
        """The function of the event time, or None."""
        return event_time_of(self.keyed)

    def unsent(self, element: Any, error: Exception, *, row: str, row_number: int, partition: int) -> PipelineError:
        """Return the error for an element whose bucket is unknown, because a function failed on it.

        Args:
            element: The element.
            error: The exception of the key function or of the function of the event time.
            row: Representation of the row that caused the element.
            row_number: Number of that row, from 0, among those that its task has read.
            partition: Number of the task's partition.
        """
        try:
            key = short_repr(self.key_function(element))
        except Exception:
            key = ""  # the key function failed
        return PipelineError.of_row(
            operator=short_name(self.keyed),
            assembly=str(self.keyed.assembly),
            row=row,
            cause=one_line(error),
            row_number=row_number,
            partition=partition,
            key=key,
        )


def event_time_of(keyed: Operator) -> Callable[[Any], Any] | None:
    """Return the function of the event time of a keyed operator, or None."""
    expiry = expiry_of(keyed)
    return None if expiry is None else expiry.event_time


def in_time_order(pipeline: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return a pipeline for elements that arrive in the order of their times, so that none has to wait.

    Args:
        pipeline: Operators; the first one may be keyed.
    """
    first, *others = pipeline.operators
    parameters = tuple(
        replace(each, lateness=0) if isinstance(each, Expiry) and each.lateness else each for each in first.parameters
    )
    if parameters == first.parameters:
        return pipeline
    chain = pipeline.slice(0, 0)
    for operator in (replace(first, parameters=parameters), *others):
        chain = chain._add(operator)  # pyright: ignore[reportPrivateUsage]  # the only way to append an operator
    return chain
