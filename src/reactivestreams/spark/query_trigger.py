"""When a streaming query begins its next micro-batch: one argument of all that start queries."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["checked_trigger"]


def checked_trigger(trigger: object, df: "DataFrame") -> dict[str, Any]:
    """Check the argument `trigger` of a function that starts a query, and return the arguments of Spark's `trigger`.

    Args:
        trigger: None to begin the next micro-batch at once, `"available_now"`, or an interval such as `"5 seconds"`.
        df: The streaming DataFrame, whose Spark parses the interval.

    Raises:
        ArgumentTypeError: It is neither None nor a text.
        ArgumentError: It is a text that Spark does not take for an interval.
    """
    if trigger is None:
        return {"processingTime": "0 seconds"}
    if not isinstance(trigger, str):
        raise ArgumentTypeError(
            f"trigger must be None or a str, got {trigger!r}; pass 'available_now' or an interval such as '5 seconds'"
        )
    if trigger == "available_now":
        return {"availableNow": True}
    try:
        df.writeStream.trigger(processingTime=trigger)
    except Exception as error:
        raise ArgumentError(
            f"trigger must be None, 'available_now' or an interval, got {trigger!r}; write it such as '5 seconds'"
        ) from error
    return {"processingTime": trigger}
