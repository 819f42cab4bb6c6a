"""starmap: pass on what a function returns for the parts of each element."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from rs_core.operators.element import StarMapStage


class Starmap(OperatorDefinition):
    """Pass on what a function returns that is called with the parts of each element as its arguments.

    Args:
        function: Called with the parts of each element, which is a tuple or another iterable.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`, and so
        does an ArgumentTypeError for an element that has no parts.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: Reactor none; RxJava none; reactivex `starmap`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just((2, 3), (10, 2)).starmap(pow).to_list()
        [8, 100]
    """

    id = "rx://operators/starmap"
    method = "starmap"
    stage = StarMapStage

    @staticmethod
    def parameters(function: Callable[..., U]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="starmap", name="function"),))
