"""Schedulers under threads, in outcomes: pauses, disposal, scheduling and recalculation at the same time."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers import LogicalScheduler, Scheduler, WorkerPool
from tests.conftest import Depth
from tests.stress.outcomes import Action, Hesitate, Table, Verdict, judge, observe

ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN
ROUNDS = 150
WAIT_SECONDS = 30.0
NEAR, FAR = timedelta(milliseconds=1), timedelta(hours=1)

pytestmark = pytest.mark.slow

Situation = Callable[[LogicalScheduler], list[Action]]


class Task:
    """Runs some turns, gives up the processor in each, and notes what becomes of it."""

    def __init__(self, turns: int = 1) -> None:
        self.turns = turns
        self.is_runnable = True
        self.fates: list[str] = []
        self.has_ended = threading.Event()
        self.count = 0
        self.is_in_turn = False

    def execute(self, scheduler: Scheduler) -> bool:
        self.is_in_turn = True
        time.sleep(0)
        self.count += 1
        self.is_in_turn = False
        if self.count < self.turns:
            return False
        self.end("ran")
        return True

    def discard(self, error: Exception) -> None:
        self.end("told")

    def end(self, fate: str) -> None:
        self.fates.append(fate)
        self.has_ended.set()

    def fate(self) -> str:
        assert self.has_ended.wait(WAIT_SECONDS), f"after {self.count} turns nothing became of the task"
        return "+".join(self.fates)


def schedule(scheduler: Scheduler, task: Task, *, due: timedelta | None = None) -> None:
    try:
        scheduler.schedule(task, due=due)
    except SchedulerDisposedError:
        task.end("refused")


# --- situations -------------------------------------------------------------------------------------------------------


def schedule_and_dispose(root: LogicalScheduler) -> list[Action]:
    """A task is scheduled while its scheduler, or the one above it, is disposed: one thing becomes of it."""
    child, task = root.create_child(), Task(turns=3)

    def scheduling(hesitate: Hesitate) -> Hashable:
        schedule(child, task)
        return task.fate()

    def disposing(hesitate: Hesitate) -> Hashable:
        hesitate()
        root.dispose()
        return "disposed"

    return [scheduling, disposing]


def cancel_and_run(root: LogicalScheduler) -> list[Action]:
    """A task is cancelled while it is taken, or has turns: it has all of them, or the handle says that it waited."""
    child, task = root.create_child(), Task(turns=3)
    handle = child.schedule(task)

    def cancelling(hesitate: Hesitate) -> Hashable:
        hesitate()
        was_waiting = handle.cancel()
        before = task.count
        if not was_waiting:
            return "ran" if task.fate() == "ran" else task.fates
        hesitate()
        root.pause()
        root.continue_()
        return "cancelled" if (task.count, task.fates) == (before, []) else (before, task.count, task.fates)

    def recalculating(hesitate: Hesitate) -> Hashable:
        hesitate()
        child.recalculate_priority()
        return "recalculated"

    return [cancelling, recalculating]


def pause_while_tasks_take_turns(root: LogicalScheduler) -> list[Action]:
    """Tasks that want turn after turn are paused: between the end of the pause and the continue none has one."""
    tasks = [Task(turns=10**9) for _ in range(4)]
    for task in tasks:
        root.create_child().schedule(task)

    def pausing(hesitate: Hesitate) -> Hashable:
        hesitate()
        is_paused = root.pause()
        before = [(task.count, task.is_in_turn) for task in tasks]
        hesitate()
        time.sleep(0)
        after = [(task.count, task.is_in_turn) for task in tasks]
        for task in tasks:
            task.turns = 0
        root.continue_()
        fates = {task.fate() for task in tasks}
        return is_paused, before == after, any(in_turn for _, in_turn in after), *sorted(fates)

    def recalculating(hesitate: Hesitate) -> Hashable:
        for _ in range(3):
            hesitate()
            root.recalculate_priority()
        return "recalculated"

    return [pausing, recalculating]


def pause_and_continue(root: LogicalScheduler) -> list[Action]:
    """One thread pauses, another continues: whoever was last has it, and afterwards everything runs."""
    task = Task(turns=20)
    root.schedule(task)
    paused: list[bool] = []

    def pausing(hesitate: Hesitate) -> Hashable:
        pause = root.pause_async()
        hesitate()
        paused.append(pause.wait(timeout_seconds=WAIT_SECONDS))
        root.continue_()
        return task.fate()

    def continuing(hesitate: Hesitate) -> Hashable:
        hesitate()
        root.continue_()
        return "continued"

    return [pausing, continuing]


def work_comes_while_the_task_looks_for_it(root: LogicalScheduler) -> list[Action]:
    """A task without work gets some, and is recalculated, while it is looked at: it is never left asleep."""
    task = Task()
    task.is_runnable = False
    root.schedule(task)

    def working(hesitate: Hesitate) -> Hashable:
        hesitate()
        task.is_runnable = True
        root.recalculate_priority()
        return task.fate()

    def recalculating(hesitate: Hesitate) -> Hashable:
        hesitate()
        root.recalculate_priority()
        hesitate()
        root.recalculate_priority()
        return "recalculated"

    return [working, recalculating]


def children_come_and_go_during_a_pause(root: LogicalScheduler) -> list[Action]:
    """Children are made, used and disposed while the root is paused and continued: each task has one fate."""
    tasks = [Task() for _ in range(6)]

    def making(hesitate: Hesitate) -> Hashable:
        for number, task in enumerate(tasks):
            child = root.create_child()
            schedule(child, task)
            hesitate()
            if number % 2:
                child.dispose()
        return tuple(sorted({task.fate() for task in tasks[0::2]}))

    def pausing(hesitate: Hesitate) -> Hashable:
        for _ in range(2):
            root.pause()
            hesitate()
            root.continue_()
        return tuple(sorted({task.fate() for task in tasks[1::2]} - {"ran", "told"}))

    return [making, pausing]


def two_pause_and_one_disposes(root: LogicalScheduler) -> list[Action]:
    """Both pauses end, whatever comes between."""
    task = Task(turns=10**9)
    child = root.create_child()
    child.schedule(task)

    def pausing(of: LogicalScheduler) -> Action:
        def act(hesitate: Hesitate) -> Hashable:
            pause = of.pause_async()
            hesitate()
            pause.wait(timeout_seconds=WAIT_SECONDS)
            return pause.is_done

        return act

    def disposing(hesitate: Hesitate) -> Hashable:
        hesitate()
        root.dispose()
        return task.fate()

    return [pausing(root), pausing(child), disposing]  # type: ignore[arg-type]


def near_timer_comes_with_far_ones(root: LogicalScheduler) -> list[Action]:
    """One thread schedules far timers, each earlier than the one before, and tasks behind which a worker looks for the
    next timer; another thread schedules a near one."""
    near, far = Task(), [Task() for _ in range(20)]

    def scheduling_far(hesitate: Hesitate) -> Hashable:
        for number, task in enumerate(far):
            schedule(root, task, due=FAR - number * NEAR)
            if number % 5 == 0:
                schedule(root, Task())
        near.fate()
        return "+".join(sorted({fate for task in far for fate in task.fates})) or "wait"

    def scheduling_near(hesitate: Hesitate) -> Hashable:
        hesitate()
        schedule(root, near, due=NEAR)
        return near.fate()

    return [scheduling_far, scheduling_near]


TABLES: dict[Situation, Table] = {
    schedule_and_dispose: {
        ("ran", "disposed"): (ALLOWED, "it was done before the scheduler was disposed"),
        ("told", "disposed"): (ALLOWED, "it waited, or wanted another turn"),
        ("refused", "disposed"): (ALLOWED, "the scheduler was disposed first"),
        ("ran+told", "disposed"): (FORBIDDEN, "what has run is not discarded"),
        ("told+refused", "disposed"): (FORBIDDEN, "what was refused was never there"),
    },
    cancel_and_run: {
        ("cancelled", "recalculated"): (ALLOWED, "it waited, for its first turn or for another one"),
        ("ran", "recalculated"): (ALLOWED, "a turn was on, or all were over"),
    },
    pause_while_tasks_take_turns: {
        ((True, True, False, "ran"), "recalculated"): (ALLOWED, "the pause held them all, and then they went on"),
        ((True, False, False, "ran"), "recalculated"): (FORBIDDEN, "a task had a turn during the pause"),
        ((True, True, True, "ran"), "recalculated"): (FORBIDDEN, "a turn was on when the pause was done"),
        ((False, True, False, "ran"), "recalculated"): (FORBIDDEN, "nobody else continued it"),
    },
    pause_and_continue: {
        ("ran", "continued"): (ALLOWED, "the task got all its turns"),
    },
    work_comes_while_the_task_looks_for_it: {
        ("ran", "recalculated"): (ALLOWED, "it was woken"),
    },
    children_come_and_go_during_a_pause: {
        (("ran",), ()): (ALLOWED, "children that stayed ran their tasks; those that went ran them or told them"),
        (("told",), ()): (FORBIDDEN, "a task was discarded though its scheduler was not disposed"),
        (("ran", "told"), ()): (FORBIDDEN, "a task was discarded though its scheduler was not disposed"),
    },
    two_pause_and_one_disposes: {
        (True, True, "told"): (ALLOWED, "both pauses are over, and the task knows that it is"),
        (True, True, "ran"): (FORBIDDEN, "it had a billion turns to go"),
    },
    near_timer_comes_with_far_ones: {
        ("wait", "ran"): (ALLOWED, "the tree was woken for the near one, and the far ones have time"),
        ("ran", "ran"): (FORBIDDEN, "a timer ran an hour too early"),
    },
}


@pytest.fixture(scope="module")
def pools() -> Iterator[list[WorkerPool]]:
    pools = [WorkerPool(workers=workers, name=f"stress-{workers}") for workers in (1, 3)]
    yield pools
    for pool in pools:
        pool.dispose()


@pytest.mark.parametrize("affinity", ["strand", "any"])
@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(
    situation: Situation, affinity: Any, pools: list[WorkerPool], depth: Depth
) -> None:
    rounds = depth.scaled(ROUNDS)
    roots: list[LogicalScheduler] = []

    def prepare() -> list[Action]:
        roots.append(LogicalScheduler(pools[len(roots) % 2], name=f"round {len(roots)}", affinity=affinity))
        return started_late(situation, roots[-1])

    judge(situation, observe(prepare, rounds=rounds), TABLES[situation], rounds=rounds)
    for root in roots:
        root.dispose()


def started_late(situation: Situation, root: LogicalScheduler) -> list[Action]:
    """Return actions of which the first to come sets the scene: all rounds are prepared before the first one runs."""
    scene: list[list[Action]] = []
    lock = threading.Lock()

    def act(position: int) -> Action:
        def run(hesitate: Hesitate) -> Hashable:
            with lock:
                if not scene:
                    scene.append(situation(root))
            return scene[0][position](hesitate)

        return run

    return [act(position) for position in range(len(next(iter(TABLES[situation]))))]
