"""Schedulers of event loops, asyncio's and trio's: the contract from outside of the loop, and what is theirs inside."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError, RunningEventLoopError, SchedulerDisposedError
from reactivestreams.schedulers import (
    AnyioLoop,
    EventLoop,
    EventLoopScheduler,
    LogicalScheduler,
    Scheduler,
    SchedulerAccessError,
)
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, QueuedSchedulerContract
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract
from tests.schedulers.loop_threads import OwnAnyioLoop, OwnLoop, held
from tests.schedulers.pools import settle

BACKENDS = ["asyncio", "trio"]


class _OnLoop:
    def settle(self, scheduler: Scheduler) -> None:
        for _ in range(4):  # each round comes after the turns that the round before requested
            settle(scheduler)

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        assert isinstance(scheduler, LogicalScheduler)
        return held(scheduler)


class TestEventLoopScheduler(_OnLoop, QueuedSchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        return OwnLoop()


class TestAnyioOnAsyncio(_OnLoop, QueuedSchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        pytest.importorskip("anyio")
        return OwnAnyioLoop("asyncio")


class TestAnyioOnTrio(_OnLoop, QueuedSchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        pytest.importorskip("anyio")
        pytest.importorskip("trio")
        return OwnAnyioLoop("trio")


# --- asyncio ---------------------------------------------------------------------------------------------------------


def test_tasks_and_timers_run_in_the_loop_in_order() -> None:
    async def main() -> list[Any]:
        seen: list[Any] = []
        done = asyncio.Event()
        scheduler = EventLoopScheduler()

        def note(name: str) -> None:
            seen.append((name, scheduler.is_current()))

        begin = scheduler.now
        scheduler.schedule(done.set, due=begin + 3 * SHORT)
        scheduler.schedule(lambda: note("late"), due=begin + 2 * SHORT)
        scheduler.schedule(lambda: note("soon"), due=begin + SHORT)
        scheduler.schedule(lambda: note("now"))
        seen.append("scheduled")
        await done.wait()
        return seen

    assert asyncio.run(main()) == ["scheduled", ("now", True), ("soon", True), ("late", True)]


def test_loop_keeps_the_earliest_alarm_of_a_tree_and_none_of_a_disposed_one() -> None:
    async def main() -> tuple[list[int], int]:
        scheduler = EventLoopScheduler()
        physical = scheduler._physical
        assert isinstance(physical, EventLoop)
        dues = []

        async def look() -> None:
            await asyncio.sleep(0)
            ((due, _),) = physical._alarms.values()
            dues.append(due)

        for due in (SHORT * 1_000_000, SHORT * 1_000):
            scheduler.schedule(print, due=due)
            await look()
        physical.wake_at(scheduler._queue, dues[0])  # of a thread that has claimed it first and comes last
        await look()
        scheduler.dispose()
        physical.wake_at(scheduler._queue, dues[0])  # as above
        await asyncio.sleep(0)
        return dues, len(physical._alarms)

    (late, early, kept), left = asyncio.run(main())
    assert (late > early, kept, left) == (True, early, 0)


def test_other_callbacks_of_the_loop_come_between_many_tasks() -> None:
    async def main() -> int:
        scheduler = EventLoopScheduler()
        left = [1_000]
        left_at_callback: list[int] = []

        def task() -> None:
            left[0] -= 1

        for _ in range(1_000):
            scheduler.schedule(task)
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: left_at_callback.append(left[0]))
        done = asyncio.Event()
        scheduler.schedule(done.set)
        await done.wait()
        assert left == [0]
        return left_at_callback[0]

    assert asyncio.run(main()) == 1_000 - 64


def test_pause_inside_the_loop_is_awaited() -> None:
    async def main() -> tuple[bool, bool]:
        scheduler = EventLoopScheduler()
        entered, may_end = threading.Event(), threading.Event()
        beside = OwnLoop()

        def block() -> None:
            entered.set()
            assert may_end.wait(WAIT_SECONDS)

        with beside:
            beside.schedule(block)
            assert entered.wait(WAIT_SECONDS)
            with pytest.raises(RunningEventLoopError, match=r"use: await scheduler\.pause_async\(\)"):
                beside.pause()
            pause = beside.pause_async()
            asyncio.get_running_loop().call_soon(may_end.set)
            return await pause, await scheduler.pause_async()

    assert asyncio.run(main()) == (True, True)


def test_unhandled_exception_goes_to_the_handler_of_the_loop_and_the_others_run() -> None:
    error = ValueError("mine")

    def fail() -> None:
        raise error

    with OwnLoop() as scheduler:
        scheduler.schedule(fail)
        settle(scheduler)
        assert [context["exception"] for context in scheduler.unhandled] == [error]
        assert scheduler.unhandled[0]["message"] == (
            "a task of event loop raised, and no handler of its schedulers has handled it"
        )


def test_interrupt_ends_the_loop() -> None:
    async def main() -> None:
        def fail() -> None:
            raise KeyboardInterrupt

        EventLoopScheduler().schedule(fail)
        await asyncio.sleep(WAIT_SECONDS)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())


def test_scheduler_of_a_closed_loop_takes_no_task_and_can_be_disposed() -> None:
    async def main() -> EventLoopScheduler:
        return EventLoopScheduler(name="ended")

    scheduler = asyncio.run(main())
    with pytest.raises(
        SchedulerDisposedError, match=r"^the event loop of EventLoop\(name='ended'\) does not run: it ended,"
    ):
        scheduler.schedule(print)
    scheduler.dispose()
    assert scheduler.is_current() is False


def test_loop_is_needed() -> None:
    with pytest.raises(
        SchedulerAccessError, match=r"^EventLoop\(\) needs an event loop, .* make it inside a coroutine"
    ):
        EventLoopScheduler()
    with pytest.raises(ArgumentTypeError, match=r"^EventLoop\(loop\) needs an asyncio event loop, got 'loop' \(str\)"):
        EventLoop("loop")  # type: ignore[arg-type]


# --- anyio -----------------------------------------------------------------------------------------------------------


def run(main: Any, backend: str) -> Any:
    pytest.importorskip(backend)
    return pytest.importorskip("anyio").run(main, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_tasks_and_timers_run_in_the_block(backend: str) -> None:
    anyio = pytest.importorskip("anyio")

    async def main() -> list[Any]:
        seen: list[Any] = []
        done = anyio.Event()
        async with AnyioLoop() as loop:
            scheduler = LogicalScheduler(loop)
            begin = scheduler.now
            scheduler.schedule(done.set, due=begin + 2 * SHORT)
            scheduler.schedule(lambda: seen.append(("soon", loop.is_current())), due=begin + SHORT)
            scheduler.schedule(lambda: seen.append(("never", loop.is_current())), due=SHORT * 1_000)
            await done.wait()
        return [*seen, loop.is_current()]

    assert run(main, backend) == [("soon", True), False]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("error", [ValueError("mine"), SystemExit(3)], ids=repr)
def test_unhandled_exception_ends_the_block(backend: str, error: BaseException) -> None:
    anyio = pytest.importorskip("anyio")

    async def main() -> list[BaseException]:
        def fail() -> None:
            raise error

        try:
            async with AnyioLoop() as loop:
                LogicalScheduler(loop).schedule(fail)
                await anyio.sleep(WAIT_SECONDS)
        except BaseExceptionGroup as group:
            return list(group.exceptions)
        return []

    if isinstance(error, SystemExit) and backend == "asyncio":
        with pytest.raises(SystemExit):  # asyncio lets it through at once
            run(main, backend)
    else:
        assert run(main, backend) == [error]


def test_outside_of_its_block_it_takes_no_task() -> None:
    pytest.importorskip("anyio")
    loop = AnyioLoop(name="later")
    with pytest.raises(
        SchedulerDisposedError, match=r"AnyioLoop\(name='later'\) does not run: .* block was not entered"
    ):
        LogicalScheduler(loop).schedule(print)
    loop.dispose()
