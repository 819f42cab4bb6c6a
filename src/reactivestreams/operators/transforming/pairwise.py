"""pairwise: each element with the one before it."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.batch import PairStage


class Pairwise(OperatorDefinition):
    """Pass on each element in a tuple with the one before it; nothing for the first one.

    Demand: n requested are n requested upstream, and one more for the first element.
    Errors: upstream's are passed on.
    State: the last element, and whether there was one; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: Reactor none; RxJava none; reactivex `pairwise`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 4, 9).pairwise().map(lambda pair: pair[1] - pair[0]).to_list()
        [3, 5]
    """

    id = "rx://operators/pairwise"
    method = "pairwise"
    stateful = True

    @staticmethod
    def parameters() -> Checked[tuple[T, T]]:
        """Return the checked parameters."""
        return Checked(())

    @staticmethod
    def stage() -> PairStage:
        """Return a new live stage."""
        return PairStage()
