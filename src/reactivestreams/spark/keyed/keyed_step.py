"""The step whose results go to the buckets of their keys: what its tasks ask of it, whichever way elements are sent."""

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
        source: Reads what comes in.
        keyed: The keyed operator that comes next; its first parameter is the key function.
        buckets: How many buckets there are.
        is_tolerant: Whether the rest goes on behind a row that fails.
    """

    pipeline: Pipeline[Any, Any]
    source: RowsIn | ShuffledIn
    keyed: Operator
    buckets: int
    is_tolerant: bool = False

    @property
    def key_function(self) -> Callable[[Any], object]:
        """The function that tells the key of an element."""
        function: Callable[[Any], object] = self.keyed.parameters[0]
        return function

    @property
    def event_time(self) -> Callable[[Any], Any] | None:
        """The function that tells the time of an element; None where elements have none."""
        return event_time_of(self.keyed)

    def unsent(self, element: Any, error: Exception, *, row: str, row_number: int, partition: int) -> PipelineError:
        """Return the error of an element that cannot be sent to the bucket of its key, since a function failed on it.

        Args:
            element: The element.
            error: What the key function, or that of the event time, has raised.
            row: Representation of the row that caused the element.
            row_number: Number of that row, from 0, among those that its task has read.
            partition: Number of the task's partition.
        """
        try:
            key = short_repr(self.key_function(element))
        except Exception:
            key = ""  # the key function itself is what failed
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
    """Return the function that tells the time of an element; None where the keyed operator has no event times."""
    expiry = expiry_of(keyed)
    return None if expiry is None else expiry.event_time


def in_time_order(pipeline: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return a pipeline for elements that come in the order of their times: for its keyed operator none is late.

    So no element waits, and memory holds none for it.

    Args:
        pipeline: Operators of which the first one may be keyed.
    """
    first, *others = pipeline.operators
    parameters = tuple(
        replace(each, lateness=0) if isinstance(each, Expiry) and each.lateness else each for each in first.parameters
    )
    if parameters == first.parameters:
        return pipeline
    chain = pipeline.slice(0, 0)
    for operator in (replace(first, parameters=parameters), *others):
        chain = chain._add(operator)  # pyright: ignore[reportPrivateUsage]  # this is what pipelines are made with
    return chain
