"""collect: the elements in a container of the user's."""

from __future__ import annotations

from typing import Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from reactivestreams.operators.folding.collector import Collector
from rs_core.operators.reduce import CollectStage


class Collect(FoldingDefinition):
    """Put the elements into a container that a collector makes, fills and finishes.

    Args:
        collector: Its three functions make the container, put an element into it, and make the result of it.

    Raises:
        ArgumentTypeError: The argument is no Collector.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of a function, or an accumulator that returns another container,
        cancels the upstream and becomes `on_error`.
    State: whether there is a container, and the container, which a snapshot has to know; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `collect`; RxJava `collect`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> from collections import Counter
        >>> from reactivestreams import Collector
        >>> letters = Collector(Counter, Counter.update, lambda counter: counter.most_common(1))
        >>> Stream.just("bee", "ant", "beetle").collect(letters)
        [('e', 5)]
    """

    id = "rx://operators/collect"
    method = "collect"

    @staticmethod
    def parameters(collector: Collector[T, Any, U]) -> Checked[U]:
        """Return the checked parameters."""
        if not isinstance(collector, Collector):
            raise ArgumentTypeError(
                f"collect(collector) needs a Collector, got {collector!r} ({type(collector).__name__}); pass "
                "Collector(supplier, accumulator, finisher), such as Collector(list, list.append)"
            )
        return Checked((collector,))

    @staticmethod
    def stage(collector: Collector[Any, Any, Any]) -> CollectStage:
        """Return a new live stage."""
        return CollectStage(collector.supplier, collector.accumulator, collector.finisher)
