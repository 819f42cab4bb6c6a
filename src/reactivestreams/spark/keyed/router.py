"""What travels to the buckets where rows may fail: elements with the rows that caused them, and failures."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any

from reactivestreams.operators.keyed.expiry import microseconds
from reactivestreams.spark.keyed.buckets import bucket_finder
from reactivestreams.spark.keyed.keyed_step import event_time_of
from reactivestreams.spark.keyed.partial_results import list_before_failure
from reactivestreams.spark.on_error.row_failures import FailedRow
from reactivestreams.spark.on_error.tolerant_pipeline import Outcome, failed, guarded
from reactivestreams.spark.steps.executor_tasks import RowsIn, partition_number, stream_of
from reactivestreams.spark.steps.numbered_pipeline import Pair
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.stream import Operator, Pipeline

__all__ = ["FAILURES_BUCKET", "Sender", "Sent", "Traveller", "element_in"]

FAILURES_BUCKET = 0
"""Bucket through which the failures of the first step pass; its operators never see them."""

Traveller = tuple[int, int, Any, Any]
"""An element on its way to the bucket of its key.

It is the number of the partition in which the row was read that caused the element, the number of that row there, from
0, the row, and the element, often the row itself. It is a plain tuple, since a named one would send the name of its
class along with each element.
"""


def element_in(item: Traveller | FailedRow) -> Any:
    """Return the element of a traveller, and a failure as it is."""
    return item if isinstance(item, FailedRow) else item[3]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a task sends to the buckets at a time, in columns.

    Attributes:
        buckets: The bucket of each item.
        numbers: For each the number of its row.
        items: Elements, and behind them the failures.
        times: The elements' own times in microseconds; empty where elements have none.
    """

    buckets: list[int]
    numbers: list[int]
    items: list[Traveller | FailedRow]
    times: list[int]


class Sender:
    """Runs the operators before `key_by` over a partition and finds the buckets of their results.

    A row that one of them, the key function or the function of the event time fails on becomes a failure.

    Args:
        pipeline: These operators, none with a state.
        rows: The partition.
        source: How its rows are read.
        keyed: The keyed operator; its first parameter is the key function.
        buckets: How many buckets there are.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], rows: NumberedRows, source: RowsIn, *, keyed: Operator, buckets: int
    ) -> None:
        self.pipeline = pipeline
        self.rows = rows
        self.source = source
        self.keyed = keyed
        self.partition: int = partition_number()
        self.find: Callable[[object], int] = bucket_finder(buckets)
        self.event_time: Callable[[Any], Any] | None = event_time_of(keyed)

    def chunks(self, size: int) -> Iterator[Sent]:
        """Yield what goes to the buckets, so many items at a time; the rows of the last chunk can still be asked for.

        No function is called twice for an element.
        """
        outcomes = iter(self.outcomes())
        while chunk := [*islice(outcomes, size)]:
            yield self.sent(chunk)
            last = chunk[-1]
            self.rows.forget_before(last.number if isinstance(last, FailedRow) else last[0])

    def outcomes(self) -> Iterable[Outcome]:
        """Return what the operators give."""
        if not self.pipeline.operators:
            return self.rows
        return stream_of(guarded(self.pipeline), self.rows).iterate(prefetch=self.source.results_ahead)

    def sent(self, outcomes: list[Outcome]) -> Sent:
        """Return what goes to the buckets of some outcomes."""
        pairs: list[Pair] = [outcome for outcome in outcomes if not isinstance(outcome, FailedRow)]
        failures = (
            [outcome for outcome in outcomes if isinstance(outcome, FailedRow)] if len(pairs) < len(outcomes) else []
        )
        pairs, addresses = self.addressed(pairs, failures)
        numbers, elements = [number for number, _ in pairs], [element for _, element in pairs]
        rows = self.rows.rows_of(numbers) if self.pipeline.operators else elements
        items: list[Any] = [*zip(repeat(self.partition), numbers, rows, elements)]
        times: list[int] = []
        if self.event_time is None:
            buckets = addresses
        else:
            buckets, times = [bucket for bucket, _ in addresses], [time for _, time in addresses]
        for failure in failures:
            buckets.append(FAILURES_BUCKET)
            numbers.append(failure.number)
            items.append(replace(failure, rows=self.rows.batch_of(failure.number), partition=self.partition))
        return Sent(buckets, numbers, items, times)

    def addressed(self, pairs: list[Pair], failures: list[FailedRow]) -> tuple[list[Pair], list[Any]]:
        """Return the pairs that have a bucket, with their addresses, and add the failures of the others."""
        elements = (element for _, element in pairs)
        addresses: list[Any] = []
        kept: list[Pair] = []
        position = 0
        while position < len(pairs):
            # Goes on behind an element that a function has failed on.
            found, error = list_before_failure(self.addresses(elements), len(pairs) - position)
            addresses += found
            kept += pairs[position : position + len(found)]
            position += len(found)
            if error is not None:
                failures.append(failed(pairs[position], self.keyed, error))
                position += 1
        return kept, addresses

    def addresses(self, elements: Iterator[Any]) -> Iterator[Any]:
        """Return the bucket of each element, with its time where elements have one."""
        key: Callable[[Any], object] = self.keyed.parameters[0]
        event_time, find = self.event_time, self.find
        if event_time is None:
            return map(find, map(key, elements))

        def address(element: Any) -> tuple[int, int]:
            return find(key(element)), microseconds(event_time(element))

        return map(address, elements)
