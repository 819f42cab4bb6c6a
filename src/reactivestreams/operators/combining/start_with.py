"""start_with: pass on values, then the elements of the stream."""

from __future__ import annotations

from typing import Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.sequence import SequenceStage, Successor


class StartWith(OperatorDefinition):
    """Pass on the values, then the elements of the stream.

    Args:
        values: What comes first, one element each.

    Demand: nothing is requested upstream before the values were passed on; then what is left of n, at most 128 elements
        at a time.
    Errors: upstream's are passed on, behind the values.
    State: how many values were passed on, and what waits of the upstream; version 1.0.0.0.
    Threads: as upstream; the values are passed on in the thread that drains the stream.
    Rules: §1.1.
    Elsewhere: Reactor `startWith`; RxJava `startWithArray`; reactivex `start_with`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(3, 4).start_with(1, 2).to_list()
        [1, 2, 3, 4]
    """

    id = "rx://operators/start_with"
    method = "start_with"
    stateful = True

    @staticmethod
    def parameters(*values: U) -> Checked[T | U]:
        """Return the values."""
        if not values:
            raise ArgumentError("start_with() needs at least one value; concat() begins with the elements of a stream")
        return Checked(values)

    @staticmethod
    def stage(*values: Any) -> Any:
        """Return a new live stage."""
        return SequenceStage(DEFAULT_PREFETCH, _above_once, described(values, where="start_with(values)"))


def _above_once(ended: int, _passed: int, error: Exception | None) -> Successor:
    return Successor.INPUT_ABOVE if ended == 0 and error is None else Successor.END
