"""Descriptions whose next operator has windows of event time for each key, or joins two streams by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.keyed.event_windows import (
    DEFAULT_MAX_WINDOWS,
    EventTime,
    KeyedWindows,
    TimeWindow,
    WindowFold,
    Windows,
    checked_event_time,
    checked_sessions,
    checked_windows,
    written_times,
    written_windows,
)
from reactivestreams.operators.keyed.group_joins import KeyedGroupJoin
from reactivestreams.operators.keyed.joins import DEFAULT_MAX_HELD, KeyedJoin, Within

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from reactivestreams.stream.pipelines import Pipeline
    from reactivestreams.stream.stream import Stream

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


class _Timed:
    """A description with the function that returns an element's time."""

    __slots__ = ("_description", "_times")

    def __init__(self, description: Any, timestamp: Callable[[Any], object], max_lateness: float | timedelta) -> None:
        self._description = description
        self._times: EventTime = checked_event_time(timestamp, max_lateness)

    def __repr__(self) -> str:
        return f"{self._description!r}.{_written(self._times)}"


def _written(times: EventTime, key: Callable[[Any], object] | None = None) -> str:
    from reactivestreams.stream.presentation import shown_parameter

    of_key = "" if key is None else f".key_by({shown_parameter(key)})"
    return f"{written_times(times, shown_parameter)}{of_key}"


class TimedStream(_Timed, Generic[T]):
    """A stream whose elements have times."""

    __slots__ = ()

    def key_by(self, key: Callable[[T], object]) -> TimedKeyedStream[T]:
        """Use separate windows for each key in the next operator.

        Args:
            key: Called with each element that is not too late; returns its key, which must be hashable.
        """
        return TimedKeyedStream(self._description, self._times, key)


class TimedPipeline(_Timed, Generic[A, T]):
    """A pipeline whose elements have times."""

    __slots__ = ()

    def key_by(self, key: Callable[[T], object]) -> TimedKeyedPipeline[A, T]:
        """Use separate windows for each key in the next operator."""
        return TimedKeyedPipeline(self._description, self._times, key)


class _TimedKeyed:
    """A description with the functions that return an element's time and key."""

    __slots__ = ("_description", "_key", "_times")

    def __init__(self, description: Any, times: EventTime, key: Callable[[Any], object]) -> None:
        self._description = description
        self._times = times
        self._key = checked_callable(key, operator="key_by", name="key")

    def __repr__(self) -> str:
        return f"{self._description!r}.{_written(self._times, self._key)}"

    def _joined(self, definition: type[KeyedJoin], other: Any, *arguments: Any) -> Any:
        if not isinstance(other, TimedKeyedStream):
            raise ArgumentTypeError(
                f"{definition.table.method}(other) needs a stream with times and keys, got {other!r:.200} "
                f"({type(other).__name__}); pass stream.with_timestamps(function).key_by(function)"
            )
        right = (other._times, other._key)  # pyright: ignore[reportPrivateUsage]  # of this module
        parameters = definition.parameters(other._description, (self._times, self._key), right, *arguments)  # pyright: ignore[reportPrivateUsage]
        return self._description._then(definition, parameters)


