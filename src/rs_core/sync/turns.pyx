"""How long a drain may use a thread for which others wait: the thread of an event loop, or of a scheduler.

Demand does not bound a drain that sends much and delivers little, such as a filter that passes nothing. So it is
bounded by the number of elements that owners of demand make (stream/subscription.pyx, `tick`) and, in an event loop, by
the elapsed time. The drain leaves a turn that is over: the token waits, with the remaining work, until the thread's
other work has run.

Event loop: all streams that are drained in its thread share one turn, so that it is as long for many as for one. It
lasts from the first look until the loop has called its other callbacks: the first look schedules `next_turn` in the
loop, which begins the next turn. There the streams that left continue in the order in which they left, so each stream
gets its share.

Scheduler: each of its tasks has a turn, measured only in elements, so that a scheduler of virtual time is
deterministic.

Threads: a turn is used by its thread; any thread may call `is_here`.
"""

from collections import deque
from contextvars import copy_context
from time import monotonic_ns

cimport cython
from libc.stdint cimport int64_t

from rs_core.errors import WrongEventLoopError

TURN_ELEMENTS = 32_768
"""The maximum of elements in one turn of an event loop."""

TURN_NANOSECONDS = 2_000_000
"""How long a turn of an event loop lasts, not counting the rest of the function that is running then."""

cdef enum:
    TASK_ELEMENTS = 1024   # the maximum in one turn of a scheduler's task
    MOST_ELEMENTS = 32_768
    MOST_NANOSECONDS = 2_000_000
    # The maximum of elements between two looks; fewer if their functions are slow. It bounds a turn in which a function
    # suddenly becomes slow.
    MOST_BETWEEN_LOOKS = 64
    SHORT_NANOSECONDS = 50_000
    LONG_NANOSECONDS = 400_000


cdef class Turn:
    """The base of the limits of a drain."""

    cdef int64_t first_look(self, int64_t every) noexcept:
        return NO_LIMIT

    cdef int64_t look(self, int64_t made) except -1:
        return NO_LIMIT

    cdef object place(self):
        return None


@cython.final
cdef class _TaskTurn(Turn):
    """A turn of a scheduler's task: it is over after a number of elements."""

    cdef object scheduler
    cdef int64_t left

    cdef int64_t first_look(self, int64_t every) noexcept:
        return self.left

    cdef int64_t look(self, int64_t made) except -1:
        self.left -= made
        self.is_over = self.left <= 0
        return max(0, self.left)

    cdef object place(self):
        return self.scheduler


@cython.final
cdef class LoopTurns(Turn):
    """The turns of all streams that are drained in the thread of one event loop.

    Args:
        call_soon: Schedules a callback in the loop, after the callbacks that are already scheduled; called in its
            thread.
        is_running: Returns whether the calling thread runs the loop.
    """

    def __init__(self, call_soon, is_running):
        self.call_soon = call_soon
        self.is_running = is_running
        self.waiting = deque()
        self.every = self.outside = 1
        self.thread.leave()

    def enter(self) -> None:
        """Record the calling thread as the loop's."""
        self.thread.enter()

    @property
    def count_waiting(self) -> int:
        """How many streams wait for another turn."""
        return len(self.waiting)

    def is_due(self) -> bool:
        """Count an element that was made outside a drain; return whether the loop's other callbacks are due."""
        cdef int64_t more
        self.outside -= 1
        if self.outside > 0 and not self.is_over:
            return False
        more = self.look(self.every)
        self.outside = max(1, more)
        if more:
            self.every = min(more, MOST_BETWEEN_LOOKS)
        return more == 0

    def schedule(self, task) -> None:
        """Continue a task in a later turn, with the context variables of the calling thread."""
        self.waiting.append((copy_context(), task))
        self._expect_next()

    def next_turn(self) -> None:
        """Begin a turn with the waiting tasks; the loop's callback. Always runs user code."""
        self.is_expected = self.is_over = False
        try:
            while self.waiting:
                context, task = self.waiting.popleft()
                context.run(task.execute, self)
                if self.is_over or self.look(1) == 0:
                    break
        finally:
            if self.waiting:
                self._expect_next()

    def give_up(self) -> None:
        """End the streams that wait for a turn, because the loop was closed and runs no callbacks any more."""
        self.is_expected = self.is_over = False
        while self.waiting:
            _, task = self.waiting.popleft()
            task.discard(WrongEventLoopError(
                "the event loop whose thread drained the stream was closed; use a loop that runs as long as the stream"
            ))

    cdef bint is_here(self) noexcept:
        # If a turn is over and no other follows, its loop has ended.
        return self.thread.is_mine() and not (self.is_over and not self._is_running())

    cdef bint _is_running(self) noexcept:
        try:
            return self.is_running()
        except BaseException:
            return False

    cdef int64_t first_look(self, int64_t every) noexcept:
        return min(every, MOST_BETWEEN_LOOKS)

    cdef int64_t look(self, int64_t made) except -1:
        cdef int64_t now, elapsed
        cdef bint is_first = not self.is_expected
        if self.is_over:
            return 0
        if is_first and not self.is_running():
            return NO_LIMIT  # the loop does not run, so nothing waits for the thread
        if is_first:
            self.thread.enter()
        now = monotonic_ns()
        elapsed = now - self.looked_at
        self.looked_at = now
        if is_first:
            self._expect_next()
            self.deadline = now + MOST_NANOSECONDS
            self.left = MOST_ELEMENTS - made
            return min(made, MOST_BETWEEN_LOOKS)
        self.left -= made
        if now >= self.deadline or self.left <= 0:
            if self.is_running():
                self.is_over = True
                return 0
            self.is_expected = False  # the loop was closed before the callback
            return NO_LIMIT
        if elapsed > LONG_NANOSECONDS:
            return max(1, min(made, MOST_BETWEEN_LOOKS) // 8)
        return min(MOST_BETWEEN_LOOKS, 2 * made) if elapsed < SHORT_NANOSECONDS else made

    cdef object place(self):
        return self

    cdef int _expect_next(self) except -1:
        if not self.is_expected:
            self.is_expected = True
            try:
                self.call_soon(_NextTurn(self))
            except BaseException:
                self.is_expected = False
                raise
        return 0


@cython.final
cdef class _NextTurn:
    """The loop's callback, called once; a closed loop releases it instead."""

    cdef LoopTurns turns

    def __init__(self, turns):
        self.turns = turns

    def __call__(self):
        turns, self.turns = self.turns, None
        turns.next_turn()

    def __del__(self):
        if self.turns is not None:
            self.turns.give_up()


cdef Turn turn_of_task(object scheduler):
    """Return the turn of a task that a scheduler is running."""
    cdef _TaskTurn turn
    loop_turns = scheduler if isinstance(scheduler, LoopTurns) else getattr(scheduler, "loop_turns", None)
    if loop_turns is not None:
        return loop_turns
    turn = _TaskTurn()
    turn.scheduler = scheduler
    turn.left = TASK_ELEMENTS
    return turn


cdef LoopTurns turns_here(tuple loops):
    """Return the turns of the loop in this thread, if it is one of these, else None."""
    cdef LoopTurns turns
    for turns in loops:
        if turns.is_here():
            return turns
    return None
