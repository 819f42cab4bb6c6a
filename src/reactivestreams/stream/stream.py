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
from reactivestreams.errors import ArgumentTypeError, WrongEventLoopError
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.sources.range import Range
from reactivestreams.stream.terminal_methods import TerminalMethods
from rs_core.ends.blocking import ForEachEnd, RunEnd
from rs_core.ends.subscriber import SubscriberStage
from rs_core.interp.deferred_functions import deferred_kind
from rs_core.sources.basic import int64_range
from rs_core.stream.description import new_head

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterable, Callable, Iterable
    from concurrent.futures import Future
    from queue import Queue, SimpleQueue

    from reactivestreams.operators.combining.inputs import Source
    from reactivestreams.operators.definition import Recovery
    from reactivestreams.schedulers.loop_tasks import Loop
    from reactivestreams.spec import Publisher, Subscriber
    from reactivestreams.stream.keyed import KeyedStream
    from reactivestreams.stream.pipelines import Pipeline
    from reactivestreams.stream.trio_iterator import TrioIterator
    from rs_core.authors.processor import BaseProcessor
    from rs_core.authors.publisher import BasePublisher
    from rs_core.authors.subscriber import BaseSubscriber
    from rs_core.ends.async_iterator import AsyncIterator
    from rs_core.ends.blocking_iterator import BlockingIterator
    from rs_core.queues.overflow_policy import OverflowPolicy
    from rs_core.sources.emitter import StreamEmitter

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
        self._operator = getattr(TerminalMethods, name)
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
            operator = f"; or this stream has {name}_with()" if hasattr(TerminalMethods, f"{name}_with") else ""
            raise ArgumentTypeError(
                f"{name}() is called on the class, and was called on {stream!r:.200}, which it would leave out; call "
                f"Stream.{name}() with this stream as an argument{operator}"
            )

        return refuse


class _StreamClass(type):
    """Suggest the method of this package for the name of a source in another library."""

    if not TYPE_CHECKING:  # else type checkers would accept every name

        def __getattr__(cls, name):
            from reactivestreams.stream.missing_names import missing_name

            raise missing_name(cls, name)


