"""repeat: run the stream again when it completes."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.sequence import SequenceStage, Successor


class Repeat(OperatorDefinition):
    """Pass on the elements of the stream, subscribe to it anew when it completes, and so on.

    Args:
        count: How often the stream runs, 1 or more; None is for ever, until the subscriber cancels.

    Demand: what was requested and not yet delivered is requested of the run at hand, at most 128 elements at a time.
    Errors: upstream's are passed on and end the repetition.
    State: how many runs have ended, and what waits of the present one; version 1.0.0.0.
    Threads: as upstream; each run begins in the thread that drains the stream.
    Rules: §1.1, §1.10.
    Elsewhere: Reactor `repeat`, which counts the runs behind the first; RxJava `repeat`; reactivex `repeat`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).repeat(2).to_list()
        [1, 2, 1, 2]
    """

    id = "rx://operators/repeat"
    method = "repeat"
    stateful = True

    @staticmethod
    def parameters(count: int | None = None) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((None if count is None else checked_count(count, operator="repeat", name="count", at_least=1),))

    @staticmethod
    def stage(count: int | None) -> Any:
        """Return a new live stage."""

        def following(ended: int, _passed: int, error: Exception | None) -> Successor:
            goes_on = error is None and (count is None or ended + 1 < count)
            return Successor.INPUT_ABOVE if goes_on else Successor.END

        return SequenceStage(DEFAULT_PREFETCH, following)
