"""The ends that are awaited: what they return, raise and refuse."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, EmptyStreamError, WrongEventLoopError

ENDS: dict[str, Callable[[Stream[Any]], Awaitable[Any]]] = {
    "to_list_async": lambda stream: stream.to_list_async(),
    "run_async": lambda stream: stream.run_async(),
    "first_async": lambda stream: stream.first_async(),
    "for_each_async": lambda stream: stream.for_each_async(str),
    "reduce_async": lambda stream: stream.reduce_async(lambda total, element: total + element, 0),
}


async def awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def run(end: str, stream: Stream[Any]) -> Any:
    return asyncio.run(awaited(ENDS[end](stream)))


@pytest.mark.parametrize(
    ("end", "result"),
    [
        ("to_list_async", [1, 2, 3]),
        ("run_async", None),
        ("first_async", 1),
        ("for_each_async", None),
        ("reduce_async", 6),
    ],
)
def test_end_returns_what_its_twin_returns(end: str, result: object) -> None:
    assert run(end, Stream.just(1, 2, 3)) == result


@pytest.mark.parametrize("end", ENDS)
def test_error_of_the_stream_is_raised(end: str) -> None:
    with pytest.raises(OSError, match="lost"):
        run(end, Stream.error(OSError("lost")))


@pytest.mark.parametrize("end", ENDS)
def test_end_runs_in_a_coroutine_only(end: str) -> None:
    with pytest.raises(WrongEventLoopError, match="needs a running event loop"):
        step(ENDS[end](Stream.just(1)))


def step(awaitable: Awaitable[Any]) -> None:
    awaitable.__await__().__next__()


@pytest.mark.parametrize("end", ENDS)
def test_cancelled_end_cancels_its_stream(end: str) -> None:
    disposed = []

    async def main() -> None:
        stream: Stream[int] = Stream.create(
            lambda emitter: emitter.on_dispose(lambda: disposed.append(True)), on_overflow="error"
        )
        task = asyncio.ensure_future(awaited(ENDS[end](stream)))
        await asyncio.sleep(0)
        task.cancel()
        assert disposed == [True]
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_first_of_nothing_is_an_error_with_a_remedy() -> None:
    with pytest.raises(EmptyStreamError, match=r"wanted; use first_or_default\(default\) if it may"):
        run("first_async", Stream.empty())


def test_functions_are_called_in_order_and_awaited_one_by_one() -> None:
    seen: list[tuple[str, int]] = []

    async def take(element: int) -> None:
        seen.append(("begin", element))
        await asyncio.sleep(0)
        seen.append(("end", element))

    asyncio.run(awaited(Stream.range(2).for_each_async(take)))
    assert seen == [("begin", 0), ("end", 0), ("begin", 1), ("end", 1)]
    asyncio.run(awaited(Stream.range(2).for_each_async(lambda element: seen.append(("plain", element)))))
    assert seen[4:] == [("plain", 0), ("plain", 1)]


def test_object_whose_call_is_a_coroutine_function_is_awaited() -> None:
    class Taker:
        taken = 0

        async def __call__(self, element: int) -> None:
            self.taken += element

    taker = Taker()
    asyncio.run(awaited(Stream.range(4).for_each_async(taker)))
    assert taker.taken == 6


def test_function_that_returns_a_coroutine_unawares_is_refused() -> None:
    async def take(element: int) -> None: ...

    with pytest.raises(ArgumentTypeError, match="is not a coroutine function, but returned an awaitable"):
        asyncio.run(awaited(Stream.range(4).for_each_async(lambda element: take(element))))  # noqa: PLW0108 - no coroutine function


@pytest.mark.parametrize("end", ["for_each_async", "reduce_async"])
def test_function_that_is_not_callable_is_refused_at_once(end: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"(for_each_async|reduce)\(function\) needs a callable, got 1 \(int\)"):
        getattr(Stream.just(1), end)(*([1] if end == "for_each_async" else [1, 0]))


def test_error_of_the_function_cancels_the_stream_and_is_raised() -> None:
    disposed = []

    def start(emitter: Any) -> None:
        emitter.on_dispose(lambda: disposed.append(True))
        emitter.emit(1)

    def fail(element: int) -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        asyncio.run(awaited(Stream.create(start, on_overflow="error").for_each_async(fail)))
    assert disposed == [True]