class Stream(TerminalMethods[T], metaclass=_StreamClass):
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

    # --- sources --------------------------------------------------------------------------------------------------

    # Their elements have a type variable of their own, U: pyright does not know T where the class is named without it.

    @classmethod
    def from_iterable(cls, iterable: Iterable[U], *, recovery: Recovery | None = None) -> Stream[U]:
        """Send the elements of an iterable: sources.FromIterable."""
        head: Stream[U] = new_head(cls, FromIterable, FromIterable.parameters(iterable, recovery))
        return head

    @classmethod
    def range(cls, start: int, stop: int | None = None, step: int = 1) -> Stream[int]:
        """Send the integers of a range, with the arguments of the built-in, of any size: sources.Range."""
        values = int64_range(start, stop, step)
        head: Stream[int]
        if values is not None:
            head = new_head(Stream, Range, (values,))
        else:
            huge = builtins.range(0, start, step) if stop is None else builtins.range(start, stop, step)
            head = new_head(Stream, FromIterable, FromIterable.parameters(huge))
        return head

    @classmethod
    def from_async_iterable(
        cls,
        iterable: AsyncIterable[U],
        *,
        prefetch: int = 32,
        loop: Loop | None = None,
        recovery: Recovery | None = None,
    ) -> Stream[U]:
        """Send the elements of an asynchronous iterable: sources.FromAsyncIterable."""
        from reactivestreams.sources.from_async_iterable import FromAsyncIterable

        head: Stream[U] = new_head(
            cls, FromAsyncIterable, FromAsyncIterable.parameters(iterable, prefetch, loop, recovery)
        )
        return head

    @classmethod
    def from_publisher(
        cls,
        publisher: Publisher[U] | BasePublisher[U] | BaseProcessor[Any, U],
        *,
        prefetch: int = 1024,
        recovery: Recovery | None = None,
    ) -> Stream[U]:
        """Send the elements of any publisher: sources.FromPublisher."""
        from reactivestreams.sources.from_publisher import FromPublisher

        head: Stream[U] = new_head(cls, FromPublisher, FromPublisher.parameters(publisher, prefetch, recovery))
        return head

    @classmethod
    def create(
        cls,
        callback: Callable[[StreamEmitter[U]], object],
        *,
        on_overflow: OverflowPolicy | str,
        capacity: int = 1024,
        block_timeout_seconds: float = 30.0,
    ) -> Stream[U]:
        """Send what a callback emits, from any thread: sources.Create."""
        from reactivestreams.sources.create import Create

        head: Stream[U] = new_head(
            cls, Create, Create.parameters(callback, on_overflow, capacity, block_timeout_seconds)
        )
        return head

    @classmethod
    def from_callable(cls, function: Callable[[], U]) -> Stream[U]:
        """Send the result of a function, which is called at the first request: sources.FromCallable."""
        from reactivestreams.sources.from_callable import FromCallable

        head: Stream[U] = new_head(cls, FromCallable, FromCallable.parameters(function))
        return head

    @classmethod
    def from_future(cls, future: asyncio.Future[U] | Future[U], *, cancel_future: bool = False) -> Stream[U]:
        """Send the result of a future: sources.FromFuture."""
        from reactivestreams.sources.from_future import FromFuture

        head: Stream[U] = new_head(cls, FromFuture, FromFuture.parameters(future, cancel_future))
        return head

    @classmethod
    def from_queue(
        cls,
        queue: asyncio.Queue[U] | Queue[U] | SimpleQueue[U],
        *,
        sentinel: object = None,
        prefetch: int = 1,
        loop: Loop | None = None,
        recovery: Recovery | None = None,
    ) -> Stream[U]:
        """Send the elements of a queue, until a sentinel or the shutdown of the queue: sources.FromQueue."""
        from reactivestreams.sources.from_queue import FromQueue

        head: Stream[U] = new_head(cls, FromQueue, FromQueue.parameters(queue, sentinel, prefetch, loop, recovery))
        return head

    @classmethod
    def generate(cls, seed: S, step: Callable[[S], tuple[U, S] | None]) -> Stream[U]:
        """Send the elements that a function computes from a state, until it returns None: sources.Generate."""
        from reactivestreams.sources.generate import Generate

        head: Stream[U] = new_head(cls, Generate, Generate.parameters(seed, step))
        return head

    @classmethod
    def defer(cls, factory: Callable[[], Source[U]]) -> Stream[U]:
        """Send the elements of a stream that a function makes for each subscription: sources.Defer."""
        from reactivestreams.sources.defer import Defer

        head: Stream[U] = new_head(cls, Defer, Defer.parameters(factory))
        return head

    @classmethod
    def using(
        cls,
        resource_factory: Callable[[], S],
        stream_factory: Callable[[Any], Source[U]],
        close: Callable[[S], object] | None = None,
    ) -> Stream[U]:
        """Open a resource for each subscription, and close it after the stream that uses it: sources.Using."""
        from reactivestreams.sources.using import Using

        head: Stream[U] = new_head(cls, Using, Using.parameters(resource_factory, stream_factory, close))
        return head

    @classmethod
    def repeat_value(cls, value: U, times: int | None = None) -> Stream[U]:
        """Send a value a number of times, or without end: sources.RepeatValue."""
        from reactivestreams.sources.repeat_value import RepeatValue

        head: Stream[U] = new_head(cls, RepeatValue, RepeatValue.parameters(value, times))
        return head

    @classmethod
    def just(cls, *elements: U) -> Stream[U]:
        """Send the given elements: sources.FromIterable of a tuple."""
        head: Stream[U] = new_head(cls, FromIterable, (elements,))
        return head

    @classmethod
    def empty(cls) -> Stream[T]:
        """Complete without an element: sources.Empty."""
        from reactivestreams.sources.empty import Empty

        head: Stream[T] = new_head(cls, Empty)
        return head

    @classmethod
    def error(cls, error: Exception) -> Stream[T]:
        """Fail without an element: sources.Error."""
        from reactivestreams.sources.error import Error

        head: Stream[T] = new_head(cls, Error, Error.parameters(error))
        return head

    @classmethod
    def never(cls) -> Stream[T]:
        """Send no signal: sources.Never."""
        from reactivestreams.sources.never import Never

        head: Stream[T] = new_head(cls, Never)
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
        """Send the elements of the source that signals first, and cancel all others: sources.Amb."""
        from reactivestreams.stream.combinators import first_to_signal

        return first_to_signal(cls, sources, prefetch)

    @classmethod
    def when_all(cls, *sources: Source[Any], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Send one tuple of the last elements of all sources, when all have completed: sources.WhenAll."""
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

            calling: CallbackSubscriber[T] = CallbackSubscriber(*functions, prefetch)
            self.bind(calling).initialize()
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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            from reactivestreams.stream.missing_names import missing_name

            raise missing_name(type(self), name)

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import chain_text

        return chain_text("Stream", self.nodes())

    def _repr_html_(self) -> str:
        from reactivestreams.stream.presentation import chain_html

        return chain_html("Stream", self.nodes())


Subscribable.register(Stream)


def _refuse_awaitable(function: Callable[..., Any], returned: Any) -> None:
    if isinstance(returned, Coroutine):
        returned.close()  # else it would also be reported as never awaited
    raise ArgumentTypeError(
        f"for_each_async(function): {function!r} is not a coroutine function, but returned an awaitable, which would "
        f"never run; pass a function that is defined with async def"
    )
