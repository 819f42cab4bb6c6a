"""What an iterator gives before it fails: elements before the failing one may fail later on, and are told first."""

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["chunks_of", "list_before_failure"]

T = TypeVar("T")


def chunks_of(elements: Iterator[T], size: int) -> Iterator[list[T]]:
    """Yield lists of so many elements, the last one shorter; where an error ends them, those before it come first."""
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
    """Return what a `map` over so many elements gives before a function raises, and what it raises.

    A `map` ends where its function raises StopIteration, as if there were no more elements.
    """
    found: list[T] = []
    try:
        found.extend(results)
    except Exception as error:
        return found, error
    return found, None if len(found) == count else StopIteration()
