"""sum: the sum of the elements."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.definition import Checked, FoldingDefinition
from rs_core.operators.reduce import SumStage


class Sum(FoldingDefinition):
    """Add the elements up.

    Args:
        start: What the first element is added to, and the result where there is none.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of the addition cancels the upstream and becomes `on_error`.
    State: the sum; version 1.0.0.0.
    Threads: the addition runs in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `MathFlux.sumLong`; RxJava none; reactivex `sum`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).sum()
        10
    """

    id = "rx://operators/sum"
    method = "sum"
    stage = SumStage

    @staticmethod
    def parameters(start: Any = 0) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((start,))
