"""Two streams joined by key and event time."""

import datetime as dt
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from operator import itemgetter
from typing import Any, TypeAlias, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.dropped import dropped
from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.keyed.event_windows import (
    FAR,
    NEVER,
    NUMBERS,
    EventTime,
    instant,
    kind_of,
    written_times,
)
from reactivestreams.operators.keyed.expiry import BEGINNING, SECOND, TICK
from rs_core.operators.join import JoinStage
from rs_core.stream.description import Description

__all__ = ["DEFAULT_MAX_HELD", "JoinTable", "KeyedJoin", "Within"]

DEFAULT_MAX_HELD = 65_536
"""How many elements of each input `join` and `group_join` hold, unless they are told otherwise."""

Within: TypeAlias = float | dt.timedelta | tuple[float | dt.timedelta, float | dt.timedelta]
"""How far the times of two elements may be apart: either way, or from and to, seen from the left one."""

Held: TypeAlias = tuple[int, int, Any, Any]
"""The time of an element, its number in its input, its key, and itself."""


def checked_within(within: Any, method: str) -> tuple[int, int]:
    """Return the least and the greatest time from a left element to a right one, in microseconds.

    Raises:
        ArgumentTypeError: It is neither a time nor a pair of times.
        ArgumentError: A single time is negative, or the second of a pair is before the first.
    """
    ends: Any = within
    if not isinstance(within, tuple):
        apart = checked_duration(within, operator=method, name="within") // TICK
        return -apart, apart
    if len(ends) != 2:
        raise ArgumentTypeError(
            f"{method}(within) needs a time or a pair of times, got {len(ends)} of them; pass (least, greatest), the "
            "time from a left element to a right one"
        )
    least, greatest = (_checked_end(each, method) for each in ends)
    if least > greatest:
        raise ArgumentError(
            f"{method}(within) needs the lesser time first, got {within!r}; nothing would be joined: exchange them"
        )
    return least, greatest


def _checked_end(time: Any, method: str) -> int:
    is_before = time < dt.timedelta() if isinstance(time, dt.timedelta) else isinstance(time, int | float) and time < 0
    length = checked_duration(-time if is_before else time, operator=method, name="within") // TICK
    return -length if is_before else length


def written_within(least: int, greatest: int) -> str:
    """Return the argument as one would write it."""
    if least == -greatest:
        return f"within={greatest / SECOND:g}"
    return f"within=({least / SECOND:g}, {greatest / SECOND:g})"


class Side:
    """What is held of one of the two inputs."""

    __slots__ = ("by_key", "held", "is_over", "key", "last_number", "lateness", "order", "timestamp", "watermark")

    def __init__(self, times: EventTime, key: Callable[[Any], Any]) -> None:
        self.timestamp: Callable[[Any], Any] = times.timestamp
        self.lateness: int = times.max_lateness or 0
        self.key: Callable[[Any], Any] = key
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        self.watermark: int = BEGINNING
        self.is_over: bool = False
        self.held: int = 0
        self.last_number: int = 0
        self.by_key: dict[Any, list[Held]] = {}  # in the order of their times
        self.order: list[tuple[int, int, Any]] = []  # a heap of all times, numbers and keys

    def hold(self, at: int, key: Any, element: Any) -> None:
        """Hold an element."""
        self.held += 1
        self.last_number += 1
        insort(self.by_key.setdefault(key, []), (at, self.last_number, key, element))
        heappush(self.order, (at, self.last_number, key))

    def matching(self, key: Any, first: int, last: int) -> list[Any]:
        """Return the elements of a key from a time to another one, in the order of their times."""
        found = self.by_key.get(key)
        if found is None:
            return []
        begin, end = bisect_left(found, first, key=time_of), bisect_right(found, last, key=time_of)
        return [element for _, _, _, element in found[begin:end]]

    def taken_before(self, time: int) -> Iterator[Held]:
        """Take out the elements before a time, in the order of their times."""
        order, by_key = self.order, self.by_key
        while order and order[0][0] < time:
            key = heappop(order)[2]
            found = by_key[key]
            taken = found.pop(0)
            if not found:
                del by_key[key]
            self.held -= 1
            yield taken


time_of: Callable[[Held], int] = itemgetter(0)
place_of: Callable[[Held], tuple[int, int]] = itemgetter(0, 1)


