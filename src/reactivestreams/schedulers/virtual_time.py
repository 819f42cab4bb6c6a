"""Schedulers whose time passes only when they are advanced: for tests, and to replay past events."""

from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, WouldDeadlockError
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.errors import VirtualTimeError
from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.scheduler import Due, nanoseconds_until
from reactivestreams.schedulers.task import ScheduledTask, Task
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.scheduling.virtual_time_queue import VirtualTimeQueue

TICK = timedelta(microseconds=1)
"""The duration of one tick of virtual time."""

TICK_NANOSECONDS = 1_000

MOST_TURNS_IN_A_TICK = 1_000_000
"""The default maximum of turns in one tick; one more raises VirtualTimeError."""

_EPOCH = datetime.min.replace(tzinfo=UTC)
_LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
_LAST_MOMENT_TICK = (_LAST_MOMENT - _EPOCH) // TICK


class VirtualTime(PhysicalScheduler):
    """A clock that counts ticks from 0, with the tasks of all schedulers that share it.

    Tasks run inside `start` and `advance_to`, in the order of their ticks, then of their priorities (the lowest first),
    then in the order in which they were scheduled. While they run, the clock shows their tick. A tick is one
    microsecond; tick 0 is the start of the year 1.

    Args:
        most_turns_in_a_tick: The maximum of turns in one tick, from 1, so that tasks that schedule each other endlessly
            do not hang a test.

    Errors: an exception that no handler has handled is raised by the call that runs the tasks. The waiting tasks run
        with the next call.

    Threads: one.

    Example:
        >>> clock = VirtualTime()
        >>> root = VirtualTimeScheduler(clock)
        >>> _ = root.schedule(lambda: print("at", clock.ticks), due=30 * TICK)
        >>> clock.start()
        at 30
    """

    def __init__(self, *, most_turns_in_a_tick: int = MOST_TURNS_IN_A_TICK) -> None:
        super().__init__(name="virtual time")
        self._most_turns = checked_count(
            most_turns_in_a_tick, operator="VirtualTime", name="most_turns_in_a_tick", at_least=1, at_most=2**62
        )
        self._queue = VirtualTimeQueue(self)

    def inspect(self) -> dict[str, Any]:
        """Return that its time is advanced by calls."""
        return {"is_virtual": True}

    @property
    def ticks(self) -> int:
        """The current tick."""
        return self._queue.clock_ticks

    @property
    def next_due(self) -> int | None:
        """The tick of the first task, paused or not; None if there are no tasks."""
        return self._queue.next_due

    @property
    def now(self) -> datetime:
        """The current tick as a datetime; after the year 9999 its last moment."""
        return _EPOCH + min(self.ticks, _LAST_MOMENT_TICK) * TICK

    def start(self) -> None:
        """Run all tasks; the clock then shows the tick of the last one.

        Raises:
            VirtualTimeError: A tick would exceed its maximum of turns.
            WouldDeadlockError: The caller is inside a task.
        """
        self._advance(None)

    def advance_to(self, tick: int) -> None:
        """Run the tasks that are due until a tick, inclusive; the clock then shows that tick.

        Args:
            tick: Not before the current one; with the current one nothing runs.

        Raises:
            ArgumentError: The tick has passed.
            VirtualTimeError: A tick would exceed its maximum of turns.
            WouldDeadlockError: The caller is inside a task.
        """
        if tick < self.ticks:
            raise ArgumentError(f"advance_to(tick) needs a tick from {self.ticks}, got {tick}; time does not go back")
        if tick > self.ticks:
            self._advance(tick)

    def advance_once(self, last_tick: int) -> bool:
        """Run the tasks of the next tick that has some, the current one included.

        Args:
            last_tick: The last tick that may be reached.

        Returns:
            Whether tasks ran. False: none was due until then, and the clock is unchanged.

        Raises:
            VirtualTimeError: The tick would exceed its maximum of turns.
            WouldDeadlockError: The caller is inside a task.
        """
        due = self.next_due
        if due is None or due > last_tick:
            return False
        self._advance(max(due, self.ticks))
        return True

    def sleep(self, ticks: int) -> None:
        """Move the clock without running tasks; tasks that become due run later, in order.

        Args:
            ticks: The number of ticks, from 0.

        Raises:
            ArgumentError: It is negative.
        """
        if ticks < 0:
            raise ArgumentError(f"sleep(ticks) needs a number from 0, got {ticks}; time does not go back")
        self._queue.sleep(ticks)

    def new_queue(self, width: int) -> SerialQueue:
        """Return the only queue; there is one thread, so the width does not matter."""
        return self._queue

    def clock_nanoseconds(self) -> int:
        """Return the current time since the first tick."""
        return self.ticks * TICK_NANOSECONDS

    def is_current(self) -> bool:
        """Return whether tasks are running; never runs user code."""
        return self._queue.is_inside_advance

    def check_access(self) -> bool:
        """Return True: there is one thread."""
        return True

    def run_soon(self, queue: SerialQueue) -> NoReturn:
        """Never called: the queue of virtual time waits for no thread."""
        raise AssertionError("tasks run when the clock is moved")

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> NoReturn:
        """Never called: the queue of virtual time needs no alarm."""
        raise AssertionError("tasks run when the clock is moved")

    def give_up(self, unhandled: SchedulerUnhandledException) -> NoReturn:
        """Raise the exception in the call that moves the clock."""
        raise unhandled.exception

    def _advance(self, until: int | None) -> None:
        if self._queue.is_inside_advance:
            raise WouldDeadlockError(
                f"a task at tick {self.ticks} moves the clock, which waits for that task to return; "
                f"schedule a task for a later tick"
            )
        if not self._queue.advance(until, self._most_turns):
            raise VirtualTimeError(
                f"tick {self.ticks} of virtual time has had {self._most_turns} turns, its maximum; let tasks that "
                f"repeat do so at a later tick, or raise most_turns_in_a_tick"
            )

    def __repr__(self) -> str:
        return f"VirtualTime(ticks={self.ticks})"


