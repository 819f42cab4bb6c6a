"""When a key counts as over: after a time without elements, by the elements' own times or by a clock."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.dropped import dropped
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
"""Microseconds of a second: all times are whole microseconds since 1970, in UTC."""

BEGINNING = -(2**63)
"""A watermark before all times: what a host tells that keeps the time and has seen no element yet."""

DEFAULT_MAX_WAITING = 1_000_000
"""How many elements of a keyed operator wait for the watermark, unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Expiry:
    """After how long without elements a key is over.

    Attributes:
        idle: Microseconds.
        event_time: Returns the time of an element; None means the time at which it is handled.
        lateness: Microseconds that elements may come late; with `event_time` only.
        max_waiting: How many elements may wait for the watermark; with `event_time` only.
    """

    idle: int
    event_time: Callable[[Any], Any] | None
    lateness: int
    max_waiting: int = DEFAULT_MAX_WAITING


@dataclass(frozen=True, slots=True)
class TimeReached:
    """Stands between the elements of a keyed operator whose host keeps the time, such as Spark: it is so late now.

    Attributes:
        now: Microseconds since 1970. With event times this is the watermark.
    """

    now: int


def checked_expiry(idle: object, event_time: Any, lateness: object, max_waiting: object) -> Expiry:
    """Return the checked arguments of `expire_after`.

    Raises:
        ArgumentTypeError: A time is neither seconds nor a timedelta, `max_waiting` is no integer, or `event_time`
            cannot be called.
        ArgumentError: `idle` or `max_waiting` is not positive, `lateness` is negative or stands without `event_time`.
    """
    idle_time, late = duration("idle", idle), duration("lateness", lateness)
    if idle_time <= 0:
        raise ArgumentError(f"expire_after(idle) needs a time above 0, got {idle!r}; pass seconds or a timedelta")
    if late < 0:
        raise ArgumentError(f"expire_after(lateness) needs 0 or more, got {lateness!r}; pass seconds or a timedelta")
    if event_time is not None:
        checked_callable(event_time, operator="expire_after", name="event_time")
    elif late:
        raise ArgumentError("expire_after(lateness) needs event_time; pass the function that returns an element's time")
    room = checked_count(max_waiting, operator="expire_after", name="max_waiting", at_least=1)
    return Expiry(idle_time, event_time, late, room)


def duration(name: str, value: object) -> int:
    """Return a time span in microseconds."""
    if isinstance(value, dt.timedelta):
        return value // dt.timedelta(microseconds=1)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"expire_after({name}) needs seconds or a timedelta, got {value!r} ({type(value).__name__}); "
            "pass a number such as 60, or timedelta(minutes=1)"
        )
    if not abs(value) < 2**40:
        raise ArgumentError(f"expire_after({name}) needs less than 2**40 seconds, got {value!r}; pass a shorter time")
    return round(value * SECOND)


def microseconds(time: Any) -> int:
    """Return a point in time as microseconds since 1970.

    Args:
        time: A datetime, which without a zone is local time, or a number of seconds since 1970.

    Raises:
        ArgumentTypeError: It is neither.
    """
    if isinstance(time, dt.datetime):
        return round(time.timestamp() * SECOND)
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise ArgumentTypeError(
            f"expire_after(event_time) must return a datetime or seconds since 1970, got {time!r} "
            f"({type(time).__name__}); convert it, or filter such elements out before key_by"
        )
    return round(time * SECOND)


class KeyTimes:
    """When each key had its last element, and which key is over first.

    The heap has one entry for each key; a newer time is looked up when an entry comes to the top.

    Args:
        idle: Microseconds after which a key is over.
        last: When each key had its last element; it is taken over.
    """

    def __init__(self, idle: int, last: dict[Any, int]) -> None:
        self.idle = idle
        self.last = last
        # The counter in the middle keeps keys from being compared with each other.
        self.heap: list[tuple[int, int, Any]] = [(time, number, key) for number, (key, time) in enumerate(last.items())]
        self.count: int = len(self.heap)
        heapify(self.heap)

    def touch(self, key: Any, time: int) -> None:
        """Note that a key had an element at a time."""
        before = self.last.get(key)
        if before is None:
            self.count += 1
            heappush(self.heap, (time, self.count, key))
            self.last[key] = time
        elif time > before:
            self.last[key] = time

    def next_end(self) -> int | None:
        """Return when the next key will be over; None where there is none."""
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
        """Forget and yield the first key that is over before a time, if there is one."""
        end = self.next_end()
        if end is not None and end < time:
            key = heappop(self.heap)[2]
            del self.last[key]
            yield key

    def forget(self, key: Any) -> None:
        """Forget a key that is over for another reason."""
        self.last.pop(key, None)


class WaitingElement(NamedTuple):
    """An element that waits for the watermark; such tuples are ordered by their times, equal ones as they came.

    Attributes:
        time: Its event time in microseconds.
        number: How many came before it; no two have the same, so that elements are never compared.
        element: The element.
        origin: What its host knows of it, or None.
    """

    time: int
    number: int
    element: Any
    origin: Any


class TimeOrder:
    """Hands elements out in the order of their event times, those of the same time as they came.

    An element waits until the watermark has reached its time: then none comes any more whose place is before it.

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
        """Take an element; one before the watermark, whose place has passed, goes to the hook for dropped signals.

        Args:
            time: Its event time.
            element: The element.
            watermark: Before which no time can be taken in any more.
            origin: What its host knows of it.
            name: Of the operator, for the hook.
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
        """Return the time of the first element that waits; None where none does."""
        return self.heap[0].time if self.heap else None

    def take(self) -> WaitingElement:
        """Remove and return the first element that waits; there is one."""
        return heappop(self.heap)

    def take_due(self, watermark: int) -> Iterator[WaitingElement]:
        """Remove and yield the elements that the watermark has reached; more than may wait must not be left."""
        while self.heap and self.heap[0].time <= watermark:
            yield heappop(self.heap)
        self.require_room(watermark)

    def require_room(self, watermark: int) -> None:
        """Refuse more waiting elements than may wait, where all wait for the watermark.

        Raises:
            CapacityError: There are.
        """
        if len(self.heap) > self.max_waiting and self.heap[0].time > watermark:
            raise CapacityError(
                f"{len(self.heap)} elements wait until the watermark reaches their event times, and "
                f"expire_after(max_waiting={self.max_waiting}) holds {self.max_waiting}; raise max_waiting, lower "
                "lateness, or on Spark take fewer rows in a micro-batch or more buckets"
            )

    def take_over(self, waiting: list[WaitingElement]) -> None:
        """Go on with elements that were taken out of another one, in any order."""
        self.heap = waiting
        heapify(self.heap)
        self.count = max((each.number for each in waiting), default=0)
