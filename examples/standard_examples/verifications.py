"""The publishers under the compatibility kit: a class for each, to be run by whatever runs verifications."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache
from typing import Any

from examples.standard_examples.async_iterable_publisher import AsyncIterablePublisher
from examples.standard_examples.infinite_increment_number_publisher import InfiniteIncrementNumberPublisher
from examples.standard_examples.number_iterable_publisher import NumberIterablePublisher
from examples.standard_examples.range_publisher import RangePublisher
from reactivestreams.tck import PublisherVerification

__all__ = [
    "AsyncIterableVerification",
    "InfiniteIncrementNumberVerification",
    "NumberIterableVerification",
    "RangeVerification",
    "shared_executor",
]

THREADS = 4
SMALL_BATCH = 7


@cache
def shared_executor() -> Executor:
    """Return the executor that all the examples share; its threads end with the program."""
    return ThreadPoolExecutor(THREADS, "standard-examples")


class Elements:
    """An iterable whose making of iterators, or of one element, may fail; it has no length and cannot be indexed."""

    def __init__(self, count: int, make: Callable[[int], int] = int) -> None:
        self._count = count
        self._make = make

    def __iter__(self) -> Iterator[int]:
        return map(self._make, range(self._count))


class Unavailable:
    """An iterable that has no iterator to give."""

    def __iter__(self) -> Iterator[int]:
        raise RuntimeError("the source is closed")


class AsyncIterableVerification(PublisherVerification):
    """Judge AsyncIterablePublisher, with batches so small that the checks cross their ends often."""

    def create_publisher(self, elements: int) -> Any:
        return self.create_publisher_with_executor(shared_executor(), elements)

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return AsyncIterablePublisher(Elements(elements), executor=executor, batch_size=SMALL_BATCH)

    def create_failed_publisher(self) -> Any:
        return AsyncIterablePublisher(Unavailable(), executor=shared_executor())

    def create_publisher_failing_at(self, position: int) -> Any:
        source = Elements(position + 10, lambda number: number // (position - number))
        return AsyncIterablePublisher(source, executor=shared_executor())


class NumberIterableVerification(PublisherVerification):
    """Judge NumberIterablePublisher; a range does not fail."""

    def create_publisher(self, elements: int) -> Any:
        return self.create_publisher_with_executor(shared_executor(), elements)

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return NumberIterablePublisher(0, elements, executor=executor)


class InfiniteIncrementNumberVerification(PublisherVerification):
    """Judge InfiniteIncrementNumberPublisher, which never completes."""

    def create_publisher(self, elements: int) -> Any:
        return self.create_publisher_with_executor(shared_executor(), elements)

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return InfiniteIncrementNumberPublisher(executor)

    def max_elements_from_publisher(self) -> int:
        return self.publisher_unable_to_signal_on_complete()


class RangeVerification(PublisherVerification):
    """Judge RangePublisher; a range does not fail."""

    def create_publisher(self, elements: int) -> Any:
        return RangePublisher(1, elements)
