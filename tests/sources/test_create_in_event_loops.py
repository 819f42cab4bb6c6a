"""create with the policy block in an event loop: its thread is told instead of waiting, and a task may await room."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
import trio

from reactivestreams import AsyncBaseSubscriber, EmitResult, Stream, StreamEmitter
from reactivestreams.errors import NullElementError, WouldDeadlockError, WrongEventLoopError
from reactivestreams.schedulers import EventLoopScheduler, WorkerScheduler
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.sources.pushed_emitter import Pushed, pushed

COUNT = 2500
LIMIT_SECONDS = 60

Task = Callable[[], Awaitable[object]]


async def asyncio_together(*tasks: Task) -> None:
    await asyncio.wait_for(asyncio.gather(*(task() for task in tasks)), LIMIT_SECONDS)


async def trio_together(*tasks: Task) -> None:
    with trio.fail_after(LIMIT_SECONDS):
        async with trio.open_nursery() as nursery:
            for task in tasks:
                nursery.start_soon(task)


async def nap() -> None:
    """Give other tasks a turn, in either kind of loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        await trio.lowlevel.checkpoint()
    else:
        await asyncio.sleep(0)


def run_together(kind: str, *tasks: Task) -> None:
    if kind == "asyncio":
        asyncio.run(asyncio_together(*tasks))
    else:
        trio.run(trio_together, *tasks)


async def iterated(stream: Stream[int]) -> list[int]:
    return [element async for element in stream.iterate_async()]


async def each(stream: Stream[int]) -> list[int]:
    seen: list[int] = []
    await stream.for_each_async(seen.append)
    return seen


async def each_awaited(stream: Stream[int]) -> list[int]:
    seen: list[int] = []

    async def note(element: int) -> None:
        await nap()
        seen.append(element)

    await stream.for_each_async(note)
    return seen


def folded(stream: Stream[int]) -> Coroutine[Any, Any, list[int]]:
    return stream.reduce_async(lambda seen, element: [*seen, element], [])


ENDS: dict[str, Callable[[Stream[int]], Awaitable[list[int]]]] = {
    "iterate_async": iterated,
    "to_list_async": Stream.to_list_async,
    "for_each_async": each,
    "for_each_async, awaited": each_awaited,
    "reduce_async": folded,
}


async def same(element: int) -> int:
    await nap()
    return element


WAYS: dict[str, Callable[[Stream[int], WorkerScheduler], Stream[int]]] = {
    "directly": lambda stream, worker: stream,
    "behind a worker": lambda stream, worker: stream.observe_on(worker, prefetch=4),
    "behind tasks of the loop": lambda stream, worker: stream.map_async(same, concurrency=4),
}


class Run:
    """A task that takes everything, and one that emits `COUNT` numbers."""

    def __init__(self, end: str, way: str, worker: WorkerScheduler) -> None:
        self.callback = Pushed()
        self.stream = WAYS[way](Stream.create(self.callback, on_overflow="block", capacity=4), worker)
        self.end = ENDS[end]
        self.seen: list[int] = []

    async def take(self) -> None:
        self.seen = await self.end(self.stream)

    async def emitter(self) -> StreamEmitter[Any]:
        while not self.callback.emitters:
            await nap()
        return self.callback.emitters[0]


