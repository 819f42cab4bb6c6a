"""handle: one function that maps, drops, completes or fails."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.element import HandleSink, HandleStage


class Handle(OperatorDefinition):
    """Call a function with each element and a sink, and pass on what it sends there: one element at most, or the end.

    The sink has `emit(element)`, `complete()` and `fail(error)`. What the function sends goes out when it returns:
    first the element, then the end. Where it sends nothing, the element is dropped. A sink is good until the function
    returns; a second element, or a signal behind the end, is refused with an exception in the function.

    Args:
        function: Called with each element and the sink; what it returns is ignored.

    Demand: n requested are n requested upstream; an element for which nothing is sent gives its demand back.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`, and what
        it has sent for this element is dropped; so does, behind that element, the one that it passes to `fail`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5, §1.7.
    Elsewhere: Reactor `handle`; RxJava `mapOptional`, then `takeUntil`; reactivex `map`, then `filter`.

    Example:
        >>> from reactivestreams import Stream
        >>> def numbers_to_the_dot(text, sink):
        ...     if text == ".":
        ...         sink.complete()
        ...     elif text.isdigit():
        ...         sink.emit(int(text))
        >>> Stream.just("1", "x", "2", ".", "3").handle(numbers_to_the_dot).to_list()
        [1, 2]
    """

    id = "rx://operators/handle"
    method = "handle"
    stage = HandleStage
    stateful = True

    @staticmethod
    def parameters(function: Callable[[T, HandleSink[U]], object]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="handle", name="function"),))
