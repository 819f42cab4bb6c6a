"""The run queue: the queues that wait for a thread, and the alarms of queues that need one later.

Roles
    queue    any thread, under the lock of the queue: `put`, `set_alarm`
    runner   threads that remove queues and run them: `take`

Invariants, under `_lock`. The lock of a queue may be taken inside it, never the other way round
    I1  A sleeping runner that was not woken by a release of its lock is in `_idle`.
    I2  While a queue is waiting, no runner sleeps without having been woken: a runner registers in `_idle` before it
        checks the queues for the last time, and `put` wakes one.
    I3  While there is an alarm, one runner, the timekeeper, sleeps at most until the earliest alarm, or no runner
        sleeps without having been woken: an earlier alarm wakes one, and a timekeeper that wakes up and takes a queue
        wakes another.
    I4  The lock is re-entrant, and each step leaves the data of `put` and `set_alarm` consistent: a finalizer may
        schedule.
    I5  A signal handler may raise in the middle of a step. Then `put` and `set_alarm` may be called again, and do what
        was left undone; a second entry of a queue is harmless.

This is not a `queue.SimpleQueue`: if several threads call its `get` with a timeout, CPython's can wait forever.
"""

import threading
from collections import deque

from rs_core.queues.stable_heap import StableHeap
from rs_core.scheduling.serial_queue import SerialQueue

NANOSECONDS = 1_000_000_000
LONGEST_SLEEP_SECONDS = min(threading.TIMEOUT_MAX, 86_400.0)
"""A runner that waits longer than this for an alarm reads its clock in between."""


class RunQueue:
    """Waiting queues, first come, first served."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._queues: deque[SerialQueue] = deque()
        self._idle: list[threading.Lock] = []
        self._alarms = StableHeap[SerialQueue]()
        self._timekeeper: threading.Lock | None = None
        self._timekeeper_sleeps_until = 0
        self._is_closed = False

    @property
    def is_empty(self) -> bool:
        """Whether no queue is waiting and no alarm is set."""
        return not self._queues and not self._alarms

    def put(self, queue: SerialQueue) -> None:
        """Append a queue."""
        with self._lock:
            self._queues.append(queue)
            self._wake_one()

    def put_once(self, queue: SerialQueue) -> None:
        """Append a queue if it is not waiting already."""
        with self._lock:
            if queue not in self._queues:
                self.put(queue)

    def set_alarm(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Ring a queue at a time; it has one alarm, the earliest. A queue whose root was removed has none."""
        with self._lock:
            standing = self._alarms.key_of(queue)  # two calls may arrive in another order than the queue made them
            if queue.has_lost_its_root or (standing is not None and standing <= due_nanoseconds):
                return
            if self._timekeeper is None or due_nanoseconds < self._timekeeper_sleeps_until:
                self._wake_one()  # I3; a caller interrupted after this retries, and finds no alarm that stands
            self._alarms.push(queue, due_nanoseconds)

    def forget(self, queue: SerialQueue) -> None:
        """Drop the alarm of a queue."""
        with self._lock:
            if self._alarms.remove(queue):
                self._wake_one()  # a runner that sleeps only for this alarm need not

    def lose_other_threads(self) -> None:
        """Forget the sleeping runners, and the lock, whose owner does not exist in a child of `os.fork`."""
        self._lock = threading.RLock()
        self._idle = []
        self._timekeeper = None

    def close(self) -> None:
        """Wake all runners permanently."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._wake_one()

    def take(self, clock_nanoseconds: int) -> SerialQueue | None:
        """Return the first queue, waiting for one.

        Args:
            clock_nanoseconds: The current time.

        Returns:
            The queue. None: the run queue was closed, or there may be a new queue; call this again.
        """
        if self._alarms:
            self._ring(clock_nanoseconds)
        with self._lock:
            if self._queues:
                return self._queues.popleft()
        sleeper = threading.Lock()
        sleeper.acquire()
        try:
            sleep_seconds = self._register_idle(sleeper, clock_nanoseconds)
            if sleep_seconds:
                sleeper.acquire(timeout=sleep_seconds)
        finally:  # a signal handler may raise in between
            queue = self._wake_up(sleeper)
        return queue

    def _ring(self, now: int) -> None:
        """Ring the queues whose alarm is due."""
        due: list[SerialQueue] = []
        with self._lock:
            while self._alarms and self._alarms.peek_key() <= now:
                due.append(self._alarms.pop())
        for queue in due:
            queue.ring()

    def _register_idle(self, sleeper: threading.Lock, now: int) -> float:
        """Register an idle runner; return how long it sleeps: -1 until it is woken, 0 not at all."""
        with self._lock:
            self._idle.append(sleeper)
            sleep_seconds = self._sleep_seconds(sleeper, now)
            return 0.0 if self._queues or self._is_closed else sleep_seconds  # I2

    def _sleep_seconds(self, sleeper: threading.Lock, now: int) -> float:
        """Return how long a runner sleeps: until the earliest alarm, unless another one wakes up for it."""
        if self._alarms:
            due = self._alarms.peek_key()
            if self._timekeeper is None or due < self._timekeeper_sleeps_until:
                self._timekeeper, self._timekeeper_sleeps_until = sleeper, due
                return min((due - now) / NANOSECONDS, LONGEST_SLEEP_SECONDS) if due > now else 0.0
        return -1.0

    def _wake_up(self, sleeper: threading.Lock) -> SerialQueue | None:
        with self._lock:
            if sleeper in self._idle:
                self._idle.remove(sleeper)
            is_timekeeper = self._timekeeper is sleeper
            if is_timekeeper:
                self._timekeeper = None
            queue = self._queues.popleft() if self._queues else None
            if self._queues or (is_timekeeper and self._alarms and queue is not None):
                self._wake_one()  # I2, I3
            return queue

    def _wake_one(self) -> None:
        while self._idle:
            sleeper = self._idle[-1]
            try:
                sleeper.release()  # I5: after an interrupt here it stays in `_idle` and is woken again
                is_woken = True
            except RuntimeError:  # it was woken before and has not run yet
                is_woken = False
            if sleeper in self._idle:
                self._idle.remove(sleeper)
            if is_woken:
                return
