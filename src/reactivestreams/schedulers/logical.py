"""The scheduler that programs use: a node of a tree, on a physical scheduler that it shares with others."""

import itertools
import sys
import threading
from datetime import datetime, timedelta
from typing import Any, Literal, NoReturn

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError, SchedulerFullError
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.no_op import NoOpScheduler
from reactivestreams.schedulers.pause import Pause
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.scheduler import Due, Scheduler, nanoseconds_until
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import ScheduledTask, Task, checked_task, discard_task
from reactivestreams.schedulers.unhandled import UnhandledExceptionEvent
from reactivestreams.schedulers.yield_token import YieldToken
from rs_core.scheduling.serial_queue import REFUSED_DISPOSED, REFUSED_FULL, SerialQueue
from rs_core.scheduling.task_tree import TreeNode, WorkItem
from rs_core.sync.turns import LoopTurns

DEFAULT_CAPACITY = 65_536
"""How many tasks may wait in a scheduler by default; one more is refused with SchedulerFullError."""

LOOK_AGAIN = timedelta(seconds=60)
"""How often at least the time of day is looked at until a task is due."""

LOOK_NANOSECONDS = LOOK_AGAIN // timedelta(microseconds=1) * 1_000

Affinity = Literal["strand", "any"]
AFFINITIES: tuple[Affinity, ...] = ("strand", "any")

_STATUSES = (
    SchedulerStatus.RUNNING,
    SchedulerStatus.PAUSING,
    SchedulerStatus.PAUSED,
    SchedulerStatus.DISPOSED,
)
"""The statuses, indexed by the status code of a node."""


