"""The physical scheduler with threads: how many, when they start and end, who may touch what."""

import os
import threading
from typing import Any, NoReturn

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers import LogicalScheduler, SchedulerAccessError, SerialQueue, WorkerPool
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, Turns
from tests.schedulers.pools import Countdown, held, settle


def named_threads(name: str) -> list[str]:
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith(name))


@pytest.mark.parametrize(
    ("workers", "error"), [(0, ArgumentError), (-1, ArgumentError), (4_097, ArgumentError), ("2", ArgumentTypeError)]
)
def test_number_of_workers_that_is_none_is_refused(workers: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^WorkerPool\(workers\) needs "):
        WorkerPool(workers=workers)


def test_there_are_as_many_workers_as_processors_by_default() -> None:
    with WorkerPool() as pool:
        assert pool.width == os.cpu_count()


def test_threads_start_with_the_first_tasks_and_end_with_dispose() -> None:
    with WorkerPool(workers=2, name="reactivestreams-lazy") as pool:
        root = LogicalScheduler(pool)
        assert named_threads("reactivestreams-lazy") == []
        settle(root)
        assert named_threads("reactivestreams-lazy") == ["reactivestreams-lazy-1"]
        for _ in range(3):
            settle(root)
        assert named_threads("reactivestreams-lazy") == ["reactivestreams-lazy-1", "reactivestreams-lazy-2"]
    assert named_threads("reactivestreams-lazy") == []


def test_only_its_workers_have_access() -> None:
    seen: list[Any] = []
    with WorkerPool(workers=2, name="mine") as pool, WorkerPool(workers=1, name="other") as other:
        root, foreign = LogicalScheduler(pool, name="root"), LogicalScheduler(other)
        child = root.create_child()

        def look() -> None:
            seen.append([each.check_access() for each in (root, child, foreign, pool, other)])
            seen.append([each.is_current() for each in (root, pool, other)])
            root.verify_access()
            pool.verify_access()

        child.schedule(look)
        settle(child)
        assert [each.check_access() for each in (root, pool)] == [False, False]
        assert [each.is_current() for each in (root, pool)] == [False, False]
        with pytest.raises(SchedulerAccessError) as caught:
            root.verify_access()
        with pytest.raises(SchedulerAccessError, match=r"only tasks of WorkerPool\(workers=2, name='mine'\)"):
            pool.verify_access()
    assert seen == [[True, True, False, True, False], [True, True, False]]
    assert str(caught.value) == (
        "only tasks of LogicalScheduler(name='root') may call this; schedule a task that does it"
    )


def test_dispose_tells_the_tasks_of_every_root_and_waits_for_the_running_ones() -> None:
    pool = WorkerPool(workers=2, name="reactivestreams-full")
    roots = [LogicalScheduler(pool, name=str(number)) for number in range(3)]
    told = Countdown(6)

    class Told(Turns):
        def discard(self, error: Exception) -> None:
            super().discard(error)
            told()

    tasks = [Told(1, print) for _ in range(6)]
    is_disposed = threading.Event()

    def dispose() -> None:
        pool.dispose()
        is_disposed.set()

    with held(pool):
        for number, task in enumerate(tasks):
            roots[number // 2].schedule(task, due=SHORT * 1_000 if number % 2 else None)
        disposing = threading.Thread(target=dispose)
        disposing.start()
        assert told.wait()
        assert not is_disposed.is_set()
    disposing.join(WAIT_SECONDS)
    assert is_disposed.is_set()
    assert [[type(error) for error in task.discarded] for task in tasks] == [[SchedulerDisposedError]] * 6
    assert named_threads("reactivestreams-full") == []


def test_two_tasks_that_dispose_of_the_pool_do_not_wait_for_each_other() -> None:
    pool = WorkerPool(workers=2, name="reactivestreams-both")
    barrier, done = threading.Barrier(2), Countdown(2)

    def dispose() -> None:
        barrier.wait(WAIT_SECONDS)
        pool.dispose()
        done()

    for _ in range(2):
        LogicalScheduler(pool).schedule(dispose)
    assert done.wait()
    pool.dispose()
    assert named_threads("reactivestreams-both") == []


def test_root_that_was_disposed_is_forgotten_by_its_pool() -> None:
    with WorkerPool(workers=1, name="reactivestreams-pool") as pool:
        root = LogicalScheduler(pool)
        root.schedule(print, due=SHORT * 1_000)
        root.dispose()
        assert (len(pool._roots), len(pool._run_queue._alarms)) == (0, 0)


@pytest.mark.parametrize(("method", "due"), [("run_soon", None), ("wake_at", SHORT)])
def test_tree_outlives_an_interrupt_that_keeps_its_pool_from_being_told(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, method: str, due: Any
) -> None:
    root = LogicalScheduler(pool)
    seen: list[str] = []
    done = threading.Event()

    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pool, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            root.schedule(lambda: seen.append("first"), due=due)
    root.schedule(done.set, due=due)
    assert done.wait(WAIT_SECONDS)
    assert seen == ["first"]


def test_alarm_that_is_set_after_the_disposal_keeps_no_tree_in_the_pool(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = LogicalScheduler(pool)
    wake_at = pool.wake_at

    def late(queue: SerialQueue, due_nanoseconds: int) -> None:
        root.dispose()  # as another thread would, when the alarm was claimed
        wake_at(queue, due_nanoseconds)

    monkeypatch.setattr(pool, "wake_at", late)
    root.schedule(print, due=SHORT * 1_000_000)
    assert len(pool._run_queue._alarms) == 0


def test_pool_that_is_disposed_while_a_root_is_made_refuses_it_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = WorkerPool(workers=1, name="reactivestreams-ending")
    settle(LogicalScheduler(pool))
    new_queue = pool.new_queue

    def late(width: int) -> SerialQueue:
        pool.dispose()  # as another thread would
        return new_queue(width)

    monkeypatch.setattr(pool, "new_queue", late)
    with pytest.raises(SchedulerDisposedError, match="was disposed and runs nothing any more; use a new one"):
        LogicalScheduler(pool)
    assert (len(pool._roots), named_threads("reactivestreams-ending")) == (0, [])


def test_timers_of_many_roots_need_no_thread_of_their_own() -> None:
    with WorkerPool(workers=2, name="reactivestreams-timers") as pool:
        done = Countdown(60)
        for number in range(60):
            LogicalScheduler(pool).schedule(done, due=SHORT * ((number * 37) % 60) / 30)
        assert done.wait()
        assert len(named_threads("reactivestreams-timers")) == 2


def test_earlier_timer_wakes_a_pool_that_sleeps_for_a_later_one() -> None:
    with WorkerPool(workers=2, name="reactivestreams-timers") as pool:
        done = threading.Event()
        LogicalScheduler(pool).schedule(print, due=SHORT * 1_000_000)
        settle(LogicalScheduler(pool))
        LogicalScheduler(pool).schedule(done.set, due=SHORT)
        assert done.wait(WAIT_SECONDS)


def test_timer_of_a_busy_pool_is_kept_until_a_worker_is_free() -> None:
    with WorkerPool(workers=2, name="reactivestreams-timers") as pool:
        done = threading.Event()
        with held(pool):
            LogicalScheduler(pool).schedule(done.set, due=SHORT / 20)
            assert not done.wait(SHORT.total_seconds())
        assert done.wait(WAIT_SECONDS)


def test_who_schedules_in_a_thread_that_has_not_begun_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a callback of the garbage collector may, which runs in any thread, also in one that is about to begin."""
    start = threading.Thread.start
    asked: list[threading.Thread] = []

    def start_beside_another(thread: threading.Thread) -> None:
        if thread.name.startswith("begins late"):
            asker = threading.Thread(target=pool.prepare, daemon=True)
            asked.append(asker)
            start(asker)
            asker.join(WAIT_SECONDS)
        start(thread)

    pool = WorkerPool(workers=1, name="begins late")
    monkeypatch.setattr(threading.Thread, "start", start_beside_another)
    assert pool.prepare()
    assert [asker.is_alive() for asker in asked] == [False]
    pool.dispose()
    assert named_threads("begins late") == []


def test_worker_whose_thread_cannot_begin_is_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(thread: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    with WorkerPool(workers=2, name="without") as pool:
        with monkeypatch.context() as context:
            context.setattr(threading.Thread, "start", no_thread)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                pool.prepare()
        assert not pool.prepare()
        assert pool.prepare()
