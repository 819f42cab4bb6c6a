"""What waits in one tree of schedulers, what runs, and the steps that move a task from one place to another.

Every method is called in the critical section of the queues, by the lane that they are a part of. None runs user code;
the argument is at the head of task_lane.pyx.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.queues.stable_heap cimport HeapElement, StableHeap
from rs_core.scheduling.task_tree cimport (
    DISPOSED, GONE, PARKED, PAUSING, READY, RUNNING, TIMED, TURN, TreeNode, WorkItem,
    complete_pause, end_paused_time, leave_parent
)

from rs_core.errors import StateError

__all__ = ["AGING_TURNS", "PendingPause", "TaskQueues"]

cdef extern from "Python.h":
    unsigned long this_thread "PyThread_get_thread_ident"() noexcept

AGING_TURNS = 1024
"""How many turns a task waits at most for tasks of the next better priority that came after it."""

cdef int64_t C_AGING_TURNS = AGING_TURNS


@cython.final
cdef class PendingPause:
    """The turns that a pause waits for. Made by a lane."""

    @property
    def remaining(self) -> int:
        """How many turns are still on."""
        cdef Py_ssize_t count
        with cython.critical_section(self.queues):
            count = self.count
        return count

    def holds_this_thread(self) -> bool:
        """Return whether the calling thread is inside one of these turns; never runs user code."""
        cdef bint holds = False
        cdef WorkItem item
        if self.queues is None:
            raise StateError("a pause that belongs to no lane; pauses are made by pause() of a scheduler")
        with cython.critical_section(self.queues):
            item = self.queues.running
            while item is not None and not holds:
                holds = item.thread == this_thread() and self.awaits(item)
                item = item.after
        return holds

    cdef bint awaits(self, WorkItem item) noexcept:
        return item.turn <= self.turn and item.node.is_below(self.node)


cdef class TaskQueues(HeapElement):
    """The queues of a lane."""

    def __cinit__(self, *args, **options):
        self.ready = StableHeap()
        self.timed = StableHeap()
        self.asked = []
        self.pauses = []
        self.alarm = INT64_MAX

    cdef int place_new(self, WorkItem item, int64_t due, int64_t now) except -1:
        if due > now:
            item.place = TIMED
            self.timed.insert(item, due, 0, -1)
        elif item.node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
            self.make_ready(item)
        else:
            item.place = PARKED
        return 0

    cdef int make_ready(self, WorkItem item) except -1:
        """Make an item ready, in the place that it had if it had one."""
        if item.has_key:
            self.ready.insert(item, item.key, 0, item.arrival)
        else:
            item.key = self.turns + C_AGING_TURNS * item.priority
            item.arrival = self.ready.insert(item, item.key, 0, -1)
            item.has_key = True
        item.place = READY
        return 0

    cdef WorkItem take(self, int64_t now):
        """Start the next item whose node is running; None: nothing is ready."""
        cdef WorkItem item
        while self.timed.count and self.timed.entries[0].key <= now:
            item = <WorkItem>self.timed.take_first()
            item.node.ticks += 1
            self.make_ready(item)
        while self.ready.count:
            item = <WorkItem>self.ready.take_first()
            if item.node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                self.start(item)
                return item
            item.place = PARKED
        return None

    cdef void start(self, WorkItem item) noexcept:
        """List an item as running in this thread; its node has the status for it (I2)."""
        item.node.unlink(item)
        item.has_key = False
        self.turns += 1
        self.list_running(item)

    cdef void list_running(self, WorkItem item) noexcept:
        item.place = TURN
        item.thread = this_thread()
        self.starts += 1
        item.turn = self.starts
        item.before = None
        item.after = self.running
        if self.running is not None:
            self.running.before = item
        self.running = item

    cdef void stop(self, WorkItem item) noexcept:
        if item.before is None:
            self.running = item.after
        else:
            item.before.after = item.after
        if item.after is not None:
            item.after.before = item.before
        item.before = None
        item.after = None

    cdef bint put_back(self, WorkItem item, bint is_done, bint has_work) except -1:
        """Put an item that has stopped where it belongs; whether it is to be discarded instead."""
        cdef TreeNode node = item.node
        cdef unsigned int status = node.status.load(memory_order_relaxed)  # relaxed: in the section
        if is_done or status == DISPOSED:
            item.place = GONE
            return not is_done
        if has_work and status == RUNNING:
            self.make_ready(item)
        else:
            item.place = PARKED
        node.append(item)
        if item.is_stale:
            item.is_stale = False
            self.ask_again(item)
        return False

    cdef bint runs_turn_here(self) noexcept:
        cdef WorkItem item = self.running
        while item is not None and item.thread != this_thread():
            item = item.after
        return item is not None

    cdef bint awaits_turns(self) noexcept:
        return True

    cdef int ask_node(self, TreeNode node) except -1:
        # relaxed: in the section
        if node.status.load(memory_order_relaxed) == RUNNING and not node.is_asked:
            if node.waiting or self.running is not None:
                self.asked.append(node)
                node.is_asked = True
        return 0

    cdef int ask_again(self, WorkItem item) except -1:
        """Have an item asked for which that was wanted while it ran."""
        return self.ask_node(item.node)

    cdef void mark_stale(self, TreeNode node, bint with_children) noexcept:
        """Have the items of a node that run now, perhaps those of all below it too, asked again when they stop."""
        cdef WorkItem item = self.running
        while item is not None:
            item.is_stale |= item.node.is_below(node) if with_children else item.node is node
            item = item.after

    cdef bint claim_line(self) noexcept:
        """Whether the caller has to put the lane in line, outside of the section (I4)."""
        if self.is_in_line or self.slices >= self.width:
            return False
        self.is_in_line = self.ready.count != 0 or len(self.asked) != 0
        return self.is_in_line

    cdef int64_t claim_alarm(self) noexcept:
        """The time for which the caller has to set the alarm, outside of the section (I4); INT64_MAX: it need not."""
        if self.timed.count == 0 or self.timed.entries[0].key >= self.alarm:
            return INT64_MAX
        self.alarm = self.timed.entries[0].key
        return self.alarm

    cdef int start_asking(self, TreeNode node, list items) except -1:
        """Take out what has to be asked; it counts as running, so that a pause waits for it."""
        cdef WorkItem item = node.first
        cdef WorkItem following
        self.mark_stale(node, False)
        while item is not None:
            following = item.after
            if item.execute is None:
                if item.place == PARKED:
                    self.make_ready(item)
            elif item.place != TIMED:
                items.append(item)
                self.ready.take_out(item)
                node.unlink(item)
                self.list_running(item)
            item = following
        return 0

    cdef int start_pausing(self, PendingPause pending, int64_t now) except -1:
        """Let no turn of a subtree start from now on; list the pause unless it is complete at once: its count is 0."""
        cdef PendingPause other
        cdef TreeNode each = pending.node
        while each is not None:
            if each.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                each.status.store(PAUSING, memory_order_relaxed)  # relaxed: see task_lane.pyx, Ordering
                each.paused_at = now
            each = each.next_below(pending.node)
        if self.awaits_turns():
            self.count_turns(pending)
        if pending.count == 0:
            pending.is_paused = complete_pause(pending.node)
            return 0
        for other in self.pauses:  # what was continued since then, and stops now, is theirs as well
            if pending.node.is_below(other.node) or other.node.is_below(pending.node):
                self.count_turns(other)
        self.pauses.append(pending)
        return 0

    cdef void count_turns(self, PendingPause pending) noexcept:
        """Have a pause wait for the turns of its subtree that are on now."""
        cdef WorkItem item = self.running
        pending.turn = self.starts
        pending.count = 0
        while item is not None:
            pending.count += pending.awaits(item)
            item = item.after

    cdef int overtake_pauses(self, TreeNode node, list over) except -1:
        """Take out the pauses of a subtree that is continued; none of them has become one."""
        cdef Py_ssize_t place
        cdef PendingPause pending
        for place in range(len(self.pauses) - 1, -1, -1):
            pending = <PendingPause>self.pauses[place]
            if pending.node.is_below(node):
                over.append(pending)
                del self.pauses[place]
        return 0

    cdef list close_nodes(self, TreeNode node, int64_t now):
        """Dispose a node and all below it, unless it is; return what waited there."""
        cdef list nodes = [], items = []
        cdef TreeNode each = node
        cdef WorkItem item
        cdef Py_ssize_t place
        if node.status.load(memory_order_relaxed) == DISPOSED:  # relaxed: in the section
            return items
        self.has_lost_root |= node.parent is None
        while each is not None:
            nodes.append(each)
            each = each.next_below(node)
        for each in nodes:
            each.status.store(DISPOSED, memory_order_relaxed)  # relaxed: see task_lane.pyx, Ordering
            end_paused_time(each, now)
            each.disposed_at = now
            while each.first is not None:
                item = each.first
                items.append(item)
                (self.timed if item.place == TIMED else self.ready).take_out(item)
                item.place = GONE
                each.unlink(item)
        for place in range(len(nodes) - 1, -1, -1):  # children first, so that figures add up
            each = <TreeNode>nodes[place]
            if each.parent is not None:
                leave_parent(each)
        return items

    cdef list end_pauses(self, WorkItem item, list over):
        """Count a turn that is over; return the pauses for which it was the last."""
        cdef Py_ssize_t place
        cdef PendingPause pending
        if over is None:  # a pause began before the section: without a GIL, where no allocation runs the collector
            over = []
        for place in range(len(self.pauses) - 1, -1, -1):
            pending = <PendingPause>self.pauses[place]
            pending.count -= pending.awaits(item)
            if pending.count == 0:
                pending.is_paused = complete_pause(pending.node)
                over.append(pending)
                del self.pauses[place]
        return over
