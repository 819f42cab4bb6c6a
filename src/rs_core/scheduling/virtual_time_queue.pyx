"""The queue of virtual time: one queue by due tick, priority and arrival, run by the thread that moves the clock.

One queue serves all trees of schedulers that share a clock. Time passes only in `advance` and `sleep`: a thread that
waits would wait forever, so there is only one thread, and a pause need not wait for the turn that requested it.

Invariants, in addition to those of serial_queue.pyx
    I1  The clock never goes back.
    I2  All ready and timed items are in one heap; TIMED means only that the item was due later when it was scheduled.
    I3  An item that has had a turn is due at the tick of that turn.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.scheduling.serial_queue cimport SerialQueue
from rs_core.scheduling.task_tree cimport PARKED, READY, RUNNING, TIMED, TreeNode, WorkItem, clamped, new_item

__all__ = ["VirtualTimeQueue"]

cdef int64_t LAST_TICK = INT64_MAX - 1   # items that are due later never run


@cython.final
cdef class VirtualTimeQueue(SerialQueue):
    """The tasks that wait for their ticks.

    Args:
        physical: The physical scheduler, which handles exceptions.
    """

    def __cinit__(self, physical, **options):
        self.timed = self.ready  # I2

    @property
    def clock_ticks(self) -> int:
        """The current tick."""
        return self.ticks

    @property
    def next_due(self):
        """The tick of the first item, whether it may run or not; None if there is none."""
        return self.ready.entries[0].key if self.ready.count else None

    def schedule_at(self, TreeNode node not None, task, tick, Py_ssize_t capacity, /):
        """Accept a task, unless the node is disposed or its capacity is used up.

        Args:
            node: The node of the scheduler of the task.
            task: The task.
            tick: The due tick; a past one is used as it is in the order of tasks, and does not move the clock.
            capacity: How many tasks of this node may wait.

        Returns:
            The item, if it was accepted, else `REFUSED_DISPOSED` or `REFUSED_FULL`.
        """
        cdef WorkItem item = new_item(node, task)
        return self.admitted(item, clamped(tick), self.ticks, capacity)

    def schedule_after(self, TreeNode node not None, task, int64_t increment, Py_ssize_t capacity, /):
        """Accept a task that is due a number of ticks after the clock; otherwise like `schedule_at`."""
        cdef WorkItem item = new_item(node, task)
        cdef int64_t due = self.ticks + increment if self.ticks < INT64_MAX - increment else INT64_MAX
        return self.admitted(item, due, self.ticks, capacity)

    def sleep(self, ticks, /) -> None:
        """Move the clock without running tasks."""
        self.ticks = max(self.ticks, min(clamped(self.ticks + ticks), LAST_TICK))

    def advance(self, until, int64_t most_turns_in_a_tick, /) -> bool:
        """Run the due tasks, tick by tick, moving the clock. Always runs user code; its exceptions end the call.

        Args:
            until: The last tick to run, which the clock then shows; None: all ticks, and the clock then shows the last
                one.
            most_turns_in_a_tick: The maximum of turns in one tick; each recalculation counts as one.

        Returns:
            Whether that was all. False: a tick would exceed its maximum of turns.
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
        """Return whether a recalculation is requested, or an item is due until a tick."""
        return len(self.asked) != 0 or (self.ready.count != 0 and self.ready.entries[0].key <= tick)

    @property
    def is_inside_advance(self) -> bool:
        """Whether `advance` is running tasks."""
        return self.is_advancing

    cdef WorkItem take_until(self, int64_t tick):
        """Start the next item that is due until a tick, and set the clock; None if there is none."""
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
