"""append: pass on the elements of the stream, then values."""

from __future__ import annotations

from typing import Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.concat_with import ConcatWith
from reactivestreams.operators.combining.inputs import described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U


class Append(OperatorDefinition):
    """Pass on the elements of the stream, then the values.

    Args:
        values: What comes last, one element each.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; the values
        wait for demand.
    Errors: upstream's are passed on, without the values.
    State: what waits of the upstream, or how many values were passed on; version 1.0.0.0.
    Threads: as upstream; the values are passed on in the thread that drains the stream.
    Rules: §1.1.
    Elsewhere: Reactor `concatWithValues`; RxJava `concatWith`; reactivex `concat`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).append(3, 4).to_list()
        [1, 2, 3, 4]
    """

    id = "rx://operators/append"
    method = "append"
    stateful = True

    @staticmethod
    def parameters(*values: U) -> Checked[T | U]:
        """Return the values."""
        if not values:
            raise ArgumentError("append() needs at least one value; concat_with() adds the elements of a stream")
        return Checked(values)

    @staticmethod
    def stage(*values: Any) -> Any:
        """Return a new live stage."""
        return ConcatWith.stage(described(values, where="append(values)"))
