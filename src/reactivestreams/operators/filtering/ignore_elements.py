"""ignore_elements: pass on the end only."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import IgnoreStage


class IgnoreElements(OperatorDefinition):
    """Drop all elements and pass on the end.

    Demand: all elements are requested upstream at the start; what is requested changes nothing.
    Errors: upstream's are passed on.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `ignoreElements`; RxJava `ignoreElements`; reactivex `ignore_elements`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).ignore_elements().to_list()
        []
    """

    id = "rx://operators/ignore_elements"
    method = "ignore_elements"
    stage = IgnoreStage

    @staticmethod
    def parameters() -> Checked[T]:
        """Return the parameters: none."""
        return Checked(())
