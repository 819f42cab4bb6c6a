"""skip: drop the first elements."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import SkipStage


class Skip(OperatorDefinition):
    """Drop the first `count` elements and pass on the others.

    Args:
        count: How many elements to drop; 0 drops none.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on.
    State: how many elements are still to be dropped; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: Reactor `skip`; RxJava `skip`; reactivex `skip`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).skip(3).to_list()
        [3, 4]
    """

    id = "rx://operators/skip"
    method = "skip"
    stage = SkipStage
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(count, operator="skip", name="count", at_least=0),))
