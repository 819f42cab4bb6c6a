"""The scheduler that runs tasks in the thread that schedules, one behind the other."""

import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import NoReturn

import pytest

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers import LogicalScheduler, Scheduler, SerialQueue, TrampolineScheduler
from reactivestreams.schedulers.trampoline import _Trampoline
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, SchedulerContract, Turns
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract


class TestTrampolineScheduler(SchedulerContract, SchedulerTreeContract):
    sleeps_until_due = True

    def make(self) -> Scheduler:
        return TrampolineScheduler()

    def settle(self, scheduler: Scheduler) -> None:
        pass  # nothing waits behind `schedule`


def test_task_inside_a_task_runs_after_it() -> None:
    scheduler, seen = TrampolineScheduler(), []

    def outer() -> None:
        scheduler.create_child().schedule(lambda: seen.append("inner"))
        seen.append("outer")

    scheduler.schedule(outer)
    assert seen == ["outer", "inner"]


def test_stack_stays_flat_however_often_a_task_schedules_the_next() -> None:
    scheduler = TrampolineScheduler()
    left = [20_000]

    def again() -> None:
        left[0] -= 1
        if left[0]:
            scheduler.schedule(again)

    scheduler.schedule(again)
    assert left == [0]


def test_turns_of_two_tasks_alternate() -> None:
    scheduler, seen = TrampolineScheduler(), []

    def both() -> None:
        scheduler.schedule(Turns(2, seen.append, "a"))
        scheduler.schedule(Turns(2, seen.append, "b"))

    scheduler.schedule(both)
    assert seen == ["a", "b", "a", "b"]


def test_due_time_is_waited_for_and_the_earlier_goes_first() -> None:
    scheduler, seen = TrampolineScheduler(), []
    begin = scheduler.now

    def both() -> None:
        scheduler.schedule(lambda: seen.append(("late", scheduler.now)), due=2 * SHORT)
        scheduler.schedule(lambda: seen.append(("soon", scheduler.now)), due=begin + SHORT)

    scheduler.schedule(both)
    assert [name for name, _ in seen] == ["soon", "late"]
    assert seen[0][1] >= begin + SHORT
    assert seen[1][1] >= begin + 2 * SHORT


def test_thread_that_finds_it_busy_leaves_its_task_to_the_other() -> None:
    scheduler = TrampolineScheduler()
    is_running, may_end = threading.Event(), threading.Event()
    seen: list[tuple[str, int]] = []

    def note(name: str) -> Callable[[], None]:
        return lambda: seen.append((name, threading.get_ident()))

    def wait() -> None:
        is_running.set()
        assert may_end.wait(WAIT_SECONDS)

    draining = threading.Thread(target=lambda: scheduler.schedule(wait))
    draining.start()
    assert is_running.wait(WAIT_SECONDS)
    assert not scheduler.is_current()
    scheduler.schedule(note("given away"))
    may_end.set()
    draining.join(WAIT_SECONDS)
    scheduler.schedule(note("own"))
    assert seen == [("given away", draining.ident), ("own", threading.get_ident())]


def test_thread_that_sleeps_for_a_due_time_runs_what_others_schedule_meanwhile() -> None:
    scheduler = TrampolineScheduler()
    is_asleep, seen = threading.Event(), []

    def far() -> None:
        scheduler.schedule(lambda: seen.append("never"), due=timedelta.max)
        is_asleep.set()

    draining = threading.Thread(target=lambda: scheduler.schedule(far))
    draining.start()
    assert is_asleep.wait(WAIT_SECONDS)
    done = threading.Event()
    scheduler.schedule(done.set)
    assert done.wait(WAIT_SECONDS)
    scheduler.dispose()
    draining.join(WAIT_SECONDS)
    assert (draining.is_alive(), seen) == (False, [])


def test_its_thread_is_current_while_it_drains() -> None:
    scheduler, seen = TrampolineScheduler(), []
    scheduler.schedule(lambda: seen.append(scheduler.is_current()))
    assert (seen, scheduler.is_current()) == ([True], False)


def test_first_exception_is_raised_when_all_have_run_and_the_others_are_dropped() -> None:
    scheduler, seen = TrampolineScheduler(), []
    errors = [ValueError("first"), ValueError("second")]

    def fail(error: Exception) -> None:
        raise error

    def schedule_all() -> None:
        scheduler.schedule(lambda: fail(errors[0]))
        scheduler.schedule(lambda: fail(errors[1]))
        scheduler.schedule(lambda: seen.append("last"))

    with recorded_drops() as drops, pytest.raises(ValueError, match="first"):
        scheduler.schedule(schedule_all)
    assert (seen, drops) == (["last"], [("task", errors[1], "trampoline")])


