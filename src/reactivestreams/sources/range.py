"""range: send the integers of a range."""

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.definition import OperatorDefinition, Recovery
from rs_core.sources.basic import RangeSource


class Range(OperatorDefinition):
    """Send the integers of a range.

    Args:
        values: The range; `start`, `stop`, `step` and the distance between the bounds must fit into 64 bits.

    Demand: a request of n sends at most n elements.
    Errors: none.
    State: the next integer and how many are left; version 1.0.0.0.
    Recovery: `exact`.
    Threads: sends in the thread that drains the stream.
    Rules: §1.1, §1.5, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(2, 8, 3).to_list()
        [2, 5]
    """

    id = "rx://sources/range"
    method = "range"
    stage = RangeSource
    recovery: ClassVar[Recovery | None] = "exact"

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return show(parameters[0])
