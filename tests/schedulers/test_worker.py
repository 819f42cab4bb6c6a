"""The scheduler with one thread of its own."""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError, SchedulerFullError
from reactivestreams.schedulers import Scheduler, WorkerScheduler
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, QueuedSchedulerContract, Turns
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract


def settle(scheduler: Scheduler) -> None:
    done = threading.Event()
    scheduler.schedule(done.set)
    assert done.wait(WAIT_SECONDS)


def hold(scheduler: Scheduler) -> Callable[[], None]:
    holding, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        holding.set()
        assert may_go_on.wait(WAIT_SECONDS)

    scheduler.schedule(wait)
    assert holding.wait(WAIT_SECONDS)
    return may_go_on.set


class TestWorkerScheduler(QueuedSchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        return WorkerScheduler(name="reactivestreams-contract")

    def settle(self, scheduler: Scheduler) -> None:
        for _ in range(4):  # each round comes after the turns that the round before requested
            settle(scheduler)

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        return hold(scheduler)


@pytest.fixture
def worker() -> Iterator[WorkerScheduler]:
    with WorkerScheduler(name="reactivestreams-subject", capacity=4) as worker:
        yield worker


def named_threads(name: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == name]


def test_thread_starts_with_the_first_task_and_ends_with_dispose() -> None:
    with WorkerScheduler(name="reactivestreams-lazy") as worker:
        assert named_threads("reactivestreams-lazy") == []
        settle(worker)
        (thread,) = named_threads("reactivestreams-lazy")
        assert thread.daemon
        settle(worker)
        assert named_threads("reactivestreams-lazy") == [thread]
    assert not thread.is_alive()


def test_scheduler_that_never_ran_disposes() -> None:
    WorkerScheduler(name="reactivestreams-idle").dispose()
    assert named_threads("reactivestreams-idle") == []


def test_tasks_run_in_the_named_thread(worker: WorkerScheduler) -> None:
    seen: list[str] = []
    worker.schedule(lambda: seen.append(threading.current_thread().name))
    settle(worker)
    assert seen == ["reactivestreams-subject"]


def test_tasks_run_when_they_are_due_the_earliest_first(worker: WorkerScheduler) -> None:
    begin = worker.now
    seen: list[tuple[str, Any]] = []
    done = threading.Event()

    def late() -> None:
        seen.append(("late", worker.now))

    go_on = hold(worker)  # until it has both, however long that takes
    worker.schedule(late, due=begin + 2 * SHORT)
    worker.schedule(lambda: seen.append(("soon", worker.now)), due=begin + SHORT)
    worker.schedule(done.set, due=begin + 3 * SHORT)
    go_on()
    assert done.wait(WAIT_SECONDS)
    moments = dict(seen)
    assert moments["soon"] >= begin + SHORT
    assert moments["late"] >= begin + 2 * SHORT
    # Where the machine stood still until both were due, what was scheduled first goes first.
    assert [name for name, _ in seen] == ["soon", "late"] or seen[0][1] >= begin + 2 * SHORT


def test_task_without_a_due_time_does_not_wait_for_timers(worker: WorkerScheduler) -> None:
    seen: list[str] = []
    worker.schedule(lambda: seen.append("timed"), due=timedelta(hours=1))
    worker.schedule(lambda: seen.append("now"))
    settle(worker)
    assert seen == ["now"]


def test_tasks_due_at_the_same_time_keep_their_order(worker: WorkerScheduler) -> None:
    seen: list[int] = []
    go_on = hold(worker)
    for number in range(3):
        worker.schedule(lambda number=number: seen.append(number), due=-SHORT)  # type: ignore[misc]
    go_on()
    settle(worker)
    assert seen == [0, 1, 2]


def test_task_due_in_the_far_future_does_not_stop_the_worker(worker: WorkerScheduler) -> None:
    task = Turns(1, print)
    worker.schedule(task, due=timedelta.max)
    settle(worker)
    worker.dispose()
    assert [type(error) for error in task.discarded] == [SchedulerDisposedError]


def test_one_task_more_than_the_capacity_is_refused(worker: WorkerScheduler) -> None:
    seen: list[str] = []
    done = threading.Event()
    go_on = hold(worker)
    worker.schedule(lambda: seen.append("timed"), due=timedelta(0))
    for name in ("first", "second"):
        worker.schedule(lambda name=name: seen.append(name))  # type: ignore[misc]
    worker.schedule(done.set)
    with pytest.raises(SchedulerFullError) as refused:
        worker.schedule(lambda: seen.append("refused"))
    assert str(refused.value) == (
        "WorkerScheduler(name='reactivestreams-subject') has 4 waiting tasks, which is its capacity; "
        "schedule fewer at once or raise capacity"
    )
    go_on()
    assert done.wait(WAIT_SECONDS)
    settle(worker)
    assert sorted(seen) == ["first", "second", "timed"]


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_exception_of_a_task_reaches_the_hook_and_the_worker_goes_on(
    worker: WorkerScheduler, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    class Failing(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            raise error

    with recorded_drops() as drops:
        worker.schedule(fail)
        worker.schedule(Failing(3, print))
        settle(worker)
    assert drops == [("task", error, "reactivestreams-subject")] * 2


def test_dispose_waits_for_the_running_task_and_gives_it_no_other_turn(worker: WorkerScheduler) -> None:
    running, may_end, is_disposed = threading.Event(), threading.Event(), threading.Event()
    turns: list[str] = []

    class Long(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            running.set()
            assert may_end.wait(WAIT_SECONDS)
            return super().execute(scheduler)

    class Waiting(Turns):
        def discard(self, error: Exception) -> None:
            is_disposed.set()

    task = Long(3, turns.append)
    worker.schedule(task)
    assert running.wait(WAIT_SECONDS)
    worker.schedule(Waiting(1, turns.append, "waiting"))
    disposing = threading.Thread(target=worker.dispose)
    disposing.start()
    assert is_disposed.wait(WAIT_SECONDS)
    may_end.set()
    disposing.join(WAIT_SECONDS)
    assert turns == ["turn"]
    assert [type(error) for error in task.discarded] == [SchedulerDisposedError]


def test_worker_disposes_of_itself(worker: WorkerScheduler) -> None:
    disposed = threading.Event()
    waiting = Turns(1, print)

    def dispose() -> None:
        worker.schedule(waiting)
        worker.dispose()
        disposed.set()

    worker.schedule(dispose)
    assert disposed.wait(WAIT_SECONDS)
    assert len(waiting.discarded) == 1
    worker.dispose()
    assert named_threads("reactivestreams-subject") == []


def test_idle_worker_keeps_no_task_alive(worker: WorkerScheduler) -> None:
    class Task:
        def __call__(self) -> None:
            pass

    task = Task()
    kept = weakref.ref(task)
    worker.schedule(task)
    del task
    settle(worker)
    gc.collect()
    assert kept() is None


def test_thread_that_cannot_start_leaves_the_scheduler_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    seen: list[str] = []
    with WorkerScheduler(name="reactivestreams-unstarted") as worker:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", fail)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                worker.schedule(lambda: seen.append("refused"))
        worker.schedule(lambda: seen.append("taken"))
        settle(worker)
    assert seen == ["taken"]


@pytest.mark.parametrize(("capacity", "error"), [(0, ArgumentError), (-1, ArgumentError), ("8", ArgumentTypeError)])
def test_bad_capacity_is_refused(capacity: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"WorkerScheduler\(capacity\) needs "):
        WorkerScheduler(capacity=capacity)


def test_task_runs_in_the_current_thread_of_its_scheduler_and_of_no_other() -> None:
    seen: list[tuple[bool, bool]] = []
    with (
        WorkerScheduler(name="reactivestreams-mine") as mine,
        WorkerScheduler(name="reactivestreams-other") as other,
    ):
        mine.schedule(lambda: seen.append((mine.is_current(), other.is_current())))
        settle(mine)
        other.schedule(lambda: seen.append((mine.is_current(), other.is_current())))
        settle(other)
    assert seen == [(True, False), (False, True)]
