"""Expiry of keys: after a time without elements, by event times or by a clock."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.dropped import dropped
from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError

__all__ = [
    "BEGINNING",
    "DEFAULT_MAX_WAITING",
    "Expiry",
    "KeyTimes",
    "TimeOrder",
    "TimeReached",
    "WaitingElement",
    "checked_expiry",
    "microseconds",
]

SECOND = 1_000_000
"""Microseconds per second: all times are whole microseconds since 1970, in UTC."""

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
TICK = dt.timedelta(microseconds=1)

BEGINNING = -(2**63)
"""A watermark before all times, for a host that has not seen an element yet."""

DEFAULT_MAX_WAITING = 1_000_000
"""Default maximum number of elements of a keyed operator that wait for the watermark."""


@dataclass(frozen=True, slots=True)
class Expiry:
    """The time without elements after which a key expires.

    Attributes:
        idle: Microseconds.
        event_time: Returns the time of an element; None means the time at which it is processed.
        lateness: Microseconds that elements may be late; only with `event_time`.
        max_waiting: How many elements may wait for the watermark; only with `event_time`.
    """

    idle: int
    event_time: Callable[[Any], Any] | None
    lateness: int
    max_waiting: int = DEFAULT_MAX_WAITING

    def instant(self, element: Any) -> int:
        """Return the time of an element in microseconds; only with `event_time`."""
        assert self.event_time is not None
        return microseconds(self.event_time(element))


@dataclass(frozen=True, slots=True)
class TimeReached:
    """Passed between the elements to a keyed operator whose host, such as Spark, provides the time.

    Attributes:
        now: Microseconds since 1970. With event times this is the watermark.
    """

    now: int


def checked_expiry(idle: object, event_time: Any, lateness: object, max_waiting: object) -> Expiry:
    """Return the checked arguments of `expire_after`.

    Raises:
        ArgumentTypeError: A time is neither seconds nor a timedelta, `max_waiting` is no integer, or `event_time`
            cannot be called.
        ArgumentError: `idle` or `max_waiting` is not positive, `lateness` is negative or passed without `event_time`.
    """
    idle_time = checked_duration(idle, operator="expire_after", name="idle", above=dt.timedelta()) // TICK
    late = checked_duration(lateness, operator="expire_after", name="lateness") // TICK
    if event_time is not None:
        checked_callable(event_time, operator="expire_after", name="event_time")
    elif late:
        raise ArgumentError("expire_after(lateness) needs event_time; pass the function that returns an element's time")
    room = checked_count(max_waiting, operator="expire_after", name="max_waiting", at_least=1)
    return Expiry(idle_time, event_time, late, room)


def microseconds(time: Any) -> int:
    """Return a point in time as microseconds since 1970.

    Args:
        time: A datetime, which without a zone is local time, or a number of seconds since 1970.

    Raises:
        ArgumentTypeError: It is neither.
    """
    if isinstance(time, dt.datetime):
        # Not timestamp(), a float that is off by some microseconds in the early years, in which virtual time begins.
        return (time.astimezone(dt.UTC) - EPOCH) // TICK
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise ArgumentTypeError(
            f"expire_after(event_time) must return a datetime or seconds since 1970, got {time!r} "
            f"({type(time).__name__}); convert it, or filter such elements out before key_by"
        )
    return round(time * SECOND)


class KeyTimes:
    """The time of each key's last element, and which key expires first.

    The heap has one entry per key; a newer time is looked up when an entry reaches the top.

    Args:
        idle: Microseconds after which a key expires.
        last: The time of each key's last element; the dict is used, not copied.
    """

    def __init__(self, idle: int, last: dict[Any, int]) -> None:
        self.idle = idle
        self.last = last
        # Because of the counter in the middle, keys are never compared.
        self.heap: list[tuple[int, int, Any]] = [(time, number, key) for number, (key, time) in enumerate(last.items())]
        self.count: int = len(self.heap)
        heapify(self.heap)

    def touch(self, key: Any, time: int) -> None:
        """Record that a key had an element at a time."""
        before = self.last.get(key)
        if before is None:
            self.count += 1
            heappush(self.heap, (time, self.count, key))
            self.last[key] = time
        elif time > before:
            self.last[key] = time

    def next_end(self) -> int | None:
        """Return when the next key expires, or None."""
        while self.heap:
            time, number, key = self.heap[0]
            newest = self.last.get(key)
            if newest == time:
                return time + self.idle
            heappop(self.heap)
            if newest is not None:
                heappush(self.heap, (newest, number, key))
        return None

    def take_over_before(self, time: int) -> Iterator[Any]:
        """Remove and yield the first key that expires before a time, if there is one."""
        end = self.next_end()
        if end is not None and end < time:
            key = heappop(self.heap)[2]
            del self.last[key]
            yield key

    def forget(self, key: Any) -> None:
        """Remove a key that has ended for another reason."""
        self.last.pop(key, None)


class WaitingElement(NamedTuple):
    """An element that waits for the watermark; these tuples sort by time, equal times by arrival.

    Attributes:
        time: Its event time in microseconds.
        number: Its unique number in the order of arrival, so that elements are never compared.
        element: The element.
        origin: Data of its host, or None.
    """

    time: int
    number: int
    element: Any
    origin: Any


class TimeOrder:
    """Sorts elements by their event times, equal times by arrival.

    An element waits until the watermark has reached its time: then no earlier element can follow.

    Args:
        max_waiting: How many elements may wait.
    """

    def __init__(self, max_waiting: int) -> None:
        self.max_waiting = max_waiting
        self.heap: list[WaitingElement] = []
        self.count: int = 0

    def __len__(self) -> int:
        return len(self.heap)

    def add(self, time: int, element: Any, watermark: int, *, origin: Any = None, name: str) -> None:
        """Add an element; one before the watermark is too late and is passed to the hook for dropped signals.

        Args:
            time: Its event time.
            element: The element.
            watermark: The watermark.
            origin: Data of its host.
            name: Name of the operator, for the hook.
        """
        if time < watermark:
            late = (watermark - time) / SECOND
            dropped(
                "on_next",
                element,
                origin=f"{name}: its time is {late:g} s before the watermark, so that it came later than "
                "expire_after(lateness) allows; raise lateness",
            )
            return
        self.count += 1
        heappush(self.heap, WaitingElement(time, self.count, element, origin))

    def next_time(self) -> int | None:
        """Return the time of the first waiting element, or None."""
        return self.heap[0].time if self.heap else None

    def take(self) -> WaitingElement:
        """Remove and return the first waiting element; there must be one."""
        return heappop(self.heap)

    def take_due(self, watermark: int) -> Iterator[WaitingElement]:
        """Remove and yield the elements that the watermark has reached, then check the number of the others."""
        while self.heap and self.heap[0].time <= watermark:
            yield heappop(self.heap)
        self.require_room(watermark)

    def require_room(self, watermark: int) -> None:
        """Check the number of elements that wait for the watermark.

        Raises:
            CapacityError: There are more than `max_waiting`.
        """
        if len(self.heap) > self.max_waiting and self.heap[0].time > watermark:
            raise CapacityError(
                f"{len(self.heap)} elements wait until the watermark reaches their event times, and "
                f"expire_after(max_waiting={self.max_waiting}) holds {self.max_waiting}; raise max_waiting, lower "
                "lateness, or on Spark take fewer rows in a micro-batch or more buckets"
            )

    def take_over(self, waiting: list[WaitingElement]) -> None:
        """Continue with the elements of another instance, in any order."""
        self.heap = waiting
        heapify(self.heap)
        self.count = max((each.number for each in waiting), default=0)
