"""A scheduler as a node of its tree, and a task that waits in it: the parts of a serial queue.

The critical section of the queue guards everything here, except functions that run user code. Any thread may read the
status: it is an atomic word for the readers of yield tokens, for which an old value is harmless.
"""

cimport cython
from cpython.datetime cimport import_datetime, timedelta_days, timedelta_microseconds, timedelta_seconds
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.function_kind cimport runs_at_once
from rs_core.queues.stable_heap cimport HeapElement

from datetime import timedelta

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.errors import ArgumentTypeError, StateError

__all__ = ["ACTION_PRIORITY", "MOST_PRIORITY", "TreeNode", "WorkItem", "checked_task"]

ACTION_PRIORITY = 1
"""The priority of callables, of action tasks, and of tasks without one."""

MOST_PRIORITY = 1000
"""Priorities above this, or below its negative, are limited to it."""

import_datetime()

cdef object MISSING = object()
cdef int64_t _MOST_DAYS = 106_751   # as many as 63 bits of nanoseconds hold
cdef int64_t C_MOST_PRIORITY = MOST_PRIORITY
cdef int64_t C_ACTION_PRIORITY = ACTION_PRIORITY


def checked_task(task, /):
    """Return a task that can run, or raise. Never runs user code except attribute lookups.

    Raises:
        ArgumentTypeError: The value cannot be called and has no `execute`, or a call of it would run nothing.
    """
    execute = getattr(task, "execute", None)
    if execute is not None:
        return checked_call(task, execute)
    if callable(task):
        return checked_call(task, task)
    raise ArgumentTypeError(
        f"schedule(task) needs a callable or a SchedulerTask, got {task!r} ({type(task).__name__}); "
        f"pass a function without parameters"
    )


cdef object checked_call(object task, object call):
    """Return a task, or raise if its call would run nothing."""
    if not runs_at_once(call):
        refuse_deferred(call, "schedule(task)", "schedule a function that starts it in its event loop")
    return task


cdef int64_t priority_of(object task) except? -1:
    """The priority of a task that has `execute`; runs user code if it is a property."""
    priority = getattr(task, "priority", MISSING)
    if priority is MISSING:
        return C_ACTION_PRIORITY
    if not isinstance(priority, int):
        raise ArgumentTypeError(
            f"schedule(task) needs a task whose priority is an integer, got {priority!r} ({type(priority).__name__}); "
            f"the lowest runs first, {ACTION_PRIORITY} is usual"
        )
    if -MOST_PRIORITY <= priority <= MOST_PRIORITY:
        return priority
    return C_MOST_PRIORITY if priority > 0 else -C_MOST_PRIORITY


cdef int64_t clamped(object nanoseconds) except? -1:
    """Limit a time to 64 bits: more than 292 years ahead means never; more than 292 years ago means now."""
    if nanoseconds >= INT64_MAX:
        return INT64_MAX
    return max(nanoseconds, -INT64_MAX)


cdef int64_t nanoseconds_of(object delay) except? -1:
    """Return a delay, a timedelta or a number of nanoseconds, in nanoseconds, limited to 64 bits."""
    cdef int64_t days
    if type(delay) is not timedelta:
        return clamped(delay)
    days = timedelta_days(delay)
    if days >= _MOST_DAYS:
        return INT64_MAX
    if days < -_MOST_DAYS:
        return -INT64_MAX
    return ((days * 86_400 + timedelta_seconds(delay)) * 1_000_000 + timedelta_microseconds(delay)) * 1_000


cdef WorkItem new_item(TreeNode node, object task):
    """Check a task and wrap it; runs user code if its priority is a property."""
    cdef WorkItem item = WorkItem.__new__(WorkItem)
    item.node = node
    item.task = task
    item.execute = getattr(task, "execute", None)
    if item.execute is None:
        checked_task(task)
        item.priority = C_ACTION_PRIORITY
    else:
        item.execute_yieldable = getattr(task, "execute_yieldable", None)
        checked_call(task, item.execute if item.execute_yieldable is None else item.execute_yieldable)
        item.priority = priority_of(task)
    return item


@cython.final
cdef class WorkItem(HeapElement):
    """A task, its scheduler, and its place in the queue. Made by a queue."""

    @property
    def scheduler(self):
        """The scheduler that the task was scheduled on."""
        if self.node is None:
            raise StateError("a task that belongs to no queue; tasks are made by schedule() of a scheduler")
        return self.node.scheduler

    def cancel(self) -> bool:
        """Run the task no more; any thread, never runs user code.

        Its `discard` is not called.

        Returns:
            Whether it waited, so that no turn of it will begin. False: a turn of it is running, perhaps this one, or it
            is done, or was discarded or cancelled before.
        """
        return self.node is not None and self.node.queue.cancel(self)

    def __repr__(self) -> str:
        cdef int place = self.place  # a hint: other threads move it
        state = "waits" if place in (READY, TIMED, PARKED) else "has a turn" if place == TURN else "is over"
        return f"<{safe_repr(self.task)} {state} in {safe_repr(None if self.node is None else self.node.scheduler)}>"

    cdef bint is_runnable(self) except -1:
        """Ask a task that is not a callable whether it has work. Runs user code."""
        cdef object answer = getattr(self.task, "is_runnable", True)
        return answer

    cdef bint run(self) except -1:
        """Run a turn of a task that is not a callable; return whether the task is done. Always runs user code."""
        cdef object is_done
        if self.execute_yieldable is not None:
            is_done = self.execute_yieldable(self.node.scheduler, self.node.token)
        else:
            is_done = self.execute(self.node.scheduler)
        return is_done

    cdef bint recalculate(self) except -1:
        """Call `recalculate_priority` of a task that is not a callable; return whether it has work. Runs user code."""
        cdef int64_t priority
        recalculate = getattr(self.task, "recalculate_priority", None)
        if recalculate is not None:
            recalculate()
        priority = priority_of(self.task)
        if priority != self.priority:
            self.priority = priority
            self.has_key = False
        return self.is_runnable()


