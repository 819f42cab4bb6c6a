"""distinct_until_changed: pass on the elements whose key differs from that of the one before."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.limit import DistinctUntilChangedStage


class DistinctUntilChanged(OperatorDefinition):
    """Pass on the first element, and each whose key differs from that of the last one that passed.

    Args:
        key: Called with each element; returns its key. None: the element is the key.
        comparer: Called with the key of the last element that passed and with the new one; its result counts by its
            truth, and says whether they are the same. None: they are the same where one is the other or `==` says so.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on; an exception of one of the functions, or of the comparison, cancels the upstream
        and becomes `on_error`.
    State: the key of the last element that passed, and whether there is one; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `distinctUntilChanged`; RxJava `distinctUntilChanged`; reactivex `distinct_until_changed`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(2, 3, 3, 2, 2, 1, 2).distinct_until_changed().to_list()
        [2, 3, 2, 1, 2]
        >>> close = lambda last, new: abs(new - last) < 5
        >>> Stream.just(20, 22, 24, 26, 27).distinct_until_changed(comparer=close).to_list()
        [20, 26]
    """

    id = "rx://operators/distinct_until_changed"
    method = "distinct_until_changed"
    stage = DistinctUntilChangedStage
    stateful = True

    @staticmethod
    def parameters(
        key: Callable[[T], U] | None = None, *, comparer: Callable[[U, U], object] | None = None
    ) -> Checked[T]:
        """Return the checked parameters."""
        for name, function in (("key", key), ("comparer", comparer)):
            if function is not None:
                checked_callable(function, operator="distinct_until_changed", name=name)
        return Checked((key, comparer))
