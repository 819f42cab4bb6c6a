"""The queue of one tree of schedulers, which decides which task runs next.

Roles
    scheduler   any thread: schedules, requests recalculation, pauses, resumes and closes nodes
    worker      a thread of the physical scheduler: `run_slice`, `ring`

Invariants, in the critical section of the queue. With a GIL, the GIL is the critical section: between the first and the
last write no object is created, and none is freed that could have a finalizer, so no other code runs in between.
    I1  An item is in one place. It is linked to its node unless it is running, which the queue lists, or gone.
    I2  A turn starts only while the status of its node is RUNNING, in the same step that lists it as running. So the
        thread that sets another status knows from the list which turns to wait for; no other turn will start.
    I3  At most `width` slices run. With a width of 1 turns never overlap: the queue is a strand.
    I4  While an item is ready, or a recalculation is requested, the queue is in the run queue or the maximum number of
        slices runs. While an item is timed and no slice runs, the physical scheduler has an alarm for it.
    I5  User code, and the physical scheduler, are called outside the section. So a task, a handler, a finalizer or a
        signal handler may call everything, also inside a turn.

Ordering: the status is an atomic word only for the readers of yield tokens, for which an old value is harmless.

Order of tasks: of the ready tasks the one with the lowest priority runs first; of equal ones, the one that was
scheduled first. One step of priority equals AGING_TURNS turns: a task that has waited that long runs before later tasks
of the next better priority. So no task starves.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.queues.stable_heap cimport HeapElement, StableHeap
from rs_core.scheduling.task_tree cimport (
    DISPOSED, GONE, PARKED, PAUSING, READY, RUNNING, TIMED, TURN, Figures, TreeNode, WorkItem,
    complete_pause, end_paused_time, figures_of, leave_parent, nanoseconds_of, new_item,
)
from rs_core.sync.atomics cimport memory_order_relaxed

from rs_core.dropped import dropped
from rs_core.errors import StateError

cdef extern from "Python.h":
    unsigned long this_thread "PyThread_get_thread_ident"() noexcept

cdef extern from *:
    """
    /* Without a GIL, the lock of an object's critical section is a field of the object. */
    static inline void rs_free_section(PyObject *object) {
    #ifdef Py_GIL_DISABLED
        object->ob_mutex = PyMutex{};
    #else
        (void) object;
    #endif
    }
    """
    void free_section "rs_free_section"(object)

__all__ = ["AGING_TURNS", "REFUSED_DISPOSED", "REFUSED_FULL", "SLICE_TURNS", "PendingPause", "SerialQueue"]

AGING_TURNS = 1024
"""The maximum of turns that a task waits for later tasks of the next better priority."""

SLICE_TURNS = 64
"""How many turns a queue gets before the next queue."""

REFUSED_DISPOSED = <int>C_REFUSED_DISPOSED
"""The result for a task of a disposed scheduler."""

REFUSED_FULL = <int>C_REFUSED_FULL
"""The result for a task of a scheduler whose capacity is used up."""

cdef int64_t C_AGING_TURNS = AGING_TURNS


@cython.final
cdef class PendingPause:
    """The turns for which a pause waits. Made by a queue."""

    @property
    def remaining(self) -> int:
        """How many of the turns are still running."""
        cdef Py_ssize_t count
        with cython.critical_section(self.queue):
            count = self.count
        return count

    def holds_this_thread(self) -> bool:
        """Return whether the calling thread is inside one of these turns; never runs user code."""
        cdef bint holds = False
        cdef WorkItem item
        if self.queue is None:
            raise StateError("a pause that belongs to no queue; pauses are made by pause() of a scheduler")
        with cython.critical_section(self.queue):
            item = self.queue.running
            while item is not None and not holds:
                holds = item.thread == this_thread() and self.awaits(item)
                item = item.after
        return holds

    cdef bint awaits(self, WorkItem item) noexcept:
        return item.turn <= self.turn and item.node.is_below(self.node)


cdef class SerialQueue(HeapElement):
    """The waiting tasks of one tree of schedulers. A physical scheduler makes one for each root and runs its slices.

    Args:
        physical: The `PhysicalScheduler` that runs the tasks.
        width: How many tasks may run at the same time, from 1.
    """

    def __cinit__(self, physical, *, Py_ssize_t width=1):
        self.physical = physical
        self.clock = physical.clock_nanoseconds
        self.width = width
        self.ready = StableHeap()
        self.timed = StableHeap()
        self.asked = []
        self.pauses = []
        self.alarm = INT64_MAX

    @property
    def has_lost_its_root(self) -> bool:
        """Whether the root was disposed: no more tasks arrive, and no alarm is needed."""
        cdef bint is_lost
        with cython.critical_section(self):
            is_lost = self.has_lost_root
        return is_lost

    def running_threads(self) -> list:
        """Return the identities of the threads that are inside a turn; any thread, never runs user code."""
        cdef list threads = []
        cdef WorkItem item
        with cython.critical_section(self):
            item = self.running
            while item is not None:
                threads.append(item.thread)
                item = item.after
        return threads

    # --- scheduler ------------------------------------------------------------------------------------------------

    def add_node(self, scheduler, TreeNode parent, make_token, /):
        """Return a node for a scheduler, below a parent if there is one; None if the parent was disposed.

        Args:
            scheduler: The scheduler of the node.
            parent: Its parent; None for the root.
            make_token: Called with the node; makes its yield token.
        """
        cdef TreeNode node = TreeNode.__new__(TreeNode)
        cdef int64_t now = self.now()
        cdef unsigned int status = RUNNING
        node.scheduler = scheduler
        node.queue = self
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
            node.status.store(status, memory_order_relaxed)  # relaxed: sharing the node publishes it
            if status != RUNNING:
                node.paused_at = now
        return None if status == DISPOSED else node

    def schedule(self, TreeNode node not None, task, delay, Py_ssize_t capacity, /):
        """Accept a task, unless the node is disposed or its capacity is used up.

        Args:
            node: The node of the scheduler of the task.
            task: The task.
            delay: From now, a timedelta or a number of nanoseconds; None means no delay.
            capacity: How many tasks of this node may wait.

        Returns:
            The item, if it was accepted, else `REFUSED_DISPOSED` or `REFUSED_FULL`.
        """
        cdef WorkItem item = new_item(node, task)
        cdef int64_t now = 0, due = 0, nanoseconds
        if delay is not None:
            now = self.now()
            nanoseconds = nanoseconds_of(delay)
            due = now + nanoseconds if nanoseconds < INT64_MAX - now else INT64_MAX
        return self.admitted(item, due, now, capacity)

    cdef object admitted(self, WorkItem item, int64_t due, int64_t now, Py_ssize_t capacity):
        """Return the item, or why it was refused."""
        cdef Admission admission = self.admit(item, due, now, capacity)
        return item if admission == TAKEN else <int>admission

    def cancel(self, WorkItem item not None, /) -> bool:
        """Take out an item that waits; return whether it did."""
        cdef bint is_waiting
        with cython.critical_section(self):
            is_waiting = item.place == READY or item.place == TIMED or item.place == PARKED
            if is_waiting:
                (self.timed if item.place == TIMED else self.ready).take_out(item)
                item.place = GONE
                item.node.unlink(item)
        return is_waiting

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
                is_claimed = self.try_enqueue()
                alarm = self.claim_alarm()
        self.notify_executor(is_claimed, alarm)
        return admission

    def ask(self, TreeNode node not None, /) -> None:
        """Let a worker recalculate the items of a node, unless it is paused: then `resume` requests it."""
        cdef bint is_claimed
        with cython.critical_section(self):
            self.ask_node(node)
            is_claimed = self.try_enqueue()
        self.notify_executor(is_claimed, INT64_MAX)

    def begin_pause(self, TreeNode node not None, pause, /) -> None:
        """Start no turn of a subtree from now on; complete the pause when the running turns are over, perhaps now.

        Args:
            node: The top of the subtree.
            pause: Its attribute `pending` is set; its `complete(is_paused)` is called.
        """
        cdef PendingPause pending = PendingPause.__new__(PendingPause)
        cdef int64_t now = self.now()
        cdef bint is_over
        pending.queue = self
        pending.node = node
        pending.pause = pause
        pause.pending = pending
        with cython.critical_section(self):
            if node.status.load(memory_order_relaxed) != DISPOSED:  # relaxed: in the section
                self.start_pausing(pending, now)
            is_over = pending.count == 0
        if is_over:
            pause.complete(pending.is_paused)

    def hold(self, TreeNode node not None, pause, /) -> None:
        """Begin a pause that `resume` does not end, here, above or below, until `release` was called."""
        with cython.critical_section(self):
            node.is_held = True
        self.begin_pause(node, pause)

    def release(self, TreeNode node not None, /) -> None:
        """End what `hold` began and start turns of the subtree again, unless a node above is held."""
        with cython.critical_section(self):
            node.is_held = False
        self.resume(node)

    def resume(self, TreeNode node not None, /) -> None:
        """Start turns of a subtree again, except what is held; unfinished pauses are completed with False."""
        cdef list overtaken = []
        cdef int64_t now = self.now()
        cdef TreeNode each = node
        cdef bint is_claimed = False
        with cython.critical_section(self):
            # relaxed: in the section
            if node.status.load(memory_order_relaxed) != DISPOSED and not node.is_in_held():
                while each is not None:
                    if each.is_held:
                        each = each.next_beside(node)
                        continue
                    end_paused_time(each, now)
                    each.status.store(RUNNING, memory_order_relaxed)  # relaxed: see Ordering
                    self.ask_node(each)
                    each = each.next_below(node)
                self.overtake_pauses(node, overtaken)
                is_claimed = self.try_enqueue()
        try:
            self.notify_executor(is_claimed, INT64_MAX)
        finally:
            tell_pauses(overtaken)

    def lose_other_threads(self) -> None:
        """Free the section: in a child of `os.fork` the thread that got it does not exist.

        All threads stop while a process is forked, and leave their sections for that. But a thread that leaves passes
        the section to a thread that has waited for a while, and that one does not exist in the child. No step is half
        done then: that thread has not entered. The thread that forks is in no section (I5).
        """
        free_section(self)

    def close(self, TreeNode node not None, /) -> list:
        """Dispose a node and all below it; return the waiting tasks, in the order in which each node accepted them."""
        cdef list items
        cdef int64_t now = self.now()
        with cython.critical_section(self):
            items = self.close_nodes(node, now)
        return items

    def is_in_turn(self, TreeNode node not None, /) -> bool:
        """Return whether the calling thread is inside a turn of this queue, and the node is running."""
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
        """Enter the run queue because an alarm is due; the slice finds the due items."""
        cdef bint is_claimed
        with cython.critical_section(self):
            self.alarm = INT64_MAX
            is_claimed = not self.is_enqueued and self.slices < self.width
            self.is_enqueued |= is_claimed
        self.notify_executor(is_claimed, INT64_MAX)

    def run_slice(self, *, Py_ssize_t turns=SLICE_TURNS, int64_t nanoseconds=INT64_MAX) -> int:
        """Run the ready items, in order; enter the run queue again if some are left. Always runs user code.

        Args:
            turns: The maximum of turns, from 1.
            nanoseconds: The time after which no further turn begins.

        Returns:
            The number of turns.
        """
        cdef Py_ssize_t taken = 0
        cdef int64_t began, now, alarm
        cdef bint is_inside, is_claimed
        cdef WorkItem item
        with cython.critical_section(self):
            self.is_enqueued = False
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
                    is_claimed = item is not None and self.width > 1 and self.try_enqueue()
                if item is None:
                    break
                taken += 1
                try:
                    self.notify_executor(is_claimed, INT64_MAX)
                finally:  # the item is listed as running
                    now = self.run_item(item, now)
        finally:
            with cython.critical_section(self):
                self.slices -= 1
                is_claimed = self.try_enqueue()
                alarm = self.claim_alarm()
            self.notify_executor(is_claimed, alarm)
        return taken

    cdef int64_t run_item(self, WorkItem item, int64_t began) except? -1:
        """Run the turn of a started item, and put the item into its next place. Always runs user code."""
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
                    now = self.now()  # this time does not belong to the next turn
        except BaseException as error:
            is_done = True
            self.fail(item, error, has_run, spent)
            return self.now()
        self.settle(item, is_done, has_work, has_run, spent)
        return now

    cdef int fail(self, WorkItem item, object error, bint has_run, int64_t spent) except -1:
        """End an item whose task raised; raises if the physical scheduler does."""
        try:
            self.physical.report(item.node.scheduler, error)
        finally:
            self.settle(item, True, False, has_run, spent)
        return 0

    cdef int settle(self, WorkItem item, bint is_done, bint has_work, bint has_run, int64_t spent) except -1:
        cdef bint is_discarded, is_claimed
        cdef list over = [] if self.pauses else None  # created here, because the collector may run a finalizer
        with cython.critical_section(self):
            self.stop(item)
            if has_run:
                item.node.count_turn(spent)
            is_discarded = self.put_back(item, is_done, has_work)
            if self.pauses:
                over = self.end_pauses(item, over)
            is_claimed = self.try_enqueue()
        try:
            self.notify_executor(is_claimed, INT64_MAX)
        finally:  # waiters are notified even if an interrupt arrives in between
            if over:
                tell_pauses(over)
            if is_discarded:
                item.node.scheduler.discard(item.task)
        return 0

    cdef int recalculate_asked(self) except -1:
        """Recalculate the items of one node that requested it. Runs user code."""
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
            except BaseException as raised:  # the others are listed as running: each must be settled
                failures.append((raised, item.node.scheduler.name))
        return raise_first(failures)

    cdef int recalculate_item(self, WorkItem item) except -1:
        """Ask an item that was taken out for this, and put it into its next place. Runs user code."""
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

    cdef int notify_executor(self, bint is_claimed, int64_t alarm) except -1:
        """Notify the physical scheduler of the claims made in the section; if that fails, the claims are withdrawn.

        A signal handler may raise in the middle of it, when other threads have left because of the claim (I4). So it is
        notified again: a second entry in the run queue, or a second alarm, is harmless.
        """
        if not is_claimed and alarm == INT64_MAX:
            return 0
        try:
            self.notify_physical(is_claimed, alarm)
        except BaseException as error:
            self.notify_physical_again(is_claimed, alarm)
            raise error
        return 0

    cdef int notify_physical(self, bint is_claimed, int64_t alarm) except -1:
        if is_claimed:
            self.physical.run_soon(self)
        if alarm != INT64_MAX:
            self.physical.wake_at(self, alarm)
        return 0

    cdef int notify_physical_again(self, bint is_claimed, int64_t alarm) except -1:
        try:
            self.notify_physical(is_claimed, alarm)
        except BaseException:  # it accepts nothing: the next thread claims again; the caller raises the first exception
            with cython.critical_section(self):
                self.is_enqueued &= not is_claimed
                if alarm != INT64_MAX:
                    self.alarm = INT64_MAX
        return 0

    # --- steps, in the critical section; none runs user code --------------------------------------------------------

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
        """Make an item ready, with its former key if it had one."""
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
        """List an item as running in this thread; the status of its node allows it (I2)."""
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
        """Put an item that has stopped into its next place; return whether it must be discarded instead."""
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
        """Ask an item again for which this was requested while it ran."""
        return self.ask_node(item.node)

    cdef void mark_stale(self, TreeNode node, bint with_children) noexcept:
        """Mark the running items of a node, or also of all nodes below it, to be asked again when they stop."""
        cdef WorkItem item = self.running
        while item is not None:
            item.is_stale |= item.node.is_below(node) if with_children else item.node is node
            item = item.after

    cdef bint try_enqueue(self) noexcept:
        """Return whether the caller must put this queue into the run queue, outside the section (I4)."""
        if self.is_enqueued or self.slices >= self.width:
            return False
        self.is_enqueued = self.ready.count != 0 or len(self.asked) != 0
        return self.is_enqueued

    cdef int64_t claim_alarm(self) noexcept:
        """Return the time for which the caller must set the alarm, outside the section (I4); INT64_MAX: none."""
        if self.timed.count == 0 or self.timed.entries[0].key >= self.alarm:
            return INT64_MAX
        self.alarm = self.timed.entries[0].key
        return self.alarm

    cdef int start_asking(self, TreeNode node, list items) except -1:
        """Take out the items to ask; they count as running, so that a pause waits for them."""
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
        """Start no turn of a subtree from now on; list the pause unless it is already complete: its count is 0."""
        cdef PendingPause other
        cdef TreeNode each = pending.node
        while each is not None:
            if each.status.load(memory_order_relaxed) == RUNNING:  # relaxed: in the section
                each.status.store(PAUSING, memory_order_relaxed)  # relaxed: see serial_queue.pyx, Ordering
                each.paused_at = now
            each = each.next_below(pending.node)
        if self.awaits_turns():
            self.count_turns(pending)
        if pending.count == 0:
            pending.is_paused = complete_pause(pending.node)
            return 0
        for other in self.pauses:  # nodes that were continued since then, and pause now, belong to them too
            if pending.node.is_below(other.node) or other.node.is_below(pending.node):
                self.count_turns(other)
        self.pauses.append(pending)
        return 0

    cdef void count_turns(self, PendingPause pending) noexcept:
        """Let a pause wait for the running turns of its subtree."""
        cdef WorkItem item = self.running
        pending.turn = self.starts
        pending.count = 0
        while item is not None:
            pending.count += pending.awaits(item)
            item = item.after

    cdef int overtake_pauses(self, TreeNode node, list over) except -1:
        """Take out the unfinished pauses of a subtree that is continued."""
        cdef Py_ssize_t place
        cdef PendingPause pending
        for place in range(len(self.pauses) - 1, -1, -1):
            pending = <PendingPause>self.pauses[place]
            if pending.node.is_below(node) and not pending.node.is_in_held():
                over.append(pending)
                del self.pauses[place]
        return 0

    cdef list close_nodes(self, TreeNode node, int64_t now):
        """Dispose a node and all below it, unless it is disposed; return the waiting tasks."""
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
            each.status.store(DISPOSED, memory_order_relaxed)  # relaxed: see serial_queue.pyx, Ordering
            end_paused_time(each, now)
            each.disposed_at = now
            while each.first is not None:
                item = each.first
                items.append(item)
                (self.timed if item.place == TIMED else self.ready).take_out(item)
                item.place = GONE
                each.unlink(item)
        for place in range(len(nodes) - 1, -1, -1):  # children first, so that counters add up
            each = <TreeNode>nodes[place]
            if each.parent is not None:
                leave_parent(each)
        return items

    cdef list end_pauses(self, WorkItem item, list over):
        """Count a finished turn; return the pauses for which it was the last."""
        cdef Py_ssize_t place
        cdef PendingPause pending
        if over is None:  # a pause began before the section: only without a GIL, where no allocation runs the collector
            over = []
        for place in range(len(self.pauses) - 1, -1, -1):
            pending = <PendingPause>self.pauses[place]
            pending.count -= pending.awaits(item)
            if pending.count == 0:
                pending.is_paused = complete_pause(pending.node)
                over.append(pending)
                del self.pauses[place]
        return over


cdef int tell_pauses(list over) except -1:
    """Complete pauses with their results."""
    cdef PendingPause pending
    for pending in over:
        pending.pause.complete(pending.is_paused)
    return 0


cdef int raise_first(list failures) except -1:
    """Raise the first of several exceptions, interrupts before others; the others go to the hook."""
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
