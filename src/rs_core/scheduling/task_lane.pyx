"""The queues of one tree of schedulers, and whose turn is next.

Roles
    scheduler   any thread: schedules, asks for recalculation, pauses, resumes and closes nodes
    worker      a thread of the physical scheduler: `run_slice`, `ring`

Invariants, in the critical section of the lane. Where there is a GIL, that is the critical section: between the first
and the last write no object is made and none is freed that a finalizer could hang on, so no other code runs in between.
    I1  An item is in one place. It is linked to its node unless it is running, which the lane lists, or gone.
    I2  A turn starts only while the status of its node is RUNNING, in the same step that lists it as running. So who
        has set another status knows from the list what to wait for, and nothing else will start.
    I3  At most `width` slices run. With a width of 1 turns never overlap: the lane is a strand.
    I4  While something is ready, or asked for, the lane is in line or as many slices run as may. While something is
        timed and no slice runs, the physical scheduler has an alarm for it.
    I5  User code, and the physical scheduler, are called outside of the section. A task, a handler, a finalizer or a
        signal handler may therefore call everything, also inside of a turn.

Ordering: the status is a word of its own only for the readers of yield tokens, for which an old value does no harm.

Order of tasks: of what is ready the lowest priority goes first, then what came first. A step of priority is worth
AGING_TURNS turns: who waits that long goes before those of the next better priority that came later. So none starves.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.scheduling.task_queues cimport PendingPause, TaskQueues
from rs_core.scheduling.task_tree cimport (
    DISPOSED, PARKED, READY, RUNNING, TIMED, Figures, TreeNode, WorkItem,
    clamped, end_paused_time, figures_of, new_item
)

from rs_core.dropped import dropped

cdef extern from *:
    """
    /* Where there is no GIL, the lock of an object's critical section is a field of the object. */
    static inline void rs_free_section(PyObject *object) {
    #ifdef Py_GIL_DISABLED
        object->ob_mutex = PyMutex{};
    #else
        (void) object;
    #endif
    }
    """
    void free_section "rs_free_section"(object)

__all__ = ["REFUSED_DISPOSED", "REFUSED_FULL", "SLICE_TURNS", "Lane"]

SLICE_TURNS = 64
"""How many turns a lane gets before the next lane's."""

REFUSED_DISPOSED = <int>C_REFUSED_DISPOSED
"""What a lane answers to a task of a scheduler that was disposed."""

REFUSED_FULL = <int>C_REFUSED_FULL
"""What a lane answers to a task of a scheduler in which as many wait as may."""


