"""cycle: the elements again and again, without running the stream again."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, checked_bound
from reactivestreams.operators.transforming.buffer import DEFAULT_MAX_ELEMENTS
from rs_core.operators.sequence import CycleStage


class Cycle(OperatorDefinition):
    """Pass on the elements and keep them, then pass on what was kept, again and again.

    The stream runs once, while `repeat` runs it again each time and keeps nothing.

    Args:
        times: How often each element goes out, 1 or more; None: until the subscriber cancels.
        max_elements: How many elements may be kept, from 1; one more ends the stream with CapacityError. None: without
            a bound.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; after the
        completion nothing.
    Errors: upstream's are passed on; one element more than the bound cancels the upstream and becomes `on_error`.
    State: what waits of the input, the elements that were kept, and the place among them; version 1.0.0.0.
    Threads: as upstream; what was kept goes out in the thread that requests.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `cache` and `repeat`; RxJava `cache` and `repeat`; reactivex none. itertools has `cycle`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.from_iterable(iter("ab")).cycle().take(5).to_list()
        ['a', 'b', 'a', 'b', 'a']
        >>> Stream.just(1, 2).cycle(2).to_list()
        [1, 2, 1, 2]
    """

    id = "rx://operators/cycle"
    method = "cycle"
    stateful = True

    @staticmethod
    def parameters(times: int | None = None, *, max_elements: int | None = DEFAULT_MAX_ELEMENTS) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                None if times is None else checked_count(times, operator="cycle", name="times", at_least=1),
                checked_bound(max_elements, operator="cycle"),
            )
        )

    @staticmethod
    def stage(times: int | None, max_elements: int | None) -> CycleStage:
        """Return a new live stage."""
        return CycleStage(DEFAULT_PREFETCH, times or 0, max_elements or 0)
