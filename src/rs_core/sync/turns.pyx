"""How long a drain keeps a thread that others wait for: the thread of an event loop, or of a scheduler.

A drain that sends much and delivers little, such as a filter that lets nothing pass, is bounded by no demand. So it is
bounded by what owners of demand make (stream/subscription.pyx, `tick`) and, in an event loop, by the time that passes
meanwhile. A turn that is over is left: the token waits, with what is to be done, until the thread's other work has had
its turn.

Event loop: all streams that are drained in its thread share one turn, so that it is as long for many as for one. It
lasts from the first look until the loop has called its other callbacks: the first look has the loop call `next_turn`,
which begins the next one. What has left goes on there in the order in which it has left: so each stream gets its share,
whatever the others do.

Scheduler: each of its tasks has a turn. It is counted only, so that a scheduler of virtual time does the same each
time.

Threads: a turn is used by the thread it belongs to; `is_here` may be asked by any.
"""

from collections import deque
from contextvars import copy_context
from time import monotonic_ns

cimport cython
from libc.stdint cimport int64_t

from rs_core.errors import WrongEventLoopError

TURN_ELEMENTS = 32_768
"""How many elements are made in one turn of an event loop at most."""

TURN_NANOSECONDS = 2_000_000
"""How long a turn of an event loop lasts, but for the function that is running then."""

cdef enum:
    TASK_ELEMENTS = 1024   # of a turn of a task of a scheduler
    MOST_ELEMENTS = 32_768
    MOST_NANOSECONDS = 2_000_000
    # How many elements are made between two looks: fewer where their functions take long. The most is what bounds a
    # turn in which a function suddenly takes long.
    MOST_BETWEEN_LOOKS = 64
    SHORT_NANOSECONDS = 50_000
    LONG_NANOSECONDS = 400_000


cdef class Turn:
    """Base of what bounds a drain."""

    cdef int64_t first_look(self, int64_t every) noexcept:
        return NO_LIMIT

    cdef int64_t look(self, int64_t made) except -1:
        return NO_LIMIT

    cdef object place(self):
        return None


@cython.final
cdef class _TaskTurn(Turn):
    """A turn of a task of a scheduler: over when so many elements were made."""

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
        call_soon: Has the loop call something, after what it has to call already; called in its thread.
        is_running: Returns whether the calling thread runs the loop.
    """

    def __init__(self, call_soon, is_running):
        self.call_soon = call_soon
        self.is_running = is_running
        self.waiting = deque()
        self.every = self.outside = 1
        self.thread.leave()

    def enter(self) -> None:
        """Take the calling thread for the loop's."""
        self.thread.enter()

    @property
    def count_waiting(self) -> int:
        """How many streams wait for another turn."""
        return len(self.waiting)

    def is_due(self) -> bool:
        """Count an element that was made outside of a drain; return whether the loop's other callbacks are due."""
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
        """Have a task go on in a later turn, in the context variables of the calling thread."""
        self.waiting.append((copy_context(), task))
        self._expect_next()

    def next_turn(self) -> None:
        """Begin a turn with what waits for it; always runs user code. What the loop calls."""
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
        """End the streams that wait for a turn, since the loop was closed and calls nothing any more."""
        self.is_expected = self.is_over = False
        while self.waiting:
            _, task = self.waiting.popleft()
            task.discard(WrongEventLoopError(
                "the event loop whose thread drained the stream was closed; take a loop that runs as long as the stream"
            ))

    cdef bint is_here(self) noexcept:
        # A turn that is over and never followed by another is one of a loop that has ended.
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
            return NO_LIMIT  # the loop stands still, and nothing waits for the thread
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
            self.is_expected = False  # it was closed before it called
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
    """What the loop calls once; a loop that is closed lets it go instead."""

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
    """Return the turn of a task that a scheduler runs now."""
    cdef _TaskTurn turn
    loop_turns = scheduler if isinstance(scheduler, LoopTurns) else getattr(scheduler, "loop_turns", None)
    if loop_turns is not None:
        return loop_turns
    turn = _TaskTurn()
    turn.scheduler = scheduler
    turn.left = TASK_ELEMENTS
    return turn


cdef LoopTurns turns_here(tuple loops):
    """Return the turns of the loop that runs in this thread, if it is one of these, else None."""
    cdef LoopTurns turns
    for turns in loops:
        if turns.is_here():
            return turns
    return None
