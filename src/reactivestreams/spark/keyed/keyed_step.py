"""What the sender's side of a keyed pipeline asks of its operator: times of elements, errors of its functions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.plan.pipeline_plan import short_name
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.stream import Operator, Pipeline

__all__ = ["event_time_of", "expiry_of", "in_time_order", "unsent_element"]


def event_time_of(keyed: Operator) -> Callable[[Any], Any] | None:
    """Return the function that tells the time of an element; None where the keyed operator has no event times."""
    expiry = expiry_of(keyed)
    return None if expiry is None else expiry.event_time


def expiry_of(keyed: Operator) -> Expiry | None:
    """Return when a key of a keyed operator is over; None where it never is."""
    return next((parameter for parameter in keyed.parameters if isinstance(parameter, Expiry)), None)


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


def unsent_element(
    keyed: Operator, element: Any, error: Exception, *, row: str, row_number: int, partition: int
) -> PipelineError:
    """Return the error of an element that cannot be sent to the bucket of its key, since a function has failed on it.

    Args:
        keyed: The keyed operator; its first parameter is the key function.
        element: The element.
        error: What its key function, or that of the event time, has raised.
        row: Representation of the row that caused the element.
        row_number: Number of that row, from 0, among those that its task has read.
        partition: Number of the task's partition.
    """
    try:
        key = short_repr(keyed.parameters[0](element))
    except Exception:
        key = ""  # the key function itself is what failed
    return PipelineError.of_row(
        operator=short_name(keyed),
        assembly=str(keyed.assembly),
        row=row,
        cause=one_line(error),
        row_number=row_number,
        partition=partition,
        key=key,
    )