cdef class Lane(TaskQueues):
    """What waits in one tree of schedulers. A physical scheduler makes one for each root and runs its slices.

    Args:
        physical: Where the tasks run: a `PhysicalScheduler`.
        width: How many tasks may run at the same time, from 1.
    """

    def __cinit__(self, physical, *, Py_ssize_t width=1):
        self.physical = physical
        self.clock = physical.clock_nanoseconds
        self.width = width

    @property
    def has_lost_its_root(self) -> bool:
        """Whether the root was disposed: nothing comes any more, and no alarm is wanted."""
        cdef bint is_lost
        with cython.critical_section(self):
            is_lost = self.has_lost_root
        return is_lost

    # --- scheduler ------------------------------------------------------------------------------------------------

    def add_node(self, scheduler, TreeNode parent, make_token, /):
        """Return a node for a scheduler, below a parent if there is one; None where that is disposed.

        Args:
            scheduler: The face of the node.
            parent: Whose child it is; None for the root.
            make_token: Called with the node; makes its yield token.
        """
        cdef TreeNode node = TreeNode.__new__(TreeNode)
        cdef int64_t now = self.now()
        cdef unsigned int status = RUNNING
        node.scheduler = scheduler
        node.parent = parent
        node.token = make_token(node)
        node.created_at = now
        node.disposed_at = node.paused_at = -1
        with cython.critical_section(self):
            if parent is not None:
                status = parent.status.load(memory_order_relaxed)  # relaxed: in the section
                if status != DISPOSED:
                    node.after = parent.first_child
                    if node.after is not None:
                        node.after.before = node
                    parent.first_child = node
            node.status.store(status, memory_order_relaxed)  # relaxed: whoever hands the node on publishes it
            if status != RUNNING:
                node.paused_at = now
        return None if status == DISPOSED else node

    def schedule(self, TreeNode node not None, task, delay_nanoseconds, Py_ssize_t capacity, /) -> int:
        """Take a task, unless the node is disposed or has as many waiting as it may.

        Args:
            node: Of the scheduler that it was scheduled on.
            task: What to run.
            delay_nanoseconds: From now; None at once.
            capacity: How many tasks of this node may wait.

        Returns:
            0: it was taken. Or `REFUSED_DISPOSED`, `REFUSED_FULL`.
        """
        cdef WorkItem item = new_item(node, task)
        cdef int64_t now = 0, due = 0
        if delay_nanoseconds is not None:
            now = self.now()
            due = clamped(now + delay_nanoseconds)
        return self.admit(item, due, now, capacity)

    cdef Admission admit(self, WorkItem item, int64_t due, int64_t now, Py_ssize_t capacity) except *:
        cdef Admission admission = TAKEN
        cdef bint is_claimed = False
        cdef int64_t alarm = INT64_MAX
        cdef TreeNode node = item.node
        if node.status.load(memory_order_relaxed) == DISPOSED:  # relaxed: a hint, the section decides
            return C_REFUSED_DISPOSED
        if not self.is_prepared:
            self.is_prepared = self.physical.prepare()
        with cython.critical_section(self):
            if node.status.load(memory_order_relaxed) == DISPOSED:  # relaxed: in the section
                admission = C_REFUSED_DISPOSED
            elif node.waiting >= capacity:
                admission = C_REFUSED_FULL
            else:
                self.place_new(item, due, now)
                node.append(item)
                is_claimed = self.claim_line()
                alarm = self.claim_alarm()
        self.call_out(is_claimed, alarm)
        return admission

    def ask(self, TreeNode node not None, /) -> None:
        """Have a worker recalculate the items of a node, unless it is paused: then `resume` does."""
        cdef bint is_claimed
        with cython.critical_section(self):
            self.ask_node(node)
            is_claimed = self.claim_line()
        self.call_out(is_claimed, INT64_MAX)

    def begin_pause(self, TreeNode node not None, pause, /) -> None:
        """Start no turn of a subtree from now on; the pause is completed when the running ones are over, perhaps now.

        Args:
            node: The top of the subtree.
            pause: Its attribute `pending` is set; its `complete(is_paused)` is called.
        """
        cdef PendingPause pending = PendingPause.__new__(PendingPause)
        cdef int64_t now = self.now()
        cdef bint is_over
        pending.queues = self
        pending.node = node
        pending.pause = pause
        pause.pending = pending
        with cython.critical_section(self):
            if node.status.load(memory_order_relaxed) != DISPOSED:  # relaxed: in the section
                self.start_pausing(pending, now)
            is_over = pending.count == 0
        if is_over:
            pause.complete(pending.is_paused)

    def resume(self, TreeNode node not None, /) -> None:
        """Start turns of a subtree again; pauses that this overtakes are completed with False."""
        cdef list overtaken = []
        cdef int64_t now = self.now()
        cdef TreeNode each = node
        cdef bint is_claimed = False
        with cython.critical_section(self):
            if node.status.load(memory_order_relaxed) != DISPOSED:  # relaxed: in the section
                while each is not None:
                    end_paused_time(each, now)
                    each.status.store(RUNNING, memory_order_relaxed)  # relaxed: see Ordering
                    self.ask_node(each)
                    each = each.next_below(node)
                self.overtake_pauses(node, overtaken)
                is_claimed = self.claim_line()
        try:
            self.call_out(is_claimed, INT64_MAX)
        finally:
            tell_pauses(overtaken)

    def lose_other_threads(self) -> None:
        """Let the section be entered: in a child of `os.fork` whoever it was given to is gone.

        All threads stand still while a process is forked, and leave their sections for that. But the one that leaves
        gives the section to a thread that has waited for a while, and that one is not in the child. No step is half
        done, then: it has not entered. The thread that forks is in no section (I5).
        """
        free_section(self)

    def close(self, TreeNode node not None, /) -> list:
        """Dispose a node and all below it; return what waited, in the order in which each node accepted it."""
        cdef list items
        cdef int64_t now = self.now()
        with cython.critical_section(self):
            items = self.close_nodes(node, now)
        return items

    def is_in_turn(self, TreeNode node not None, /) -> bool:
        """Return whether the calling thread is inside a turn of this lane, and the node runs."""
        cdef bint is_inside = False
        with cython.critical_section(self):
            if node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                is_inside = self.runs_turn_here()
        return is_inside

    def counters(self, TreeNode node not None, bint include_children, /) -> tuple:
        """Return uptime, paused time, time in turns, turns, timer ticks, and how many are ready, parked and timed."""
        cdef int64_t now = self.now()
        cdef int64_t uptime, paused
        cdef Figures figures
        with cython.critical_section(self):
            uptime = (now if node.disposed_at < 0 else node.disposed_at) - node.created_at
            paused = node.paused + (now - node.paused_at if node.paused_at >= 0 else 0)
            figures = figures_of(node, include_children)
        return (
            uptime, paused, figures.spent, figures.executions, figures.ticks,
            figures.places[<int>READY], figures.places[<int>PARKED], figures.places[<int>TIMED]
        )

    # --- worker ---------------------------------------------------------------------------------------------------

    def ring(self) -> None:
        """Get in line because an alarm went off; what is due is found there."""
        cdef bint is_claimed
        with cython.critical_section(self):
            self.alarm = INT64_MAX
            is_claimed = not self.is_in_line and self.slices < self.width
            self.is_in_line |= is_claimed
        self.call_out(is_claimed, INT64_MAX)

    def run_slice(self, *, Py_ssize_t turns=SLICE_TURNS, int64_t nanoseconds=INT64_MAX) -> int:
        """Run what is ready, in order; get in line again where something is left. Always runs user code.

        Args:
            turns: How many turns at most, from 1.
            nanoseconds: After how long no further turn begins.

        Returns:
            How many turns were taken.
        """
        cdef Py_ssize_t taken = 0
        cdef int64_t began, now, alarm
        cdef bint is_inside, is_claimed
        cdef WorkItem item
        with cython.critical_section(self):
            self.is_in_line = False
            is_inside = self.slices < self.width
            self.slices += is_inside
        if not is_inside:
            return 0
        try:
            began = now = self.now()
            while taken < turns and now - began < nanoseconds:
                if self.asked:
                    self.recalculate_asked()
                    now = self.now()
                with cython.critical_section(self):
                    item = self.take(now)
                    is_claimed = item is not None and self.width > 1 and self.claim_line()
                if item is None:
                    break
                taken += 1
                try:
                    self.call_out(is_claimed, INT64_MAX)
                finally:  # it is listed as running
                    now = self.run_item(item, now)
        finally:
            with cython.critical_section(self):
                self.slices -= 1
                is_claimed = self.claim_line()
                alarm = self.claim_alarm()
            self.call_out(is_claimed, alarm)
        return taken

    cdef int64_t run_item(self, WorkItem item, int64_t began) except? -1:
        """Run the turn of an item that was started, and put the item where it belongs. Always runs user code."""
        cdef bint is_done = True, has_work = False, has_run = True
        cdef int64_t now = began
        cdef int64_t spent = 0
        try:
            if item.execute is None:
                item.task()
                now = self.now()
                spent = now - began
            else:
                has_run = item.is_runnable()
                is_done = has_run and item.run()
                now = self.now()
                spent = now - began
                if has_run and not is_done:
                    has_work = item.recalculate()
                    now = self.now()  # the next turn answers for none of this
        except BaseException as error:
            is_done = True
            self.fail(item, error, has_run, spent)
            return self.now()
        self.settle(item, is_done, has_work, has_run, spent)
        return now

    cdef int fail(self, WorkItem item, object error, bint has_run, int64_t spent) except -1:
        """End an item whose task has raised; raises what the physical scheduler makes of it."""
        try:
            self.physical.report(item.node.scheduler, error)
        finally:
            self.settle(item, True, False, has_run, spent)
        return 0

    cdef int settle(self, WorkItem item, bint is_done, bint has_work, bint has_run, int64_t spent) except -1:
        cdef bint is_discarded, is_claimed
        cdef list over = [] if self.pauses else None  # made here, since the collector may run a finalizer
        with cython.critical_section(self):
            self.stop(item)
            if has_run:
                item.node.count_turn(spent)
            is_discarded = self.put_back(item, is_done, has_work)
            if self.pauses:
                over = self.end_pauses(item, over)
            is_claimed = self.claim_line()
        try:
            self.call_out(is_claimed, INT64_MAX)
        finally:  # who waits for this is told also where an interrupt comes in between
            if over:
                tell_pauses(over)
            if is_discarded:
                item.node.scheduler.discard(item.task)
        return 0

    cdef int recalculate_asked(self) except -1:
        """Recalculate the items of one node that asked for it. Runs user code."""
        cdef list items = [], failures = []
        cdef TreeNode node
        cdef WorkItem item
        with cython.critical_section(self):
            node = <TreeNode>self.asked.pop(0) if self.asked else None
            if node is not None:
                node.is_asked = False
                if node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                    self.start_asking(node, items)
        for item in items:
            try:
                self.recalculate_item(item)
            except BaseException as raised:  # the others are listed as running: each has to be settled
                failures.append((raised, item.node.scheduler.name))
        return raise_first(failures)

    cdef int recalculate_item(self, WorkItem item) except -1:
        """Ask an item that was taken out for it, and put it where it belongs. Runs user code."""
        cdef bint has_work = False
        try:
            if item.node.status.load(memory_order_relaxed) == RUNNING:  # relaxed: else it is asked after the pause
                has_work = item.recalculate()
        except BaseException as error:
            return self.fail(item, error, False, 0)
        return self.settle(item, False, has_work, False, 0)

    # --- outside --------------------------------------------------------------------------------------------------

    cdef int64_t now(self) except? -1:
        return self.clock()

    cdef int call_out(self, bint is_claimed, int64_t alarm) except -1:
        """Tell the physical scheduler what was claimed in the section; a claim that it could not be told is void.

        A signal handler may raise in the middle of it, when other threads have left because of the claim (I4). So it is
        told once more: a second place in line, or alarm, does no harm.
        """
        if not is_claimed and alarm == INT64_MAX:
            return 0
        try:
            self.tell_physical(is_claimed, alarm)
        except BaseException as error:
            self.tell_physical_again(is_claimed, alarm)
            raise error
        return 0

    cdef int tell_physical(self, bint is_claimed, int64_t alarm) except -1:
        if is_claimed:
            self.physical.run_soon(self)
        if alarm != INT64_MAX:
            self.physical.wake_at(self, alarm)
        return 0

    cdef int tell_physical_again(self, bint is_claimed, int64_t alarm) except -1:
        try:
            self.tell_physical(is_claimed, alarm)
        except BaseException:  # it takes nothing: who comes next claims again; the caller raises what came first
            with cython.critical_section(self):
                self.is_in_line &= not is_claimed
                if alarm != INT64_MAX:
                    self.alarm = INT64_MAX
        return 0


cdef int tell_pauses(list over) except -1:
    """Tell pauses how they have ended."""
    cdef PendingPause pending
    for pending in over:
        pending.pause.complete(pending.is_paused)
    return 0


cdef int raise_first(list failures) except -1:
    """Raise the first exception of several; the others go to the hook. What is no Exception goes before what is one."""
    cdef tuple first, other
    if not failures:
        return 0
    first = <tuple>failures[0]
    for other in failures:
        if isinstance(first[0], Exception) and not isinstance(other[0], Exception):
            first = other
    try:
        for other in failures:
            if other is not first:
                dropped("task", other[0], origin=other[1])
    finally:
        raise first[0]
