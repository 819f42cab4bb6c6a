"""Streams whose subscribers share one run: what `publish`, `replay` and `multicast` of a stream return."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import OperatorDefinition, Recovery
from reactivestreams.schedulers import ImmediateScheduler
from reactivestreams.schedulers.delays import scheduler_for_delays
from reactivestreams.stream.stream import Stream
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, lockstep
from reactivestreams.subjects.in_memory_subject import InMemorySubject
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS
from rs_core.sharing import Connection, Connector, Entrance, SharedSource
from rs_core.stream.description import Assembly, new_head

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import ClassVar

    from reactivestreams.schedulers import Scheduler
    from rs_core.multicaster import SubjectCore

__all__ = ["DEFAULT_SHARED", "MOST_REPLAYED", "ConnectableStream"]

T = TypeVar("T")

DEFAULT_SHARED = 256
"""How many elements a shared stream requests upstream in advance of its slowest subscriber, at most."""

MOST_REPLAYED = MAX_CAPACITY_ELEMENTS
"""How many elements `replay` and `cache` retain at most; more evict the oldest."""


class SharedStream(OperatorDefinition):
    """Send the elements of a connection; made by `publish`, `replay`, `multicast`, `share` and `cache` of a stream.

    Demand: the slowest subscriber governs: upstream is requested what all subscribers have requested, at most
        `capacity` ahead, and nothing while there is none. With `multicast` the policy of the subject decides.
    Errors: the error of the upstream goes to all; StreamCancelledError if the connection is cancelled.
    State: none: the connection belongs to none of its subscribers, so it is in no state.
    Recovery: `none`: a subscriber that is loaded subscribes again, to what the connection sends then. To save what runs
        upstream, let a subject of the engine stand between it and its readers.
    Threads: signals run in the thread that sends upstream or requests, one at a time.
    Rules: §1.1, §1.3, §1.7, §1.11, §2.7, §3.9, §3.12.
    """

    id = "rx://sources/shared"
    method = "share"
    stage = SharedSource
    serializable = False
    recovery: ClassVar[Recovery | None] = "none"

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the calls of the methods as one would write them."""
        from reactivestreams.stream.presentation import chain_text

        _, (source,), calls, _ = parameters
        return f"{chain_text('Stream', source.nodes()).removeprefix('Stream.')}.{calls}"


class _Upstream:
    """The stream that is shared, and how the subjects of its connections are made."""

    def __init__(
        self, stream: Stream[Any], calls: str, make: Callable[[_HostClock], InMemorySubject[Any]], *, once: bool = False
    ) -> None:
        self._stream = stream
        self._make = make
        self.calls = calls
        self.connector = Connector(
            calls, None if once else self._open, self._open(), self._subscribe, scheduler_for_delays
        )

    def _open(self) -> tuple[Any, SubjectCore]:
        clock = _HostClock()
        subject = self._make(clock)
        return (subject, clock), subject.core

    def _subscribe(self, opened: Any, context: Any) -> None:
        subject, clock = opened
        if context is not None:
            clock.source = context.scheduler
        self._stream.bind(subject).initialize(context)

    def stream(self, kind: type[Stream[Any]], call: str, entrance: Entrance) -> Any:
        """Return a stream whose subscribers come through an entrance."""
        calls = f"{self.calls}.{call}" if call else self.calls
        return new_head(kind, SharedStream, (entrance, (self._stream,), calls, self))


class _HostClock:
    """The clock of the host of a connection; of the system as long as that has none."""

    def __init__(self) -> None:
        self.source: Any = ImmediateScheduler()

    @property
    def now(self) -> datetime:
        time: datetime = self.source.now
        return time


