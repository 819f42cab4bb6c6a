"""take: pass on the first elements, then complete."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import TakeStage
from rs_core.sources.basic import EmptySource


class Take(OperatorDefinition):
    """Pass on the first `count` elements, then cancel the upstream and complete.

    Args:
        count: How many elements may pass; 0 completes at once and never subscribes upstream.

    Demand: n requested are n requested upstream, but never more than what is still to pass.
    Errors: upstream's are passed on.
    State: how many elements are still to pass; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.5, §2.6, §3.17.
    Elsewhere: Reactor `take`; RxJava `take`; reactivex `take`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).take(3).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/take"
    method = "take"
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(count, operator="take", name="count", at_least=0),))

    @staticmethod
    def stage(count: int) -> Any:
        """Return a new live stage."""
        return TakeStage(count) if count else EmptySource()
