"""The step before a keyed operator, as batch and streaming tasks use it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from reactivestreams.operators.keyed.event_windows import EventTime
from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.operator_names import short_name
from reactivestreams.spark.plan.pipeline_plan import expiry_of, times_of
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.sent_version import SentVersion
from reactivestreams.spark.steps.step_results import RowsIn, ShuffledIn
from reactivestreams.stream import Operator, Pipeline

__all__ = ["KeyedStep", "event_time_of", "in_batch", "in_batches"]


@dataclass(frozen=True, slots=True)
class KeyedStep:
    """The operators before a keyed operator. An instance is sent to the executors.

    Attributes:
        pipeline: These operators.
        source: Reads the input.
        keyed: The next keyed operator; its first parameter is the key function.
        buckets: Number of buckets.
        is_tolerant: Whether processing continues after a row that fails.
        version: The version of this package.
    """

    pipeline: Pipeline[Any, Any]
    source: RowsIn | ShuffledIn
    keyed: Operator
    buckets: int
    is_tolerant: bool = False
    version: SentVersion = field(default_factory=SentVersion, init=False, repr=False, compare=False)

    @property
    def key_function(self) -> Callable[[Any], object]:
        """The key function."""
        function: Callable[[Any], object] = self.keyed.parameters[0]
        return function

    @property
    def event_time(self) -> Callable[[Any], int] | None:
        """The function that returns the event time of an element in microseconds, or None."""
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


def event_time_of(keyed: Operator) -> Callable[[Any], int] | None:
    """Return the function that returns an element's event time in microseconds, or None where nothing depends on it."""
    expiry, times = expiry_of(keyed), times_of(keyed)
    if times is not None:
        return None if times.max_lateness is None else times.instant
    return None if expiry is None or expiry.event_time is None else expiry.instant


def in_batch(keyed: Operator) -> Operator:
    """Return a keyed operator for an input that is complete.

    Keys that expire get their elements in the order of their times, so that none has to wait. Windows get them in the
    order of the rows, and close at the end, so that none is late.
    """
    parameters = tuple(map(_in_batch, keyed.parameters))
    return keyed if parameters == keyed.parameters else replace(keyed, parameters=parameters)


def _in_batch(parameter: Any) -> Any:
    if isinstance(parameter, Expiry) and parameter.lateness:
        return replace(parameter, lateness=0)
    return replace(parameter, max_lateness=None) if isinstance(parameter, EventTime) else parameter


def in_batches(pipeline: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return a pipeline whose first operator, which is keyed, gets an input that is complete."""
    first, *others = pipeline.operators
    changed = in_batch(first)
    if changed is first:
        return pipeline
    chain = pipeline.slice(0, 0)
    for operator in (changed, *others):
        chain = chain._add(operator)  # pyright: ignore[reportPrivateUsage]  # the only way to append an operator
    return chain
