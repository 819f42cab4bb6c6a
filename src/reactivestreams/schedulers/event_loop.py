"""Physical schedulers of event loops: tasks run in the loop's thread, between its other callbacks."""

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers.errors import SchedulerAccessError
from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.run_queue import LONGEST_SLEEP_SECONDS, NANOSECONDS
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.sync.running_loops import turns_of
from rs_core.sync.turns import TURN_NANOSECONDS, LoopTurns

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


class LoopPhysical(PhysicalScheduler):
    """Run queues as callbacks of an event loop; the base of the schedulers for particular loops.

    Each callback runs a slice of one queue: at most `SLICE_TURNS` turns, and it starts none after the time of one turn
        of the loop, so that the loop's other callbacks run in between. Only the loop's thread accesses the alarms.
    """

    def __init__(self, *, name: str) -> None:
        super().__init__(name=name)
        self._alarms: dict[SerialQueue, tuple[int, Callable[[], object]]] = {}  # due time, cancel function

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether the loop still accepts callbacks; any thread may read it."""

    @abstractmethod
    def call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop later, never now; any thread may call this. If the loop has ended, do nothing."""

    @abstractmethod
    def call_later(
        self, delay_seconds: float, callback: Callable[[SerialQueue], object], queue: SerialQueue
    ) -> Callable[[], object]:
        """Call a function with a queue after a delay, in the loop's thread; return the function that cancels it."""

    def prepare(self) -> bool:
        """Raise if the loop has ended and would never run the task."""
        if not self.is_open:
            raise SchedulerDisposedError(
                f"the event loop of {self!r} does not run: it ended, or its block was not entered; use one that runs"
            )
        return False

    def end_in_child(self) -> None:
        """Run nothing: the loop belongs to the parent, and waking it from here would wake the parent."""
        self.leave_to_parent()

    def run_soon(self, queue: SerialQueue) -> None:
        """Run a slice in the loop."""
        self.call_soon(partial(queue.run_slice, nanoseconds=TURN_NANOSECONDS))

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Ring a queue from the loop."""
        self.call_soon(self._set_alarm, queue, due_nanoseconds)

    def remove_root(self, root: LogicalScheduler, queue: SerialQueue) -> None:
        """Remove a root that was disposed, and the alarm of its queue."""
        super().remove_root(root, queue)
        if self.is_open and not self.is_of_parent:
            self.call_soon(self._drop_alarm, queue)

    def _set_alarm(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        standing = self._alarms.get(queue)
        if queue.has_lost_its_root or (standing is not None and standing[0] <= due_nanoseconds):
            return  # two calls may arrive in another order than the queue made them
        self._drop_alarm(queue)
        delay_seconds = min(max(0, due_nanoseconds - self.clock_nanoseconds()) / NANOSECONDS, LONGEST_SLEEP_SECONDS)
        self._alarms[queue] = due_nanoseconds, self.call_later(delay_seconds, self._ring, queue)

    def _drop_alarm(self, queue: SerialQueue) -> None:
        alarm = self._alarms.pop(queue, None)
        if alarm is not None:
            alarm[1]()

    def _ring(self, queue: SerialQueue) -> None:
        self._alarms.pop(queue, None)
        queue.ring()  # too early is harmless: the queue sets another alarm


class EventLoop(LoopPhysical):
    """Run tasks in an asyncio event loop.

    Args:
        loop: The loop; by default the one that runs in the calling thread.
        name: The name in messages.

    Raises:
        SchedulerAccessError: No loop was given, and the calling thread runs none.
        ArgumentTypeError: The argument is not an event loop.

    Errors: an exception of a task that no handler has handled goes to the loop's exception handler; another
        BaseException, such as KeyboardInterrupt, ends the loop.

    Threads: tasks run in the loop's thread; any thread may call any method.
    """

    def __init__(self, loop: "AbstractEventLoop | None" = None, *, name: str = "event loop") -> None:
        super().__init__(name=name)
        self._loop = _checked_loop(loop)
        self.loop_turns: LoopTurns | None = turns_of(self._loop)

    @property
    def is_open(self) -> bool:
        """Whether the loop is not closed."""
        return not self._loop.is_closed()

    def inspect(self) -> dict[str, Any]:
        """Return whether the loop runs, in any thread."""
        return {"loop_runs": self._loop.is_running()}

    def is_current(self) -> bool:
        """Return whether the loop runs in the calling thread; never runs user code."""
        import asyncio

        return asyncio._get_running_loop() is self._loop

    def call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop."""
        try:
            if self.is_current():
                self._loop.call_soon(callback, *arguments)
            else:
                self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            if self.is_open:
                raise

    def call_later(
        self, delay_seconds: float, callback: Callable[[SerialQueue], object], queue: SerialQueue
    ) -> Callable[[], object]:
        """Call a function with a queue after a delay."""
        return self._loop.call_later(delay_seconds, callback, queue).cancel

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        """Pass the exception to the loop's exception handler; interrupts end the loop."""
        error = unhandled.exception
        if not isinstance(error, Exception):
            raise error
        message = f"a task of {unhandled.scheduler.name} raised, and no handler of its schedulers has handled it"
        self._loop.call_exception_handler({"message": message, "exception": error})

    def __repr__(self) -> str:
        return f"EventLoop(name={self.name!r})"


class EventLoopScheduler(LogicalScheduler):
    """Run tasks in an asyncio event loop, one at a time, between the loop's other callbacks.

    Args:
        loop: The loop; by default the one that runs in the calling thread.
        name: The name in messages.
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.

    Raises:
        SchedulerAccessError: No loop was given, and the calling thread runs none.
        ArgumentTypeError: The argument is not an event loop.

    Errors: as for `EventLoop`.

    Threads: any thread may call any method; tasks run in the loop's thread. Inside the loop, `await
        scheduler.pause_async()` instead of calling `pause()`.

    Example:
        >>> import asyncio
        >>> async def main():
        ...     done = asyncio.Event()
        ...     with EventLoopScheduler() as scheduler:
        ...         scheduler.schedule(done.set)
        ...         await done.wait()
        ...         return await scheduler.pause_async()
        >>> asyncio.run(main())
        True
    """

    def __init__(
        self, loop: "AbstractEventLoop | None" = None, *, name: str = "event loop", capacity: int = DEFAULT_CAPACITY
    ) -> None:
        super().__init__(EventLoop(loop, name=name), name=name, capacity=capacity)


def _checked_loop(loop: object) -> "AbstractEventLoop":
    import asyncio

    found = asyncio._get_running_loop() if loop is None else loop
    if found is None:
        raise SchedulerAccessError(
            "EventLoop() needs an event loop, and this thread runs none; make it inside a coroutine, or pass loop"
        )
    if not isinstance(found, asyncio.AbstractEventLoop):
        raise ArgumentTypeError(
            f"EventLoop(loop) needs an asyncio event loop, got {loop!r} ({type(loop).__name__}); "
            f"pass asyncio.get_running_loop()"
        )
    return found
