"""to_list: all elements in a list."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_timeout
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, checked_bound
from rs_core.ends.blocking import ListEnd


class ToList(FoldingDefinition):
    """Collect the elements in a list.

    Args:
        max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
            bound.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; one element more than the bound cancels the upstream and becomes `on_error`.
    State: the list; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `collectList`; RxJava `toList`; reactivex `to_list`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/to_list"
    method = "to_list"

    @staticmethod
    def parameters(*, max_elements: int | None = None) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked((checked_bound(max_elements, operator="to_list"),))

    @staticmethod
    def stage(max_elements: int | None) -> Any:
        """Return a new live stage."""
        from rs_core.operators.reduce import ListStage

        return ListStage(max_elements or 0)

    @classmethod
    def run(cls, stream: Any, timeout_seconds: float | None, *, max_elements: int | None = None) -> Any:
        """Run a stream and return the result."""
        if max_elements is not None:
            return cls.result_of(stream, (checked_bound(max_elements, operator="to_list"),), timeout_seconds)
        end: ListEnd[Any] = ListEnd(stream)
        return end.wait(timeout_seconds=checked_timeout(timeout_seconds, operator="to_list"))