@pytest.fixture(params=["asyncio", "trio"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
def test_who_emits_in_the_thread_of_the_loop_that_takes_elements_is_told_and_loses_nothing(
    kind: str, end: str, way: str
) -> None:
    with WorkerScheduler(name="reactivestreams-takes") as worker:
        run = Run(end, way, worker)
        told: list[str] = []

        async def emit() -> None:
            emitter = await run.emitter()
            for number in range(COUNT):
                while True:
                    try:
                        assert emitter.emit(number) is EmitResult.ACCEPTED
                        break
                    except WouldDeadlockError as error:
                        told.append(str(error))
                        await nap()
            emitter.complete()

        run_together(kind, run.take, emit)
    assert run.seen == list(range(COUNT))
    assert told
    assert "await emit_async(element)" in told[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
def test_a_task_that_awaits_room_loses_nothing(kind: str, end: str, way: str) -> None:
    with WorkerScheduler(name="reactivestreams-takes") as worker:
        run = Run(end, way, worker)

        async def emit() -> None:
            emitter = await run.emitter()
            for number in range(COUNT):
                assert await emitter.emit_async(number) is EmitResult.ACCEPTED
            emitter.complete()

        run_together(kind, run.take, emit)
    assert run.seen == list(range(COUNT))


def test_who_emits_where_the_hooks_of_a_subscriber_run_is_reported() -> None:
    class Slow(AsyncBaseSubscriber[int]):
        prefetch = 2

        def hook_on_subscribe(self) -> None:
            self.request(1)

    async def main() -> None:
        callback = Pushed()
        with EventLoopScheduler() as scheduler:
            Stream.create(callback, on_overflow="block", capacity=1).subscribe(Slow(scheduler=scheduler))
            await asyncio.sleep(0)
            for number in range(2):  # what is requested, and what the queue holds
                assert callback.emitters[0].emit(number) is EmitResult.ACCEPTED
            with pytest.raises(WouldDeadlockError, match="event loop that runs in this thread"):
                callback.emitters[0].emit(2)

    asyncio.run(main())


def test_who_emits_in_a_loop_waits_for_another_thread_that_takes_elements() -> None:
    async def main() -> list[int]:
        callback, seen = Pushed(), []
        stream = Stream.create(callback, on_overflow="block", capacity=1)
        begun, taker = threading.Event(), threading.Thread(target=lambda: seen.extend(stream.do(lambda _: begun.set())))
        taker.start()
        while not callback.emitters:
            await asyncio.sleep(0)
        callback.emitters[0].emit(0)
        begun.wait(LIMIT_SECONDS)
        for number in range(1, 50):
            assert callback.emitters[0].emit(number) is EmitResult.ACCEPTED
        callback.emitters[0].complete()
        taker.join(LIMIT_SECONDS)
        return seen

    assert asyncio.run(main()) == list(range(50))


def test_many_tasks_await_room_and_each_keeps_its_order(kind: str) -> None:
    run = Run("iterate_async", "directly", None)  # type: ignore[arg-type]
    left = [4]

    def emitting(first: int) -> Task:
        async def emit() -> None:
            emitter = await run.emitter()
            for number in range(50):
                assert await emitter.emit_async(first + number) is EmitResult.ACCEPTED
            left[0] -= 1
            if not left[0]:
                emitter.complete()

        return emit

    run_together(kind, run.take, *(emitting(1000 * number) for number in range(4)))
    for number in range(4):
        assert [each for each in run.seen if each // 1000 == number] == [1000 * number + count for count in range(50)]


@pytest.mark.parametrize("how", ["complete", "fail", "cancel"])
def test_who_awaits_room_goes_on_when_the_stream_is_over(kind: str, how: str) -> None:
    emitter, subscriber = pushed(on_overflow="block", capacity=1)
    emitter.emit("first")
    results: list[EmitResult] = []

    async def emit() -> None:
        results.append(await emitter.emit_async("second"))

    async def end() -> None:
        for _ in range(5):
            await nap()
        if how == "complete":
            emitter.complete()
        elif how == "fail":
            emitter.fail(ValueError("why"))
        else:
            subscriber.cancel()

    run_together(kind, emit, end)
    assert results == [EmitResult.CANCELLED if how == "cancel" else EmitResult.TERMINATED]


def test_who_awaits_room_gives_up_after_the_time_limit(kind: str) -> None:
    emitter, subscriber = pushed(on_overflow="block", capacity=1, block_timeout_seconds=0.01)
    emitter.emit("first")
    results: list[EmitResult] = []

    async def emit() -> None:
        results.append(await emitter.emit_async("second"))

    run_together(kind, emit)
    subscriber.request(5)
    assert (results, subscriber.elements) == ([EmitResult.TIMED_OUT], ["first"])


@pytest.mark.parametrize("position", range(8))
def test_a_task_that_is_cancelled_while_it_awaits_room_emits_its_element_or_not_at_all_and_lets_others_go_on(
    position: int,
) -> None:
    async def main() -> None:
        emitter, subscriber = pushed(on_overflow="block", capacity=1)
        emitter.emit("first")
        cancelled = asyncio.ensure_future(emitter.emit_async("cancelled"))
        other = asyncio.ensure_future(emitter.emit_async("other"))
        for step in range(8):
            if step == position:
                cancelled.cancel()
            if step == 3:
                subscriber.request(1)
            await asyncio.sleep(0)
        subscriber.request(5)
        results = await asyncio.wait_for(asyncio.gather(cancelled, other, return_exceptions=True), LIMIT_SECONDS)
        assert results[1] is EmitResult.ACCEPTED
        is_there = "cancelled" in subscriber.elements
        assert isinstance(results[0], asyncio.CancelledError) is not is_there
        assert subscriber.elements[0] == "first"
        assert "other" in subscriber.elements

    asyncio.run(main())


@pytest.mark.parametrize("policy", ["error", "drop_newest", "drop_oldest", "latest"])
def test_nothing_is_awaited_with_a_policy_that_never_waits(kind: str, policy: str) -> None:
    emitter, subscriber = pushed(on_overflow=policy, capacity=1)
    results: list[EmitResult] = []

    async def emit() -> None:
        results.extend([await emitter.emit_async(1), await emitter.emit_async(2)])

    run_together(kind, emit)
    expected = {"error": EmitResult.OVERFLOWED, "drop_newest": EmitResult.DROPPED}.get(policy, EmitResult.ACCEPTED)
    assert results == [EmitResult.ACCEPTED, expected]
    subscriber.cancel()


def test_room_is_awaited_in_an_event_loop_only_and_no_element_is_none() -> None:
    emitter, _ = pushed(on_overflow="block", capacity=1)
    emitter.emit("first")
    with pytest.raises(WrongEventLoopError, match="emit_async"):
        emitter.emit_async("second").send(None)
    with pytest.raises(NullElementError):
        emitter.emit_async(None).send(None)


def test_a_loop_that_was_closed_while_a_task_awaits_room_keeps_nobody_from_going_on() -> None:
    emitter, subscriber = pushed(on_overflow="block", capacity=1)
    emitter.emit("first")
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # that the task was dropped is no news here
    task = loop.create_task(emitter.emit_async("never"))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    del task
    subscriber.request(1)
    assert (subscriber.elements, emitter.emit("second")) == (["first"], EmitResult.ACCEPTED)
    assert isinstance(subscriber, RecordingSubscriber)
