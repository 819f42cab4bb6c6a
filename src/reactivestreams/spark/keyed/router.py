"""The shuffle if rows may fail: elements with the rows that caused them, and failures."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any

from reactivestreams.spark.keyed.buckets import bucket_finder
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.partial_results import list_before_failure
from reactivestreams.spark.on_error.row_results import FailedRow
from reactivestreams.spark.on_error.tolerant_pipeline import RowResult, failed, tolerant
from reactivestreams.spark.steps.numbered_pipeline import Pair
from reactivestreams.spark.steps.step_results import partition_number, stream_of
from reactivestreams.spark.steps.tracked_rows import NumberedRows

__all__ = ["FAILURES_BUCKET", "RoutedBatch", "RoutedElement", "Router", "element_in"]

FAILURES_BUCKET = 0
"""Bucket to which the failures of the first step are sent; its operators do not get them."""

RoutedElement = tuple[int, int, Any, Any]
"""An element during the shuffle, with the row that caused it.

The number of the row's partition, the number of the row in it from 0, the row, and the element, which is often the row.
It is a plain tuple, because a named one would be sent with the name of its class.
"""


def element_in(item: RoutedElement | FailedRow) -> Any:
    """Return the element of a routed element; a failure is returned unchanged."""
    return item if isinstance(item, FailedRow) else item[3]


@dataclass(frozen=True, slots=True)
class RoutedBatch:
    """Items that a task sends to the buckets, in columns.

    Attributes:
        buckets: The bucket of each item.
        numbers: The row number of each item.
        items: The elements, then the failures.
        times: The event times of the elements in microseconds; empty without event times.
    """

    buckets: list[int]
    numbers: list[int]
    items: list[RoutedElement | FailedRow]
    times: list[int]


class Router:
    """Runs the operators before `key_by` on a partition and finds the buckets of their results.

    If an operator, the key function or the function of the event time fails on a row, the row becomes a failure.

    Args:
        step: These operators, none with a state, and the keyed operator.
        rows: The partition.
    """

    def __init__(self, step: KeyedStep, rows: NumberedRows) -> None:
        self.step = step
        self.rows = rows
        self.partition: int = partition_number()
        self.find: Callable[[object], int] = bucket_finder(step.buckets)

    def chunks(self, size: int) -> Iterator[RoutedBatch]:
        """Yield batches of `size` items; the rows of the last batch are retained.

        No function is called twice for an element.
        """
        results = iter(self.row_results())
        while chunk := [*islice(results, size)]:
            yield self.routed(chunk)
            last = chunk[-1]
            self.rows.drop_before(last.number if isinstance(last, FailedRow) else last[0])

    def row_results(self) -> Iterable[RowResult]:
        """Return the results of the operators."""
        step = self.step
        if not step.pipeline.operators:
            return self.rows
        return stream_of(tolerant(step.pipeline), self.rows).iterate(prefetch=step.source.results_ahead)

    def routed(self, results: list[RowResult]) -> RoutedBatch:
        """Return the batch for some row results."""
        pairs: list[Pair] = [result for result in results if not isinstance(result, FailedRow)]
        failures = [result for result in results if isinstance(result, FailedRow)] if len(pairs) < len(results) else []
        pairs, addresses = self.addressed(pairs, failures)
        numbers, elements = [number for number, _ in pairs], [element for _, element in pairs]
        rows = self.rows.rows_of(numbers) if self.step.pipeline.operators else elements
        items: list[Any] = [*zip(repeat(self.partition), numbers, rows, elements)]
        times: list[int] = []
        if self.step.event_time is None:
            buckets = addresses
        else:
            buckets, times = [bucket for bucket, _ in addresses], [time for _, time in addresses]
        for failure in failures:
            buckets.append(FAILURES_BUCKET)
            numbers.append(failure.number)
            items.append(replace(failure, rows=self.rows.batch_of(failure.number), partition=self.partition))
        return RoutedBatch(buckets, numbers, items, times)

    def addressed(self, pairs: list[Pair], failures: list[FailedRow]) -> tuple[list[Pair], list[Any]]:
        """Return the pairs that have a bucket and their addresses; add a failure for each of the others."""
        elements = (element for _, element in pairs)
        addresses: list[Any] = []
        kept: list[Pair] = []
        position = 0
        while position < len(pairs):
            # Continues after an element on which a function failed.
            found, error = list_before_failure(self.addresses(elements), len(pairs) - position)
            addresses += found
            kept += pairs[position : position + len(found)]
            position += len(found)
            if error is not None:
                failures.append(failed(pairs[position], self.step.keyed, error))
                position += 1
        return kept, addresses

    def addresses(self, elements: Iterator[Any]) -> Iterator[Any]:
        """Return the bucket of each element, with its event time if there are event times."""
        key, event_time, find = self.step.key_function, self.step.event_time, self.find
        if event_time is None:
            return map(find, map(key, elements))

        def address(element: Any) -> tuple[int, int]:
            return find(key(element)), event_time(element)

        return map(address, elements)