class LogicalScheduler(Scheduler):
    """A scheduler whose tasks run on a physical one; the root of a tree.

    Args:
        physical: The scheduler that runs the tasks.
        name: The name in messages.
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.
        affinity: `"strand"`: the tasks of this tree run one at a time, in any of the threads. `"any"`: as many tasks as
            there are threads run at the same time, in no order; then tasks must not rely on the order of others.

    Raises:
        ArgumentTypeError: The physical scheduler is not a PhysicalScheduler, or the capacity is not an integer.
        ArgumentError: The capacity is not positive, or the affinity is unknown.
        SchedulerDisposedError: The physical scheduler was disposed.

    Order: of the ready tasks the one with the lowest priority runs first; of equal ones, the one that was scheduled
        first. Later tasks of better priority cannot delay a task forever (`AGING_TURNS`).

    Errors: an exception of a task ends that task. The handlers of its scheduler are called, then those of the
        schedulers above it, then those of the physical scheduler, which also decides what to do if none has handled it.

    Example:
        >>> from reactivestreams.schedulers import LogicalScheduler, WorkerPool
        >>> import threading
        >>> done = threading.Event()
        >>> with WorkerPool(workers=2, name="example") as pool:
        ...     root = LogicalScheduler(pool, name="query")
        ...     child = root.create_child()
        ...     _ = child.schedule(done.set)
        ...     done.wait(timeout=10), root.pause()
        (True, True)
    """

    def __init__(
        self,
        physical: PhysicalScheduler,
        *,
        name: str = "scheduler",
        capacity: int = DEFAULT_CAPACITY,
        affinity: Affinity = "strand",
    ) -> None:
        kind = type(self).__name__
        if not isinstance(physical, PhysicalScheduler):
            raise ArgumentTypeError(
                f"{kind}(physical) needs a PhysicalScheduler, got {physical!r} ({type(physical).__name__}); "
                f"pass e.g. WorkerPool()"
            )
        if affinity not in AFFINITIES:
            raise ArgumentError(f"{kind}(affinity) needs one of {AFFINITIES}, got {affinity!r}; pass 'strand' or 'any'")
        self._capacity = checked_count(capacity, operator=kind, name="capacity", at_least=1)
        self._join_tree(physical.new_queue(1 if affinity == "strand" else physical.width), None, name)
        if not physical.add_root(self):  # last: from here on this scheduler can be disposed
            raise physical.refusal(physical)

    def _join_tree(self, queue: SerialQueue, parent: "LogicalScheduler | None", name: str) -> bool:
        """Become a node of a tree; return False if the parent was disposed."""
        self._name = name
        self._queue = queue
        self._physical: PhysicalScheduler = queue.physical
        self._alarms: LogicalScheduler | None = None
        self._unhandled_exception = UnhandledExceptionEvent()
        self._children = itertools.count(1)
        node = queue.add_node(self, None if parent is None else parent._node, YieldToken)
        self._node: TreeNode = node
        return node is not None

    @property
    def now(self) -> datetime:
        """The current time, in UTC."""
        return self._physical.now

    @property
    def shows_system_time(self) -> bool:
        """Whether `now` is the time of the system's clock, which streams then read without a call of Python."""
        return type(self).now is LogicalScheduler.now and type(self._physical).now is PhysicalScheduler.now

    @property
    def name(self) -> str:
        """The name in messages."""
        return self._name

    @property
    def status(self) -> SchedulerStatus:
        """Whether it runs, pauses, is paused, or was disposed."""
        return _STATUSES[self._node.status_code]

    def inspect(self) -> dict[str, Any]:
        """Return what decides whether its tasks run.

        Returns:
            `name`, `status`, as `SchedulerStatus` has it, `threads`, the identities of those that are inside a task of
            its tree, `width`, how many tasks of it may run at once, and what the physical scheduler adds.
        """
        return {
            "name": self._name,
            "status": self.status.value,
            "threads": self._queue.running_threads(),
            "width": self._queue.width,
            **self._physical.inspect(),
        }

    @property
    def parent(self) -> "LogicalScheduler | None":
        """The scheduler above this one; None at the root."""
        above = self._node.parent
        return None if above is None else above.scheduler

    @property
    def root(self) -> "LogicalScheduler":
        """The scheduler at the top of the tree."""
        root = self
        while (above := root.parent) is not None:
            root = above
        return root

    @property
    def unhandled_exception(self) -> UnhandledExceptionEvent:
        """Handlers of exceptions of the tasks of this scheduler and its children; called from the child upwards."""
        return self._unhandled_exception

    def create_child(self, *, name: str | None = None) -> Scheduler:
        """Return a child scheduler on the same queue; it lives until it, or a scheduler above it, is disposed.

        Args:
            name: The name in messages; by default this scheduler's name and a number.
        """
        own_name = f"{self._name}/{next(self._children)}" if name is None else name
        child = self._new_child()
        child._capacity = self._capacity
        return child if child._join_tree(self._queue, self, own_name) else NoOpScheduler(own_name)

    def _new_child(self) -> "LogicalScheduler":
        """Return a scheduler that has not joined the tree, of the class whose methods a child needs."""
        return LogicalScheduler.__new__(LogicalScheduler)

    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Schedule a task; it never runs before this returns.

        Args:
            task: The task to run.
            due: When to run it; None means after the turns of the tasks before it. A datetime that is far away is
                compared with the clock every 60 seconds, so it holds when the clock is set or the machine has slept.

        Returns:
            A handle, by which the task can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed, or belongs to the parent of this process.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or its priority or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        if due is None or type(due) is timedelta:
            return self._admitted(self._queue.schedule(self._node, task, due, self._capacity))
        delay_nanoseconds = nanoseconds_until(due, self.now)
        if delay_nanoseconds > LOOK_NANOSECONDS and isinstance(due, datetime):
            return _AtTimeOfDay(task, due).scheduled_on(self)
        return self._admitted(self._queue.schedule(self._node, task, delay_nanoseconds, self._capacity))

    def set_alarm(self, alarm: Task, due: datetime) -> ScheduledTask:
        """Schedule the alarm of an operator, on a child that all alarms of this scheduler share.

        Args:
            alarm: The task. It runs after 60 seconds where it is due later, so that its operator looks at the clock.
            due: When it is due.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
        """
        alarms = self._alarms
        if alarms is None:
            child = self.create_child(name=f"{self._name}/alarms")
            if not isinstance(child, LogicalScheduler):
                self._refuse(REFUSED_DISPOSED)
            child._capacity = sys.maxsize  # an operator has one alarm at most: their number is that of operators
            alarms = self._alarms = child
        return alarms.schedule(alarm, due=due if self.is_virtual_time else min(due - self.now, LOOK_AGAIN))

    def _admitted(self, admitted: WorkItem | int) -> WorkItem:
        """Return what the queue has accepted."""
        if isinstance(admitted, int):
            self._refuse(admitted)
        return admitted

    def _refuse(self, refusal: int) -> NoReturn:
        """Raise the error for a task that the queue refused."""
        if refusal == REFUSED_FULL:
            raise SchedulerFullError(
                f"{self!r} has {self._capacity} waiting tasks, which is its capacity; "
                f"schedule fewer at once or raise capacity"
            )
        raise self._physical.refusal(self)

    def pause_async(self) -> Pause:
        """Start no turn of this scheduler and its children from now on; never blocks, never runs user code."""
        pause = Pause(self._name)
        self._queue.begin_pause(self._node, pause)
        return pause

    def continue_(self) -> None:
        """Run tasks again, here and in all children, but for what is held; a disposed scheduler stays disposed."""
        self._queue.resume(self._node)

    def hold(self) -> Pause:
        """Begin a pause that only `release` ends: `continue_` of this scheduler, its children or parents does not.

        For hosts, whose checkpoint code of a query must not interrupt. Never blocks, never runs user code.

        Returns:
            What `pause_async` returns.

        Example:
            >>> from reactivestreams.schedulers import VirtualTimeScheduler
            >>> root = VirtualTimeScheduler()
            >>> root.hold().wait()
            True
            >>> root.continue_()
            >>> root.status
            <SchedulerStatus.PAUSED: 'paused'>
            >>> root.release()
            >>> root.status
            <SchedulerStatus.RUNNING: 'running'>
        """
        pause = Pause(self._name)
        self._queue.hold(self._node, pause)
        return pause

    def release(self) -> None:
        """End `hold` and run tasks again, here and in all children; if a parent is held, when that is released."""
        self._queue.release(self._node)

    def recalculate_priority(self) -> None:
        """Let a worker ask each task of this scheduler for its priority and whether it has work."""
        self._queue.ask(self._node)

    def performance_counters(self, *, include_children: bool = False) -> PerformanceCounters:
        """Return the counters of this scheduler.

        Args:
            include_children: Add the counters of all schedulers below it, also of disposed ones.
        """
        return PerformanceCounters(*self._queue.counters(self._node, include_children))

    @property
    def node(self) -> TreeNode:
        """Its place in the tree of its queue, by which compiled code sees whether it runs."""
        return self._node

    @property
    def loop_turns(self) -> LoopTurns | None:
        """The limit for how long streams use the thread of the tasks' event loop; None if there is no loop."""
        return self._physical.loop_turns

    def is_current(self) -> bool:
        """Return whether the calling thread is one of the physical scheduler's; never runs user code."""
        return self._physical.is_current()

    def check_access(self) -> bool:
        """Return the result of the physical scheduler; never runs user code."""
        return self._physical.check_access()

    def is_in_turn(self) -> bool:
        """Return whether the calling thread is inside a task of this tree, and this scheduler is running."""
        return self._queue.is_in_turn(self._node)

    def dispose(self) -> None:
        """Refuse new tasks and discard waiting ones, here and in all children; running tasks finish their turns."""
        items = self._queue.close(self._node)
        if self._node.parent is None:
            self._physical.remove_root(self, self._queue)
        for item in items:
            item.scheduler.discard(item.task)

    def lose_other_threads(self) -> None:
        """Forget the threads of the parent, in a child of `os.fork`."""
        self._queue.lose_other_threads()

    def leave_to_parent(self) -> None:
        """Refuse new tasks, in a child of `os.fork`; the waiting tasks belong to the parent and are not reported."""
        self._tasks_of_parent = self._queue.close(self._node)  # stored, so that no finalizer runs here

    def discard(self, task: Task) -> None:
        """Notify a task that it will not run because this scheduler was disposed; for queues. Runs user code."""
        reason = SchedulerDisposedError(f"{self!r} was disposed before it ran this task; dispose it after use")
        discard_task(task, reason, origin=self._name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self._name!r})"


