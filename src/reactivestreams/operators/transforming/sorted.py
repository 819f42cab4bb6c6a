"""sorted: all elements in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import CapacityError, StateError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.python_operator import PythonStage

DEFAULT_MAX_SORTED = 1_000_000
"""How many elements `sorted` holds unless it is told otherwise."""

MAX_SORTED = 2**24
"""The most elements that `sorted` holds."""


class SortedStage(PythonStage[Any, Any]):
    """Hold all elements, then emit them in their order.

    State: the elements that were not sorted yet; those that are wait in the output buffer.
    """

    name = "rx://operators/sorted"
    demand: ClassVar[Literal["per_element", "own"]] = "own"
    capacity = MAX_SORTED

    def __init__(self, key: Callable[[Any], Any] | None, reverse: bool, max_elements: int) -> None:
        self.key = key
        self.reverse = reverse
        self.max_elements = max_elements
        self.elements: list[Any] = []

    def on_request(self, n: int) -> None:
        """Take every element."""
        self.request_upstream(2**63 - 1)

    def on_next(self, element: Any) -> None:
        """Take an element."""
        if len(self.elements) >= self.max_elements:
            raise CapacityError(
                f"sorted(max_elements={self.max_elements}): one more element came than that; raise max_elements, or "
                f"put take({self.max_elements}) before it"
            )
        self.elements.append(element)

    def on_complete(self) -> None:
        """Sort the elements and emit them."""
        elements, self.elements = self.elements, []
        elements.sort(key=self.key, reverse=self.reverse)
        for element in elements:
            self.emit(element)
        self.complete()

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(list(self.elements))

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        self.elements = reader.read(list)
        if len(self.elements) > self.max_elements:
            raise StateError(
                f"sorted(max_elements={self.max_elements}) cannot load {len(self.elements)} elements; load the state "
                "with the bound that it was saved with"
            )


class Sorted(OperatorDefinition):
    """Pass on all elements in their order when the upstream has completed; equal ones in that in which they came.

    Args:
        key: Called with each element; returns what is compared in its place. None: the elements themselves.
        reverse: Whether the greatest one comes first.
        max_elements: How many elements may come, from 1 to `MAX_SORTED`; one more ends the stream with CapacityError.

    Demand: the first request is one for all elements upstream; n requested are n passed on, once they are sorted.
    Errors: upstream's are passed on, and the elements given up; an exception of the function or of a comparison, or
        one element more than the bound, becomes `on_error`.
    State: the elements that were not passed on; version 1.0.0.0.
    Threads: the function and the comparisons run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `sort`; RxJava `sorted`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("bee", "ant", "hornet").sorted(key=len, reverse=True).to_list()
        ['hornet', 'bee', 'ant']
    """

    id = "rx://operators/sorted"
    method = "sorted"
    stage = SortedStage
    stateful = True

    @staticmethod
    def parameters(
        key: Callable[[T], Any] | None = None, *, reverse: bool = False, max_elements: int = DEFAULT_MAX_SORTED
    ) -> Checked[T]:
        """Return the checked parameters."""
        if key is not None:
            checked_callable(key, operator="sorted", name="key")
        bound = checked_count(max_elements, operator="sorted", name="max_elements", at_least=1, at_most=MAX_SORTED)
        return Checked((key, bool(reverse), bound))
