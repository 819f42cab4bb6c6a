"""`async for` over a stream, in trio: what asyncio's iterator keeps, this one keeps, too."""

import gc
import threading
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError, StreamCancelledError
from reactivestreams.schedulers import WorkerScheduler
from rs_core.sources.emitter import StreamEmitter
from rs_core.sync.turns import TURN_ELEMENTS
from tests.stream.pushed import Pushed

trio = pytest.importorskip("trio")
pytest.importorskip("trio.testing")

WAIT_SECONDS = 30


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    async def limited() -> Any:
        with trio.fail_after(WAIT_SECONDS):
            return await main()

    return trio.run(limited)


@pytest.mark.parametrize("elements", [0, 1, 128, 1024, 1025, 3000])
@pytest.mark.parametrize("prefetch", [None, 1, 128])
def test_elements_come_in_order_and_the_loop_ends(elements: int, prefetch: int | None) -> None:
    async def main() -> list[int]:
        return [element async for element in Stream.range(elements).iterate_async(prefetch=prefetch)]

    assert run(main) == list(range(elements))


def test_elements_of_another_thread_come_in_order(worker: WorkerScheduler) -> None:
    assert run(Stream.range(5000).observe_on(worker).to_list_async) == list(range(5000))


def test_error_of_the_stream_is_raised() -> None:
    with pytest.raises(OSError, match="lost"):
        run(Stream.error(OSError("lost")).to_list_async)


def test_task_that_waits_is_woken_from_another_thread(pushed: Pushed) -> None:
    async def main() -> list[int]:
        iterator, taken = pushed.stream.iterate_async(), []
        for number in range(50):
            threading.Timer(0, pushed.emitter.emit, [number]).start()
            taken.append(await anext(iterator))
        pushed.emitter.complete()
        with pytest.raises(StopAsyncIteration):
            await anext(iterator)
        return taken

    assert run(main) == list(range(50))


def test_other_tasks_get_a_turn_while_elements_are_ready() -> None:
    taken: list[int] = []
    turns: list[int] = []

    async def count_turns() -> None:
        while True:
            turns.append(len(taken))
            await trio.lowlevel.checkpoint()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(count_turns)
            await trio.lowlevel.checkpoint()
            async for element in Stream.range(4 * TURN_ELEMENTS):
                taken.append(element)  # noqa: PERF401 - the other task looks at it
            nursery.cancel_scope.cancel()

    run(main)
    # trio runs what is ready in a random order: one task may have two turns in a row.
    assert max(after - before for before, after in pairwise(turns)) <= 2 * TURN_ELEMENTS


def test_leaving_the_loop_cancels_the_stream_at_once() -> None:
    disposed = []

    def start(emitter: StreamEmitter[int]) -> None:
        emitter.on_dispose(lambda: disposed.append(True))
        emitter.emit(1)

    async def main() -> None:
        async for _ in Stream.create(start, on_overflow="error"):
            break
        assert disposed == [True]

    gc.disable()
    try:
        run(main)
    finally:
        gc.enable()


def test_cancelled_task_cancels_its_stream_at_once(pushed: Pushed) -> None:
    async def main() -> None:
        with trio.move_on_after(0.001) as scope:
            await anext(pushed.stream.iterate_async())
        assert scope.cancelled_caught
        assert pushed.is_cancelled.is_set()

    run(main)


def test_closing_from_another_task_ends_the_one_that_waits(pushed: Pushed) -> None:
    async def main() -> None:
        iterator = pushed.stream.iterate_async()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(closing, iterator)
            with pytest.raises(StreamCancelledError):
                await anext(iterator)

    async def closing(iterator: Any) -> None:
        await trio.lowlevel.checkpoint()
        await iterator.aclose()

    run(main)


def test_two_tasks_cannot_wait_at_once(pushed: Pushed) -> None:
    async def main() -> None:
        iterator = pushed.stream.iterate_async()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(iterator.__anext__)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(StateError, match="two tasks wait for the next element"):
                await anext(iterator)
            nursery.cancel_scope.cancel()

    run(main)


def test_run_that_has_ended_cancels_the_stream_and_says_so(
    pushed: Pushed, dropped_signals: list[tuple[str, Any, str]]
) -> None:
    kept = []

    async def main() -> None:
        kept.append(iterator := pushed.stream.iterate_async())
        assert iterator._reader.take(None) is None
        assert iterator._reader.must_wait()

    run(main)
    pushed.emitter.emit(1)
    assert pushed.is_cancelled.is_set()
    ((signal, error, _),) = dropped_signals
    assert (signal, type(error)) == ("wake-up", trio.RunFinishedError)
