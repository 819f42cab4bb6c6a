"""count: the number of the elements."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, FoldingDefinition
from rs_core.operators.reduce import CountStage


class Count(FoldingDefinition):
    """Count the elements.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on.
    State: the count; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `count`; RxJava `count`; reactivex `count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).filter(lambda number: number % 2 == 0).count()
        3
    """

    id = "rx://operators/count"
    method = "count"
    stage = CountStage

    @staticmethod
    def parameters() -> Checked[int]:
        """Return the checked parameters."""
        return Checked()
