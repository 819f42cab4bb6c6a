"""`async for` over a stream, in asyncio: every way in which it can end, from either side."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, StateError, StreamCancelledError, WrongEventLoopError
from reactivestreams.schedulers import WorkerScheduler
from rs_core.ends.async_iterator import AsyncIterator
from rs_core.sync.turns import TURN_ELEMENTS
from tests.contracts.counted_iterable import CountedIterable
from tests.stream.pushed import Pushed

WAIT_SECONDS = 30


async def waiting(iterator: AsyncIterator[Any]) -> "asyncio.Task[Any]":
    """Return a task that waits for an element."""

    async def step() -> Any:
        return await anext(iterator)

    task = asyncio.ensure_future(step())
    await asyncio.sleep(0)
    return task


# --- a stream that is ready ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("elements", [0, 1, 2, 127, 128, 129, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("prefetch", [None, 1, 2, 128])
def test_elements_come_in_order_and_the_loop_ends(elements: int, prefetch: int | None) -> None:
    async def main() -> list[int]:
        return [element async for element in Stream.range(elements).iterate_async(prefetch=prefetch)]

    assert asyncio.run(main()) == list(range(elements))


@pytest.mark.parametrize("element", [None, (1, 2), (), StopIteration(3), ValueError("an element"), [1], ...])
def test_every_element_arrives_as_it_is(element: object) -> None:
    async def main() -> list[object]:
        return [taken async for taken in Stream.just(element)]

    (taken,) = asyncio.run(main())
    assert taken is element


@pytest.mark.parametrize("error", [OSError("lost"), StopIteration(1), StopAsyncIteration()])
def test_error_of_the_stream_is_raised_after_its_elements(error: Exception) -> None:
    seen = []

    async def main() -> None:
        async for element in Stream.just(1, 2).map(raising_at(2, error)):
            seen.append(element)  # noqa: PERF401 - what came before the error is kept

    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is looked at below
        asyncio.run(main())
    assert seen == [1]
    ends_loops = isinstance(error, StopIteration | StopAsyncIteration)
    assert (raised.value.__cause__ if ends_loops else raised.value) is error


def raising_at(element: int, error: Exception) -> Callable[[int], int]:
    def function(given: int) -> int:
        if given == element:
            raise error
        return given

    return function


def test_nothing_is_read_ahead_unless_it_is_requested() -> None:
    async def main(prefetch: int | None) -> int:
        source = CountedIterable(list(range(10)))
        async for _ in Stream.from_iterable(source).iterate_async(prefetch=prefetch):
            break
        return source.taken

    assert asyncio.run(main(None)) == 1
    assert asyncio.run(main(4)) == 4


def test_other_tasks_get_a_turn_while_elements_are_ready() -> None:
    turns = []

    async def count_turns() -> None:
        while True:
            turns.append(len(taken))
            await asyncio.sleep(0)

    taken: list[int] = []

    async def main() -> None:
        others = asyncio.ensure_future(count_turns())
        async for element in Stream.range(2 * TURN_ELEMENTS):
            taken.append(element)  # noqa: PERF401 - the other task looks at it
        others.cancel()

    asyncio.run(main())
    assert max(after - before for before, after in pairwise([0, *turns])) <= TURN_ELEMENTS


def test_leaving_the_loop_cancels_the_stream_at_once(pushed: Pushed) -> None:
    async def main() -> bool:
        async for _ in pushed.stream:
            break
        return pushed.is_cancelled.is_set()

    pushed.stream = Stream.create(lambda emitter: (pushed._start(emitter), emitter.emit(1)), on_overflow="error")
    gc.disable()
    try:
        assert asyncio.run(main())
    finally:
        gc.enable()


@pytest.mark.parametrize("call", [lambda it: it.aclose(), lambda it: it.__aexit__(None, None, None)])
def test_closing_ends_the_iteration(call: Callable[[AsyncIterator[int]], Any]) -> None:
    async def main() -> list[int]:
        iterator = Stream.range(10).iterate_async()
        first = await anext(iterator)
        await call(iterator)
        await call(iterator)
        return [first, *[element async for element in iterator]]

    assert asyncio.run(main()) == [0]


def test_iterator_that_was_never_stepped_lets_its_stream_go() -> None:
    async def main() -> "weakref.ref[AsyncIterator[int]]":
        return weakref.ref(Stream.range(10).iterate_async())

    gc.disable()
    try:
        assert asyncio.run(main())() is None
    finally:
        gc.enable()


# --- a stream of another thread -----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefetch", [None, 1, 3, 1024])
def test_elements_of_another_thread_come_in_order(prefetch: int | None, worker: WorkerScheduler) -> None:
    async def main() -> list[int]:
        stream = Stream.range(5000).observe_on(worker)
        return [element async for element in stream.iterate_async(prefetch=prefetch)]

    assert asyncio.run(main()) == list(range(5000))


def test_task_that_waits_is_woken_from_another_thread(pushed: Pushed) -> None:
    async def main() -> list[int]:
        iterator = pushed.stream.iterate_async()
        taken = []
        for number in range(100):
            task = await waiting(iterator)
            threading.Timer(0, pushed.emitter.emit, [number]).start()
            taken.append(await asyncio.wait_for(task, WAIT_SECONDS))
        task = await waiting(iterator)
        pushed.emitter.complete()
        with pytest.raises(StopAsyncIteration):
            await task
        return taken

    assert asyncio.run(main()) == list(range(100))


def test_task_that_waits_is_woken_from_the_same_thread(pushed: Pushed) -> None:
    async def main() -> list[object]:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        pushed.emitter.emit(1)
        pushed.emitter.fail(OSError("lost"))
        return [await task, *await asyncio.gather(anext(iterator), return_exceptions=True)]

    element, error = asyncio.run(main())
    assert (element, str(error)) == (1, "lost")


def test_burst_wakes_the_loop_once(pushed: Pushed, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> int:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        loop = asyncio.get_running_loop()
        woken = []
        monkeypatch.setattr(
            loop, "call_soon_threadsafe", lambda call, **options: (woken.append(call), loop.call_soon(call))
        )
        for number in range(50):
            pushed.emitter.emit(number)
        await task
        assert [await anext(iterator) for _ in range(49)] == list(range(1, 50))
        return len(woken)

    assert asyncio.run(main()) == 1


# --- cancellation, in both directions -----------------------------------------------------------------------------


def test_cancelled_task_cancels_its_stream_at_once(pushed: Pushed) -> None:
    async def main() -> None:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        task.cancel("enough")
        assert pushed.is_cancelled.is_set()
        with pytest.raises(asyncio.CancelledError, match="enough"):
            await task
        with pytest.raises(StreamCancelledError):
            await anext(iterator)

    asyncio.run(main())


@pytest.mark.parametrize("steps", range(12))
def test_task_may_be_cancelled_at_every_await_point(steps: int, worker: WorkerScheduler) -> None:
    closed = threading.Event()

    def numbers() -> Iterator[int]:
        try:
            yield from range(10**9)
        finally:
            closed.set()

    async def take() -> None:
        async for _ in Stream.from_iterable(numbers()).observe_on(worker, prefetch=8):
            await asyncio.sleep(0)

    async def main() -> None:
        task = asyncio.ensure_future(take())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    if steps > 1:
        assert closed.wait(WAIT_SECONDS)


def test_wait_that_times_out_cancels_the_stream(pushed: Pushed) -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(pushed.stream.iterate_async()), 0.001)

    asyncio.run(main())
    assert pushed.is_cancelled.is_set()


def test_closing_from_another_task_ends_the_one_that_waits(pushed: Pushed) -> None:
    async def main() -> None:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        await iterator.aclose()
        with pytest.raises(StreamCancelledError):
            await asyncio.wait_for(task, WAIT_SECONDS)

    asyncio.run(main())


def test_stream_that_another_thread_cancels_ends_the_task_that_waits(pushed: Pushed) -> None:
    async def main() -> None:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        await asyncio.to_thread(asyncio.run, iterator.aclose())
        with pytest.raises(StreamCancelledError):
            await asyncio.wait_for(task, WAIT_SECONDS)

    asyncio.run(main())


# --- bad input ----------------------------------------------------------------------------------------------------


def test_two_tasks_cannot_wait_at_once(pushed: Pushed) -> None:
    async def main() -> int:
        iterator = pushed.stream.iterate_async()
        task = await waiting(iterator)
        with pytest.raises(StateError, match="two tasks wait for the next element"):
            await anext(iterator)
        pushed.emitter.emit(1)
        element: int = await task
        return element

    assert asyncio.run(main()) == 1


def test_steps_that_are_gathered_are_different_ones() -> None:
    async def main() -> list[int]:
        iterator = Stream.range(10).iterate_async()
        return await asyncio.gather(anext(iterator), anext(iterator), anext(iterator))

    assert asyncio.run(main()) == [0, 1, 2]


def test_step_that_was_never_awaited_loses_nothing() -> None:
    async def main() -> list[int]:
        iterator = Stream.range(3).iterate_async()
        anext(iterator)
        return [element async for element in iterator]

    assert asyncio.run(main()) == [0, 1, 2]


def test_outside_of_an_event_loop_it_is_refused_with_a_remedy() -> None:
    with pytest.raises(WrongEventLoopError, match=r"runs none; await it in a coroutine that asyncio.run\(\) or trio"):
        Stream.range(3).iterate_async()


def test_waiting_in_another_event_loop_is_refused_with_a_remedy(pushed: Pushed) -> None:
    async def make() -> AsyncIterator[int]:
        return pushed.stream.iterate_async()

    async def step(iterator: AsyncIterator[int]) -> int:
        return await anext(iterator)

    iterator = asyncio.run(make())
    with pytest.raises(WrongEventLoopError, match=r"call aiter\(stream\) in the loop that awaits its elements"):
        asyncio.run(step(iterator))


def test_stream_of_a_loop_that_was_closed_is_cancelled_and_said(
    pushed: Pushed, dropped_signals: list[tuple[str, object, str]]
) -> None:
    loop = asyncio.new_event_loop()
    kept = []

    async def wait() -> None:
        kept.append(iterator := pushed.stream.iterate_async())
        await anext(iterator)

    task = loop.create_task(wait())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    pushed.emitter.emit(1)
    assert pushed.is_cancelled.is_set()
    ((signal, error, origin),) = dropped_signals
    assert (signal, type(error)) == ("wake-up", RuntimeError)
    assert "event loop was closed; its stream was cancelled" in origin
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    del task
    kept.clear()
    gc.collect()  # what the task says when it is destroyed belongs to this test


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=r"iterate_async\(prefetch\) needs a count"):
        asyncio.run(refused(prefetch))


async def refused(prefetch: int) -> None:
    Stream.range(3).iterate_async(prefetch=prefetch)
