"""The results of an iterator before it fails: one of them may fail in a later step, and is reported first."""

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["chunks_of", "list_before_failure"]

T = TypeVar("T")


def chunks_of(elements: Iterator[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` elements; the last one may be shorter. Before an error, yield the elements before it."""
    while True:
        chunk: list[T] = []
        try:
            chunk.extend(islice(elements, size))
        except Exception:
            if chunk:
                yield chunk
            raise
        if not chunk:
            return
        yield chunk


def list_before_failure(results: Iterator[T], count: int) -> tuple[list[T], Exception | None]:
    """Return the results of a `map` over `count` elements before a function raises, and the exception or None.

    A `map` ends when its function raises StopIteration, as if there were no more elements.
    """
    found: list[T] = []
    try:
        found.extend(results)
    except Exception as error:
        return found, error
    return found, None if len(found) == count else StopIteration()
