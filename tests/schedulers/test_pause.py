"""Pauses: they wait for the running tasks of a tree, for nothing else, and know when they would wait for themselves."""

import asyncio
import threading
import time
from contextlib import ExitStack
from typing import Any, Self

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, RunningEventLoopError, WouldDeadlockError
from reactivestreams.schedulers import (
    ImmediateScheduler,
    LogicalScheduler,
    Pause,
    PauseTimeoutError,
    Scheduler,
    SchedulerStatus,
    TrampolineScheduler,
    VirtualTime,
    VirtualTimeScheduler,
    WorkerPool,
    YieldableActionTask,
    YieldToken,
)
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, Turns
from tests.contracts.scheduler_tree_contract import Sleeper
from tests.schedulers.pools import Countdown, in_thread, settle

RUNNING, PAUSING = SchedulerStatus.RUNNING, SchedulerStatus.PAUSING
PAUSED, DISPOSED = SchedulerStatus.PAUSED, SchedulerStatus.DISPOSED


class Blocking:
    """A task that runs until it is let go."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.is_running, self.may_end = threading.Event(), threading.Event()
        scheduler.schedule(self)
        assert self.is_running.wait(WAIT_SECONDS)

    def __call__(self) -> None:
        self.is_running.set()
        assert self.may_end.wait(WAIT_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.may_end.set()


def test_pause_waits_for_the_running_task_and_for_nothing_else(root: LogicalScheduler) -> None:
    never: list[str] = []
    with Blocking(root) as blocking:
        pause = root.pause_async()
        root.schedule(lambda: never.append("queued"))
        root.schedule(lambda: never.append("timed"), due=SHORT)
        assert (pause.is_done, root.status) == (False, PAUSING)
        blocking.may_end.set()
        assert pause.wait()
    assert (root.status, never) == (PAUSED, [])
    root.continue_()
    settle(root)


def test_parent_and_children_are_paused_when_the_last_task_of_the_tree_has_returned(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, affinity="any")
    children = [root.create_child() for _ in range(5)]
    with Blocking(children[0]), Blocking(children[3].create_child()) as second:
        pause = root.pause_async()
        second.may_end.set()
        assert [each.status for each in (root, *children)] == [PAUSING] * 6
        assert not pause.is_done
    assert pause.wait()
    assert [each.status for each in (root, *children)] == [PAUSED] * 6


def test_pause_of_a_child_does_not_wait_for_its_parent(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool)
    child = root.create_child()
    with Blocking(root):
        assert child.pause()
        assert (root.status, child.status) == (RUNNING, PAUSED)


def test_of_a_hundred_blocking_tasks_none_starts_during_the_pause_and_all_end_after_it(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, affinity="any")
    may_end = threading.Event()
    started, done = Countdown(3), Countdown(100)
    count = [0]

    def task() -> None:
        count[0] += 1
        started()
        assert may_end.wait(WAIT_SECONDS)
        done()

    for _ in range(100):
        root.schedule(task)
    assert started.wait()
    pause = root.pause_async()
    may_end.set()
    assert pause.wait()
    before = count[0]
    for each in (LogicalScheduler(pool), LogicalScheduler(pool)):
        settle(each)  # the workers are free, and take none of the paused
    assert (before, count[0]) == (3, 3)
    root.continue_()
    assert done.wait()


def test_pause_may_be_requested_inside_a_task(root: LogicalScheduler) -> None:
    pauses: list[Pause] = []
    is_asked = threading.Event()

    def ask() -> None:
        pauses.append(root.pause_async())
        is_asked.set()

    root.create_child().schedule(ask)
    assert is_asked.wait(WAIT_SECONDS)
    assert pauses[0].wait()
    assert root.status is PAUSED


@pytest.mark.parametrize("wait", ["pause", "wait", "await"])
def test_waiting_inside_a_task_of_the_tree_raises_instead_of_waiting_for_ever(
    root: LogicalScheduler, wait: str
) -> None:
    raised: list[BaseException] = []
    done = threading.Event()

    async def awaited() -> None:
        await root.pause_async()

    def ask() -> None:
        try:
            if wait == "pause":
                root.pause(timeout_seconds=None)
            elif wait == "wait":
                root.pause_async().wait(timeout_seconds=None)
            else:
                asyncio.run(awaited())
        except WouldDeadlockError as error:
            raised.append(error)
        done.set()

    root.create_child().schedule(ask)
    assert done.wait(WAIT_SECONDS)
    assert str(raised[0]) == (
        "a task of subject waits for a pause of it, which waits for that task to return; "
        "call pause_async() and return, or wait in another thread"
    )
    assert root.pause()


@pytest.mark.parametrize("kind", [ImmediateScheduler, TrampolineScheduler])
def test_waiting_for_oneself_raises_where_tasks_run_in_the_calling_thread(kind: Any) -> None:
    scheduler = kind()
    raised: list[Exception] = []

    def ask() -> None:
        try:
            scheduler.pause()
        except WouldDeadlockError as error:
            raised.append(error)

    scheduler.schedule(ask)
    assert (len(raised), scheduler.status) == (1, PAUSED)


def test_task_may_wait_for_the_pause_of_another_tree(pool: WorkerPool) -> None:
    root, other = LogicalScheduler(pool, name="one"), LogicalScheduler(pool, name="other")
    sibling = root.create_child()
    results: list[bool] = []
    done = threading.Event()

    def ask() -> None:
        results.extend([other.pause(), sibling.pause()])
        done.set()

    root.create_child().schedule(ask)
    assert done.wait(WAIT_SECONDS)
    assert (results, other.status, sibling.status, root.status) == ([True, True], PAUSED, PAUSED, RUNNING)


def test_wait_ends_when_its_time_is_over_and_the_scheduler_goes_on_pausing(root: LogicalScheduler) -> None:
    with Blocking(root):
        with pytest.raises(PauseTimeoutError) as caught:
            root.pause(timeout_seconds=0.001)
        assert isinstance(caught.value, TimeoutError)
        assert str(caught.value) == (
            "tasks of subject still run 0.001 s after a pause was requested: 1; "
            "wait longer, or let them read their yield token more often"
        )
        assert root.status is PAUSING
    assert root.pause()


@pytest.mark.parametrize(
    ("timeout", "error"), [(-1, ArgumentError), ("1", ArgumentTypeError), (True, ArgumentTypeError)]
)
def test_timeout_that_is_none_is_refused(root: LogicalScheduler, timeout: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^pause\(timeout_seconds\) needs"):
        root.pause(timeout_seconds=timeout)
    assert root.status is RUNNING
    with pytest.raises(error, match=r"^wait\(timeout_seconds\) needs"):
        root.pause_async().wait(timeout_seconds=timeout)


def test_waiting_does_not_block_an_event_loop(root: LogicalScheduler) -> None:
    async def ask() -> bool:
        with Blocking(root) as blocking:
            with pytest.raises(RunningEventLoopError, match=r"use: await scheduler.pause_async\(\)"):
                root.pause()
            pause = root.pause_async()
            asyncio.get_running_loop().call_soon(blocking.may_end.set)
            return await pause

    assert asyncio.run(ask()) is True
    assert asyncio.run(awaited_again(root)) is True


async def awaited_again(root: LogicalScheduler) -> bool:
    return await root.pause_async()


def test_several_loops_await_one_pause_and_one_that_gives_up_disturbs_none(root: LogicalScheduler) -> None:
    with ExitStack() as stack:
        blocking = stack.enter_context(Blocking(root))
        pause = root.pause_async()

        async def impatient() -> str:
            try:
                async with asyncio.timeout(0):
                    await pause
            except TimeoutError:
                return "gave up"
            return "done"

        async def patient() -> bool:
            asyncio.get_running_loop().call_soon(blocking.may_end.set)
            return await pause

        assert in_thread(lambda: asyncio.run(impatient())) == "gave up"
        assert in_thread(lambda: asyncio.run(patient())) is True


@pytest.mark.parametrize("who", ["self", "parent"])
def test_pause_that_is_overtaken_by_a_continue_says_so(root: LogicalScheduler, who: str) -> None:
    child = root.create_child()
    with Blocking(child):
        pause = child.pause_async()
        (child if who == "self" else root).continue_()
        assert (pause.is_done, pause.wait(), child.status) == (True, False, RUNNING)


def test_pause_outlasts_the_continue_of_a_child(root: LogicalScheduler) -> None:
    child = root.create_child()
    with Blocking(child):
        pause = root.pause_async()
        child.continue_()
        assert not pause.is_done
    assert pause.wait()
    assert (root.status, child.status) == (PAUSED, RUNNING)


def test_task_that_starts_after_the_child_was_continued_is_not_waited_for(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, affinity="any")
    child = root.create_child()
    with Blocking(root) as awaited:
        pause = root.pause_async()
        child.continue_()
        with Blocking(child):
            awaited.may_end.set()
            assert pause.wait()


@pytest.mark.parametrize("who", ["above", "same", "below"])
def test_pause_waits_also_for_what_was_continued_after_it_and_is_paused_again(pool: WorkerPool, who: str) -> None:
    above = LogicalScheduler(pool, affinity="any")
    same = above.create_child()
    below = same.create_child()
    with ExitStack() as stack:
        first = stack.enter_context(Blocking(same))
        pauses = [same.pause_async()]
        below.continue_()
        stack.enter_context(Blocking(below))
        pauses.append({"above": above, "same": same, "below": below}[who].pause_async())
        first.may_end.set()
        until = time.monotonic() + WAIT_SECONDS
        while same.performance_counters().task_execution_count == 0 and time.monotonic() < until:
            time.sleep(0)
        assert (below.status, [pause.is_done for pause in pauses]) == (PAUSING, [False, False])
    assert ([pause.wait() for pause in pauses], below.status) == ([True, True], PAUSED)


def test_disposing_while_pausing_ends_the_pause_when_the_task_returns(root: LogicalScheduler) -> None:
    with Blocking(root):
        pause = root.pause_async()
        root.dispose()
        assert not pause.is_done
    assert (pause.wait(), root.status) == (False, DISPOSED)


def test_running_task_that_wants_another_turn_gets_it_after_the_pause(root: LogicalScheduler) -> None:
    turns: list[bool] = []
    is_running, done = threading.Event(), threading.Event()

    def work(token: YieldToken) -> bool:
        turns.append(token.is_yield_requested)
        is_running.set()
        while len(turns) == 1 and not token.is_yield_requested:
            pass
        if len(turns) == 2:
            done.set()
        return len(turns) == 2

    root.schedule(YieldableActionTask(work))
    assert is_running.wait(WAIT_SECONDS)
    assert root.pause()
    assert root.performance_counters().parked_count == 1
    root.continue_()
    assert done.wait(WAIT_SECONDS)
    assert turns == [False, False]


def test_recalculation_that_runs_is_waited_for(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool)
    is_asked, may_answer = threading.Event(), threading.Event()

    class Slow(Sleeper):
        def recalculate_priority(self) -> None:
            is_asked.set()
            assert may_answer.wait(WAIT_SECONDS)

    sleeper = Slow(1, lambda name: None)
    root.schedule(sleeper)
    settle(root)
    root.recalculate_priority()
    assert is_asked.wait(WAIT_SECONDS)
    pause = root.pause_async()
    assert not pause.is_done
    may_answer.set()
    assert pause.wait()


def test_what_fell_due_during_the_pause_runs_after_it(root: LogicalScheduler) -> None:
    order: list[str] = []
    assert root.pause()
    root.schedule(lambda: order.append("due"), due=SHORT / 10)
    done = threading.Event()
    beside = LogicalScheduler(root._physical)
    beside.schedule(done.set, due=SHORT)
    assert done.wait(WAIT_SECONDS)
    order.append("continue")
    root.continue_()
    settle(root)
    assert order == ["continue", "due"]


def test_paused_time_is_counted_from_the_pause_to_the_continue(root: LogicalScheduler) -> None:
    assert root.performance_counters().paused_nanoseconds == 0
    assert root.pause()
    first = root.performance_counters().paused_nanoseconds
    second = root.performance_counters().paused_nanoseconds
    root.continue_()
    third = root.performance_counters()
    assert first <= second <= third.paused_nanoseconds <= third.uptime_nanoseconds
    assert root.performance_counters().paused_nanoseconds == third.paused_nanoseconds


def test_disposed_task_that_wants_another_turn_is_discarded(root: LogicalScheduler) -> None:
    is_running, may_end, is_told = threading.Event(), threading.Event(), threading.Event()

    class Long(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            is_running.set()
            assert may_end.wait(WAIT_SECONDS)
            return False

        def discard(self, error: Exception) -> None:
            super().discard(error)
            is_told.set()

    task = Long(9, print)
    child = root.create_child()
    child.schedule(task)
    assert is_running.wait(WAIT_SECONDS)
    child.dispose()
    assert task.discarded == []
    may_end.set()
    assert is_told.wait(WAIT_SECONDS)
    assert "was disposed before it ran this task" in str(task.discarded[0])


@pytest.mark.parametrize("who", ["parent", "itself", "child"])
def test_only_release_ends_a_hold(who: str) -> None:
    ran: list[str] = []
    clock = VirtualTime()
    parent = VirtualTimeScheduler(clock)
    host = parent.create_child()
    assert isinstance(host, LogicalScheduler)
    child = host.create_child()
    child.schedule(lambda: ran.append("child"))
    beside = parent.create_child()
    beside.schedule(lambda: ran.append("beside"))

    assert host.hold().wait()
    {"parent": parent, "itself": host, "child": child}[who].continue_()
    clock.advance_to(5)

    assert (host.status, child.status, ran) == (PAUSED, PAUSED, ["beside"])
    host.release()
    clock.advance_to(9)
    assert ran == ["beside", "child"]


def test_hold_is_not_overtaken_by_a_task_that_continues_while_it_is_awaited(root: LogicalScheduler) -> None:
    child = root.create_child()
    with Blocking(child) as blocking:
        pause = root.hold()
        child.continue_()
        assert not pause.is_done
        blocking.may_end.set()
        assert pause.wait()
    assert (root.status, child.status) == (PAUSED, PAUSED)
    root.release()
    settle(child)


def test_release_below_another_hold_changes_nothing_until_that_is_released() -> None:
    clock = VirtualTime()
    outer = VirtualTimeScheduler(clock)
    inner = outer.create_child()
    assert isinstance(inner, LogicalScheduler)
    outer.hold()
    inner.hold()
    inner.release()
    assert (outer.status, inner.status) == (PAUSED, PAUSED)
    outer.release()
    assert (outer.status, inner.status) == (RUNNING, RUNNING)
