"""Windows of event time for each key: tumbling and sliding windows, and sessions."""

import datetime as dt
from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Generic, Literal

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.dropped import dropped
from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.definition import OperatorDefinition, U
from reactivestreams.operators.keyed.expiry import BEGINNING, EPOCH, SECOND, TICK, TimeReached
from reactivestreams.operators.keyed.folds import checked_aggregates, counted
from reactivestreams.state import TableChanges, default_registry
from rs_core.operators.python_operator import PythonStage

__all__ = [
    "DEFAULT_MAX_WINDOWS",
    "AlignedWindowsStage",
    "EventTime",
    "KeyedWindows",
    "SessionWindowsStage",
    "TimeWindow",
    "WindowFold",
    "Windows",
    "checked_event_time",
    "checked_sessions",
    "checked_windows",
    "instant",
]

DEFAULT_MAX_WINDOWS = 1_000_000
"""Default maximum number of windows that an operator holds, each of one key; one more ends the stream with an error."""

FAR = 1e12
"""Seconds; times of numbers within it need no further check."""

NEVER = 2**200
"""A time after all others."""

NAIVE_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  # a datetime without a zone stays without one

NUMBERS, NAIVE, AWARE = "numbers", "datetimes without a zone", "datetimes with a zone"
"""What timestamps may be; the windows of a stream are shown in the same way."""


@default_registry.register(name="rx/time_window")
@dataclass(frozen=True, slots=True)
class TimeWindow(Generic[U]):
    """What came of one window of one key.

    Its class is registered with the default registry of state. An engine with a registry of its own registers it there:
    `registry.register(name="rx/time_window")(TimeWindow)`.

    Attributes:
        key: The key.
        start: When the window begins: a float where the timestamps are numbers, a datetime where they are datetimes,
            in UTC if they have a zone.
        end: When it ends. An element at this time belongs to the next window; of a session, to the session itself.
        value: The result of its elements.
    """

    key: Any
    start: Any
    end: Any
    value: U


# --- what is stated when the stream is built --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventTime:
    """Where elements have their times, and how late they may come.

    Attributes:
        timestamp: Returns the timestamp of an element.
        max_lateness: Microseconds; None: the input is complete and in any order, so that nothing is late, and all
            windows close at its end.
    """

    timestamp: Callable[[Any], Any]
    max_lateness: int | None

    def instant(self, element: Any) -> int:
        """Return the time of an element in microseconds."""
        return instant(self.timestamp(element))


@dataclass(frozen=True, slots=True)
class Windows:
    """Which windows an element belongs to, and what becomes of them; times are microseconds.

    Attributes:
        size: The length of a window; of sessions, the time without elements that ends one.
        step: From the start of a window to that of the next; 0: sessions.
        allowed_lateness: How long a closed window is kept, and sent again with each element that comes for it.
        late: Called with each element whose windows are all over; None: such go to the hook for dropped signals.
        max_windows: How many windows may be held.
    """

    size: int
    step: int
    allowed_lateness: int
    late: Callable[[Any], object] | None
    max_windows: int


@dataclass(frozen=True, slots=True)
class WindowFold:
    """How the elements of a window become its value.

    Attributes:
        method: Name of the method, which is part of the saved state.
        function: Called with the accumulator and an element; returns the next accumulator.
        seed: The first accumulator.
        finish: Returns the value for an accumulator; None: it is the value.
        merge: Called with the accumulators of two sessions that an element joins, the earlier one first; None: there is
            no way to do so.
        arguments: What the text of the description shows.
    """

    method: str
    function: Callable[[Any, Any], Any]
    seed: Any
    finish: Callable[[Any], Any] | None
    merge: Callable[[Any, Any], Any] | None
    arguments: tuple[Any, ...] = ()

    @classmethod
    def count(cls) -> "WindowFold":
        """Count the elements."""
        return cls("count", counted, 0, None, added)

    @classmethod
    def to_list(cls) -> "WindowFold":
        """Collect the elements."""
        return cls("to_list", appended, None, list, joined)

    @classmethod
    def aggregate(cls, aggregates: dict[str, Any]) -> "WindowFold":
        """Compute named aggregates."""
        fold = checked_aggregates(aggregates)
        return cls("aggregate", fold, fold.seed, fold.result, fold.merged, (fold,))

    @classmethod
    def reduce(cls, function: Any, seed: Any, merge: Any) -> "WindowFold":
        """Fold with a function."""
        checked_callable(function, operator="reduce", name="function")
        if merge is not None:
            checked_callable(merge, operator="reduce", name="merge")
        return cls("reduce", function, seed, None, merge, (function, seed))