class VirtualTimeScheduler(LogicalScheduler):
    """A scheduler in virtual time; the root of a tree.

    A task without a due time runs `increment` ticks later, and so does a task that is passed to `schedule_at` with the
    current or a past tick. A due time that has passed, or is now, is not moved: such a task runs at the current tick.

    Args:
        clock: The clock; by default a new one.
        name: The name in messages.
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.
        increment: By how many ticks tasks without a due time are delayed, 0 or 1.
        log: A list to which a pair is added for each task that is scheduled here or in a child: the current tick and
            the due tick.

    Raises:
        ArgumentTypeError: The clock is not a VirtualTime, or a number is not an integer.
        ArgumentError: A number is out of its range.

    Threads: one. `pause` never waits: a task that pauses its own scheduler runs to its end.

    Example:
        >>> root = VirtualTimeScheduler()
        >>> _ = root.schedule(lambda: print("tick", root.clock.ticks))
        >>> _ = root.schedule_at(7, lambda: print("tick", root.clock.ticks))
        >>> root.clock.start()
        tick 1
        tick 7
    """

    is_virtual_time = True

    _queue: VirtualTimeQueue
    _physical: VirtualTime  # pyright: ignore[reportIncompatibleVariableOverride]  # set once, by the constructor

    def __init__(
        self,
        clock: VirtualTime | None = None,
        *,
        name: str = "virtual time",
        capacity: int = DEFAULT_CAPACITY,
        increment: int = 1,
        log: list[tuple[int, int]] | None = None,
    ) -> None:
        kind = type(self).__name__
        if clock is not None and not isinstance(clock, VirtualTime):
            raise ArgumentTypeError(
                f"{kind}(clock) needs a VirtualTime, got {clock!r} ({type(clock).__name__}); pass VirtualTime()"
            )
        self._increment = checked_count(increment, operator=kind, name="increment", at_least=0, at_most=1)
        self._log = log
        super().__init__(VirtualTime() if clock is None else clock, name=name, capacity=capacity)

    @property
    def clock(self) -> VirtualTime:
        """The clock, which runs the tasks."""
        return self._physical

    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Schedule a task, which runs when the clock is moved and never before this returns.

        Args:
            task: The task to run.
            due: When to run it: None means `increment` ticks later; a timedelta is counted from now, one tick per
                microsecond; or a datetime.

        Returns:
            A handle, by which the task can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or its priority or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        if due is None and self._log is None:
            return self._admitted(self._queue.schedule_after(self._node, task, self._increment, self._capacity))
        return self._take(task, self.clock.ticks + (self._increment if due is None else self._ticks_until(due)))

    def schedule_at(self, tick: int, task: Task) -> ScheduledTask:
        """Schedule a task for a tick; for the current or a past tick, it runs `increment` ticks later.

        Args:
            tick: The tick.
            task: The task to run.

        Returns:
            A handle, by which the task can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run.
        """
        ticks = self.clock.ticks
        return self._take(task, tick if tick > ticks else ticks + self._increment)

    def performance_counters(self, *, include_children: bool = False) -> PerformanceCounters:
        """Return the counters of this scheduler; tasks take no time.

        Args:
            include_children: Add the counters of all schedulers below it, also of disposed ones.
        """
        uptime, paused, spent, *counts = self._queue.counters(self._node, include_children)
        return PerformanceCounters(*(ticks * TICK_NANOSECONDS for ticks in (uptime, paused, spent)), *counts)

    def _new_child(self) -> LogicalScheduler:
        child = VirtualTimeScheduler.__new__(VirtualTimeScheduler)
        child._increment = self._increment
        child._log = self._log
        return child

    def _ticks_until(self, due: Due) -> int:
        if isinstance(due, timedelta):
            return due // TICK
        return nanoseconds_until(due, self.clock.now) // TICK_NANOSECONDS

    def _take(self, task: Task, tick: int) -> ScheduledTask:
        admitted = self._admitted(self._queue.schedule_at(self._node, task, tick, self._capacity))
        if self._log is not None:
            self._log.append((self.clock.ticks, tick))
        return admitted
