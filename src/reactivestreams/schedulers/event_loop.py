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
    """Run queues as callbacks of an event loop; the base of those for particular loops.

    Each callback is a slice of one queue, `SLICE_TURNS` turns at most, and none that would begin after the time of one
    turn of the loop, so that the loop's other work comes in between.
    The alarms are touched in the loop's thread only.
    """

    def __init__(self, *, name: str) -> None:
        super().__init__(name=name)
        self._alarms: dict[SerialQueue, tuple[int, Callable[[], object]]] = {}  # when, and what takes it back

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Whether the loop still takes callbacks; may be asked by any thread."""

    @abstractmethod
    def call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Have the loop call something, never at once; by any thread. What the loop no longer takes is dropped."""

    @abstractmethod
    def call_later(
        self, delay_seconds: float, callback: Callable[[SerialQueue], object], queue: SerialQueue
    ) -> Callable[[], object]:
        """Have the loop call something with a queue, after a while; in its thread. Returns what takes it back."""

    def prepare(self) -> bool:
        """Refuse what a loop that has ended would never run."""
        if not self.is_open:
            raise SchedulerDisposedError(
                f"the event loop of {self!r} does not run: it ended, or its block was not entered; take one that runs"
            )
        return False

    def end_in_child(self) -> None:
        """Run nothing: the loop is the parent's, and what wakes it from here would wake the parent."""
        self.leave_to_parent()

    def run_soon(self, queue: SerialQueue) -> None:
        """Have the loop run a slice."""
        self.call_soon(partial(queue.run_slice, nanoseconds=TURN_NANOSECONDS))

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Have the loop ring a queue."""
        self.call_soon(self._set_alarm, queue, due_nanoseconds)

    def remove_root(self, root: LogicalScheduler, queue: SerialQueue) -> None:
        """Forget a root that was disposed, and the alarm of its queue."""
        super().remove_root(root, queue)
        if self.is_open and not self.is_of_parent:
            self.call_soon(self._drop_alarm, queue)

    def _set_alarm(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        standing = self._alarms.get(queue)
        if queue.has_lost_its_root or (standing is not None and standing[0] <= due_nanoseconds):
            return  # two calls may come in another order than the queue has claimed them
        self._drop_alarm(queue)
        delay_seconds = min(max(0, due_nanoseconds - self.clock_nanoseconds()) / NANOSECONDS, LONGEST_SLEEP_SECONDS)
        self._alarms[queue] = due_nanoseconds, self.call_later(delay_seconds, self._ring, queue)

    def _drop_alarm(self, queue: SerialQueue) -> None:
        alarm = self._alarms.pop(queue, None)
        if alarm is not None:
            alarm[1]()

    def _ring(self, queue: SerialQueue) -> None:
        self._alarms.pop(queue, None)
        queue.ring()  # too early does no harm: the queue asks for another alarm


class EventLoop(LoopPhysical):
    """Run tasks in an asyncio event loop.

    Args:
        loop: Which; by default the one that runs in the calling thread.
        name: What messages call it.

    Raises:
        SchedulerAccessError: No loop was given, and the calling thread runs none.
        ArgumentTypeError: What was given is no loop.

    Errors: an exception of a task that no handler has handled goes to the loop's exception handler; what is no
    Exception, such as KeyboardInterrupt, ends the loop.

    Threads: tasks run in the loop's; all methods by any.
    """

    def __init__(self, loop: "AbstractEventLoop | None" = None, *, name: str = "event loop") -> None:
        super().__init__(name=name)
        self._loop = _checked_loop(loop)
        self.loop_turns: LoopTurns | None = turns_of(self._loop)

    @property
    def is_open(self) -> bool:
        """Whether the loop is not closed."""
        return not self._loop.is_closed()

    def is_current(self) -> bool:
        """Return whether the loop runs in the calling thread; never runs user code."""
        import asyncio

        return asyncio._get_running_loop() is self._loop

    def call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Have the loop call something."""
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
        """Have the loop call something with a queue after a while."""
        return self._loop.call_later(delay_seconds, callback, queue).cancel

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        """Tell the loop's exception handler; interrupts end the loop."""
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
        loop: Which; by default the one that runs in the calling thread.
        name: What messages call it.
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.

    Raises:
        SchedulerAccessError: No loop was given, and the calling thread runs none.
        ArgumentTypeError: What was given is no loop.

    Errors: as for `EventLoop`.

    Threads: all methods by any; tasks run in the loop's. Inside the loop, `await scheduler.pause_async()` instead of
    calling `pause()`.

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
