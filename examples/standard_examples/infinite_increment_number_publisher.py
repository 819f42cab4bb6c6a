"""An asynchronous publisher without an end."""

from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import count

from examples.standard_examples.async_iterable_publisher import AsyncIterablePublisher

__all__ = ["InfiniteIncrementNumberPublisher"]


class _NaturalNumbers:
    def __iter__(self) -> Iterator[int]:
        return count()


class InfiniteIncrementNumberPublisher(AsyncIterablePublisher[int]):
    """Send 0, 1, 2 and so on without end, on an executor; only cancelling stops it.

    Args:
        executor: Whose tasks send.
    """

    def __init__(self, executor: Executor) -> None:
        super().__init__(_NaturalNumbers(), executor=executor)
