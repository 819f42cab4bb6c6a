"""intersperse: an element between any two."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.sequence import IntersperseStage


class Intersperse(OperatorDefinition):
    """Pass on a separator between any two elements; none before the first one and none behind the last.

    Args:
        separator: What goes out between two elements: each time this very object.

    Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time. A separator
        goes out when the element behind it has come, which then waits for a request of its own.
    Errors: upstream's come behind the element that waits.
    State: what waits of the input, the element that waits behind a separator, and whether there was one before; version
        1.0.0.0.
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: Reactor none; RxJava none; reactivex none. more_itertools has `intersperse`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("a", "b", "c").intersperse("-").to_list()
        ['a', '-', 'b', '-', 'c']
    """

    id = "rx://operators/intersperse"
    method = "intersperse"
    stateful = True

    @staticmethod
    def parameters(separator: T) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((separator,))

    @staticmethod
    def stage(separator: Any) -> IntersperseStage:
        """Return a new live stage."""
        return IntersperseStage(DEFAULT_PREFETCH, separator)