@cython.final
cdef class TreeNode:
    """A scheduler as a node of its tree: parent, children, status, waiting tasks, counters. Made by a queue."""

    @property
    def status_code(self) -> int:
        """0 running, 1 pausing, 2 paused, 3 disposed."""
        return self.status.load(memory_order_relaxed)  # relaxed: see above

    @property
    def is_yield_requested(self) -> bool:
        """Whether a running task should return soon."""
        return self.status.load(memory_order_relaxed) != RUNNING  # relaxed: see above

    cdef void append(self, WorkItem item) noexcept:
        item.before = self.last
        item.after = None
        if self.last is None:
            self.first = item
        else:
            self.last.after = item
        self.last = item
        self.waiting += 1

    cdef void unlink(self, WorkItem item) noexcept:
        if item.before is None:
            self.first = item.after
        else:
            item.before.after = item.after
        if item.after is None:
            self.last = item.before
        else:
            item.after.before = item.before
        item.before = None
        item.after = None
        self.waiting -= 1

    cdef bint is_below(self, TreeNode other) noexcept:
        """Whether this node is the other one or below it."""
        cdef TreeNode node = self
        while node is not None and node is not other:
            node = node.parent
        return node is not None

    cdef TreeNode next_below(self, TreeNode top):
        return self.next_beside(top) if self.first_child is None else self.first_child

    cdef TreeNode next_beside(self, TreeNode top):
        cdef TreeNode node = self
        while node is not top and node.after is None:
            node = node.parent
        return None if node is top else node.after

    cdef bint is_in_held(self) noexcept:
        cdef TreeNode node = self
        while node is not None and not node.is_held:
            node = node.parent
        return node is not None

    cdef void count_turn(self, int64_t spent) noexcept:
        cdef TreeNode heir = self.parent
        self.executions += 1
        self.spent += spent
        if self.status.load(memory_order_relaxed) != DISPOSED or heir is None:  # relaxed: in the section
            return
        while heir.status.load(memory_order_relaxed) == DISPOSED and heir.parent is not None:  # relaxed: as above
            heir = heir.parent
        heir.retired_executions += 1  # this node's counters were passed to its ancestor before
        heir.retired_spent += spent


cdef Figures figures_of(TreeNode node, bint with_children) noexcept:
    """The counters and waiting tasks of a node; with those of all nodes below it, also disposed ones."""
    cdef Figures figures = Figures(0, 0, 0, [0, 0, 0, 0, 0, 0])
    cdef TreeNode each = node
    cdef WorkItem item
    while each is not None:
        figures.spent += each.spent
        figures.executions += each.executions
        figures.ticks += each.ticks
        if with_children:
            figures.spent += each.retired_spent
            figures.executions += each.retired_executions
            figures.ticks += each.retired_ticks
        item = each.first
        while item is not None:
            figures.places[item.place] += 1
            item = item.after
        each = each.next_below(node) if with_children else None
    return figures


cdef bint complete_pause(TreeNode node) noexcept:
    """Record that no turn below a node is running; return whether it is paused now. In the critical section."""
    cdef TreeNode each = node
    while each is not None:
        if each.status.load(memory_order_relaxed) == PAUSING:  # relaxed: in the section
            each.status.store(PAUSED, memory_order_relaxed)  # relaxed: see above
        each = each.next_below(node)
    return node.status.load(memory_order_relaxed) == PAUSED  # relaxed: in the section


cdef void end_paused_time(TreeNode node, int64_t now) noexcept:
    if node.paused_at >= 0:
        node.paused += now - node.paused_at
        node.paused_at = -1


cdef void leave_parent(TreeNode node) noexcept:
    """Remove a disposed node from its parent, which keeps its counters. In the critical section."""
    cdef TreeNode parent = node.parent
    parent.retired_executions += node.executions + node.retired_executions
    parent.retired_ticks += node.ticks + node.retired_ticks
    parent.retired_spent += node.spent + node.retired_spent
    if node.before is None:
        parent.first_child = node.after
    else:
        node.before.after = node.after
    if node.after is not None:
        node.after.before = node.before
    node.before = None
    node.after = None
