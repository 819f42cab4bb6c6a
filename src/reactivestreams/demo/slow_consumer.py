"""Measure a run with a slow consumer: produced elements, consumed elements, and memory."""

import platform
import time
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

__all__ = [
    "BAR_GROWTH_BYTES",
    "PREFETCH_ELEMENTS",
    "SOURCE_BOUND_ELEMENTS",
    "FlowMeter",
    "FlowReport",
    "Request",
    "Sample",
    "resident_bytes",
]

T = TypeVar("T")

PREFETCH_ELEMENTS = 1_024
"""The maximum of elements that the thread boundary buffers."""

SOURCE_BOUND_ELEMENTS = 1
"""The maximum of elements in the source itself: the one that it has read and not yet sent."""

PAUSE_EVERY_ELEMENTS = 128
PAUSE_SECONDS = 0.003
"""The consumer sleeps this long for every `PAUSE_EVERY_ELEMENTS` source rows, which adds about 8 s to the 336,776
rows."""

INTERVALS = 200
"""The run is divided into so many parts with equal numbers of rows; each records its minimum and maximum fill and the
memory at its end."""

CLOSE_UP_ELEMENTS = 6_144
CLOSE_UP_STEP = 16
"""Of the first `CLOSE_UP_ELEMENTS` consumed elements every `CLOSE_UP_STEP`-th is also sampled."""

CLOSE_UP_REQUESTS = 64
"""So many of the first requests are recorded with their times."""

BAR_GROWTH_BYTES = 2 << 20
"""The maximum growth of resident memory between 10 % and 100 % of the rows."""

STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """Return the resident memory of this process in bytes.

    That is the current value on Linux, the maximum so far on other systems with `resource`, and None on Windows.
    """
    try:
        import resource
    except ModuleNotFoundError:
        return None
    if STATM.exists():
        return int(STATM.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if platform.system() == "Darwin" else peak * 1024  # other systems count in kilobytes


@dataclass(frozen=True)
class Sample:
    """One sample of the close-up."""

    seconds: float
    fill: int
    """Elements produced and not yet consumed."""


@dataclass(frozen=True)
class Request:
    """One `request(n)` that reached the source."""

    seconds: float
    n: int


@dataclass(frozen=True)
class FlowReport:
    """The measurements of a `FlowMeter`."""

    produced: int
    taken: int
    fill_maximum: int
    """The maximum of produced minus taken, computed at every element."""
    fill_bound: int
    requested: int
    request_count: int
    overrun_maximum: int
    """The maximum of produced minus requested, computed at every element: never above 0 (§1.1)."""
    interval_seconds: list[float]
    interval_low: list[int]
    interval_high: list[int]
    interval_resident: list[int]
    """Resident bytes at the end of each interval; empty if the system does not provide them."""
    close_up: list[Sample] = field(repr=False)
    close_up_requests: list[Request] = field(repr=False)

    @property
    def is_bounded(self) -> bool:
        """Whether, at every element, produced minus taken was within its bound and produced within the demand."""
        return self.fill_maximum <= self.fill_bound and self.overrun_maximum <= 0

    @property
    def growth_bytes(self) -> int | None:
        """The maximum of resident memory after 10 % of the rows, minus that at 10 %; None if it is unknown."""
        if len(self.interval_resident) < 10:
            return None
        first = len(self.interval_resident) // 10 - 1
        return max(self.interval_resident[first:]) - self.interval_resident[first]


class FlowMeter:
    """Count elements on both sides of a thread boundary, and slow down the consumer.

    One thread at a time produces and one consumes. Each side reads the count of the other while it changes: a reader
    that sees an old `taken` reports too high a fill, never too low a one.

    Args:
        total: The number of rows of the run.
        pause_seconds: How long the consumer sleeps for every `PAUSE_EVERY_ELEMENTS` rows; 0 for no pause.
    """

    def __init__(self, total: int, *, pause_seconds: float = PAUSE_SECONDS) -> None:
        self.total = total
        self.pause_seconds = pause_seconds
        self.produced: int = 0
        self.taken: int = 0
        self.requested: int = 0
        self.request_count: int = 0
        self.overrun_maximum: int = -total
        self.fill_maximum: int = 0
        self.step: int = max(1, -(-total // INTERVALS))
        # Allocated at full size now, so that the measurement itself does not grow during the run.
        self.interval_count: int = -(-total // self.step)
        self.seconds: array[float] = array("d", [0.0] * self.interval_count)
        self.low: array[int] = array("q", [0] * self.interval_count)
        self.high: array[int] = array("q", [0] * self.interval_count)
        self.resident: array[int] = array("q", [0] * self.interval_count)
        self.close_up_count: int = 0
        self.close_up: list[array[float]] = [array("d", [0.0] * (CLOSE_UP_ELEMENTS // CLOSE_UP_STEP)) for _ in range(2)]
        self.requests: list[array[float]] = [array("d", [0.0] * CLOSE_UP_REQUESTS) for _ in range(2)]
        self.interval_low: int = total
        self.interval_high: int = 0
        self.started: float = time.perf_counter()

    def count_requested(self, n: int) -> None:
        """Add to the demand that has reached the source."""
        if self.request_count < CLOSE_UP_REQUESTS:
            seconds, counts = self.requests
            seconds[self.request_count] = time.perf_counter() - self.started
            counts[self.request_count] = n
        self.request_count += 1
        self.requested += n

    def count_produced(self, source: Iterable[T]) -> Iterator[T]:
        """Yield the elements of the source, counting each before."""
        for element in source:
            self.produced += 1
            if self.produced - self.requested > self.overrun_maximum:
                self.overrun_maximum = self.produced - self.requested
            fill = self.produced - self.taken
            if fill > self.fill_maximum:
                self.fill_maximum = fill
            if fill > self.interval_high:
                self.interval_high = fill
            yield element

    def count_taken(self, element: object) -> None:
        """Count an element after the boundary, and pause from time to time."""
        self.taken = taken = self.taken + 1
        fill = self.produced - taken
        if fill < self.interval_low:
            self.interval_low = fill
        if taken <= CLOSE_UP_ELEMENTS and taken % CLOSE_UP_STEP == 0:
            self._sample(fill)
        if taken % self.step == 0 or taken == self.total:
            self._end_interval(taken)
        if taken % PAUSE_EVERY_ELEMENTS == 0 and self.pause_seconds:
            time.sleep(self.pause_seconds)

    def _sample(self, fill: int) -> None:
        seconds, fills = self.close_up
        seconds[self.close_up_count] = time.perf_counter() - self.started
        fills[self.close_up_count] = fill
        self.close_up_count += 1

    def _end_interval(self, taken: int) -> None:
        index = -(-taken // self.step) - 1
        self.seconds[index] = time.perf_counter() - self.started
        self.low[index], self.high[index] = self.interval_low, self.interval_high
        self.resident[index] = resident_bytes() or 0
        self.interval_low = self.interval_high = self.produced - taken

    def report(self) -> FlowReport:
        """Return the measurements; call this when the run has ended."""
        done = min(self.interval_count, -(-self.taken // self.step))
        resident = list(self.resident[:done])
        samples = zip(*(column[: self.close_up_count] for column in self.close_up), strict=True)
        kept = min(self.request_count, CLOSE_UP_REQUESTS)
        requests = zip(*(column[:kept] for column in self.requests), strict=True)
        return FlowReport(
            produced=self.produced,
            taken=self.taken,
            fill_maximum=self.fill_maximum,
            fill_bound=PREFETCH_ELEMENTS + SOURCE_BOUND_ELEMENTS,
            requested=self.requested,
            request_count=self.request_count,
            overrun_maximum=self.overrun_maximum,
            interval_seconds=list(self.seconds[:done]),
            interval_low=list(self.low[:done]),
            interval_high=list(self.high[:done]),
            interval_resident=resident if all(resident) else [],
            close_up=[Sample(seconds, int(fill)) for seconds, fill in samples],
            close_up_requests=[Request(seconds, int(n)) for seconds, n in requests],
        )
