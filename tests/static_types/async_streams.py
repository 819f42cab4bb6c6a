"""Types of streams in event loops; read by the type checker only."""

import asyncio
from collections.abc import AsyncIterator as AsyncIteratorInterface
from collections.abc import Awaitable, Coroutine
from typing import Any, assert_type

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.stream.trio_iterator import TrioIterator
from rs_core.ends.async_iterator import AsyncIterator
from rs_core.ends.element_reader import ElementReader

numbers: Stream[int] = Stream.range(5)


async def names() -> AsyncIteratorInterface[str]:
    yield "a"


async def fetch(number: int) -> bytes:
    return bytes(number)


def add(total: float, number: int) -> float:
    return total + number


# --- sources and operators ----------------------------------------------------------------------------------------

assert_type(Stream.from_async_iterable(names()), Stream[str])
assert_type(Stream.from_async_iterable(names(), prefetch=4, loop=asyncio.new_event_loop()), Stream[str])
Stream.from_async_iterable(["a"])  # type: ignore[arg-type]
Stream.from_async_iterable(names)  # type: ignore[arg-type]

assert_type(numbers.map_async(fetch), Stream[bytes])
assert_type(numbers.map_async(fetch, concurrency=2, ordered=False, loop=asyncio.new_event_loop()), Stream[bytes])
assert_type(numbers.map(str).map_async(lambda text: asyncio.sleep(0, len(text))), Stream[int])
numbers.map_async(str)  # type: ignore[arg-type]
numbers.map(str).map_async(fetch)  # type: ignore[arg-type]
numbers.map_async(fetch, 2)  # type: ignore[call-arg]

# --- ends ---------------------------------------------------------------------------------------------------------


async def await_ends() -> None:
    assert_type(await numbers.to_list_async(), list[int])
    assert_type(await numbers.for_each_async(print), None)
    assert_type(await numbers.for_each_async(fetch, prefetch=3), None)
    assert_type(await numbers.run_async(prefetch=None), None)
    assert_type(await numbers.first_async(), int)
    assert_type(await numbers.reduce_async(add, 0.5), float)
    assert_type(numbers.iterate_async(), AsyncIterator[int] | TrioIterator[int])
    await numbers.map(str).for_each_async(fetch)  # type: ignore[arg-type]
    await numbers.reduce_async(add, "")  # type: ignore[arg-type]


def take_coroutine(coroutine: Coroutine[Any, Any, list[int]]) -> None: ...


take_coroutine(numbers.to_list_async())


async def consume() -> None:
    async for number in numbers:
        assert_type(number, int)
    async with numbers.iterate_async(prefetch=2) as elements:
        async for number in elements:
            assert_type(number, int)
    assert_type(await aiter(numbers).__anext__(), int)
    assert_type([text async for text in Stream.from_async_iterable(names())], list[str])


def is_awaited(awaitable: Awaitable[int]) -> None: ...


is_awaited(numbers.first_async())
reader = ElementReader[int](numbers, print)
assert_type(reader.take(None), int | None)
assert_type(reader.must_wait(), bool)
assert_type(pipeline().map(lambda number: 2 * number).map_async(fetch).map(len), Pipeline[Any, int])
