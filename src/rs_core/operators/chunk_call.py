"""One call of an executor for several elements.

Processes import this module to unpickle their work, so it is plain Python and loads no extension.
"""

import traceback
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["ChunkOutcome", "call_for_chunk"]


class ChunkOutcome:
    """What became of the elements of a chunk.

    Args:
        results: The results for the first elements, in their order.
        error: What the function raised for the next one; None: it returned for all.
    """

    __slots__ = ("error", "results")

    def __init__(self, results: list[Any], error: Exception | None) -> None:
        self.results: list[Any] = results
        self.error: Exception | None = error

    def __reduce__(self) -> tuple[Any, ...]:
        if self.error is not None and self.error.__traceback__ is not None:  # which no pickle has
            lines = traceback.format_exception(self.error)
            self.error.add_note(f"in the process that called the function:\n{''.join(lines).rstrip()}")
        return ChunkOutcome, (self.results, self.error)


def call_for_chunk(function: Callable[[Any], Any], elements: Iterable[Any]) -> ChunkOutcome:
    """Call a function with each element, until it raises."""
    results: list[Any] = []
    try:
        results.extend(map(function, elements))
    except Exception as error:
        return ChunkOutcome(results, error)
    return ChunkOutcome(results, None)
