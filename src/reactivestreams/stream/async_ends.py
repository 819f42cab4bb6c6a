"""The ends that a task of an event loop awaits, where a thread would be blocked by their twins without `_async`."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from reactivestreams.arguments import (
    checked_callable,
    checked_callable_of_any_kind,
    checked_prefetch,
)
from reactivestreams.errors import ArgumentTypeError, EmptyStreamError, WrongEventLoopError
from rs_core.interp.deferred_functions import deferred_kind
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from collections.abc import Callable

    from reactivestreams.stream.trio_iterator import TrioIterator
    from rs_core.ends.async_iterator import AsyncIterator

T = TypeVar("T")
U = TypeVar("U")

WHOLE_STREAM_PREFETCH = 1024
"""How many elements an end requests ahead that takes all of them."""


class AsyncEnds(Description, Generic[T]):
    """Ends that are awaited; each runs the stream anew.

    Threads: that of an event loop of asyncio or trio. Where the stream has no thread of its own, it runs in the loop's,
        with a turn for other tasks every two milliseconds, whatever it delivers; a function that takes longer is not
        interrupted. Cancelling the task that waits cancels the stream at once.
    """

    __slots__ = ()

    def iterate_async(self, *, prefetch: int | None = None) -> AsyncIterator[T] | TrioIterator[T]:
        """Return an asynchronous iterator over the elements; leaving its loop early cancels the stream.

        Args:
            prefetch: How many elements to request ahead, from 1. None means 1 where the loop's thread runs the stream,
                so that nothing is read ahead, and 128 where another thread does.

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

    async def to_list_async(self) -> list[T]:
        """Run the stream and return its elements.

        Raises:
            Exception: What the stream ended with.
            WrongEventLoopError: Awaited where no event loop runs.
        """
        return [element async for element in self.iterate_async(prefetch=WHOLE_STREAM_PREFETCH)]

    def for_each_async(
        self, function: Callable[[T], Awaitable[object] | object], *, prefetch: int | None = None
    ) -> Coroutine[Any, Any, None]:
        """Run the stream and call a function with each element, one after the other.

        Args:
            function: Called with each element; a coroutine function is awaited before the next element is taken. What
                it raises cancels the stream and is raised here.
            prefetch: As in `iterate_async`.

        Raises:
            ArgumentTypeError: The function is no callable; or one without `async def` has returned an awaitable, which
                would never run.
        """
        checked_callable_of_any_kind(function, operator="for_each_async", name="function")
        ahead = checked_prefetch("for_each_async", prefetch)
        if deferred_kind(function) is not None:
            return self._await_each(cast("Callable[[T], Awaitable[object]]", function), ahead)
        return self._call_each(function, ahead)

    async def run_async(self, *, prefetch: int | None = WHOLE_STREAM_PREFETCH) -> None:
        """Run the stream and forget its elements; arguments as in `iterate_async`."""
        async for _ in self.iterate_async(prefetch=prefetch):
            pass

    async def first_async(self) -> T:
        """Return the first element and cancel the stream.

        Raises:
            EmptyStreamError: The stream completed without an element.
        """
        async with self.iterate_async(prefetch=1) as elements:
            async for element in elements:
                return element
        raise EmptyStreamError(
            f"first_async() of {self!r}: the stream completed without an element; use to_list_async() if it may"
        )

    def reduce_async(self, function: Callable[[U, T], U], seed: U) -> Coroutine[Any, Any, U]:
        """Run the stream and return the fold of its elements, the seed where there are none."""
        checked_callable(function, operator="reduce_async", name="function")
        return self._reduce(function, seed)

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

    async def _reduce(self, function: Callable[[U, T], U], result: U) -> U:
        async for element in self.iterate_async(prefetch=WHOLE_STREAM_PREFETCH):
            result = function(result, element)
        return result


def _refuse_awaitable(function: Callable[..., Any], returned: Any) -> None:
    if isinstance(returned, Coroutine):
        returned.close()  # else it would be reported once more, as never awaited
    raise ArgumentTypeError(
        f"for_each_async(function): {function!r} is no coroutine function, but returned an awaitable, which would "
        f"never run; pass a function that is defined with async def"
    )