class JoinTable:
    """What `join` holds of both inputs, of which the left one has the index 0, and which pairs become of it.

    Each input has a watermark: its latest time so far minus its lateness. An element before the watermark of its input
    is late and joins nothing. So the pairs do not depend on how the inputs interleave: of an element that is not late
    the watermark of the other input tells when no more partners can come, and it is held until then.

    Args:
        sides: Of each input the times, and the function that returns a key.
        least: The least time from a left element to a right one, in microseconds.
        greatest: The greatest.
        late: Called with each late element; None: such go to the hook for dropped signals.
        max_held: How many elements of each input are held.
    """

    method = "join"

    def __init__(
        self,
        sides: tuple[tuple[EventTime, Callable[[Any], Any]], tuple[EventTime, Callable[[Any], Any]]],
        least: int,
        greatest: int,
        late: Callable[[Any], object] | None,
        max_held: int,
    ) -> None:
        self.sides: tuple[Side, Side] = (Side(*sides[0]), Side(*sides[1]))
        self.reach: tuple[tuple[int, int], tuple[int, int]] = ((least, greatest), (-greatest, -least))
        self.least = least
        self.greatest = greatest
        self.late = late
        self.max_held = max_held
        self.kind: str | None = None  # what timestamps are
        self.seen_class: type | None = None  # whose instances are of this kind
        self.waiting: int = -1

    def bounds(self, left: int, right: int) -> tuple[int, int]:
        """Return for watermarks of the inputs the times before which an element of each is not needed any more."""
        return right - self.greatest, left + self.least

    def take(self, index: int, element: Any) -> Iterable[Any]:
        """Return the results of an element of an input, the first ones first."""
        side = self.sides[index]
        time = side.timestamp(element)
        at = round(time * SECOND) if time.__class__ is float and -FAR < time < FAR else instant(time)
        if time.__class__ is not self.seen_class:
            self.require_kind(time)
        if at < side.watermark:
            self.too_late(side, at, element)
            return ()
        results: list[Any] = []
        if at - side.lateness > side.watermark:
            side.watermark = at - side.lateness
            results = self.let_go()
        key = side.key(element)
        try:
            hash(key)
        except TypeError:
            raise ArgumentTypeError(
                f"key_by(key) must return something that can be hashed, got {key!r:.200} ({type(key).__name__}); "
                "return a number, text or a tuple of them"
            ) from None
        results += self.results_of(index, at, key, element)
        if at >= self.bounds(self.sides[0].watermark, self.sides[1].watermark)[index]:
            self.require_room(index, key)
            side.hold(at, key, element)
        if side.held >= self.max_held or self.waiting >= 0:
            self.waiting = self.side_that_waits()
        return results

    def close(self, index: int) -> Iterable[Any]:
        """Return the results of the end of an input."""
        self.sides[index].is_over = True
        self.sides[index].watermark = NEVER
        results = self.let_go()
        self.waiting = self.side_that_waits()
        return results

    def results_of(self, index: int, at: int, key: Any, element: Any) -> list[Any]:
        """Return the pairs of an element with those of the other input that are held."""
        first, last = self.reach[index]
        others = self.sides[1 - index].matching(key, at + first, at + last)
        return [(other, element) for other in others] if index else [(element, other) for other in others]

    def let_go(self) -> list[Any]:
        """Hold no longer what is not needed; return the results of that."""
        for side, bound in zip(self.sides, self.bounds(*self.watermarks()), strict=True):
            for _ in side.taken_before(bound):
                pass
        return []

    def watermarks(self) -> tuple[int, int]:
        """Return those of both inputs."""
        return self.sides[0].watermark, self.sides[1].watermark

    def side_that_waits(self) -> int:
        """Return the index of an input that is full, and in which only elements of the other one make room; else -1."""
        for index, side in enumerate(self.sides):
            other = self.sides[1 - index]
            if side.held >= self.max_held and other.held < self.max_held and not other.is_over:
                ahead = (side.watermark, NEVER) if index == 0 else (NEVER, side.watermark)
                if self.bounds(*ahead)[index] > side.order[0][0]:
                    return index
        return -1

    def require_room(self, index: int, key: Any) -> None:
        """Check that one more element may be held.

        Raises:
            CapacityError: There are as many as may be.
        """
        if self.sides[index].held >= self.max_held:
            raise CapacityError(
                f"an element of key {key!r:.200} would be number {self.max_held + 1} of the {('left', 'right')[index]} "
                f"input, and {self.method}(max_held={self.max_held}) are held, while no element of the other input "
                "makes room; raise max_held, or lower max_lateness or within"
            )

    def require_kind(self, time: Any) -> None:
        """Note what timestamps are.

        Raises:
            ArgumentTypeError: They were something else before, maybe in the other input.
        """
        kind = kind_of(time)
        if kind != self.kind:
            if self.kind is not None:
                raise ArgumentTypeError(
                    f"with_timestamps(timestamp) returned {time!r}, and {self.kind} before or in the other input; "
                    "their order is unknown: return seconds since 1970, or datetimes that all have a zone, or all have "
                    "none"
                )
            self.kind = kind
        if kind == NUMBERS:
            self.seen_class = type(time)  # a datetime is looked at each time, for its zone

    def too_late(self, side: Side, at: int, element: Any) -> None:
        """Pass an element that came too late to the function or the hook for such."""
        if self.late is not None:
            self.late(element)
            return
        dropped(
            "on_next",
            element,
            origin=f"rx://operators/keyed_{self.method}: it came {(side.watermark - at) / SECOND:g} s later than "
            "with_timestamps(max_lateness) of its input allows; raise max_lateness, or pass late=",
        )

    def held(self) -> tuple[int, int]:
        """Return how many elements of each input are held."""
        return self.sides[0].held, self.sides[1].held

    def clear(self) -> None:
        """Hold nothing any more."""
        for side in self.sides:
            side.clear()

    # State.

    @property
    def shape(self) -> list[Any]:
        """What has to be the same for a state to be loaded."""
        return [self.method, self.least, self.greatest]

    def write_to(self, writer: Any) -> None:
        """Write what is held, in the order of times."""
        writer.write(self.shape)
        writer.write(self.kind)
        for side in self.sides:
            writer.write(side.watermark)
            held = sorted((row for rows in side.by_key.values() for row in rows), key=place_of)
            writer.write([(at, key, element) for at, _, key, element in held])

    def read_from(self, reader: Any) -> None:
        """Read what was held."""
        shape = reader.read(list)
        if shape != self.shape:
            raise StateError(
                f"this was {shape!r:.200} when it was saved, but is {self.shape!r} now (method, and least and greatest "
                "time in microseconds); build the same stream, or start without state"
            )
        self.kind = reader.read(str | None)
        for side in self.sides:
            side.watermark = reader.read(int)
            for saved in reader.read(list):
                row = cast("tuple[Any, ...]", saved)
                if type(saved) is not tuple or len(row) != 3 or type(row[0]) is not int or self.kind is None:
                    raise StateError(f"{saved!r:.200} is no element of a join; load an older checkpoint")
                if side.held >= self.max_held:
                    raise StateError(
                        f"more elements were saved than max_held={self.max_held}; load the state with the bound that "
                        "it was saved with"
                    )
                try:
                    side.hold(*row)
                except TypeError as error:
                    raise StateError(f"{saved!r:.200} has no hashable key; load an older checkpoint") from error
        self.waiting = self.side_that_waits()


