"""The queue of virtual time: one queue by due tick, priority and arrival, run by whoever moves the clock.

One queue serves all the trees of schedulers that share a clock. Time stands still but for `advance` and `sleep`: who
waits waits for ever, so there is one thread, and a pause need not wait for the turn that requested it.

Invariants, besides those of serial_queue.pyx
    I1  The clock never goes back.
    I2  All items that are ready or timed are in one heap; TIMED says only that the item was due later when it came.
    I3  An item whose turn was on is due at the tick of that turn.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.scheduling.serial_queue cimport SerialQueue
from rs_core.scheduling.task_tree cimport PARKED, READY, RUNNING, TIMED, TreeNode, WorkItem, clamped, new_item

__all__ = ["VirtualTimeQueue"]

cdef int64_t LAST_TICK = INT64_MAX - 1   # what is due later comes never


@cython.final
cdef class VirtualTimeQueue(SerialQueue):
    """What waits for its tick.

    Args:
        physical: Says what becomes of exceptions.
    """

    def __cinit__(self, physical, **options):
        self.timed = self.ready  # I2

    @property
    def clock_ticks(self) -> int:
        """The present tick."""
        return self.ticks

    @property
    def next_due(self):
        """The tick of what comes first, whether it may run or not; None: nothing waits."""
        return self.ready.entries[0].key if self.ready.count else None

    def schedule_at(self, TreeNode node not None, task, tick, Py_ssize_t capacity, /) -> int:
        """Take a task, unless the node is disposed or has as many waiting as it may.

        Args:
            node: Of the scheduler that it was scheduled on.
            task: What to run.
            tick: When; one that has passed counts as it is in the order of tasks, and moves no clock.
            capacity: How many tasks of this node may wait.

        Returns:
            0: it was taken. Or `REFUSED_DISPOSED`, `REFUSED_FULL`.
        """
        cdef WorkItem item = new_item(node, task)
        return self.admit(item, clamped(tick), self.ticks, capacity)

    def schedule_after(self, TreeNode node not None, task, int64_t increment, Py_ssize_t capacity, /) -> int:
        """Take a task that is due so many ticks after the clock; otherwise as `schedule_at`."""
        cdef WorkItem item = new_item(node, task)
        cdef int64_t due = self.ticks + increment if self.ticks < INT64_MAX - increment else INT64_MAX
        return self.admit(item, due, self.ticks, capacity)

    def sleep(self, ticks, /) -> None:
        """Move the clock and run nothing."""
        self.ticks = max(self.ticks, min(clamped(self.ticks + ticks), LAST_TICK))

    def advance(self, until, int64_t most_turns_in_a_tick, /) -> bool:
        """Run what is due, tick by tick, moving the clock. Always runs user code; what that raises ends the call.

        Args:
            until: The last tick that is run, at which the clock stands then; None: to the end, where the clock stands
                at the last tick that was run.
            most_turns_in_a_tick: How many turns a tick may have; each recalculation counts as one.

        Returns:
            Whether that was all. False: a tick wants more turns than it may have.
        """
        cdef int64_t limit = LAST_TICK if until is None else min(clamped(until), LAST_TICK)
        cdef int64_t tick = self.ticks
        cdef int64_t left = most_turns_in_a_tick
        cdef WorkItem item
        self.is_advancing = True
        try:
            while self._has_more(limit):
                if self.asked:
                    self.recalculate_asked()
                else:
                    with cython.critical_section(self):
                        item = self.take_until(limit)
                    if item is None:
                        break
                    if self.ticks != tick:
                        tick = self.ticks
                        left = most_turns_in_a_tick
                    self.run_item(item, self.ticks)
                left -= 1
                if left == 0 and self._has_more(tick):
                    return False
        finally:
            self.is_advancing = False
        if until is not None:
            self.ticks = max(self.ticks, limit)
        return True

    cdef bint _has_more(self, int64_t tick):
        """Whether something is to be asked, or due by a tick."""
        return len(self.asked) != 0 or (self.ready.count != 0 and self.ready.entries[0].key <= tick)

    @property
    def is_inside_advance(self) -> bool:
        """Whether `advance` runs tasks now."""
        return self.is_advancing

    cdef WorkItem take_until(self, int64_t tick):
        """Start the next item that is due by a tick, and set the clock; None: there is none."""
        cdef WorkItem item
        cdef int64_t due
        while self.ready.count and self.ready.entries[0].key <= tick:
            due = self.ready.entries[0].key
            item = <WorkItem>self.ready.take_first()
            if item.node.status.load(memory_order_relaxed) != RUNNING:  # relaxed: in the section
                item.place = PARKED
                continue
            self.ticks = max(self.ticks, due)  # I1
            item.node.ticks += item.place == TIMED
            item.due = self.ticks  # I3
            self.start(item)
            return item
        return None

    cdef int place_new(self, WorkItem item, int64_t due, int64_t now) except -1:
        item.due = due
        # relaxed: in the section
        if due <= now and item.node.status.load(memory_order_relaxed) != RUNNING:
            item.place = PARKED
            return 0
        self.make_ready(item)
        if due > now:
            item.place = TIMED
        return 0

    cdef int make_ready(self, WorkItem item) except -1:
        item.arrival = self.ready.insert(item, item.due, item.priority, item.arrival if item.has_key else -1)
        item.has_key = True
        item.place = READY
        return 0

    cdef bint awaits_turns(self) noexcept:
        return False

    cdef bint try_enqueue(self) noexcept:
        return False

    cdef int64_t claim_alarm(self) noexcept:
        return INT64_MAX

    cdef int64_t now(self) except? -1:
        return self.ticks