class _AtTimeOfDay(ScheduledTask):
    """Look at the clock until a task is due at a time of day; then schedule it. Its own turns are short."""

    def __init__(self, task: Task, due: datetime) -> None:
        self._task = checked_task(task)
        self._due = due
        self._lock = threading.RLock()
        self._is_cancelled = self._is_due_soon = False

    def scheduled_on(self, scheduler: Scheduler) -> ScheduledTask:
        """Schedule this until the next look at the clock; return it, as the handle of the task."""
        with self._lock:
            self._waiting = scheduler.schedule(self, due=LOOK_AGAIN)
        return self

    def execute(self, scheduler: Scheduler) -> bool:
        """Schedule the task if it is due soon, else this once more."""
        with self._lock:
            left = self._due - scheduler.now
            if not self._is_cancelled:
                self._is_due_soon = left <= LOOK_AGAIN
                self._waiting = scheduler.schedule(self._task if self._is_due_soon else self, due=min(left, LOOK_AGAIN))
        return True

    def cancel(self) -> bool:
        """Run the task no more."""
        with self._lock:
            was_cancelled, self._is_cancelled = self._is_cancelled, True
            return not was_cancelled and (self._waiting.cancel() or not self._is_due_soon)

    def discard(self, error: Exception) -> None:
        """Tell the task that it will not run."""
        discard_task(self._task, error, origin="schedule(due)")