def test_interrupt_is_raised_at_once_and_the_next_call_runs_what_is_left() -> None:
    scheduler, seen = TrampolineScheduler(), []

    def interrupt() -> None:
        scheduler.schedule(lambda: seen.append("left"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scheduler.schedule(interrupt)
    assert seen == []
    scheduler.schedule(lambda: seen.append("next"))
    assert seen == ["left", "next"]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signal can be sent to a thread")
def test_interrupt_while_it_sleeps_leaves_a_trampoline_that_runs_what_was_scheduled_meanwhile() -> None:
    scheduler, seen = TrampolineScheduler(), []
    idle, main_thread = physical_of(scheduler)._run_queue._idle, threading.get_ident()
    is_handled = threading.Event()

    def handle(*_: object) -> None:
        if not is_handled.is_set():
            is_handled.set()
            scheduler.schedule(lambda: seen.append("of the handler"))
            raise KeyboardInterrupt

    def interrupt() -> None:
        until = time.monotonic() + WAIT_SECONDS
        while not is_handled.wait(0.01) and time.monotonic() < until:
            if idle:  # again and again: one that comes just before the thread falls asleep is seen when it wakes
                signal.pthread_kill(main_thread, signal.SIGINT)

    interrupting = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, handle)
    try:
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            scheduler.schedule(lambda: seen.append("never"), due=SHORT * 1_000_000)
        interrupting.join(WAIT_SECONDS)
    finally:
        signal.signal(signal.SIGINT, before)

    def end() -> None:
        seen.append("next")
        scheduler.dispose()

    scheduler.schedule(end)
    assert seen == ["of the handler", "next"]


@pytest.mark.parametrize("method", ["take", "_ring"])
def test_interrupt_while_the_queue_is_out_of_line_loses_neither_tasks_nor_timers(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    scheduler, seen = TrampolineScheduler(), []
    line = physical_of(scheduler)._run_queue
    take = line.take

    def interrupted(now: int) -> NoReturn:
        if method == "take":
            assert take(now) is scheduler._queue
        else:
            assert line._alarms.pop() is scheduler._queue
        raise KeyboardInterrupt

    monkeypatch.setattr(line, method, interrupted)
    with pytest.raises(KeyboardInterrupt):
        scheduler.schedule(lambda: seen.append("left"), due=None if method == "take" else SHORT)
    monkeypatch.undo()
    scheduler.schedule(lambda: seen.append("next"))
    assert sorted(seen) == ["left", "next"]


def test_interrupt_of_a_thread_that_no_longer_drains_leaves_the_one_that_does_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheduler, seen = TrampolineScheduler(), []
    physical = physical_of(scheduler)
    leave = physical._leave_if_empty

    def interrupted() -> NoReturn:
        leave()
        physical._drainer = -1  # another thread has come
        raise KeyboardInterrupt

    monkeypatch.setattr(physical, "_leave_if_empty", interrupted)
    with pytest.raises(KeyboardInterrupt):
        scheduler.schedule(lambda: seen.append("ran"))
    assert (physical._drainer, seen) == (-1, ["ran"])


def test_timer_that_is_set_after_the_disposal_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = TrampolineScheduler()
    physical = physical_of(scheduler)
    wake_at = physical.wake_at

    def late(queue: SerialQueue, due_nanoseconds: int) -> None:
        scheduler.dispose()  # as another thread would, when the alarm was claimed
        wake_at(queue, due_nanoseconds)

    monkeypatch.setattr(physical, "wake_at", late)
    LogicalScheduler.schedule(scheduler, print, due=SHORT * 1_000_000)
    assert physical._run_queue.is_empty


def physical_of(scheduler: TrampolineScheduler) -> _Trampoline:
    physical = scheduler._physical
    assert isinstance(physical, _Trampoline)
    return physical


def test_task_that_disposes_the_trampoline_is_the_last() -> None:
    scheduler, left = TrampolineScheduler(), Turns(1, print)

    def dispose() -> None:
        scheduler.schedule(left)
        scheduler.dispose()

    scheduler.schedule(dispose)
    assert [type(error) for error in left.discarded] == [SchedulerDisposedError]
