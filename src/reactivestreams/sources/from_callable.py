"""from_callable: send the result of a function."""

from collections.abc import Callable
from typing import ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, U
from rs_core.sources.basic import CallableSource


class FromCallable(OperatorDefinition):
    """Send the result of a function, and complete.

    The function is called once for each subscription, when the first element is requested, and never if nothing is
    requested. None is an element like any other, for all but subscribers (§2.13).

    Args:
        function: Called without arguments.

    Demand: the first request calls the function; completion needs no further request.
    Errors: an exception of the function becomes `on_error`.
    State: whether the function was called; version 1.0.0.0.
    Recovery: `exact`: if the function was called, its result was sent, so it is not called again.
    Threads: the function is called in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.from_callable(lambda: 6 * 7).to_list()
        [42]
    """

    id = "rx://sources/from_callable"
    method = "from_callable"
    stage = CallableSource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(function: Callable[[], U]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="from_callable", name="function"),))