def added(one: int, other: int) -> int:
    """Return the count of two sessions."""
    return one + other


def appended(elements: list[Any] | None, element: Any) -> list[Any]:
    """Return the list with one more element."""
    if elements is None:
        return [element]
    elements.append(element)
    return elements


def joined(earlier: list[Any], later: list[Any]) -> list[Any]:
    """Return the elements of two sessions."""
    return earlier + later


def instant(time: Any) -> int:
    """Return a timestamp as microseconds since 1970.

    Args:
        time: A number of seconds; or a datetime, which without a zone is taken as it is, whatever the local time.

    Raises:
        ArgumentTypeError: It is neither.
        ArgumentError: It is not a number, or infinite.
    """
    if isinstance(time, dt.datetime):
        return (time - (NAIVE_EPOCH if time.utcoffset() is None else EPOCH)) // TICK
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise ArgumentTypeError(
            f"with_timestamps(timestamp) must return a datetime or seconds since 1970, got {time!r:.200} "
            f"({type(time).__name__}); convert it, or filter such elements out before with_timestamps"
        )
    try:
        return round(time * SECOND)
    except (ValueError, OverflowError):
        raise ArgumentError(
            f"with_timestamps(timestamp) must return a finite time, got {time!r}; filter such elements out before "
            "with_timestamps"
        ) from None


def kind_of(time: Any) -> str:
    """Return what a timestamp is."""
    if isinstance(time, dt.datetime):
        return NAIVE if time.utcoffset() is None else AWARE
    return NUMBERS


