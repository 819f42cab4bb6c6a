"""from_future: send the result of a future."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from reactivestreams.errors import ArgumentTypeError, StreamCancelledError, WrongEventLoopError
from reactivestreams.lifecycle.once import Once
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, U
from reactivestreams.schedulers.loop_tasks import AsyncioTasks
from rs_core.sources.async_iterable import AsyncSource

if TYPE_CHECKING:
    import asyncio
    from concurrent import futures

    from reactivestreams.schedulers.loop_tasks import Event
    from rs_core.sources.async_iterable import Feed

_methods_of = attrgetter("add_done_callback", "cancel", "cancelled", "done", "exception", "result")


class Future(Protocol):
    """The common part of the futures of `concurrent.futures` and of asyncio."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object:
        """Add a function to call when it is done."""

    def cancel(self) -> bool:
        """Cancel it."""
        ...

    def cancelled(self) -> bool:
        """Return whether it was cancelled."""
        ...

    def done(self) -> bool:
        """Return whether it has a result, has failed or was cancelled."""
        ...

    def exception(self) -> BaseException | None:
        """Return its error."""

    def result(self) -> Any:
        """Return its result."""


class FromFuture(OperatorDefinition):
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

    id = "rx://sources/from_future"
    method = "from_future"
    serializable = False
    recovery: ClassVar[Recovery | None] = "skips"

    @staticmethod
    def parameters(future: asyncio.Future[U] | futures.Future[U], *, cancel_future: bool = False) -> Checked[U]:
        """Return the checked parameters."""
        if not _is_future(future):
            remedy = "pass what asyncio.ensure_future() or an executor's submit() returned, or use from_callable"
            raise ArgumentTypeError(
                f"from_future(future) needs a future of asyncio or of concurrent.futures, got {future!r:.200} "
                f"({type(future).__name__}); {remedy}"
            )
        if not isinstance(cancel_future, bool):
            raise ArgumentTypeError(
                f"from_future(cancel_future) needs True or False, got {cancel_future!r} "
                f"({type(cancel_future).__name__}); pass whether to cancel the future with the stream"
            )
        return Checked((future, cancel_future))

    @staticmethod
    def stage(future: Future, cancel_future: bool) -> AsyncSource:
        """Return a new live stage."""
        return AsyncSource(_FuturePublisher(future, cancel_future), 1, False, True)


def _is_future(value: object) -> bool:
    try:
        return not isinstance(value, type) and all(map(callable, _methods_of(value)))
    except AttributeError:
        return False


class _FuturePublisher:
    """The publisher of the result of a future."""

    def __init__(self, future: Future, cancel_future: bool) -> None:
        self._future = future
        self._cancel_future = cancel_future

    def subscribe(self, feed: Feed[Any]) -> None:
        """Wait for a source."""
        get_loop = getattr(self._future, "get_loop", None)
        tasks = None if get_loop is None else AsyncioTasks(get_loop())
        if tasks is not None:
            feed.drain_in_turns(tasks.turns)
        waiting = _Waiting(self._future, self._cancel_future, tasks, feed)
        feed.on_subscribe(waiting)
        waiting.begin()

    def __repr__(self) -> str:
        return f"from_future({self._future!r})"


class _Waiting:
    """The subscription of one source.

    Ordering: one side writes `_is_requested` and then reads `done()`; the other side completes the future and then
        reads `_is_requested`: a store-buffer pair. A future of `concurrent.futures` completes, and answers `done()`,
        under its lock; an asyncio future is only used in its loop's thread. So at least one side reads the other's
        write, and `_signalled` lets only one send.
    """

    def __init__(self, future: Future, cancel_future: bool, tasks: AsyncioTasks | None, feed: Feed[Any]) -> None:
        self._future = future
        self._cancel_future = cancel_future
        self._tasks = tasks
        self._feed: Feed[Any] | None = feed  # the future's callback stays: it must not keep the stream alive
        self._is_requested = False
        self._has_result = False  # it is done, has not failed and was not cancelled
        self._signalled = Once()
        self._stop: Callable[[], object] | None = None

    def begin(self) -> None:
        """Wait for the future."""
        if self._future.done():
            self._settle(is_done=True)
        elif self._tasks is None:
            self._future.add_done_callback(self._settle)
        else:
            self._tasks.call(self._begin_task)

    def request(self, n: int, /) -> None:
        """Send the result as soon as it is available."""
        self._is_requested = True
        if self._has_result or self._tasks is None or self._future.done():
            self._settle()
        else:
            with suppress(WrongEventLoopError):  # whoever waits for the future gets this error
                self._tasks.call(self._settle)

    def cancel(self) -> None:
        """Stop waiting; cancel the future if `cancel_future` was set."""
        self._feed = None
        if self._tasks is None:
            self._cancel()
        else:
            with suppress(WrongEventLoopError):
                self._tasks.call(self._cancel)

    def _begin_task(self) -> None:
        if self._feed is not None and self._tasks is not None:
            self._stop = self._tasks.spawn(self._wait, self._tasks.event(), ended=self._end)

    async def _wait(self, done: Event) -> None:
        future: Any = self._future

        def wake(_future: object) -> None:
            done.set()

        future.add_done_callback(wake)
        try:
            await done.wait()
        finally:
            future.remove_done_callback(wake)

    def _cancel(self) -> None:
        if self._stop is not None:
            self._stop()
        if self._cancel_future:
            self._future.cancel()

    def _end(self, _: None, error: Exception | None) -> None:
        """Continue when the waiting task has ended: the future is done, or its loop has ended."""
        self._stop = None
        if error is None:
            self._settle()
        elif self._signalled.begin() and self._feed is not None:
            self._feed.on_error(error)

    def _settle(self, _future: object = None, *, is_done: bool = False) -> None:
        """Send the result if the future is done and a result is requested."""
        feed, future = self._feed, self._future
        is_cancelled, error = False, None
        if feed is None:
            return
        if not self._has_result:
            if not (is_done or future.done()):
                return
            is_cancelled = future.cancelled()
            error = None if is_cancelled else future.exception()
            self._has_result = not is_cancelled and error is None
        if (self._has_result and not self._is_requested) or not self._signalled.begin():
            return
        if is_cancelled:
            feed.on_error(StreamCancelledError(f"{self._future!r} was cancelled, but not by this stream"))
        elif isinstance(error, Exception):
            feed.on_error(error)
        elif error is not None:
            interrupted = StreamCancelledError(f"{self._future!r} ended with {error!r}, which is not an Exception")
            interrupted.__cause__ = error
            feed.on_error(interrupted)
        else:
            feed.on_next(future.result())
            feed.on_complete()
