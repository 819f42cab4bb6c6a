"""sliding: tuples of neighboring elements.

It is `buffer(count, skip)` without what is not full, which makes all the difference: nothing is left at the completion
that would have to wait for demand. So `sliding` is a link of a chain, while a `buffer` whose lists overlap has a queue.
Both keep their elements in one and the same way (`Windows` in rs_core.operators.batch).
"""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from rs_core.operators.batch import WindowStage


class Sliding(OperatorDefinition):
    """Pass on tuples of `size` neighboring elements, each of which begins `step` elements behind the one before.

    Elements at the end that fill no tuple are given up, as are those between tuples where `step` is more than `size`.
    `buffer(size, step)` passes on lists instead, also those at the end that are not full.

    Args:
        size: Elements in a tuple, from 1 to `MAX_BUFFER_ELEMENTS`.
        step: After how many elements the next tuple begins, from 1.

    Demand: n requested are n requested upstream, and one more for each element that completes no tuple.
    Errors: upstream's are passed on.
    State: the elements of the tuples that are not full, and how many are left out before the next; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: Reactor none; RxJava none; reactivex none. more_itertools has `sliding_window`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).sliding(3).to_list()
        [(0, 1, 2), (1, 2, 3), (2, 3, 4)]
        >>> Stream.range(5).sliding(2, 2).to_list()
        [(0, 1), (2, 3)]
    """

    id = "rx://operators/sliding"
    method = "sliding"
    stage = WindowStage
    stateful = True

    @staticmethod
    def parameters(size: int, step: int = 1) -> Checked[tuple[T, ...]]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_count(size, operator="sliding", name="size", at_least=1, at_most=MAX_BUFFER_ELEMENTS),
                checked_count(step, operator="sliding", name="step", at_least=1),
            )
        )
