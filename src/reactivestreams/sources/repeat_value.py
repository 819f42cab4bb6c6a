"""repeat_value: send a value again and again."""

from typing import ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, U
from rs_core.sources.basic import RepeatSource


class RepeatValue(OperatorDefinition):
    """Send one value a number of times, or without end.

    Args:
        value: The element, the same object each time.
        times: How often it is sent, from 0; None means without end.

    Demand: a request of n sends at most n elements. Completion follows the last one immediately.
    Errors: none.
    State: how often it is still to be sent; version 1.0.0.0.
    Recovery: `exact`.
    Threads: sends in the thread that drains the stream.
    Rules: §1.1, §1.5, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.repeat_value("-", 3).to_list()
        ['-', '-', '-']
    """

    id = "rx://sources/repeat_value"
    method = "repeat_value"
    stage = RepeatSource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(value: U, times: int | None = None) -> Checked[U]:
        """Return the checked parameters."""
        if times is not None:
            times = checked_count(times, operator="repeat_value", name="times", at_least=0)
        return Checked((value, times))
