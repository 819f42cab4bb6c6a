"""Streams and factories that the tests of sinks send to workers, which import them from here."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from reactivestreams import Stream

SCHEMA = "id bigint not null, name string"


def pairs(start: int, end: int) -> Stream[tuple[int, str]]:
    return Stream.range(start, end).map(lambda number: (number, str(number)))


def batch(start: int, count: int) -> pa.RecordBatch:
    numbers = list(range(start, start + count))
    return pa.record_batch({"id": numbers, "name": [str(number) for number in numbers]})


class Counted:
    """A replayable factory of so many rows."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __call__(self, offset: int) -> Stream[tuple[int, str]]:
        return pairs(offset, self.rows)


class CountedBatches:
    """A replayable factory of so many batches of so many rows."""

    def __init__(self, batches: int, rows: int) -> None:
        self.batches = batches
        self.rows = rows

    def __call__(self, offset: int) -> Iterator[pa.RecordBatch]:
        for number in range(offset, self.batches):
            yield batch(number * self.rows, self.rows)


class Changed:
    """A factory that has all its rows when batches are planned, and few when they are read."""

    def __init__(self, rows: int, on_executors: int) -> None:
        self.rows = rows
        self.on_executors = on_executors

    def __call__(self, offset: int) -> Any:
        from pyspark import TaskContext

        return pairs(offset, self.rows if TaskContext.get() is None else self.on_executors)


class FailsAt:
    """A factory whose elements go through a function."""

    def __init__(self, function: Callable[[int], Any]) -> None:
        self.function = function

    def __call__(self, offset: int) -> Stream[Any]:
        return Stream.range(offset, 100).map(self.function)
