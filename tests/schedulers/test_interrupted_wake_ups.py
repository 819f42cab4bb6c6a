"""A thread that tells a physical scheduler of work is interrupted in the middle of it: nobody loses work by that."""

import threading
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

import reactivestreams.schedulers
from reactivestreams.schedulers import LogicalScheduler, SerialQueue, WorkerPool
from reactivestreams.schedulers.run_queue import RunQueue
from tests.contracts.manual_scheduler import ManualPhysical
from tests.contracts.scheduler_contract import WAIT_SECONDS
from tests.schedulers.interrupted_steps import Interrupt, is_interrupted
from tests.schedulers.pools import in_thread, settle

SCHEDULERS = str(Path(reactivestreams.schedulers.__file__).parent)
NOW = 1_000


class InterruptedPhysical(ManualPhysical):
    """Is interrupted when it is told of work, and other threads call the scheduler before."""

    def __init__(self, act: Callable[[], object], *, times: int = 1) -> None:
        super().__init__()
        self.act = act
        self.left = times

    def _interrupt(self) -> None:
        if self.left:
            self.left -= 1
            in_thread(self.act)
            raise Interrupt

    def run_soon(self, queue: SerialQueue) -> None:
        self._interrupt()
        super().run_soon(queue)

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        self._interrupt()
        super().wake_at(queue, due_nanoseconds)


def test_task_of_another_thread_runs_though_who_put_the_queue_in_line_was_interrupted() -> None:
    done: list[str] = []
    physical = InterruptedPhysical(lambda: root.schedule(lambda: done.append("other")))
    root = LogicalScheduler(physical)
    with pytest.raises(Interrupt):
        root.schedule(lambda: done.append("first"))
    while physical.run_turn():
        pass
    assert done == ["first", "other"]


def test_timed_task_of_another_thread_runs_though_who_set_the_alarm_was_interrupted() -> None:
    done: list[str] = []
    later = timedelta(seconds=2)
    physical = InterruptedPhysical(lambda: root.schedule(lambda: done.append("other"), due=later))
    root = LogicalScheduler(physical)
    with pytest.raises(Interrupt):
        root.schedule(lambda: done.append("first"), due=timedelta(seconds=1))
    physical.elapsed = later
    while physical.run_turn():
        pass
    assert done == ["first", "other"]


def test_scheduler_that_stays_interrupted_is_told_by_who_comes_next() -> None:
    done: list[str] = []
    physical = InterruptedPhysical(int, times=2)
    root = LogicalScheduler(physical)
    with pytest.raises(Interrupt):
        root.schedule(lambda: done.append("first"))
    root.schedule(lambda: done.append("second"))
    while physical.run_turn():
        pass
    assert done == ["first", "second"]


class WatchedLine(RunQueue):
    """Says when a runner has lain down."""

    def __init__(self) -> None:
        super().__init__()
        self.lying = threading.Event()

    def _register_idle(self, sleeper: threading.Lock, now: int) -> float:
        sleep_seconds = super()._register_idle(sleeper, now)
        self.lying.set()
        return sleep_seconds


def interrupted_calls(line: RunQueue, queue: SerialQueue) -> dict[str, Callable[[], object]]:
    return {
        "put": lambda: line.put(queue),
        "set_alarm": lambda: line.set_alarm(queue, NOW + 10**9),
        "put_once": lambda: line.put_once(queue),
        "forget": lambda: line.forget(queue),
    }


def woken_after_an_interrupt(name: str, place: int, following: str) -> tuple[bool, bool]:
    """Interrupt a call beside a runner that sleeps, then make another; whether that was so, and the runner is woken."""
    line, queue = WatchedLine(), SerialQueue(ManualPhysical())
    if name == "forget":
        line.set_alarm(queue, NOW + 10**15)
    calls = interrupted_calls(line, queue)
    runner = threading.Thread(target=line.take, args=(NOW,), daemon=True)
    runner.start()
    assert line.lying.wait(WAIT_SECONDS)
    was_interrupted = is_interrupted(calls[name], place, SCHEDULERS)
    calls[following]()
    runner.join(WAIT_SECONDS)
    is_woken = not runner.is_alive()
    line.close()
    return was_interrupted, is_woken


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("put", "put"),
        ("set_alarm", "set_alarm"),
        ("set_alarm", "put"),
        ("put_once", "put"),
        ("forget", "put"),
    ],
)
def test_runner_is_woken_by_the_next_call_wherever_one_was_interrupted(name: str, following: str) -> None:
    for place in count():
        was_interrupted, is_woken = woken_after_an_interrupt(name, place, following)
        assert is_woken, place
        if not was_interrupted:
            break
    assert place > 2


@pytest.mark.parametrize("due", [None, timedelta(0)], ids=["at once", "timed"])
def test_pool_runs_what_was_accepted_wherever_a_schedule_was_interrupted(due: timedelta | None) -> None:
    with WorkerPool(workers=1, name="reactivestreams-interrupted") as pool:
        root, other = LogicalScheduler(pool), LogicalScheduler(pool)
        settle(root)
        for place in count():
            was_interrupted = is_interrupted(lambda: root.schedule(int, due=due), place, SCHEDULERS)
            settle(other)
            settle(root)
            counters = root.performance_counters()
            assert (counters.ready_count, counters.timed_count) == (0, 0), place
            if not was_interrupted:
                break
    assert place > 5
