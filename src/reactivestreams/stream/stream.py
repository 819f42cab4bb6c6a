"""Stream: the immutable description of a stream, with all its methods."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Coroutine
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, overload

from reactivestreams.arguments import (
    checked_callable,
    checked_callable_of_any_kind,
    checked_prefetch,
    checked_timeout,
)
from reactivestreams.errors import ArgumentError, ArgumentTypeError, WrongEventLoopError
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.sources.range import Range
from reactivestreams.stream.source_methods import SourceMethods
from rs_core.ends.blocking import ForEachEnd, RunEnd
from rs_core.ends.subscriber import SubscriberStage
from rs_core.interp.deferred_functions import deferred_kind
from rs_core.sources.basic import int64_range
from rs_core.stream.description import DescriptionType, make_groups_by, new_head

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from reactivestreams.operators.combining.inputs import Source
    from reactivestreams.schedulers import Scheduler
    from reactivestreams.spec import Subscriber
    from reactivestreams.stream.connectable import ConnectableStream
    from reactivestreams.stream.keyed import KeyedStream
    from reactivestreams.stream.pipelines import Pipeline
    from reactivestreams.stream.trio_iterator import TrioIterator
    from reactivestreams.stream.windowed import TimedStream
    from reactivestreams.subjects.in_memory_subject import InMemorySubject
    from rs_core.authors.subscriber import BaseSubscriber
    from rs_core.ends.async_iterator import AsyncIterator
    from rs_core.ends.blocking_iterator import BlockingIterator

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")

WHOLE_STREAM_PREFETCH = 1024
"""The default prefetch of awaited terminal operations that consume all elements."""

_NO_SUBSCRIBER = object()


class _OnClassToo:
    """A method that combines a stream with other sources; called on the class, it takes all sources as arguments.

    Args:
        name: The name of the method.
        combinator: The name of the function in `combinators`.
    """

    def __init__(self, name: str, combinator: str) -> None:
        self._operator = getattr(SourceMethods, name)
        self._combinator = combinator

    def __get__(self, stream: Any, kind: type[Stream[Any]]) -> Any:
        if stream is not None:
            return self._operator.__get__(stream)
        name = self._combinator

        @wraps(self._operator)
        def combined(*sources: Any, prefetch: int = 128) -> Stream[Any]:
            from reactivestreams.stream import combinators

            return cast("Stream[Any]", getattr(combinators, name)(kind, sources, prefetch))

        return combined


class _OnClassAlone:
    """A method of the class that takes all sources as arguments; called on a stream, it would ignore that stream."""

    def __init__(self, method: classmethod[Any, Any, Any]) -> None:
        self._method = method

    def __get__(self, stream: Any, kind: type[Stream[Any]]) -> Any:
        if stream is None:
            return self._method.__get__(None, kind)
        name = self._method.__name__

        def refuse(*_sources: object, **_arguments: object) -> NoReturn:
            operator = f"; or this stream has {name}_with()" if hasattr(SourceMethods, f"{name}_with") else ""
            raise ArgumentTypeError(
                f"{name}() is called on the class, and was called on {stream!r:.200}, which it would leave out; call "
                f"Stream.{name}() with this stream as an argument{operator}"
            )

        return refuse


class Stream(SourceMethods[T], metaclass=DescriptionType):
    """The description of a stream: a source and operators, an immutable value.

    Nothing runs until it is subscribed, and each subscription runs the whole chain again. A `Stream` is a Publisher:
    any Subscriber can subscribe. The terminal operations (`for_each`, `run`, iteration and all that have one result,
    such as `to_list`, `first`, `count` and `reduce`) block their caller, and raise the same errors as `for_each`. None
    is an ordinary element for them and for all operators, but not for subscribers (§2.13).

    Threads: each terminal operation has an awaitable form, whose name ends with `_async`. It runs in the thread of an
        event loop of asyncio or trio, and lets other tasks run every two milliseconds; a function that takes longer is
        not interrupted. Cancelling the task that waits cancels the stream at once.

    Example:
        >>> from reactivestreams import Stream
        >>> squares = Stream.range(5).map(lambda number: number * number)
        >>> squares
        Stream.range(0, 5).map(<lambda>)
        >>> squares.to_list()
        [0, 1, 4, 9, 16]
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # for a type checker it is called as a Description is

        def __init__(self, *parts):
            if not parts or not _is_definition(parts[0]):
                got = ", ".join(f"{part!r:.200}" for part in parts)
                raise ArgumentTypeError(
                    f"Stream({got}): a stream is made by a method of its class; call Stream.from_iterable(elements), "
                    f"Stream.just(1, 2), Stream.range(3) or another source"
                )
            super().__init__(*parts)

    # --- sources with more than one definition; the others are in SourceMethods -----------------------------------

    @classmethod
    def range(cls, start: int, stop: int | None = None, step: int = 1) -> Stream[int]:
        """Send the integers of a range.

        Args:
            start: The first integer, of any size; without `stop` it is the stop, as in the built-in, after 0.
            stop: The end, which is not sent.
            step: The distance of two integers; it is negative to count down, and not 0.

        Raises:
            ArgumentTypeError: One of them is not an integer.
            ArgumentError: The step is 0.

        Demand, errors, state and threads: as `sources.Range` documents.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(2, 8, 3).to_list()
            [2, 5]
        """
        try:
            values = int64_range(start, stop, step)
        except TypeError as error:
            raise ArgumentTypeError(
                f"range(start, stop, step) needs integers, got {(start, stop, step)!r:.200}; convert them with int(), "
                f"or pass other elements to from_iterable()"
            ) from error
        except ValueError as error:
            raise ArgumentError(
                f"range(step) needs an integer that is not 0, got {step!r}; pass 1 to count up or -1 to count down"
            ) from error
        head: Stream[int]
        if values is not None:
            head = new_head(Stream, Range, (values,))
        else:
            huge = builtins.range(0, start, step) if stop is None else builtins.range(start, stop, step)
            head = new_head(Stream, FromIterable, FromIterable.parameters(huge))
        return head

    @classmethod
    def just(cls, *elements: U) -> Stream[U]:
        """Send the given elements.

        Args:
            elements: The elements; without any the stream is empty.

        Demand, errors, state and threads: as `sources.FromIterable` documents for a tuple.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("ant", "bee").to_list()
            ['ant', 'bee']
        """
        head: Stream[U] = new_head(cls, FromIterable, (elements,))
        return head

    # --- several sources ------------------------------------------------------------------------------------------

    @overload
    @classmethod
    def concat(cls, sources: Source[Source[U]], /) -> Stream[U]: ...

    @overload
    @classmethod
    def concat(cls, *sources: Source[U]) -> Stream[U]: ...

    @classmethod
    def concat(cls, *sources: Any) -> Stream[Any]:
        """Send the elements of each source, one source after the other.

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables, as arguments or in one list; or one
                stream of them, whose elements are run one after the other. Without any the stream is empty.

        Demand, errors, state and threads: as `concat_with` documents; of a stream of sources as `concat_map` does.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.concat([1, 2], Stream.range(2)).to_list()
            [1, 2, 0, 1]
            >>> Stream.concat(Stream.range(3).map(range)).to_list()
            [0, 0, 1]
        """
        from reactivestreams.stream.combinators import concatenated

        return concatenated(cls, sources)

    @overload
    @classmethod
    def merge(cls, sources: Source[Source[U]], /, *, prefetch: int = 128, concurrency: int = 32) -> Stream[U]: ...

    @overload
    @classmethod
    def merge(cls, *sources: Source[U], prefetch: int = 128, concurrency: int = 32) -> Stream[U]: ...

    @classmethod
    def merge(cls, *sources: Any, prefetch: int = 128, concurrency: int = 32) -> Stream[Any]:
        """Send the elements of all sources in the order of their arrival.

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables, as arguments or in one list; or one
                stream of them, whose elements run at the same time as in `flat_map`. Without any the stream is empty.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.
            concurrency: How many elements of a stream of sources may run at the same time.

        Demand, errors, state and threads: as `merge_with` documents; of a stream of sources as `flat_map` does.

        Example:
            >>> from reactivestreams import Stream
            >>> sorted(Stream.merge(Stream.range(3), [10, 11]).to_list())
            [0, 1, 2, 10, 11]
        """
        from reactivestreams.stream.combinators import merged

        return merged(cls, sources, prefetch, concurrency)

    @classmethod
    def zip(cls, *sources: Source[Any], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Send tuples of the n-th elements of all sources, and complete when one of them has no more.

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables, as arguments or in one list; or one
                stream of them, which is read to its end first. Without any the stream is empty.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand, errors, state and threads: as `zip_with` documents.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.zip(Stream.range(3), "ab").to_list()
            [(0, 'a'), (1, 'b')]
        """
        from reactivestreams.stream.combinators import zipped

        return zipped(cls, sources, prefetch)

    @overload
    @classmethod
    def amb(cls, sources: Source[Source[U]], /, *, prefetch: int = 128) -> Stream[U]: ...

    @overload
    @classmethod
    def amb(cls, *sources: Source[U], prefetch: int = 128) -> Stream[U]: ...

    @classmethod
    def amb(cls, *sources: Any, prefetch: int = 128) -> Stream[Any]:
        """Send the elements of the source that signals first, and cancel all others.

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables, as arguments or in one list; or one
                stream of them, which is read to its end first. Without any the stream is empty.
            prefetch: How many elements of an input may be requested and not yet be passed on, from 1 to 2**24.

        Demand, errors, state and threads: as `sources.Amb` documents.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.amb(Stream.never(), [1, 2], [3]).to_list()
            [1, 2]
        """
        from reactivestreams.stream.combinators import first_to_signal

        return first_to_signal(cls, sources, prefetch)

    @classmethod
    def when_all(cls, *sources: Source[Any], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Send one tuple of the last elements of all sources, when all have completed (fork_join).

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables, as arguments or in one list; or one
                stream of them, which is read to its end first. Without any the stream is empty.
            prefetch: How many elements of each input may be requested and not yet taken, from 1 to 2**24.

        Demand, errors, state and threads: as `sources.WhenAll` documents.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.when_all(Stream.range(4), "abc").to_list()
            [(3, 'c')]
        """
        from reactivestreams.stream.combinators import last_of_all

        return last_of_all(cls, sources, prefetch)

    if not TYPE_CHECKING:
        combine_latest = _OnClassToo("combine_latest", "latest")
        concat, merge, zip, amb, when_all = map(_OnClassAlone, (concat, merge, zip, amb, when_all))

    # --- composition ----------------------------------------------------------------------------------------------

    def through(self, pipeline: Pipeline[T, U] | Callable[[Stream[T]], Stream[U]]) -> Stream[U]:
        """Return this stream with the operators of a pipeline added, or the result of a function of this stream.

        Args:
            pipeline: A pipeline; or a function, which is called at once with this stream and returns a stream.

        Raises:
            ArgumentTypeError: The argument is neither, or the function did not return a Stream.

        Example:
            >>> from reactivestreams import Stream
            >>> def in_pairs(numbers):
            ...     return numbers.zip_with(numbers.skip(1))
            >>> Stream.range(3).through(in_pairs).to_list()
            [(0, 1), (1, 2)]
        """
        from reactivestreams.stream.pipelines import Pipeline, applied

        if not isinstance(pipeline, Pipeline):
            return cast("Stream[U]", applied(pipeline, self, Stream))
        stream: Any = self
        for operator in pipeline.operators:
            stream = stream._add(operator)
        return cast("Stream[U]", stream)

    def key_by(self, key: Callable[[T], object], *, max_keys: int = 1_000_000) -> KeyedStream[T]:
        """Use one state per key in the next operator.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            max_keys: How many keys can exist at the same time; one more ends the stream with CapacityError.
        """
        from reactivestreams.stream.keyed import KeyedStream

        return KeyedStream(self, key, max_keys)

    def with_timestamps(
        self, timestamp: Callable[[T], object], *, max_lateness: float | timedelta = 0
    ) -> TimedStream[T]:
        """State when the elements happened, for windows of event time behind `key_by`.

        The watermark is the latest time so far minus `max_lateness`. When it has passed the end of a window, the window
        closes.

        Args:
            timestamp: Returns the time of an element: seconds since 1970, or a datetime. Datetimes either all have a
                zone or all have none, and are then taken as they are, whatever the local time.
            max_lateness: How late an element may come after one with a later time, of any key, in seconds or as a
                timedelta.

        Raises:
            ArgumentError: `max_lateness` is negative or too long.
            ArgumentTypeError: An argument has the wrong type.

        Example:
            >>> from reactivestreams import Stream
            >>> clicks = Stream.just((0, "ant"), (61, "ant"), (58, "ant"))
            >>> by_name = clicks.with_timestamps(lambda click: click[0], max_lateness=5).key_by(lambda click: click[1])
            >>> [(window.key, window.start, window.value) for window in by_name.tumbling(60).count().to_list()]
            [('ant', 0.0, 2), ('ant', 60.0, 1)]
        """
        from reactivestreams.stream.windowed import TimedStream

        return TimedStream(self, timestamp, max_lateness)

    # --- sharing --------------------------------------------------------------------------------------------------

    def publish(self, *, capacity: int = 256) -> ConnectableStream[T]:
        """Return a stream that runs once for all who subscribe to it, from its `connect()` on.

        Args:
            capacity: How many elements are requested upstream in advance of the slowest subscriber at most, from 1 to
                2**24.

        Demand: the slowest subscriber governs. Upstream is requested what all have requested; nothing while there is no
            subscriber.
        Errors: upstream's, and completion, go to all subscribers after their elements; see `ConnectableStream` for
            those that come later. None cannot be shared, as it cannot be sent to a subscriber (§2.13).
        State: none. The connection belongs to none of its subscribers, so their states do not contain it: saving one
            of them is refused, unless the host allows that elements are lost. To save what runs upstream, let a subject
            of the engine stand between it and its readers.
        Threads: signals run in the thread that sends upstream or requests, one at a time. Subscribers may come and
            leave in any thread.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(4).publish()
            >>> evens = numbers.filter(lambda number: number % 2 == 0).subscribe(on_next=print)
            >>> odds = numbers.filter(lambda number: number % 2 == 1).subscribe(on_next=print)
            >>> with numbers.connect():
            ...     pass
            0
            1
            2
            3
        """
        from reactivestreams.stream.connectable import published

        return published(self, capacity)

    def share(self, *, capacity: int = 256) -> Stream[T]:
        """Return a stream that runs once for all who are subscribed at the same time: `publish().ref_count()`.

        It is connected with the first subscriber, and cancelled when the last one has left. A subscriber after that, or
        after the end, begins another run.

        Args:
            capacity: As for `publish`.

        Demand, errors, state and threads: as for `publish`.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(3).do(on_subscribe=lambda: print("runs")).share()
            >>> numbers.zip_with(numbers).to_list()
            runs
            [(0, 0), (1, 1), (2, 2)]
        """
        from reactivestreams.stream.connectable import published

        return published(self, capacity).ref_count()

    def replay(
        self,
        size: int = 2**24,
        *,
        max_age: float | timedelta | None = None,
        scheduler: Scheduler | None = None,
        capacity: int = 256,
    ) -> ConnectableStream[T]:
        """Return a stream that runs once for all its subscribers, and sends to late ones the last elements first.

        Args:
            size: How many of the last elements are retained, from 1 to 2**24.
            max_age: How old these may be when a subscriber arrives, in seconds or as a timedelta; None: any age.
            scheduler: The scheduler whose clock measures the age; None: that of the host of the connection, or else the
                clock of the system.
            capacity: As for `publish`.

        After the end, late subscribers get the retained elements and the end, until somebody connects again.

        Demand, errors, state and threads: as for `publish`. Retained elements are sent on demand, too, and a subscriber
            that has not got all of them holds up the others.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(5).replay(2).auto_connect()
            >>> numbers.to_list()
            [0, 1, 2, 3, 4]
            >>> numbers.to_list()
            [3, 4]
        """
        from reactivestreams.stream.connectable import replayed

        return replayed(self, size, max_age, scheduler, capacity)

    def cache(
        self,
        size: int = 2**24,
        *,
        max_age: float | timedelta | None = None,
        scheduler: Scheduler | None = None,
        capacity: int = 256,
    ) -> Stream[T]:
        """Return a stream that runs once, and sends to all its elements from the first: `replay().auto_connect()`.

        It is connected with the first subscriber, and stays so when all have left.

        Args:
            size: As for `replay`.
            max_age: As for `replay`.
            scheduler: As for `replay`.
            capacity: As for `publish`.

        Demand, errors, state and threads: as for `replay`.

        Example:
            >>> from reactivestreams import Stream
            >>> answer = Stream.from_callable(lambda: print("asks") or 42).cache()
            >>> answer.first(), answer.first()
            asks
            (42, 42)
        """
        from reactivestreams.stream.connectable import replayed

        return replayed(self, size, max_age, scheduler, capacity).auto_connect()

    def multicast(self, subject: InMemorySubject[T] | Callable[[], InMemorySubject[T]]) -> ConnectableStream[T]:
        """Return a stream that runs once for all its subscribers, to which a subject sends its elements.

        Args:
            subject: A function that makes the subject of each connection, such as `BroadcastSubject`; it is called once
                at once. Or a subject, which serves one connection. Its policy decides about demand. A `SimpleSubject`
                is refused, since it does not store its end.

        Errors, state and threads: as for `publish`.

        Raises:
            ArgumentTypeError: It is neither, or the function made something else.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import BroadcastSubject, drop_slow
            >>> numbers = Stream.range(3).multicast(lambda: BroadcastSubject(policy=drop_slow())).ref_count()
            >>> numbers.to_list()
            [0, 1, 2]
        """
        from reactivestreams.stream.connectable import multicasted

        return multicasted(self, subject)

    # --- subscription ---------------------------------------------------------------------------------------------

    def bind(self, subscriber: Subscriber[T]) -> SubscriberStage:
        """Make the root of the operator tree of one subscription, for a host that runs the life cycle itself.

        No element is sent, and no input exists yet: the host visits the tree to subscribe, set the context and start,
        or calls `initialize(context)` on the handle.

        Args:
            subscriber: Gets the elements.

        Returns:
            The handle: request, cancel, accept, dispose.

        Raises:
            NullElementError: The subscriber is None (§1.9).
            ArgumentTypeError: It is not a Subscriber.
        """
        return SubscriberStage(self, subscriber)

    @overload
    def subscribe(self, subscriber: Subscriber[T]) -> None: ...

    @overload
    def subscribe(
        self,
        *,
        on_next: Callable[[T], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        prefetch: int = 128,
    ) -> BaseSubscriber[T]: ...

    def subscribe(
        self,
        subscriber: Any = _NO_SUBSCRIBER,
        *,
        on_next: Callable[[T], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        prefetch: int = 128,
    ) -> BaseSubscriber[T] | None:
        """Subscribe a subscriber, which gets the elements that it requests, or functions, which get the signals.

        This is the method of Publisher. It returns when the calling thread can send nothing more for the current
        demand. The subscriber gets its subscription in `on_subscribe`.

        Args:
            subscriber: Gets the elements. Without one, functions get the signals:
            on_next: Called with each element. An exception cancels the stream and goes to `on_error`.
            on_error: Called with the error. Without it an error goes to the hook for dropped signals.
            on_complete: Called without arguments.
            prefetch: How many elements to request in advance for functions, replenished at 75 %; from 1 to 2**24.

        Returns:
            None for a subscriber. For functions an object that cancels the subscription, with `cancel()` or as a
            context manager.

        Raises:
            NullElementError: The subscriber is None (§1.9).
            ArgumentTypeError: It is not a Subscriber, or a function cannot be called.

        Example:
            >>> from reactivestreams import Stream
            >>> subscription = Stream.range(2).subscribe(on_next=print, on_complete=lambda: print("done"))
            0
            1
            done
            >>> subscription.cancel()
        """
        functions = (on_next, on_error, on_complete)
        if subscriber is _NO_SUBSCRIBER:
            from reactivestreams.stream.callback_subscriber import CallbackSubscriber

            calling: CallbackSubscriber[T] = CallbackSubscriber(self, *functions, prefetch)
            calling.start()
            return calling
        if functions != (None, None, None):
            raise ArgumentTypeError(
                f"subscribe() got both {subscriber!r:.200} and functions; pass a Subscriber, or on_next=, on_error= "
                f"and on_complete= alone"
            )
        self.bind(subscriber).initialize()
        return None

    # --- blocking terminal operations --------------------------------------------------------------------------------

    def for_each(
        self, function: Callable[[T], object], *, prefetch: int | None = None, timeout_seconds: float | None = None
    ) -> None:
        """Run the stream and call a function with each element.

        Args:
            function: Called with each element, in the thread that delivers it. An exception cancels the stream and is
                raised here.
            prefetch: How many elements to request in advance, replenished at 75 %; None means without limit.
            timeout_seconds: The maximum time to wait for other threads; None means without limit.

        Raises:
            Exception: The error of the stream.
            TimeoutError: The stream did not end in time.
            RunningEventLoopError: The calling thread runs an event loop, and the stream needs, or may need, that loop
                before it can end. A stream that the calling thread alone can send runs there too, and so does one that
                waits only for the threads of schedulers or of other loops; in the cell of a notebook it can wait for
                any other thread.
        """
        checked_callable(function, operator="for_each", name="function")
        limit_seconds = checked_timeout(timeout_seconds, operator="for_each")
        end = ForEachEnd(self, function, checked_prefetch("for_each", prefetch))
        end.wait(timeout_seconds=limit_seconds)

    def run(self, *, prefetch: int | None = None, timeout_seconds: float | None = None) -> None:
        """Run the stream and discard its elements.

        Args:
            prefetch: As in `for_each`.
            timeout_seconds: As in `for_each`.
        """
        limit_seconds = checked_timeout(timeout_seconds, operator="run")
        end = RunEnd(self, checked_prefetch("run", prefetch))
        end.wait(timeout_seconds=limit_seconds)

    def iterate(self, *, prefetch: int | None = None) -> BlockingIterator[T]:
        """Return an iterator over the elements; leaving its loop early cancels the stream.

        Args:
            prefetch: How many elements to request in advance. None means 1 if the calling thread runs the stream, so
                that nothing is read ahead, and 128 if another thread does.
        """
        from rs_core.ends.blocking_iterator import BlockingIterator

        ahead = checked_prefetch("iterate", prefetch)
        return BlockingIterator(self, ahead)

    def __iter__(self) -> BlockingIterator[T]:
        return self.iterate()

    # --- terminal operations that are awaited in an event loop --------------------------------------------------------

    # They run in the loop's thread, of asyncio or trio, unless the stream has one of its own.

    def iterate_async(self, *, prefetch: int | None = None) -> AsyncIterator[T] | TrioIterator[T]:
        """Return an asynchronous iterator over the elements; leaving its loop early cancels the stream.

        Args:
            prefetch: How many elements to request in advance, from 1. None means 1 if the loop's thread runs the
                stream, so that nothing is read ahead, and 128 if another thread does.

        Raises:
            WrongEventLoopError: The calling thread runs no event loop.

        Example:
            >>> import asyncio
            >>> from reactivestreams import Stream
            >>> async def main():
            ...     async for number in Stream.range(10).map(lambda number: number * number):
            ...         if number > 8:
            ...             return number
            >>> asyncio.run(main())
            9
        """
        from rs_core.sync.running_loops import running_loop

        ahead = checked_prefetch("iterate_async", prefetch)
        loop = running_loop()
        if hasattr(loop, "run_sync_soon"):
            from reactivestreams.stream.trio_iterator import TrioIterator

            return TrioIterator(self, ahead)
        if loop is not None:
            from rs_core.ends.async_iterator import AsyncIterator

            return AsyncIterator(self, loop, ahead)
        raise WrongEventLoopError(
            "asynchronous iteration needs a running event loop, and this thread runs none; "
            "await it in a coroutine that asyncio.run() or trio.run() runs, or iterate with for"
        )

    def __aiter__(self) -> AsyncIterator[T] | TrioIterator[T]:
        return self.iterate_async()

    def for_each_async(
        self, function: Callable[[T], Awaitable[object] | object], *, prefetch: int | None = None
    ) -> Coroutine[Any, Any, None]:
        """Run the stream and call a function with each element, one after the other.

        Args:
            function: Called with each element; a coroutine function is awaited before the next element is taken. An
                exception cancels the stream and is raised here.
            prefetch: As in `iterate_async`.

        Raises:
            ArgumentTypeError: The function cannot be called, or one without `async def` returned an awaitable, which
                would never run.
        """
        checked_callable_of_any_kind(function, operator="for_each_async", name="function")
        ahead = checked_prefetch("for_each_async", prefetch)
        if deferred_kind(function) is not None:
            return self._await_each(cast("Callable[[T], Awaitable[object]]", function), ahead)
        return self._call_each(function, ahead)

    async def run_async(self, *, prefetch: int | None = WHOLE_STREAM_PREFETCH) -> None:
        """Run the stream and discard its elements; arguments as in `iterate_async`."""
        async for _ in self.iterate_async(prefetch=prefetch):
            pass

    async def _awaited_result(self, folded: Stream[Any]) -> Any:
        if folded.definition.method == "to_list" and folded.parameters == (None,):
            # In windows, so that demand slows down an emitter in the thread of this loop.
            return [element async for element in self.iterate_async(prefetch=WHOLE_STREAM_PREFETCH)]
        async with folded.iterate_async(prefetch=1) as elements:
            return await anext(elements)

    async def _await_each(self, function: Callable[[T], Awaitable[object]], prefetch: int | None) -> None:
        async with self.iterate_async(prefetch=prefetch) as elements:
            async for element in elements:
                await function(element)

    async def _call_each(self, function: Callable[[T], object], prefetch: int | None) -> None:
        async with self.iterate_async(prefetch=prefetch) as elements:
            async for element in elements:
                returned = function(element)
                if returned is not None and isinstance(returned, Awaitable):
                    _refuse_awaitable(function, returned)

    @classmethod
    def _missing_name(cls, name: str, /) -> AttributeError:
        from reactivestreams.stream.missing_names import missing_name

        return missing_name(cls, name)

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import chain_text

        return chain_text("Stream", self.nodes())

    def _repr_html_(self) -> str:
        from reactivestreams.stream.presentation import chain_html

        return chain_html("Stream", self.nodes())


Subscribable.register(Stream)


def _is_definition(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, OperatorDefinition)


def _refuse_awaitable(function: Callable[..., Any], returned: Any) -> None:
    if isinstance(returned, Coroutine):
        returned.close()  # else it would also be reported as never awaited
    raise ArgumentTypeError(
        f"for_each_async(function): {function!r} is not a coroutine function, but returned an awaitable, which would "
        f"never run; pass a function that is defined with async def"
    )


def _stream_of_group(group: Any) -> Stream[Any]:
    """Return the stream of a group, which `group_by` passes on."""
    from reactivestreams.stream.grouped import grouped

    return grouped(group)


make_groups_by(_stream_of_group)