class KeyedJoin(OperatorDefinition):
    """Pass on pairs of elements of two streams that have the same key, and times that are near each other.

    It runs `join` of what `with_timestamps().key_by()` returns.

    Args:
        other: The right input.
        prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.
        left: Times and key of the left input.
        right: Those of the right one.
        within: The least and the greatest time from a left element to a right one, in microseconds.
        late: Called with each late element; None: such go to the hook for dropped signals.
        max_held: How many elements of each input are held.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken. No element is taken while results
        wait for demand.
    Errors: the first error of an input comes after its elements and their results, and cancels the other one; an
        exception of a function, a timestamp that is none, a key that cannot be hashed, or too many elements, does so at
        once.
    State: what waits of each input, and which are over; the watermarks and what is held; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.4, §1.7.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> shown = Stream.just((0, "ant"), (5, "bee")).with_timestamps(lambda each: each[0])
        >>> clicked = Stream.just((7, "ant"), (90, "bee")).with_timestamps(lambda each: each[0])
        >>> of_one = lambda each: each[1]
        >>> shown.key_by(of_one).join(clicked.key_by(of_one), within=(0, 60)).to_list()
        [((0, 'ant'), (7, 'ant'))]
    """

    id = "rx://operators/keyed_join"
    method = "with_timestamps().key_by().join"
    stateful = True
    serializable = False
    table = JoinTable

    @classmethod
    def parameters(
        cls,
        other: Description,
        left: tuple[EventTime, Callable[[Any], Any]],
        right: tuple[EventTime, Callable[[Any], Any]],
        within: Any,
        late: Any,
        max_held: object,
        prefetch: object,
    ) -> tuple[Any, ...]:
        """Return the checked parameters."""
        method = cls.table.method
        return (
            other,
            checked_count(prefetch, operator=method, name="prefetch", at_least=1, at_most=2**24),
            left,
            right,
            checked_within(within, method),
            None if late is None else checked_callable(late, operator=method, name="late"),
            checked_count(max_held, operator=method, name="max_held", at_least=1),
        )

    @classmethod
    def stage(
        cls,
        other: Description,
        prefetch: int,
        left: tuple[EventTime, Callable[[Any], Any]],
        right: tuple[EventTime, Callable[[Any], Any]],
        within: tuple[int, int],
        late: Callable[[Any], object] | None,
        max_held: int,
    ) -> JoinStage:
        """Return a new live stage."""
        return JoinStage(other, prefetch, cls.table((left, right), *within, late, max_held))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the calls as one would write them."""
        other, prefetch, left, right, within, _, max_held = parameters
        chain = f"{show(other)}.{written_times(right[0], show)}.key_by({show(right[1])})"
        arguments = [chain, written_within(*within)]
        if max_held != DEFAULT_MAX_HELD:
            arguments.append(f"max_held={max_held}")
        if prefetch != DEFAULT_PREFETCH:
            arguments.append(f"prefetch={prefetch}")
        return f"{written_times(left[0], show)}.key_by({show(left[1])}).{cls.table.method}({', '.join(arguments)})"
