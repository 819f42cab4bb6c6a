"""default_if_empty: pass on a value where the stream has no element."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.combining.inputs import described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.recovering.switch_if_empty import SwitchIfEmpty


class DefaultIfEmpty(OperatorDefinition):
    """Pass on the elements of the stream, or a value if it completes without one.

    Args:
        value: The element to pass on instead of none.

    Demand: n requested are n requested upstream, at most 128 at a time; the value waits for demand.
    Errors: upstream's are passed on, without the value.
    State: how many elements have passed, and what waits of the upstream; version 1.0.0.0.
    Threads: as upstream; the value is passed on in the thread that drains the stream.
    Rules: §1.1.
    Elsewhere: Reactor `defaultIfEmpty`; RxJava `defaultIfEmpty`; reactivex `default_if_empty`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.empty().default_if_empty(7).to_list()
        [7]
    """

    id = "rx://operators/default_if_empty"
    method = "default_if_empty"
    stateful = True

    @staticmethod
    def parameters(value: U) -> Checked[T | U]:
        """Return the value."""
        return Checked((value,))

    @staticmethod
    def stage(value: Any) -> Any:
        """Return a new live stage."""
        return SwitchIfEmpty.stage(described((value,), where="default_if_empty(value)"))
