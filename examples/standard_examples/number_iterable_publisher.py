"""An asynchronous publisher of numbers."""

from concurrent.futures import Executor

from examples.standard_examples.async_iterable_publisher import AsyncIterablePublisher
from reactivestreams.errors import ArgumentError

__all__ = ["NumberIterablePublisher"]


class NumberIterablePublisher(AsyncIterablePublisher[int]):
    """Send the numbers of a range, on an executor.

    Args:
        start: The first number.
        stop: The number after the last one, >= start.
        executor: Whose tasks send.

    Raises:
        ArgumentError: The range ends before it starts.
    """

    def __init__(self, start: int, stop: int, *, executor: Executor) -> None:
        if stop < start:
            raise ArgumentError(f"NumberIterablePublisher({start}, {stop}) needs stop >= start; swap them")
        super().__init__(range(start, stop), executor=executor)
