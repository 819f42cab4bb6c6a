"""One call of an executor for several elements.

Processes import this module to unpickle their work, so it is plain Python and loads no extension.
"""

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["ChunkError", "call_for_chunk"]


class ChunkError(Exception):
    """What a call for several elements raises in a worker: the function has raised for one of them.

    Args:
        results: The results for the elements before it.
        error: What the function raised.
    """

    def __init__(self, results: list[Any], error: Exception) -> None:
        super().__init__(results, error)
        self.results: list[Any] = results
        self.error: Exception = error

    def __str__(self) -> str:
        return f"after {len(self.results)} elements of a chunk"

    def failure(self) -> Exception:
        """Return what the function raised; from a process, with its text of the traceback there as the cause."""
        if self.__cause__ is not self.error:
            self.error.__cause__ = self.__cause__
        return self.error


def call_for_chunk(function: Callable[[Any], Any], elements: Iterable[Any]) -> list[Any]:
    """Call a function with each element, and return the results.

    Raises:
        ChunkError: The function has raised an Exception; it is called no more then.
    """
    results: list[Any] = []
    try:
        for element in elements:  # no map(): a StopIteration of the function would end it
            results.append(function(element))  # noqa: PERF401 - those before an error are wanted
    except Exception as error:
        # Raised, since a result that refers to it would be in a frame to which its traceback refers.
        raise ChunkError(results, error) from error
    return results
