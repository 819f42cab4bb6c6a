"""defer: make a stream for each subscription."""

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, U
from reactivestreams.sources.error import failing
from rs_core.sources.basic import DeferStage
from rs_core.stream.description import Description


class Defer(OperatorDefinition):
    """Send the elements of a stream that a function makes again for each subscription.

    Args:
        factory: Called without arguments when the stream is subscribed; returns a stream, a publisher, an iterable or
            an asynchronous iterable.

    Demand: the demand of the stream that was made.
    Errors: an exception of the function, and a result of any other type, become `on_error`, after `on_subscribe`.
    State: none of its own: the nodes of the stream that was made are part of the tree and are saved with it; version
        1.0.0.0.
    Recovery: `exact`, provided that the function makes an equal stream again; the source of that stream states its own.
    Threads: the function is called in the thread that subscribes.
    Rules: §1.4, §1.9, §1.10.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = [1, 2]
        >>> stream = Stream.defer(lambda: list(numbers))
        >>> numbers.append(3)
        >>> stream.to_list()
        [1, 2, 3]
    """

    id = "rx://sources/defer"
    method = "defer"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(factory: Callable[[], Source[U]]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(factory, operator="defer", name="factory"),))

    @staticmethod
    def stage(factory: Callable[[], Source[Any]]) -> DeferStage:
        """Return a new live stage."""

        def made() -> Description:
            return described(factory(), where="defer(factory): what it returns")

        return DeferStage(made, failing)