class TimedKeyedStream(_TimedKeyed, Generic[T]):
    """A stream whose next operator has windows for each key, or joins another one by keys and times."""

    __slots__ = ()

    def tumbling(
        self,
        size: float | timedelta,
        *,
        allowed_lateness: float | timedelta = 0,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedStream[T]:
        """Cut the time into windows of one size, one after the other.

        A window contains its start and not its end. Starts are multiples of the size since 1970: of UTC where datetimes
        have a zone, of their own time where they have none.

        An element is late if its window is over: the watermark has passed its end and `allowed_lateness` after it.

        Args:
            size: The length of a window, in seconds or as a timedelta; a microsecond or more.
            allowed_lateness: How long after its end, by the watermark, a window that has closed is kept. An element
                that comes for it in this time is added, and the result is sent again.
            late: Called with each late element in the thread that drains the stream, such as `subject.on_next`. None:
                late elements go to the hook for dropped signals.
            max_windows: How many windows, each of one key, are held; one more ends the stream with CapacityError.

        Raises:
            ArgumentError: An argument is out of range.
            ArgumentTypeError: An argument has the wrong type.
        """
        windows = checked_windows("tumbling", size, None, allowed_lateness, late, max_windows)
        return WindowedStream(self._description, self._times, self._key, windows)

    def sliding(
        self,
        size: float | timedelta,
        step: float | timedelta,
        *,
        allowed_lateness: float | timedelta = 0,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedStream[T]:
        """Use windows of one size that begin at each step, so that an element belongs to several.

        Starts are multiples of the step since 1970. An element is late if all its windows are over; if some of them
        are, it belongs to the others.

        Args:
            size: The length of a window, in seconds or as a timedelta; a microsecond or more.
            step: The time from one start to the next, at most the size.
            allowed_lateness: As for `tumbling`.
            late: As for `tumbling`.
            max_windows: As for `tumbling`.

        Raises:
            ArgumentError: An argument is out of range, or an element would belong to more than `max_windows` windows.
            ArgumentTypeError: An argument has the wrong type.
        """
        windows = checked_windows("sliding", size, step, allowed_lateness, late, max_windows)
        return WindowedStream(self._description, self._times, self._key, windows)

    def session(
        self,
        gap: float | timedelta,
        *,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedStream[T]:
        """Use windows that contain elements of a key which follow each other by at most a gap.

        A session begins with its first element and ends the gap after its last one; an element exactly then belongs to
        it. A session closes when the watermark is after its end, and is sent once. An element is late if the watermark
        is after its time and the gap, and it belongs to no session that is open.

        Args:
            gap: The time without elements that ends a session, in seconds or as a timedelta; a microsecond or more.
            late: As for `tumbling`.
            max_windows: As for `tumbling`.

        Raises:
            ArgumentError: An argument is out of range.
            ArgumentTypeError: An argument has the wrong type.
        """
        return WindowedStream(self._description, self._times, self._key, checked_sessions(gap, late, max_windows))

    def join(
        self,
        other: TimedKeyedStream[U],
        *,
        within: Within,
        late: Callable[[T | U], object] | None = None,
        max_held: int = DEFAULT_MAX_HELD,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Stream[tuple[T, U]]:
        """Pass on pairs of an element and one of another stream that has the same key, and a time near its.

        A pair passes as soon as both are there. Pairs of one element are in the order of the times of the others. Which
        pairs there are does not depend on how the two inputs interleave; their order does.

        Each input has a watermark of its own: its latest time so far minus its `max_lateness`. An element before it is
        late, and joins nothing. An element is held until the watermark of the other input says that no partner of its
        comes any more. For a join by windows of a fixed size let the keys contain the number of the window.

        Args:
            other: A stream behind `with_timestamps` and `key_by`; its elements are on the right.
            within: How far the times of two elements may be apart, in seconds or as a timedelta; a pair of them is the
                least and the greatest time from the left element to the right one, such as `(0, 60)` for one that comes
                up to a minute after it. Both ends are included.
            late: Called with each late element in the thread that drains the stream. None: late elements go to the hook
                for dropped signals.
            max_held: How many elements of each input are held. No more are taken of an input of which so many are,
                until the other one has come further. Where that cannot help, one more ends the stream with
                CapacityError. Where both inputs come of one stream that waits for the slower, such as `share()`, it has
                to be large enough.
            prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.

        Raises:
            ArgumentError: An argument is out of range.
            ArgumentTypeError: An argument has the wrong type, or `other` has no times and keys.

        State: the watermarks, and what is held of both inputs.
        Spark: refused, with NotSerializableError; there, join DataFrames, before the streams are made of them.
        Source: interval joins of Apache Flink, whose `between` is `within`.

        Example:
            >>> from reactivestreams import Stream
            >>> shown = Stream.just((0, "ant"), (5, "bee")).with_timestamps(lambda each: each[0])
            >>> clicked = Stream.just((7, "ant"), (90, "bee")).with_timestamps(lambda each: each[0])
            >>> of_one = lambda each: each[1]
            >>> shown.key_by(of_one).join(clicked.key_by(of_one), within=(0, 60)).to_list()
            [((0, 'ant'), (7, 'ant'))]
        """
        described: Stream[tuple[T, U]] = self._joined(KeyedJoin, other, within, late, max_held, prefetch)
        return described

    def group_join(
        self,
        other: TimedKeyedStream[U],
        *,
        within: Within,
        late: Callable[[T | U], object] | None = None,
        max_held: int = DEFAULT_MAX_HELD,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Stream[tuple[T, list[U]]]:
        """Pass on each element with the list of those of another stream that have its key, and times near its.

        The list is empty where there are none. It is in the order of the times, and so are the results, in that of the
        left elements, however the two inputs interleave: an element passes when the watermarks of both inputs say that
        neither a partner nor an earlier element comes any more.

        Args:
            other: As for `join`.
            within: As for `join`.
            late: As for `join`.
            max_held: As for `join`.
            prefetch: As for `join`.

        Raises:
            ArgumentError: An argument is out of range.
            ArgumentTypeError: An argument has the wrong type, or `other` has no times and keys.

        State: the watermarks, and what is held of both inputs.
        Spark: refused, as `join` is.

        Example:
            >>> from reactivestreams import Stream
            >>> shown = Stream.just((0, "ant"), (5, "bee")).with_timestamps(lambda each: each[0])
            >>> clicked = Stream.just((7, "ant"), (9, "ant")).with_timestamps(lambda each: each[0])
            >>> of_one = lambda each: each[1]
            >>> shown.key_by(of_one).group_join(clicked.key_by(of_one), within=60).to_list()
            [((0, 'ant'), [(7, 'ant'), (9, 'ant')]), ((5, 'bee'), [])]
        """
        described: Stream[tuple[T, list[U]]] = self._joined(KeyedGroupJoin, other, within, late, max_held, prefetch)
        return described


class TimedKeyedPipeline(_TimedKeyed, Generic[A, T]):
    """A pipeline whose next operator has windows for each key."""

    __slots__ = ()

    def tumbling(
        self,
        size: float | timedelta,
        *,
        allowed_lateness: float | timedelta = 0,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedPipeline[A, T]:
        """Cut the time into windows of one size; see `TimedKeyedStream.tumbling`."""
        windows = checked_windows("tumbling", size, None, allowed_lateness, late, max_windows)
        return WindowedPipeline(self._description, self._times, self._key, windows)

    def sliding(
        self,
        size: float | timedelta,
        step: float | timedelta,
        *,
        allowed_lateness: float | timedelta = 0,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedPipeline[A, T]:
        """Use windows of one size that begin at each step; see `TimedKeyedStream.sliding`."""
        windows = checked_windows("sliding", size, step, allowed_lateness, late, max_windows)
        return WindowedPipeline(self._description, self._times, self._key, windows)

    def session(
        self,
        gap: float | timedelta,
        *,
        late: Callable[[T], object] | None = None,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> WindowedPipeline[A, T]:
        """Use windows of elements that follow each other by at most a gap; see `TimedKeyedStream.session`."""
        return WindowedPipeline(self._description, self._times, self._key, checked_sessions(gap, late, max_windows))

    def join(
        self,
        other: TimedKeyedStream[U],
        *,
        within: Within,
        late: Callable[[T | U], object] | None = None,
        max_held: int = DEFAULT_MAX_HELD,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Pipeline[A, tuple[T, U]]:
        """Pass on pairs of an element and one of another stream; see `TimedKeyedStream.join`."""
        described: Pipeline[A, tuple[T, U]] = self._joined(KeyedJoin, other, within, late, max_held, prefetch)
        return described

    def group_join(
        self,
        other: TimedKeyedStream[U],
        *,
        within: Within,
        late: Callable[[T | U], object] | None = None,
        max_held: int = DEFAULT_MAX_HELD,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Pipeline[A, tuple[T, list[U]]]:
        """Pass on each element with those of another stream; see `TimedKeyedStream.group_join`."""
        described: Pipeline[A, tuple[T, list[U]]] = self._joined(
            KeyedGroupJoin, other, within, late, max_held, prefetch
        )
        return described


class _Windowed:
    """A description with the windows of each key; the next method states what comes of them."""

    __slots__ = ("_description", "_key", "_times", "_windows")

    def __init__(self, description: Any, times: EventTime, key: Callable[[Any], object], windows: Windows) -> None:
        self._description = description
        self._times = times
        self._key = key
        self._windows = windows

    def _then(self, fold: WindowFold) -> Any:
        parameters = KeyedWindows.parameters(self._key, self._times, self._windows, fold)
        return self._description._then(KeyedWindows, parameters)

    def __repr__(self) -> str:
        return f"{self._description!r}.{_written(self._times, self._key)}.{written_windows(self._windows)}"


class WindowedStream(_Windowed, Generic[T]):
    """A stream with windows for each key; its methods pass on a `TimeWindow` for each when it closes."""

    __slots__ = ()

    def count(self) -> Stream[TimeWindow[int]]:
        """Count the elements of each window.

        Example:
            >>> from reactivestreams import Stream
            >>> timed = Stream.just(1, 2, 61).with_timestamps(float).key_by(lambda time: time % 2 == 0)
            >>> [(window.key, window.start, window.value) for window in timed.tumbling(60).count().to_list()]
            [(False, 0.0, 1), (True, 0.0, 1), (False, 60.0, 1)]
        """
        described: Stream[TimeWindow[int]] = self._then(WindowFold.count())
        return described

    def reduce(
        self, function: Callable[[U, T], U], seed: U, *, merge: Callable[[U, U], U] | None = None
    ) -> Stream[TimeWindow[U]]:
        """Fold the elements of each window, in the order in which they come.

        Args:
            function: Called with the accumulator of the window and the element; returns the next accumulator.
            seed: The first accumulator of every window; use an immutable one.
            merge: For sessions, which need it: called with the accumulators of two sessions that an element joins, the
                earlier one first; returns that of both.

        Raises:
            ArgumentError: The windows are sessions, and there is no `merge`.
            ArgumentTypeError: An argument cannot be called.

        Example:
            >>> from reactivestreams import Stream
            >>> timed = Stream.just(1, 2, 61).with_timestamps(float).key_by(lambda time: "all")
            >>> [window.value for window in timed.sliding(60, 30).reduce(lambda total, time: total + time, 0).to_list()]
            [3, 3, 61, 61]
        """
        described: Stream[TimeWindow[U]] = self._then(WindowFold.reduce(function, seed, merge))
        return described

    def aggregate(self, /, **aggregates: Any) -> Stream[TimeWindow[dict[str, Any]]]:
        """Compute aggregates of the elements of each window.

        Args:
            aggregates: As for `key_by(...).aggregate`. "first" and "last" are those that came first and last; of
                sessions that were joined, those of the earlier and the later one.

        Raises:
            ArgumentError: There is none, or a kind is unknown.
            ArgumentTypeError: One is neither a kind nor a pair of a kind and a function.

        Example:
            >>> from reactivestreams import Stream
            >>> timed = Stream.just(1, 5, 61).with_timestamps(float).key_by(lambda time: "all")
            >>> [window.value for window in timed.tumbling(60).aggregate(most="max", mean="mean").to_list()]
            [{'most': 5, 'mean': 3.0}, {'most': 61, 'mean': 61.0}]
        """
        described: Stream[TimeWindow[dict[str, Any]]] = self._then(WindowFold.aggregate(aggregates))
        return described

    def to_list(self) -> Stream[TimeWindow[list[T]]]:
        """Collect the elements of each window, in the order in which they come.

        Of sessions that an element joins, the elements of the earlier one are first. The elements are held until the
        window closes, and nothing but the memory bounds their number; `reduce` needs less.

        Example:
            >>> from reactivestreams import Stream
            >>> timed = Stream.just(1, 9, 30, 35).with_timestamps(float).key_by(lambda time: "all")
            >>> [(window.start, window.end, window.value) for window in timed.session(10).to_list().to_list()]
            [(1.0, 19.0, [1, 9]), (30.0, 45.0, [30, 35])]
        """
        described: Stream[TimeWindow[list[T]]] = self._then(WindowFold.to_list())
        return described


class WindowedPipeline(_Windowed, Generic[A, T]):
    """A pipeline with windows for each key; its methods pass on a `TimeWindow` for each when it closes."""

    __slots__ = ()

    def count(self) -> Pipeline[A, TimeWindow[int]]:
        """Count the elements of each window."""
        described: Pipeline[A, TimeWindow[int]] = self._then(WindowFold.count())
        return described

    def reduce(
        self, function: Callable[[U, T], U], seed: U, *, merge: Callable[[U, U], U] | None = None
    ) -> Pipeline[A, TimeWindow[U]]:
        """Fold the elements of each window; see `WindowedStream.reduce`."""
        described: Pipeline[A, TimeWindow[U]] = self._then(WindowFold.reduce(function, seed, merge))
        return described

    def aggregate(self, /, **aggregates: Any) -> Pipeline[A, TimeWindow[dict[str, Any]]]:
        """Compute aggregates of the elements of each window; see `WindowedStream.aggregate`."""
        described: Pipeline[A, TimeWindow[dict[str, Any]]] = self._then(WindowFold.aggregate(aggregates))
        return described

    def to_list(self) -> Pipeline[A, TimeWindow[list[T]]]:
        """Collect the elements of each window."""
        described: Pipeline[A, TimeWindow[list[T]]] = self._then(WindowFold.to_list())
        return described
