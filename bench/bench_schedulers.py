"""What does a task cost, in virtual time and on a worker, and how soon does a scheduler under load stand still?

The baselines are what one would write without schedulers: a `heapq` of (time, number, function) and a loop that calls
what comes first; a thread that gets functions from a `queue.SimpleQueue`; threads that look at a flag and release a
semaphore.
"""

import heapq
import itertools
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams.schedulers import (
    TICK,
    LogicalScheduler,
    VirtualTimeScheduler,
    WorkerPool,
    WorkerScheduler,
    YieldableActionTask,
    YieldToken,
)

TASKS = 50_000
DUE_TICKS = 1_000
PAUSES = 20
WORKERS = 2
LONGEST_RUN_SECONDS = 60


class Steps:
    """A task that schedules itself until it has run often enough."""

    def __init__(self, schedule: Callable[[Any], object], tasks: int) -> None:
        self.schedule, self.left = schedule, tasks

    def __call__(self) -> None:
        self.left -= 1
        if self.left:
            self.schedule(self)


def chain_in_virtual_time(tasks: int = TASKS) -> None:
    """Each task schedules the next one, a tick later."""
    scheduler = VirtualTimeScheduler()
    scheduler.schedule(Steps(scheduler.schedule, tasks))
    scheduler.clock.start()
    assert scheduler.clock.ticks == tasks


def chain_in_a_heap(tasks: int = TASKS) -> None:
    """The baseline."""
    heap: list[tuple[int, int, Callable[[], None]]] = []
    numbers = itertools.count()
    now = 0

    def schedule(task: Callable[[], None]) -> None:
        heapq.heappush(heap, (now + 1, next(numbers), task))

    schedule(Steps(schedule, tasks))
    while heap:
        now, _, task = heapq.heappop(heap)
        task()
    assert now == tasks


def timers_in_virtual_time(tasks: int = TASKS) -> None:
    """All tasks are scheduled first, at many times in no order."""
    scheduler = VirtualTimeScheduler()
    schedule = scheduler.schedule
    dues = [n * TICK for n in range(DUE_TICKS)]
    for number in range(tasks):
        schedule(_nothing, due=dues[number * 617 % DUE_TICKS])
    scheduler.clock.start()


def timers_in_a_heap(tasks: int = TASKS) -> None:
    """The baseline."""
    heap: list[tuple[int, int, Callable[[], None]]] = []
    numbers = itertools.count()
    for number in range(tasks):
        heapq.heappush(heap, (number * 617 % DUE_TICKS, next(numbers), _nothing))
    while heap:
        _, _, task = heapq.heappop(heap)
        task()


def tasks_on_a_worker(tasks: int = TASKS) -> None:
    """One thread schedules, another one runs."""
    done = threading.Event()
    with WorkerScheduler(name="worker", capacity=tasks + 1) as worker:
        for _ in range(tasks):
            worker.schedule(_nothing)
        worker.schedule(done.set)
        assert done.wait(LONGEST_RUN_SECONDS)


def functions_through_a_queue(tasks: int = TASKS) -> None:
    """The baseline."""
    functions: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()

    def work() -> None:
        while (function := functions.get()) is not None:
            function()

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(tasks):
        functions.put(_nothing)
    functions.put(None)
    thread.join()


def _nothing() -> None:
    pass


class PauseTime:
    """Runs threads under load and stops them time and again; its clock counts from each order to the standstill."""

    def __init__(self) -> None:
        self.nanoseconds = 0

    def clock(self) -> int:
        return self.nanoseconds

    def stop(self, order: Callable[[], object]) -> None:
        began = time.perf_counter_ns()
        order()
        self.nanoseconds += time.perf_counter_ns() - began


class PausedSchedulers(PauseTime):
    """Yieldable tasks on every worker of a pool."""

    def run(self) -> None:
        with WorkerPool(workers=WORKERS, name="load") as pool:
            root = LogicalScheduler(pool, affinity="any")
            running = threading.Semaphore(0)

            def spin(token: YieldToken) -> bool:
                running.release()
                while not token.is_yield_requested:
                    pass
                return False

            for _ in range(WORKERS):
                root.schedule(YieldableActionTask(spin))
            for _ in range(PAUSES):
                for _ in range(WORKERS):
                    assert running.acquire(timeout=LONGEST_RUN_SECONDS)
                self.stop(root.pause)
                root.continue_()
            root.dispose()


class FlaggedThreads(PauseTime):
    """The baseline: as many threads that look at a flag."""

    def run(self) -> None:
        running, stopped, may_go_on = (threading.Semaphore(0) for _ in range(3))
        must_stop = [False]
        rounds = PAUSES

        def spin() -> None:
            for _ in range(rounds):
                running.release()
                while not must_stop[0]:
                    pass
                stopped.release()
                may_go_on.acquire()

        def order() -> None:
            must_stop[0] = True
            for _ in range(WORKERS):
                stopped.acquire()

        threads = [threading.Thread(target=spin) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        for _ in range(rounds):
            for _ in range(WORKERS):
                assert running.acquire(timeout=LONGEST_RUN_SECONDS)
            self.stop(order)
            must_stop[0] = False
            may_go_on.release(WORKERS)
        for thread in threads:
            thread.join()


def bench_schedulers__chain_in_a_heap(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does a task cost that a loop takes from a heap?"""
    benchmark.extra_info["operations"] = TASKS
    benchmark(chain_in_a_heap)


def bench_schedulers__chain_in_virtual_time(benchmark: BenchmarkFixture) -> None:
    """What does a task cost in virtual time that another one has scheduled?"""
    benchmark.extra_info["operations"] = TASKS
    benchmark(chain_in_virtual_time)


def bench_schedulers__timers_in_virtual_time(benchmark: BenchmarkFixture) -> None:
    """What does a task cost in virtual time where thousands wait?"""
    benchmark.extra_info["operations"] = TASKS
    benchmark(timers_in_virtual_time)


def bench_schedulers__tasks_on_a_worker(benchmark: BenchmarkFixture) -> None:
    """What does a task cost on a worker?"""
    benchmark.extra_info["operations"] = TASKS
    benchmark(tasks_on_a_worker)


def bench_schedulers__pause_under_load(benchmark: BenchmarkFixture) -> None:
    """How long does a pool under load take, with its start and end, to be paused so many times?"""
    benchmark.extra_info["operations"] = PAUSES
    benchmark(PausedSchedulers().run)