class ConnectableStream(Stream[T]):
    """A stream that runs once for all its subscribers, from `connect()` on; made by `publish`, `replay`, `multicast`.

    Before it is connected, subscribers wait. Each connection subscribes to the upstream once and sends its elements to
    all who are subscribed. After its end, late subscribers get the end, with `replay` after the retained elements,
    until somebody connects again; after a cancellation they wait for the next connection.

    Demand, errors, state and threads: see `publish`. Operators of a connectable stream return an ordinary Stream.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.just("a", "b").publish()
        >>> first = numbers.subscribe(on_next=lambda letter: print("first", letter))
        >>> second = numbers.map(str.upper).subscribe(on_next=lambda letter: print("second", letter))
        >>> connection = numbers.connect()
        first a
        second A
        first b
        second B
    """

    __slots__ = ()

    def connect(self, context: Any = None) -> Connection:
        """Subscribe to the upstream for all subscribers; if that is done already, do nothing.

        Args:
            context: The OperatorContext of a host, with the scheduler on which operators of the upstream wait; None:
                they wait as in a stream without a host.

        Returns:
            The connection: `cancel()`, also at the end of a `with` block, cancels the upstream, and subscribers that
            are there fail with StreamCancelledError.

        Raises:
            SourceUsedTwiceError: The stream was made by `multicast` with a subject, whose only connection is over.
        """
        return self._upstream_of().connector.connect(context)

    def auto_connect(self, subscribers: int = 1) -> Stream[T]:
        """Return a stream that connects when so many subscribers have come, and stays connected when they leave.

        Args:
            subscribers: How many, from 1; or 0 to connect at once.

        It connects once: after the end, late subscribers get the end; see `ref_count` for a stream that begins again.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(3).publish().auto_connect(2)
            >>> first = numbers.subscribe(on_next=lambda number: print("first", number))
            >>> second = numbers.take(1).subscribe(on_next=lambda number: print("second", number))
            first 0
            second 0
            first 1
            first 2
        """
        count = checked_count(subscribers, operator="auto_connect", name="subscribers", at_least=0)
        upstream = self._upstream_of()
        written = "auto_connect()" if count == 1 else f"auto_connect({count})"
        stream: Stream[T] = upstream.stream(Stream, written, Entrance(upstream.connector, count, False, None))
        if count == 0:
            upstream.connector.connect()
        return stream

    def ref_count(self, subscribers: int = 1, *, grace: float | timedelta | None = None) -> Stream[T]:
        """Return a stream that is connected while it has subscribers.

        Args:
            subscribers: With how many it connects, from 1.
            grace: How long it stays connected after the last one has left, in seconds or as a timedelta; None: not at
                all. A subscriber that comes meanwhile continues with the same connection.

        When the last subscriber has left, the upstream is cancelled. The next subscribers get another connection, as
        do those that come after the end of the upstream. The grace runs on the scheduler of the host of the subscriber
        that left last, or else of the event loop that runs in its thread, or of the process.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.from_callable(lambda: print("connected") or 1).publish().ref_count()
            >>> numbers.run()
            connected
            >>> numbers.run()
            connected
        """
        count = checked_count(subscribers, operator="ref_count", name="subscribers", at_least=1)
        wait = None if grace is None else checked_duration(grace, operator="ref_count", name="grace")
        upstream = self._upstream_of()
        arguments = [] if count == 1 else [str(count)]
        arguments += [] if wait is None else [f"grace={wait.total_seconds():g}"]
        entrance = Entrance(upstream.connector, count, True, wait)
        stream: Stream[T] = upstream.stream(Stream, f"ref_count({', '.join(arguments)})", entrance)
        return stream

    def _upstream_of(self) -> _Upstream:
        upstream: _Upstream = self.parameters[3]
        return upstream

    def _then(self, definition: Any, parameters: tuple[Any, ...] = (), assembly: Assembly | None = None, /) -> Any:
        stream: Stream[Any] = Stream(definition, parameters, self, assembly)
        return stream

    def _then_call(self, definition: Any, function: Any, /) -> Any:
        stream: Stream[Any] = Stream(definition, definition.parameters(function), self)
        return stream


def published(stream: Stream[T], capacity: int) -> ConnectableStream[T]:
    """Return a stream that sends to all subscribers what comes while they are there."""
    policy = lockstep(capacity=_checked_capacity(capacity, "publish"))
    written = "publish()" if capacity == DEFAULT_SHARED else f"publish(capacity={capacity})"
    return _connectable(_Upstream(stream, written, lambda _clock: BroadcastSubject(policy=policy)))


def replayed(
    stream: Stream[T],
    size: int,
    max_age: float | timedelta | None,
    scheduler: Scheduler | None,
    capacity: int,
) -> ConnectableStream[T]:
    """Return a stream that sends to late subscribers the last elements first."""
    policy = lockstep(capacity=_checked_capacity(capacity, "replay"))
    count = checked_count(size, operator="replay", name="size", at_least=1, at_most=MOST_REPLAYED)
    age = None if max_age is None else checked_duration(max_age, operator="replay", name="max_age", above=timedelta())

    def make(clock: Any) -> ReplaySubject[T]:
        return ReplaySubject(count, max_age=age, scheduler=scheduler or clock, policy=policy)

    arguments = [] if count == MOST_REPLAYED else [str(count)]
    arguments += [] if age is None else [f"max_age={age.total_seconds():g}"]
    return _connectable(_Upstream(stream, f"replay({', '.join(arguments)})", make))


def multicasted(stream: Stream[T], subject: object) -> ConnectableStream[Any]:
    """Return a stream that sends to its subscribers what the subject does, or one that a function makes."""
    if isinstance(subject, InMemorySubject):
        given = _checked_subject(subject, "the call")
        return _connectable(_Upstream(stream, f"multicast({subject!r})", lambda _clock: given, once=True))
    if not callable(subject):
        raise ArgumentTypeError(
            f"multicast(subject) needs a subject, or a function that makes one, got {subject!r:.200} "
            f"({type(subject).__name__}); pass e.g. lambda: ReplaySubject(10)"
        )
    make = checked_callable(subject, operator="multicast", name="subject")
    name = getattr(make, "__qualname__", repr(make))
    return _connectable(_Upstream(stream, f"multicast({name})", lambda _clock: _checked_subject(make(), make)))


def _connectable(upstream: _Upstream) -> ConnectableStream[Any]:
    stream: ConnectableStream[Any] = upstream.stream(
        ConnectableStream, "", Entrance(upstream.connector, 0, False, None)
    )
    return stream


def _checked_capacity(capacity: object, operator: str) -> int:
    return checked_count(capacity, operator=operator, name="capacity", at_least=1, at_most=MAX_CAPACITY_ELEMENTS)


def _stores_its_end(subject: object) -> bool:
    return isinstance(subject, InMemorySubject) and not isinstance(subject, SimpleSubject)


def _checked_subject(subject: Any, given: object) -> InMemorySubject[Any]:
    if _stores_its_end(subject):
        checked: InMemorySubject[Any] = subject
        return checked
    raise ArgumentTypeError(
        f"multicast(subject) got {subject!r:.200} from {given!r:.200}, which is no subject that stores its end; use a "
        f"BroadcastSubject, ReplaySubject or UnicastSubject"
    )
