"""filter: pass on the elements for which a predicate is true."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import FilterStage


class Filter(OperatorDefinition):
    """Pass on the elements for which a predicate is true.

    Args:
        predicate: Called with each element; its result counts by its truth.

    Demand: n requested are n requested upstream; an element that does not pass gives its demand back.
    Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
        upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §2.13.
    Elsewhere: Reactor `filter`; RxJava `filter`; reactivex `filter`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(6).filter(lambda element: element % 2).to_list()
        [1, 3, 5]
    """

    id = "rx://operators/filter"
    method = "filter"
    stage = FilterStage

    @staticmethod
    def parameters(predicate: Callable[[T], object]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_callable(predicate, operator="filter", name="predicate"),))
