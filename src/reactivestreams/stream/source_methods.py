"""The sources as methods of the class `Stream`.

Written by ci/generate_operators.py from the definitions in reactivestreams.sources; change those.
"""

# Elements have a type variable of their own, U: pyright does not know T where the class is named without it.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from reactivestreams import sources
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.stream.terminal_methods import TerminalMethods
from rs_core.stream.description import new_head

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterable, Callable, Iterable
    from concurrent import futures
    from datetime import datetime, timedelta
    from queue import Queue, SimpleQueue

    from reactivestreams.arguments import Unrequested
    from reactivestreams.operators.combining.inputs import Source
    from reactivestreams.operators.definition import Recovery
    from reactivestreams.schedulers.loop_tasks import Loop
    from reactivestreams.spec import Publisher
    from reactivestreams.stream.stream import Stream
    from rs_core.authors.processor import BaseProcessor
    from rs_core.authors.publisher import BasePublisher
    from rs_core.queues.overflow_policy import OverflowPolicy
    from rs_core.sources.emitter import StreamEmitter

S = TypeVar("S")
T = TypeVar("T")
U = TypeVar("U")


class SourceMethods(TerminalMethods[T]):
    """The methods that return a new stream."""

    __slots__ = ()

    @classmethod
    def create(
        cls,
        callback: Callable[[StreamEmitter[U]], object],
        *,
        on_overflow: OverflowPolicy | str,
        capacity: int = 1024,
        block_timeout_seconds: float = 30.0,
    ) -> Stream[U]:
        """Send the elements that a callback emits, in any thread: the bridge from code that pushes.

        The callback is called once for each subscription, in the thread that subscribes, when the whole stream is ready.
        What it emits is sent immediately, as far as it is requested. The callback may store the emitter or pass it to other
        threads, and return; `emitter.on_dispose(function)` registers a function for the end of the stream.

        Args:
            callback: Called with a StreamEmitter: `emit(element)`, `emit_async(element)`, `complete()`, `fail(error)`,
                `is_cancelled`, `demand`, `on_dispose(function)`.
            on_overflow: The policy for an element that is emitted when `capacity` elements are waiting. It has no default,
                because only you know what may be lost. `error`: the element is refused, and the stream fails after the
                waiting ones. `drop_newest`: it is dropped. `drop_oldest`: the oldest waiting element is dropped instead.
                `latest`: the same with a capacity of 1. `block`: the emitting thread waits. Dropped elements go to the hook
                for dropped signals.
            capacity: The maximum number of elements that wait for demand, from 1 to 2**24, 1024 by default; 1 with
                `latest`.
            block_timeout_seconds: How long an emission waits with `block`: above 0, 30 by default.

        Demand: a request of n sends up to n waiting elements; elements emitted without demand wait.
        Errors: an exception of the callback, and `emitter.fail(error)`, become `on_error` after the accepted elements;
            later ones go to the hook for dropped signals.
        State: none; version 1.0.0.0.
        Recovery: `none`: a recovered stream calls the callback again, and elements that were accepted but not sent are
            lost. So a tree with this source can only be saved with `allow_restart=True`, until the source has ended.
        Threads: any thread may emit. Signals run in the thread that emits or requests, one at a time. With `block` the
            emitting thread waits with the GIL released; if it would wait for itself, it gets a WouldDeadlockError. A task
            of an event loop awaits `emitter.emit_async(element)` instead. Elements that were accepted but not sent are
            released when the stream is cancelled.
        Rules: §1.1, §1.3, §1.7, §2.13, §3.3, §3.12, §3.13.

        Example:
            >>> from reactivestreams import Stream
            >>> import threading
            >>> def readings(emitter):
            ...     def measure():
            ...         for celsius in (20.5, 21.0, 21.5):
            ...             emitter.emit(celsius)
            ...         emitter.complete()
            ...
            ...     threading.Thread(target=measure).start()
            >>> Stream.create(readings, on_overflow="drop_oldest").map(round).to_list()
            [20, 21, 22]
        """
        parameters = sources.Create.parameters(callback, on_overflow=on_overflow, capacity=capacity, block_timeout_seconds=block_timeout_seconds)
        head: Stream[U] = new_head(cls, sources.Create, parameters)
        return head

    @classmethod
    def defer(cls, factory: Callable[[], Source[U]]) -> Stream[U]:
        """Send the elements of a stream that a function makes again for each subscription.

        Args:
            factory: Called without arguments when the stream is subscribed; returns a stream, a publisher, an iterable or
                an asynchronous iterable.

        Demand: the demand of the stream that was made.
        Errors: an exception of the function, and a result of any other type, become `on_error`, after `on_subscribe`.
        State: none of its own: the nodes of the stream that was made are part of the tree and are saved with it; version
            1.0.0.0.
        Recovery: `exact`, provided that the function makes an equal stream again; the source of that stream states its own.
        Threads: the function is called in the thread that subscribes.
        Rules: §1.4, §1.9, §1.10.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = [1, 2]
            >>> stream = Stream.defer(lambda: list(numbers))
            >>> numbers.append(3)
            >>> stream.to_list()
            [1, 2, 3]
        """
        parameters = sources.Defer.parameters(factory)
        head: Stream[U] = new_head(cls, sources.Defer, parameters)
        return head

    @classmethod
    def empty(cls) -> Stream[T]:
        """Complete without an element.

        Demand: none is needed.
        Errors: none.
        State: none but whether it is disposed; version 1.0.0.0.
        Recovery: `exact`.
        Threads: completes in the thread that subscribes.
        Rules: §1.5, §2.9.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.empty().to_list()
            []
        """
        parameters = sources.Empty.parameters()
        head: Stream[T] = new_head(cls, sources.Empty, parameters)
        return head

    @classmethod
    def error(cls, error: Exception) -> Stream[T]:
        """Fail with an exception, without an element.

        Args:
            error: The exception for every subscriber.

        Demand: none is needed.
        Errors: the given exception.
        State: none but whether it is disposed; version 1.0.0.0.
        Recovery: `exact`.
        Threads: fails in the thread that subscribes.
        Rules: §1.4, §2.10.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.error(ValueError("no data")).to_list()
            Traceback (most recent call last):
            ...
            ValueError: no data
        """
        parameters = sources.Error.parameters(error)
        head: Stream[T] = new_head(cls, sources.Error, parameters)
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
        """Send the elements of an asynchronous iterable, such as a generator; a task of an event loop reads it.

        Args:
            iterable: Has `__aiter__()`; each subscription iterates it again. An iterator, such as a generator, can be read
                by only one.
            prefetch: How many elements may be read and not yet passed on, from 1 to 2**24.
            loop: The asyncio event loop of the reading task, or the token of a trio run; None: the loop that runs in the
                thread that subscribes.
            recovery: How a stream recovered from saved state reads the iterable, if not in the default way; see Recovery.

        Demand: as many elements as requested are read, but never more than `prefetch` at a time.
        Errors: an exception of the iterable is passed on after the elements before it. WrongEventLoopError if there is no
            loop.
        State: the elements that were read and not passed on; with `recovery="skips"` the number of elements passed on,
            because the iterable yields the others again. Version 1.0.0.0.
        Recovery: `restarts`: a recovered stream reads the iterable from its start; `none` for an iterator, such as a
            generator. So a tree with this source can only be saved with `allow_restart=True`. Pass `recovery="skips"` if a
            new iteration yields the same elements: as many as were passed on are skipped. Pass `recovery="exact"` if a new
            iteration continues after the elements that it has yielded.
        Threads: the iterable is read in the loop's thread; cancelling the stream cancels the reading task, which awaits the
            iterator's `aclose()`.
        Rules: §1.1, §3.4, §3.5.

        Example:
            >>> import asyncio
            >>> from reactivestreams import Stream
            >>> async def countdown():
            ...     for number in range(3, 0, -1):
            ...         yield number
            >>> async def main():
            ...     return await Stream.from_async_iterable(countdown()).to_list_async()
            >>> asyncio.run(main())
            [3, 2, 1]
        """
        parameters = sources.FromAsyncIterable.parameters(iterable, prefetch=prefetch, loop=loop, recovery=recovery)
        head: Stream[U] = new_head(cls, sources.FromAsyncIterable, parameters)
        return head

    @classmethod
    def from_callable(cls, function: Callable[[], U]) -> Stream[U]:
        """Send the result of a function, and complete.

        The function is called once for each subscription, when the first element is requested, and never if nothing is
        requested. None is an element like any other, for all but subscribers (§2.13).

        Args:
            function: Called without arguments.

        Demand: the first request calls the function; completion needs no further request.
        Errors: an exception of the function becomes `on_error`.
        State: whether the function was called; version 1.0.0.0.
        Recovery: `exact`: if the function was called, its result was sent, so it is not called again.
        Threads: the function is called in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.from_callable(lambda: 6 * 7).to_list()
            [42]
        """
        parameters = sources.FromCallable.parameters(function)
        head: Stream[U] = new_head(cls, sources.FromCallable, parameters)
        return head

    @classmethod
    def from_future(cls, future: asyncio.Future[U] | futures.Future[U], *, cancel_future: bool = False) -> Stream[U]:
        """Send the result of a future, and complete; several subscriptions get the same result.

        None is a result like any other, for all but subscribers (§2.13).

        Args:
            future: A `concurrent.futures.Future`, or an `asyncio.Future`, such as a task.
            cancel_future: Whether cancelling a subscription also cancels a future that is not done, for everyone who waits
                for it. By default the future continues, and only this subscription stops waiting for it.

        Demand: the result is sent after the first request; an error needs no request.
        Errors: the error of the future becomes `on_error`; StreamCancelledError if it was cancelled, and
            WrongEventLoopError if its loop ended before it was done.
        State: whether the result was passed on; version 1.0.0.0.
        Recovery: `skips`: a recovered stream waits for the future that it is then built with, and does not send its result
            if a result was sent before.
        Threads: for an asyncio future signals run in the thread of its event loop; for another future, in the thread that
            sets its result or in the one that requests.
        Rules: §1.1, §1.4, §1.5, §3.5.

        Example:
            >>> from concurrent.futures import ThreadPoolExecutor
            >>> from reactivestreams import Stream
            >>> with ThreadPoolExecutor() as pool:
            ...     Stream.from_future(pool.submit(pow, 2, 10)).to_list()
            [1024]
        """
        parameters = sources.FromFuture.parameters(future, cancel_future=cancel_future)
        head: Stream[U] = new_head(cls, sources.FromFuture, parameters)
        return head

    @classmethod
    def from_iterable(cls, iterable: Iterable[U], *, recovery: Recovery | None = None) -> Stream[U]:
        """Send the elements of an iterable.

        Each subscription reads the iterable again. An iterator can be read once: a second subscription gets `on_error`.

        Args:
            iterable: The iterable to read; not a stream, which is already a source: use `from_publisher` for one. Its
                `next()` is called only on demand, so nothing is read ahead.
            recovery: How a stream recovered from saved state reads the iterable, if not in the default way; see Recovery.

        Demand: a request of n takes at most n elements. The end of a list, tuple, range, str or bytes is noticed with its
            last element; the end of any other iterable, with the request after that.
        Errors: an exception of the iterable becomes `on_error`.
        State: how many elements were taken; version 1.0.0.0.
        Recovery: `skips`: a recovered stream reads the iterable from its start and skips as many elements as were taken. It
            is `restarts` for a set, whose order may differ in the next process, and `none` for an iterator, which cannot be
            read again; a tree with these can only be saved with `allow_restart=True`. Pass `recovery="skips"` if a new
            iterator yields the same elements, and `recovery="exact"` if a new iterator continues after the elements that
            were yielded: then nothing is skipped.
        Threads: the iterable is read in the thread that drains the stream. When the stream ends early, a generator, or an
            iterator that was made here, is closed.
        Rules: §1.1, §1.4, §1.5, §3.13.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.from_iterable({"a": 1, "b": 2}).to_list()
            ['a', 'b']
        """
        parameters = FromIterable.parameters(iterable, recovery=recovery)
        head: Stream[U] = new_head(cls, FromIterable, parameters)
        return head

    @classmethod
    def from_publisher(
        cls,
        publisher: Publisher[U] | BasePublisher[U] | BaseProcessor[Any, U],
        *,
        prefetch: int = 1024,
        recovery: Recovery | None = None,
    ) -> Stream[U]:
        """Send the elements of any publisher that has the four interfaces.

        Args:
            publisher: Has `subscribe(subscriber)`; each subscription subscribes to it again.
            prefetch: How many elements may be requested from it and not yet passed on, from 1 to 2**24.
            recovery: How a stream recovered from saved state uses the publisher, if not in the default way; see Recovery.

        Demand: a request of n requests n from the publisher, but never more than `prefetch` at a time.
        Errors: the publisher's error is passed on after the elements before it; a publisher that breaks §1.1 or §1.3 is
            cancelled, and the stream ends with an error that names the rule.
        State: the elements that arrived and were not passed on; with `recovery="skips"` the number of elements passed on,
            because the publisher sends the others again. Version 1.0.0.0.
        Recovery: `exact` for a publisher that is `Subscribable`, such as another stream: its nodes are part of the tree,
            are saved with it, and state their own. Any other is subscribed to again: `restarts`, and a tree with it can
            only be saved with `allow_restart=True`. Pass `recovery="skips"` for one that sends the same elements to each
            subscriber: as many as were passed on are skipped. Pass `recovery="exact"` for one that continues after the
            elements that it has sent.
        Threads: signals run in the publisher's thread, or in the thread that requests.
        Rules: §1.1, §1.3, §2.5, §2.7, §2.12, §2.13, §3.3.

        Example:
            >>> from reactivestreams import Stream
            >>> inner = Stream.range(3)
            >>> Stream.from_publisher(inner).map(str).to_list()
            ['0', '1', '2']
        """
        parameters = sources.FromPublisher.parameters(publisher, prefetch=prefetch, recovery=recovery)
        head: Stream[U] = new_head(cls, sources.FromPublisher, parameters)
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
        """Send the elements of a queue, until a sentinel is taken from it or it is shut down.

        Several subscriptions share the queue: each element goes to one of them, and a sentinel ends one. The source does
            not call the queue's `task_done()`; if your program calls `join()`, add `.do(on_next=lambda _:
            queue.task_done())`.

        Args:
            queue: An `asyncio.Queue`, a `queue.Queue`, a `queue.SimpleQueue` with one subscription at a time, or an object
                with the same `get`.
            sentinel: The object that means the end; it is compared by identity. By default None, which cannot be an element
                for subscribers (§2.13).
            prefetch: How many elements may be taken from the queue and not yet passed on, from 1 to 2**24. A cancelled
                stream can lose that many.
            loop: For an `asyncio.Queue`, the event loop of the reading task; None: the loop that runs in the thread that
                subscribes.
            recovery: How a stream recovered from saved state uses the queue, if not in the default way; see Recovery.

        Demand: as many elements as requested are taken, but never more than `prefetch` at a time. The end is noticed with
            the request after the last element. A queue that was shut down (Python 3.13) ends the stream when it is empty.
        Errors: any other exception of `get` becomes `on_error`. WrongEventLoopError if there is no loop.
        State: the elements that were taken and not passed on; version 1.0.0.0.
        Recovery: `none`: an element that was taken from a queue cannot be taken again. So a tree with this source can only
            be saved with `allow_restart=True`. Pass `recovery="exact"` for a queue that outlives the process and continues
            after the elements that were taken.
        Threads: an `asyncio.Queue` is read in its loop's thread. For any other queue one daemon thread per subscription
            waits, from the first request on, so no event loop waits; signals run in it, and it ends within a tenth of a
            second after a cancellation.
        Rules: §1.1, §3.4, §3.5.

        Example:
            >>> import queue
            >>> from reactivestreams import Stream
            >>> jobs = queue.Queue()
            >>> for job in ("wash", "dry", None):
            ...     jobs.put(job)
            >>> Stream.from_queue(jobs).to_list()
            ['wash', 'dry']
        """
        parameters = sources.FromQueue.parameters(queue, sentinel=sentinel, prefetch=prefetch, loop=loop, recovery=recovery)
        head: Stream[U] = new_head(cls, sources.FromQueue, parameters)
        return head

    @classmethod
    def generate(cls, seed: S, step: Callable[[S], tuple[U, S] | None]) -> Stream[U]:
        """Send the element that a function computes from a state, and repeat this with the state that it returns (unfold).

        Args:
            seed: The first state of every subscription.
            step: Called with the current state for each element that is requested. It returns a tuple of the element and
                the next state, or None to complete. It must not change the state that it receives, because that may be
                saved, and all subscriptions share the seed.

        Demand: a request of n makes at most n calls. The end is noticed with the request after the last element.
        Errors: an exception of the function becomes `on_error`; so does a result that is neither a tuple of two nor None.
        State: the current state, which must be a value that can be saved; version 1.0.0.0.
        Recovery: `exact`.
        Threads: the function is called in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5, §3.3.

        Example:
            >>> from reactivestreams import Stream
            >>> def fibonacci(pair):
            ...     first, second = pair
            ...     return first, (second, first + second)
            >>> Stream.generate((0, 1), fibonacci).take(8).to_list()
            [0, 1, 1, 2, 3, 5, 8, 13]
        """
        parameters = sources.Generate.parameters(seed, step)
        head: Stream[U] = new_head(cls, sources.Generate, parameters)
        return head

    @classmethod
    def interval(cls, period: float | timedelta, *, unrequested: Unrequested = 'latest') -> Stream[int]:
        """Send 0, 1, 2 and so on, one in each period, the first one after the first period.

        A tick comes a period after the one before it was due, so late ones do not make the others late.

        Args:
            period: The time between ticks, in seconds or as a timedelta, more than 0.
            unrequested: What becomes of the ticks that come when none is requested. `latest`: the latest one waits.
                `keep`: they are counted and sent when they are requested. `drop`: they are left out. Each has its number in
                any case, so that one sees how many were left out.

        Demand: a request of n sends at most n ticks. Nothing runs while none is requested.
        Errors: none.
        State: when the next tick is due, and its number; version 1.0.0.0.
        Recovery: `exact`: ticks that would have come meanwhile count as not requested.
        Threads: sends on the scheduler of the host; without one, on that of the event loop that runs in the thread that
            subscribes, or else on the shared one of the process.
        Rules: §1.1, §3.3.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.interval(0.001, unrequested="keep").take(3).to_list()
            [0, 1, 2]
        """
        parameters = sources.Interval.parameters(period, unrequested=unrequested)
        head: Stream[int] = new_head(cls, sources.Interval, parameters)
        return head

    @classmethod
    def never(cls) -> Stream[T]:
        """Send no element and never end.

        Demand: is accumulated and never fulfilled.
        Errors: none.
        State: none but whether it is disposed; version 1.0.0.0.
        Recovery: `exact`.
        Threads: none.
        Rules: §3.12.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.never().take(0).to_list()
            []
        """
        parameters = sources.Never.parameters()
        head: Stream[T] = new_head(cls, sources.Never, parameters)
        return head

    @classmethod
    def repeat_value(cls, value: U, times: int | None = None) -> Stream[U]:
        """Send one value a number of times, or without end.

        Args:
            value: The element, the same object each time.
            times: How often it is sent, from 0; None means without end.

        Demand: a request of n sends at most n elements. Completion follows the last one immediately.
        Errors: none.
        State: how often it is still to be sent; version 1.0.0.0.
        Recovery: `exact`.
        Threads: sends in the thread that drains the stream.
        Rules: §1.1, §1.5, §3.3.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.repeat_value("-", 3).to_list()
            ['-', '-', '-']
        """
        parameters = sources.RepeatValue.parameters(value, times)
        head: Stream[U] = new_head(cls, sources.RepeatValue, parameters)
        return head

    @classmethod
    def timer(
        cls,
        due: float | timedelta | datetime,
        period: float | timedelta | None = None,
        *,
        unrequested: Unrequested = 'latest',
    ) -> Stream[int]:
        """Send 0 when a time has come, and complete; with a period go on with 1, 2 and so on, one in each period.

        A tick comes a period after the one before it was due, so late ones do not make the others late.

        Args:
            due: The time from the start to the first tick, in seconds or as a timedelta, 0 or more; or an aware datetime.
                A time that has passed has come; of a periodic timer that began long ago the latest tick is the first.
            period: The time between ticks, in seconds or as a timedelta, 0 or more; 0 is as fast as ticks are requested.
                None: there is one tick.
            unrequested: What becomes of the ticks of a period that come when none is requested. `latest`: the latest one
                waits. `keep`: they are counted and sent when they are requested. `drop`: they are left out. Each has its
                number in any case, so that one sees how many were left out.

        Demand: a request of n sends at most n ticks. Nothing runs while none is requested.
        Errors: none.
        State: when the next tick is due, and its number; version 1.0.0.0.
        Recovery: `exact`: ticks that would have come meanwhile count as not requested.
        Threads: sends on the scheduler of the host; without one, on that of the event loop that runs in the thread that
            subscribes, or else on the shared one of the process.
        Rules: §1.1, §1.5, §3.3.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.timer(0.001).to_list()
            [0]
            >>> Stream.timer(0, 0.001).take(3).to_list()
            [0, 1, 2]
        """
        parameters = sources.Timer.parameters(due, period, unrequested=unrequested)
        head: Stream[int] = new_head(cls, sources.Timer, parameters)
        return head

    @classmethod
    def using(
        cls,
        resource_factory: Callable[[], S],
        stream_factory: Callable[[Any], Source[U]],
        close: Callable[[S], object] | None = None,
    ) -> Stream[U]:
        """Open a resource for each subscription, send the elements of a stream that works with it, and close it.

        The resource is closed once: before the stream's completion or error is passed on, when the stream is cancelled, or
            when no stream could be made. Resources of the stream itself, such as a generator, are closed first. If the
            stream runs in another thread, a cancellation closes the resource without waiting for the element that is being
            produced there.

        Args:
            resource_factory: Called without arguments when the stream is subscribed; returns the resource.
            stream_factory: Called with the resource; returns a stream, a publisher, an iterable or an asynchronous
                iterable.
            close: Called with the resource, once. Without it the resource must be a context manager: the stream is made
                with the result of entering it, and it is exited with the error of the stream, if any. If it suppresses the
                error, the stream completes.

        Demand: the outstanding demand is requested from the stream, at most 128 elements at a time.
        Errors: an exception of one of the factories becomes `on_error`, after `on_subscribe`. An exception of `close`
            becomes `on_error` if the stream completed; after an error or a cancellation it goes to the hook for dropped
            signals.
        State: the buffered elements of the stream, whose nodes are part of the tree; the resource is not saved but opened
            again; version
            1.0.0.0.
        Recovery: `exact`, provided that the factories make an equal stream again; the source of that stream states its own.
        Threads: the factories are called in the thread that subscribes, `close` in the thread that ends or cancels the
            stream.
        Rules: §1.4, §1.9, §3.12, §3.13.

        Example:
            >>> import io
            >>> from reactivestreams import Stream
            >>> text = io.StringIO("one,two")
            >>> Stream.using(lambda: text, lambda file: file.read().split(",")).to_list()
            ['one', 'two']
            >>> text.closed
            True
        """
        parameters = sources.Using.parameters(resource_factory, stream_factory, close)
        head: Stream[U] = new_head(cls, sources.Using, parameters)
        return head
