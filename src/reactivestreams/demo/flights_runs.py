"""The runs of one pipeline value on this machine's threads.

One run is in the caller's thread, one across a thread boundary with a slow consumer.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import reactivestreams as rs
from reactivestreams.demo.comparison import AnyResult, Comparison, Difference, Reference
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_parsing import Row
from reactivestreams.demo.producer_thread import ProducerThread
from reactivestreams.demo.slow_consumer import PREFETCH_ELEMENTS, FlowMeter, FlowReport
from reactivestreams.errors import ArgumentError
from reactivestreams.schedulers import WorkerScheduler

__all__ = ["Progress", "RunReport", "run_in_caller", "run_slow_consumer"]

PROGRESS_STEP = 1_024
"""A run reports its progress after so many results."""


class Progress(Protocol):
    """The progress display of a run."""

    def begin(self, title: str, *, total: int) -> None:
        """Start the display of a run."""

    def advance(self, done: int) -> None:
        """Show how many of the total are done."""

    def note(self, text: str) -> None:
        """Show the current step while nothing can be counted."""

    def end(self) -> None:
        """Complete the display of the run."""


@dataclass(frozen=True)
class RunReport:
    """One run of the pipeline."""

    name: str
    """`"caller"`, `"spark"`, `"streaming"` or `"slow"`."""
    title: str
    where: str
    rows: int
    results: int
    seconds: float
    set_up_seconds: float = 0.0
    """The time before the first row: the start of Spark and the creation of the DataFrame."""
    difference: Difference | None = None
    """The first difference from the caller's run; None if they are equal."""

    @property
    def rows_per_second(self) -> float:
        """Source rows per second, without the set-up."""
        return self.rows / self.seconds if self.seconds else 0.0


def run_in_caller(pipeline: Any, rows: FlightRows, *, total: int, progress: Progress) -> tuple[RunReport, Reference]:
    """Run the pipeline in this thread and store its results, with which the other runs are compared."""
    title = "Caller's thread"
    reference = Reference(total)
    progress.begin(title, total=total)
    started = time.perf_counter()
    read = CountedRows(rows)
    rs.Stream.from_iterable(read).through(pipeline).for_each(reporting(reference.add, progress, lambda _: read.count))
    seconds = time.perf_counter() - started
    progress.end()
    return RunReport("caller", title, "from_iterable, no thread of its own", total, reference.count, seconds), reference


def run_slow_consumer(
    pipeline: Any,
    rows: FlightRows,
    *,
    total: int,
    reference: Reference,
    progress: Progress,
    remove: int | None = None,
    pause_seconds: float | None = None,
) -> tuple[RunReport, FlowReport]:
    """Run the pipeline after a thread boundary with a consumer that pauses, comparing the results as they arrive.

    Args:
        pipeline: The pipeline value.
        rows: The source.
        total: The number of its rows.
        reference: The results to compare with.
        progress: The progress display.
        remove: Drop the result of this number, counted from 1, before the comparison:
            the comparison must then fail.
        pause_seconds: The length of a pause; by default that of `FlowMeter`.

    Raises:
        ArgumentError: `remove` is less than 1 or greater than the number of results.
    """
    title = "Slow consumer"
    meter = FlowMeter(total) if pause_seconds is None else FlowMeter(total, pause_seconds=pause_seconds)
    comparison = Comparison(title, reference, ordered=True)
    removing = Removing(comparison.check, remove)
    progress.begin(title, total=total)
    started = time.perf_counter()
    with WorkerScheduler(name="flights-producer") as producer, WorkerScheduler(name="flights-consumer") as consumer:
        source = ProducerThread(
            rs.Stream.from_iterable(meter.count_produced(rows)), scheduler=producer, on_request=meter.count_requested
        )
        (
            rs.Stream.from_publisher(source, prefetch=PREFETCH_ELEMENTS)
            .observe_on(consumer, prefetch=PREFETCH_ELEMENTS)
            .do(on_next=meter.count_taken)
            .through(pipeline)
            .for_each(reporting(removing, progress, lambda _: meter.taken))
        )
    seconds = time.perf_counter() - started
    progress.end()
    removing.check_done()
    where = f"a producer thread, a consumer thread, observe_on with prefetch {PREFETCH_ELEMENTS:,}"
    return RunReport(
        "slow", title, where, total, comparison.count, seconds, difference=comparison.difference()
    ), meter.report()


class CountedRows:
    """Iterate over the rows of a source and count them."""

    def __init__(self, rows: FlightRows) -> None:
        self.rows = rows
        self.count: int = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self.rows:
            self.count += 1
            yield row


def reporting(
    consume: Callable[[AnyResult], None], progress: Progress, done: Callable[[int], int]
) -> Callable[[AnyResult], None]:
    """Return a consumer that also reports progress every `PROGRESS_STEP` results.

    Args:
        consume: The consumer of the results.
        progress: Where to show progress.
        done: Returns how much of the run's total is done after a number of results.
    """
    count = 0

    def consume_and_report(result: AnyResult) -> None:
        nonlocal count
        count += 1
        consume(result)
        if count % PROGRESS_STEP == 0:
            progress.advance(done(count))

    return consume_and_report


class Removing:
    """Pass on all results except one, which the comparison must notice."""

    def __init__(self, consume: Callable[[AnyResult], None], number: int | None) -> None:
        if number is not None and number < 1:
            raise ArgumentError(f"results are counted from 1, result {number} cannot be removed; give 1 or more")
        self.consume = consume
        self.number = number
        self.count: int = 0

    def __call__(self, result: AnyResult) -> None:
        self.count += 1
        if self.count != self.number:
            self.consume(result)

    def check_done(self) -> None:
        """Raise an ArgumentError if there was no result of that number."""
        if self.number is not None and self.number > self.count:
            raise ArgumentError(
                f"result {self.number:,} cannot be removed, the run has {self.count:,}; give a lower number"
            )