def checked_event_time(timestamp: Any, max_lateness: object) -> EventTime:
    """Return the checked arguments of `with_timestamps`."""
    checked_callable(timestamp, operator="with_timestamps", name="timestamp")
    return EventTime(timestamp, checked_duration(max_lateness, operator="with_timestamps", name="max_lateness") // TICK)


def checked_windows(
    method: str, size: object, step: object, allowed_lateness: object, late: Any, max_windows: object
) -> Windows:
    """Return the checked arguments of `tumbling` and `sliding`.

    Raises:
        ArgumentTypeError: A time is neither seconds nor a timedelta, `late` cannot be called, or `max_windows` is no
            integer.
        ArgumentError: A size is not positive, a step is longer than the size, a lateness is negative, or an element is
            in more windows than there may be.
    """
    length = _checked_length(size, method, "size")
    distance = length if step is None else _checked_length(step, method, "step")
    most = checked_count(max_windows, operator=method, name="max_windows", at_least=1)
    if distance > length:
        raise ArgumentError(
            f"{method}(step) needs at most the size, got step={step!r} with size={size!r}; elements between two "
            "windows would belong to none"
        )
    if -(-length // distance) > most:
        raise ArgumentError(
            f"{method}(size={size!r}, step={step!r}) puts each element in {-(-length // distance):,} windows, and "
            f"max_windows={max_windows!r} of them may be held; take a longer step"
        )
    allowed = checked_duration(allowed_lateness, operator=method, name="allowed_lateness") // TICK
    return Windows(length, distance, allowed, _checked_late(late, method), most)


def checked_sessions(gap: object, late: Any, max_windows: object) -> Windows:
    """Return the checked arguments of `session`; raise like `checked_windows`."""
    most = checked_count(max_windows, operator="session", name="max_windows", at_least=1)
    return Windows(_checked_length(gap, "session", "gap"), 0, 0, _checked_late(late, "session"), most)


def _checked_length(value: object, method: str, name: str) -> int:
    length = checked_duration(value, operator=method, name=name, above=dt.timedelta()) // TICK
    if length == 0:
        raise ArgumentError(f"{method}({name}) needs a microsecond or more, got {value!r}; pass a longer time")
    return length


def _checked_late(late: Any, method: str) -> Callable[[Any], object] | None:
    return None if late is None else checked_callable(late, operator=method, name="late")


# --- the operator -----------------------------------------------------------------------------------------------------


class Pane:
    """One window of one key."""

    __slots__ = ("end", "key", "mark", "number", "start", "value")

    def __init__(self, key: Any, start: int, end: int, value: Any, number: int, mark: int) -> None:
        self.key: Any = key
        self.start: int = start
        self.end: int = end
        self.value: Any = value
        self.number: int = number  # of its row, in the order in which windows were opened; 0: it is over
        self.mark: int = mark  # that of the stage: it is in the list of changed ones, or nothing is tracked


class WindowsStage(PythonStage[Any, Any]):
    """Base of the operators that have windows for each key.

    The watermark is the latest time so far minus `max_lateness`; a host that keeps the time, such as Spark, sends it as
    `TimeReached`. It never goes back. When it has passed the end of a window, the window closes: its result is sent.
    Windows that close together are sent by their ends, then their starts, then the order in which they were opened. At
    the end of the input all close.

    An element is taken when nothing that was sent before waits for demand. So results are bounded by the windows that
    were open, and these by `max_windows`.

    State: the watermark, what timestamps are, and the open windows with their accumulators; version 1.0.0.0.
    """

    name = "rx://operators/keyed_windows"
    version: tuple[int, int, int, int] = (1, 0, 0, 0)
    demand: ClassVar[Literal["per_element", "own"]] = "own"
    prefetch = 128
    capacity = 2**62  # what one hook sends is bounded by max_windows

    def __init__(self, key: Callable[[Any], Any], times: EventTime, windows: Windows, fold: WindowFold) -> None:
        self.key = key
        self.timestamp: Callable[[Any], Any] = times.timestamp
        self.lateness: int = times.max_lateness or 0
        self.windows = windows
        self.late: Callable[[Any], object] | None = windows.late
        self.fold = fold
        self.function: Callable[[Any, Any], Any] = fold.function
        self.host_keeps_time: bool = times.max_lateness is None
        self.watermark: int = BEGINNING
        self.next_close: int = NEVER  # the watermark at which something is due
        self.kind: str | None = None
        self.seen_class: type | None = None  # whose instances are of this kind
        self.held: int = 0  # windows
        self.last_number: int = 0
        # What has changed since the last save, where a host stores rows; mark 0: nothing is tracked.
        self.rows: TableChanges | None = None
        self.mark: int = 0
        self.changed_panes: list[Pane] = []
        self.ended: list[int] = []
        self.has_written_rows: bool = False  # in the save that runs
        self.last_saved: int = 0

    # What operators override.

    def put(self, at: int, element: Any) -> None:
        """Add an element at a time to the windows that it belongs to."""
        raise NotImplementedError

    def close_due(self) -> None:
        """Close the windows whose time is over by the watermark, and set `next_close`."""
        raise NotImplementedError

    def panes(self) -> Iterable[Pane]:
        """Return what is held, in any order."""
        raise NotImplementedError

    def take_over(self, pane: Pane) -> None:
        """Hold a window that was loaded; they come in the order of their numbers."""
        raise NotImplementedError

    # What all of them do.

    def on_request(self, n: int) -> None:
        """Request every element."""
        self.request_upstream(2**63 - 1)

    def on_next(self, element: Any) -> None:
        """Advance the watermark by the time of an element, then add it to its windows."""
        if element.__class__ is TimeReached:
            self.host_keeps_time = True
            self.reach(element.now)
            return
        time = self.timestamp(element)
        kind = time.__class__
        at = round(time * SECOND) if kind is float and -FAR < time < FAR else instant(time)
        if kind is not self.seen_class:
            self.require_kind(time)
        if not self.host_keeps_time and at - self.lateness > self.watermark:
            self.reach(at - self.lateness)
        self.put(at, element)

    def on_complete(self) -> None:
        """Close all windows, then complete."""
        self.reach(NEVER)
        self.complete()

    def reach(self, watermark: int) -> None:
        """Advance the watermark; it never goes back."""
        if watermark > self.watermark:
            self.watermark = watermark
            if watermark >= self.next_close:
                self.close_due()

    def close_at(self, watermark: int) -> None:
        """Set the watermark at which something is due."""
        self.next_close = watermark

    def due_of(self, row: Any) -> int:
        """Return the watermark at which something is due for the window of a row, without further elements."""
        raise NotImplementedError

    def require_kind(self, time: Any) -> None:
        """Note what timestamps are.

        Raises:
            ArgumentTypeError: They were something else before.
        """
        kind = kind_of(time)
        if self.kind is None:
            self.kind = kind
        elif kind != self.kind:
            raise ArgumentTypeError(
                f"with_timestamps(timestamp) returned {time!r}, and {self.kind} before; their order is unknown: return "
                "seconds since 1970, or datetimes that all have a zone, or all have none"
            )
        if kind == NUMBERS:
            self.seen_class = type(time)  # a datetime is looked at each time, for its zone

    def opened(self, key: Any, start: int, end: int) -> Pane:
        """Return a new window of a key.

        Raises:
            CapacityError: There are `max_windows`.
        """
        if self.held >= self.windows.max_windows:
            raise CapacityError(
                f"a window of key {key!r:.200} would be number {self.held + 1}, and "
                f"max_windows={self.windows.max_windows} are held; raise max_windows, lower max_lateness, or take a "
                "coarser key or shorter windows"
            )
        self.held += 1
        self.last_number += 1
        pane = Pane(key, start, end, self.fold.seed, self.last_number, self.mark)
        if self.mark:
            self.changed_panes.append(pane)
        return pane

    def touch(self, pane: Pane) -> None:
        """Note that a window has changed since the last save."""
        pane.mark = self.mark
        self.changed_panes.append(pane)

    def over(self, pane: Pane) -> None:
        """Hold a window no longer."""
        self.held -= 1
        if self.mark:
            self.ended.append(pane.number)
        pane.number = 0

    def send(self, pane: Pane) -> None:
        """Send the result of a window."""
        finish = self.fold.finish
        value = pane.value if finish is None else finish(pane.value)
        self.emit(TimeWindow(pane.key, self.shown(pane.start), self.shown(pane.end), value))

    def shown(self, time: int) -> Any:
        """Return a time as timestamps are."""
        if self.kind == NUMBERS:
            return time / SECOND
        return (NAIVE_EPOCH if self.kind == NAIVE else EPOCH) + time * TICK

    def too_late(self, at: int, element: Any) -> None:
        """Pass an element whose windows are all over to the function or the hook for such."""
        if self.late is not None:
            self.late(element)
            return
        behind = (self.watermark - at) / SECOND
        dropped(
            "on_next",
            element,
            origin=f"{self.name}: its time is {behind:g} s before the watermark, and its windows are closed, so that "
            "it came later than with_timestamps(max_lateness) allows; raise max_lateness, or pass late=",
        )

    # State.

    @property
    def shape(self) -> list[Any]:
        """What has to be the same for a state to be loaded."""
        return [self.fold.method, self.windows.size, self.windows.step, self.windows.allowed_lateness]

    def save_state(self, writer: Any) -> int:
        """Write the state; the rows of the windows belong to the snapshot of the returned number."""
        self.has_written_rows = False
        self.last_saved = super().save_state(writer)
        if self.has_written_rows and self.rows is not None:
            self.rows.saved_as(self.last_saved)
        return self.last_saved

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot is stored, with the rows that are part of it."""
        super().on_state_saved(generation)
        if self.rows is not None:
            self.rows.was_stored(self.last_saved if generation is None else generation)

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(self.shape)
        writer.write(self.kind)
        writer.write(self.watermark)
        writer.write(self.host_keeps_time)
        table = writer.table("windows")
        if table is None:
            panes = sorted(self.panes(), key=number_of)
            writer.write([(pane.number, pane.key, pane.start, pane.end, pane.value) for pane in panes])
        else:
            self.write_rows(table)
            writer.write(self.held)

    def write_rows(self, table: Any) -> None:
        """Write the rows that differ from those that are stored."""
        if self.rows is None:
            self.rows = TableChanges()
        changed, self.changed_panes = self.changed_panes, []
        ended, self.ended = self.ended, []
        self.mark += 1
        self.has_written_rows = True
        taken = self.rows.take(table.is_full, changed, ended)
        if taken is None:
            table.replace()
            panes = sorted(self.panes(), key=number_of)
        else:
            panes = sorted({pane.number: pane for pane in taken[0] if pane.number}.values(), key=number_of)
            for number in taken[1]:
                table.delete(number)
        for pane in panes:
            table.write(pane.number, (pane.key, pane.start, pane.end, pane.value))

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        shape = reader.read(list)
        if shape != self.shape:
            raise StateError(
                f"the windows were {shape!r:.200} when this was saved, but are {self.shape!r} now (method, and size, "
                "step and allowed lateness in microseconds); build the same stream, or start without state"
            )
        kind, watermark = reader.read(str | None), reader.read(int)
        if kind not in (None, NUMBERS, NAIVE, AWARE):
            raise StateError(f"timestamps are {kind!r:.200}, which is unknown; load an older checkpoint")
        self.kind, self.watermark = kind, watermark
        self.host_keeps_time = reader.read(bool) or self.host_keeps_time
        saved = reader.read(list | int)
        if type(saved) is int:
            table = reader.table("windows")
            rows: list[Any] = list(table)
            if len(rows) != saved:
                if not table.is_partial or len(rows) > saved:
                    raise StateError(
                        f"there are {len(rows)} rows where {saved} windows were saved; load an older checkpoint"
                    )
                self.held = saved - len(rows)  # the host keeps those that do not come until the next save
            self.rows, self.mark = TableChanges(is_stored=True), 1
        else:
            rows = [(each[0], each[1:]) if type(each) is tuple and each else (0, each) for each in saved]
        for number, row in rows:
            try:
                self.take_over(self.loaded(number, row))
            except TypeError as error:
                raise StateError(f"row {number} has no hashable key: {row!r:.200}; load an older checkpoint") from error
        self.close_due()

    def loaded(self, number: Any, row: Any) -> Pane:
        """Return the window of a row."""
        fields: Any = row
        if type(row) is not tuple or len(fields) != 4 or type(fields[1]) is not int or type(fields[2]) is not int:
            raise StateError(f"row {number} is {row!r:.200}, no window of a key; load an older checkpoint")
        if type(number) is not int or number <= self.last_number or self.kind is None:
            raise StateError(f"row {number!r:.200} comes out of order, or without a time; load an older checkpoint")
        if self.held >= self.windows.max_windows:
            raise StateError(
                f"more windows were saved than max_windows={self.windows.max_windows}; load the state with the bound "
                "that it was saved with"
            )
        key, start, end, value = fields
        self.held += 1
        self.last_number = number
        return Pane(key, start, end, value, number, 0)


def at_key(error: Exception, key: Any) -> Exception:
    """Return an error that names the key of the element."""
    error.add_note(f"at an element of key {key!r:.200}")
    return error


def number_of(pane: Pane) -> int:
    """Return the number of the row of a window."""
    return pane.number


class AlignedWindowsStage(WindowsStage):
    """Tumbling and sliding windows: all keys have the same, whose starts are multiples of the step since 1970."""

    def __init__(self, key: Callable[[Any], Any], times: EventTime, windows: Windows, fold: WindowFold) -> None:
        super().__init__(key, times, windows, fold)
        self.size: int = windows.size
        self.step: int = windows.step
        self.allowed: int = windows.allowed_lateness
        self.by_start: dict[int, dict[Any, Pane]] = {}
        self.open: list[int] = []  # a heap of the starts of windows that are not closed
        self.closed: list[int] = []  # the same of those that are closed, and kept for late elements

    def put(self, at: int, element: Any) -> None:
        """Add an element at a time to the windows that it belongs to."""
        start = at - at % self.step
        if self.step != self.size:
            self.put_in_several(at, start, element)
        elif start + self.size + self.allowed <= self.watermark:
            self.too_late(at, element)
        else:
            self.put_in(start, self.key(element), element)

    def put_in_several(self, at: int, last: int, element: Any) -> None:
        """Add an element to the windows that contain its time, the earliest first."""
        first = last - (last - at + self.size - 1) // self.step * self.step
        if self.watermark - self.allowed - self.size >= first:  # of these, some are over
            over = self.watermark - self.allowed - self.size
            first = max(first, over - (over - first) % self.step + self.step)
        if first > last:
            self.too_late(at, element)
            return
        key = self.key(element)
        for start in range(first, last + 1, self.step):
            self.put_in(start, key, element)

    def put_in(self, start: int, key: Any, element: Any) -> None:
        """Add an element to a window of its key."""
        panes = self.by_start.get(start)
        if panes is None:
            panes = self.opened_at(start)
        pane = panes.get(key)
        if pane is None:
            pane = panes[key] = self.opened(key, start, start + self.size)
        elif pane.mark != self.mark:
            self.touch(pane)
        try:
            pane.value = self.function(pane.value, element)
        except Exception as error:
            raise at_key(error, key) from None
        if pane.end <= self.watermark:
            self.send(pane)

    def opened_at(self, start: int) -> dict[Any, Pane]:
        """Return the panes of a window that nobody has an element in."""
        panes: dict[Any, Pane] = {}
        self.by_start[start] = panes
        heappush(self.closed if start + self.size <= self.watermark else self.open, start)
        self.note_next()
        return panes

    def close_due(self) -> None:
        """Close the windows whose time is over by the watermark, and set `next_close`."""
        ended = self.watermark - self.size
        while self.open and self.open[0] <= ended:
            start = heappop(self.open)
            for pane in self.by_start[start].values():
                self.send(pane)
            heappush(self.closed, start)
        while self.closed and self.closed[0] <= ended - self.allowed:
            for pane in self.by_start.pop(heappop(self.closed)).values():
                self.over(pane)
        self.note_next()

    def note_next(self) -> None:
        """Set the watermark at which something is due."""
        closes = self.open[0] + self.size if self.open else NEVER
        self.close_at(min(closes, self.closed[0] + self.size + self.allowed) if self.closed else closes)

    def due_of(self, row: Any) -> int:
        """Return the watermark at which the window of a row closes or, once it is closed, is over."""
        end: int = row[2]
        return end if end > self.watermark else end + self.allowed

    def panes(self) -> Iterable[Pane]:
        """Return what is held, in any order."""
        return [pane for panes in self.by_start.values() for pane in panes.values()]

    def take_over(self, pane: Pane) -> None:
        """Hold a window that was loaded; they come in the order of their numbers."""
        if pane.end != pane.start + self.size or pane.end + self.allowed <= self.watermark:
            raise StateError(
                f"the window of key {pane.key!r:.200} from {pane.start} to {pane.end} is none of these; load an older "
                "checkpoint"
            )
        panes = self.by_start.get(pane.start)
        if panes is None:
            panes = self.opened_at(pane.start)
        if panes.setdefault(pane.key, pane) is not pane:
            raise StateError(
                f"the window of key {pane.key!r:.200} from {pane.start} comes twice; load an older checkpoint"
            )


class SessionWindowsStage(WindowsStage):
    """Sessions: the elements of a key, each at most the gap after another one.

    A session ends the gap after its last element, and an element exactly then still belongs to it. An element may
    extend a session at both sides, and may join two.
    """

    def __init__(self, key: Callable[[Any], Any], times: EventTime, windows: Windows, fold: WindowFold) -> None:
        super().__init__(key, times, windows, fold)
        self.gap: int = windows.size
        self.by_key: dict[Any, list[Pane]] = {}  # the sessions of a key, by their starts
        # Of each session the time when it would have ended by an earlier element, or ends; its number; and itself.
        self.ends: list[tuple[int, int, Pane]] = []

    def put(self, at: int, element: Any) -> None:
        """Add an element at a time to the session that it belongs to."""
        key, end = self.key(element), at + self.gap
        sessions = self.by_key.get(key, ())
        touched = [pane for pane in sessions if at <= pane.end and end >= pane.start]
        if not touched:
            if end < self.watermark:
                self.too_late(at, element)
                return
            pane = self.opened(key, at, end)
            self.hold(pane)
        else:
            pane = touched[0] if len(touched) == 1 else self.merged(*touched)
            if pane.mark != self.mark:
                self.touch(pane)
            if at < pane.start:
                pane.start = at
            if end > pane.end:
                pane.end = end
        try:
            pane.value = self.function(pane.value, element)
        except Exception as error:
            raise at_key(error, key) from None

    def hold(self, pane: Pane) -> None:
        """Hold a session."""
        insort(self.by_key.setdefault(pane.key, []), pane, key=start_of)
        heappush(self.ends, (pane.end, pane.number, pane))
        self.close_at(min(self.next_close, pane.end + 1))

    def merged(self, earlier: Pane, later: Pane) -> Pane:
        """Return one session in the place of two; it is the one that was opened first."""
        assert self.fold.merge is not None
        value = self.fold.merge(earlier.value, later.value)
        kept, gone = (earlier, later) if earlier.number < later.number else (later, earlier)
        kept.start, kept.end, kept.value = earlier.start, later.end, value
        self.by_key[kept.key].remove(gone)
        self.over(gone)
        return kept

    def close_due(self) -> None:
        """Close the sessions whose time is over by the watermark, and set `next_close`."""
        due: list[Pane] = []
        while self.ends and self.ends[0][0] < self.watermark:
            end, number, pane = heappop(self.ends)
            if pane.number and pane.end != end:
                heappush(self.ends, (pane.end, number, pane))
            elif pane.number:
                due.append(pane)
        due.sort(key=place_of)
        for pane in due:
            self.send(pane)
            sessions = self.by_key[pane.key]
            sessions.remove(pane)
            if not sessions:
                del self.by_key[pane.key]
            self.over(pane)
        self.close_at(self.ends[0][0] + 1 if self.ends else NEVER)

    def due_of(self, row: Any) -> int:
        """Return the watermark at which the session of a row closes."""
        end: int = row[2]
        return end + 1

    def panes(self) -> Iterable[Pane]:
        """Return what is held, in any order."""
        return [pane for sessions in self.by_key.values() for pane in sessions]

    def take_over(self, pane: Pane) -> None:
        """Hold a session that was loaded; they come in the order of their numbers."""
        if pane.end < max(pane.start + self.gap, self.watermark):
            raise StateError(
                f"the session of key {pane.key!r:.200} from {pane.start} to {pane.end} is none of these; load an older "
                "checkpoint"
            )
        self.hold(pane)


def start_of(pane: Pane) -> int:
    """Return where a session stands among those of its key."""
    return pane.start


def place_of(pane: Pane) -> tuple[int, int, int]:
    """Return where a session stands among those that close together."""
    return pane.end, pane.start, pane.number


class KeyedWindows(OperatorDefinition):
    """Pass on a result for each window of event time of each key when the window closes.

    It runs the methods of what `tumbling`, `sliding` and `session` return, behind `with_timestamps` and `key_by`. The
    watermark is the latest time so far, of any key, minus `max_lateness`; a window closes when it has passed the end of
    the window, and all close when the input completes. Windows that close together are sent by their ends, then their
    starts, then the order of their first elements.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        times: Where elements have their times, and how late they may come.
        windows: Which windows there are.
        fold: How the elements of a window become its value.

    Demand: the first request asks for all elements, 128 at a time; n requested are n windows. No element is taken in
        while results wait for demand.
    Errors: upstream's are passed on; an exception of a function, a timestamp that is none, or too many windows, cancels
        the upstream and becomes `on_error`.
    State: the watermark, and the windows with their accumulators; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> clicks = Stream.just((0, "ant"), (50, "bee"), (61, "ant"), (58, "ant"), (130, "bee"))
        >>> timed = clicks.with_timestamps(lambda click: click[0], max_lateness=5)
        >>> for window in timed.key_by(lambda click: click[1]).tumbling(60).count().to_list():
        ...     print(window.key, window.start, window.end, window.value)
        ant 0.0 60.0 2
        bee 0.0 60.0 1
        ant 60.0 120.0 1
        bee 120.0 180.0 1
    """

    id = "rx://operators/keyed_windows"
    method = "with_timestamps().key_by().tumbling"
    stateful = True
    keyed = True

    @staticmethod
    def parameters(key: Callable[[Any], Any], times: EventTime, windows: Windows, fold: WindowFold) -> tuple[Any, ...]:
        """Return the checked parameters."""
        if not windows.step and fold.merge is None:
            raise ArgumentError(
                "session(gap).reduce(function, seed) needs merge=, since an element may join two sessions; pass the "
                "function that returns the accumulator of both, the earlier one first"
            )
        return (key, times, windows, fold)

    @staticmethod
    def stage(key: Callable[[Any], Any], times: EventTime, windows: Windows, fold: WindowFold) -> WindowsStage:
        """Return a new stage."""
        kind = AlignedWindowsStage if windows.step else SessionWindowsStage
        return kind(key, times, windows, fold)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the calls as one would write them."""
        key, times, windows, fold = parameters
        shown = ", ".join(map(show, fold.arguments))
        return f"{written_times(times, show)}.key_by({show(key)}).{written_windows(windows)}.{fold.method}({shown})"


def written_times(times: EventTime, show: Callable[[Any], str]) -> str:
    """Return the call of `with_timestamps` as one would write it."""
    late = f", max_lateness={times.max_lateness / SECOND:g}" if times.max_lateness else ""
    return f"with_timestamps({show(times.timestamp)}{late})"


def written_windows(windows: Windows) -> str:
    """Return the call of `tumbling`, `sliding` or `session` as one would write it."""
    size = f"{windows.size / SECOND:g}"
    allowed = f", allowed_lateness={windows.allowed_lateness / SECOND:g}" if windows.allowed_lateness else ""
    if not windows.step:
        return f"session({size})"
    if windows.step == windows.size:
        return f"tumbling({size}{allowed})"
    return f"sliding({size}, {windows.step / SECOND:g}{allowed})"
