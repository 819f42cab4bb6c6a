"""The queues that want a thread, in line, and the alarms of queues that want one later.

Roles
    queue    any thread, under the lock of the queue: `put`, `set_alarm`
    runner   threads that take queues out and run them: `take`

Invariants, under `_lock`. The section of a queue may be entered inside it, never the other way round
    I1  A runner that sleeps, and was not woken by a release of its lock, is in `_idle`.
    I2  While a queue is in line no runner sleeps that was not woken: a runner notes that it is idle before it looks at
        the line for the last time, and who puts a queue wakes one.
    I3  While there is an alarm, a runner sleeps no longer than until the earliest, the keeper, or none sleeps that was
        not woken: an alarm that is earlier wakes one, and a keeper that wakes wakes another if it leaves with a queue.
    I4  The lock is re-entrant, and each step leaves what `put` and `set_alarm` need whole: a finalizer may schedule.
    I5  A signal handler may raise in the middle of a step. Then `put` and `set_alarm` may be called once more, and do
        what was left out; a second place in line does no harm.

The line is no `queue.SimpleQueue`: where several threads get with a timeout, CPython's may wait for ever.
"""

import threading
from collections import deque

from rs_core.queues.stable_heap import StableHeap
from rs_core.scheduling.serial_queue import SerialQueue

NANOSECONDS = 1_000_000_000
LONGEST_SLEEP_SECONDS = min(threading.TIMEOUT_MAX, 86_400.0)
"""A runner that waits for an alarm beyond this looks at its clock in between."""


class RunQueue:
    """Queues in line, first come, first served."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._queues: deque[SerialQueue] = deque()
        self._idle: list[threading.Lock] = []
        self._alarms = StableHeap[SerialQueue]()
        self._keeper: threading.Lock | None = None
        self._keeper_sleeps_until = 0
        self._is_closed = False

    @property
    def is_empty(self) -> bool:
        """Whether no queue is in line and none waits for a time."""
        return not self._queues and not self._alarms

    def put(self, queue: SerialQueue) -> None:
        """Put a queue at the end of the line."""
        with self._lock:
            self._queues.append(queue)
            self._wake_one()

    def put_once(self, queue: SerialQueue) -> None:
        """Put a queue at the end of the line, if it is not in it."""
        with self._lock:
            if queue not in self._queues:
                self.put(queue)

    def set_alarm(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Ring a queue at a time; it has one alarm, the earliest that it was given. One whose root is gone has none."""
        with self._lock:
            standing = self._alarms.key_of(queue)  # two calls may come in another order than the queue has claimed them
            if queue.has_lost_its_root or (standing is not None and standing <= due_nanoseconds):
                return
            if self._keeper is None or due_nanoseconds < self._keeper_sleeps_until:
                self._wake_one()  # I3; who is interrupted after this comes again, and finds no alarm that stands
            self._alarms.push(queue, due_nanoseconds)

    def forget(self, queue: SerialQueue) -> None:
        """Drop the alarm of a queue."""
        with self._lock:
            if self._alarms.remove(queue):
                self._wake_one()  # who sleeps for this alone need not

    def lose_other_threads(self) -> None:
        """Forget the runners that sleep, and the lock: in a child of `os.fork` whoever has it is gone."""
        self._lock = threading.RLock()
        self._idle = []
        self._keeper = None

    def close(self) -> None:
        """Wake all runners for good."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._wake_one()

    def take(self, clock_nanoseconds: int) -> SerialQueue | None:
        """Return the first queue, waiting for one.

        Args:
            clock_nanoseconds: The present time.

        Returns:
            The queue. None: the line was closed, or there may be something new; look again.
        """
        if self._alarms:
            self._ring(clock_nanoseconds)
        with self._lock:
            if self._queues:
                return self._queues.popleft()
        sleeper = threading.Lock()
        sleeper.acquire()
        try:
            sleep_seconds = self._lie_down(sleeper, clock_nanoseconds)
            if sleep_seconds:
                sleeper.acquire(timeout=sleep_seconds)
        finally:  # a signal handler may raise in between
            queue = self._wake_up(sleeper)
        return queue

    def _ring(self, now: int) -> None:
        """Put the queues in line whose time has come."""
        due: list[SerialQueue] = []
        with self._lock:
            while self._alarms and self._alarms.peek_key() <= now:
                due.append(self._alarms.pop())
        for queue in due:
            queue.ring()

    def _lie_down(self, sleeper: threading.Lock, now: int) -> float:
        """Note that a runner is idle; return how long it sleeps: -1 until it is woken, 0 not at all."""
        with self._lock:
            self._idle.append(sleeper)
            sleep_seconds = self._keep(sleeper, now)
            return 0.0 if self._queues or self._is_closed else sleep_seconds  # I2

    def _keep(self, sleeper: threading.Lock, now: int) -> float:
        """Return how long a runner sleeps: until the earliest alarm, unless another sleeps no longer than that."""
        if self._alarms:
            due = self._alarms.peek_key()
            if self._keeper is None or due < self._keeper_sleeps_until:
                self._keeper, self._keeper_sleeps_until = sleeper, due
                return min((due - now) / NANOSECONDS, LONGEST_SLEEP_SECONDS) if due > now else 0.0
        return -1.0

    def _wake_up(self, sleeper: threading.Lock) -> SerialQueue | None:
        with self._lock:
            if sleeper in self._idle:
                self._idle.remove(sleeper)
            is_keeper = self._keeper is sleeper
            if is_keeper:
                self._keeper = None
            queue = self._queues.popleft() if self._queues else None
            if self._queues or (is_keeper and self._alarms and queue is not None):
                self._wake_one()  # I2, I3
            return queue

    def _wake_one(self) -> None:
        while self._idle:
            sleeper = self._idle[-1]
            try:
                sleeper.release()  # I5: an interrupt after this leaves it in `_idle`, where it is woken once more
                is_woken = True
            except RuntimeError:  # somebody woke it before, and it has not got up yet
                is_woken = False
            if sleeper in self._idle:
                self._idle.remove(sleeper)
            if is_woken:
                return
