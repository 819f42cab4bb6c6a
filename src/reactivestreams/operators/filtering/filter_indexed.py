"""filter_indexed: pass on the elements for which a predicate of them and their index is true."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import FilterIndexedStage


class FilterIndexed(OperatorDefinition):
    """Pass on the elements for which a predicate of them and their index is true.

    Args:
        predicate: Called with each element and its index, the first of which is 0; its result counts by its truth.

    Demand: n requested are n requested upstream; an element that does not pass gives its demand back.
    Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
        upstream and becomes `on_error`.
    State: the next index; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `index`, then `filter`; RxJava none; reactivex `filter_indexed`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("a", "b", "c").filter_indexed(lambda element, index: index % 2 == 0).to_list()
        ['a', 'c']
    """

    id = "rx://operators/filter_indexed"
    method = "filter_indexed"
    stage = FilterIndexedStage
    stateful = True

    @staticmethod
    def parameters(predicate: Callable[[T, int], object]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_callable(predicate, operator="filter_indexed", name="predicate"),))
