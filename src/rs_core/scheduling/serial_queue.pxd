# The queue of one tree of schedulers, which decides which task runs next. The argument is in serial_queue.pyx.

from libc.stdint cimport int64_t

from rs_core.queues.stable_heap cimport HeapElement, StableHeap
from rs_core.scheduling.task_tree cimport TreeNode, WorkItem

cdef enum Admission:
    TAKEN = 0
    C_REFUSED_DISPOSED = 1
    C_REFUSED_FULL = 2


cdef class PendingPause:
    cdef SerialQueue queue
    cdef TreeNode node
    cdef object pause
    cdef int64_t turn                  # the last turn that began before the pause
    cdef Py_ssize_t count
    cdef bint is_paused                # its result

    cdef bint awaits(self, WorkItem item) noexcept


cdef class SerialQueue(HeapElement):
    cdef readonly Py_ssize_t width         # how many slices may run at the same time
    cdef readonly object physical
    cdef object clock
    cdef bint is_prepared
    # Guarded by the critical section.
    cdef StableHeap ready, timed
    cdef list asked, pauses
    cdef WorkItem running
    cdef int64_t turns, starts, alarm
    cdef Py_ssize_t slices
    cdef bint is_enqueued
    cdef bint has_lost_root                # its root was disposed

    # Outside the critical section.
    cdef int64_t now(self) except? -1
    cdef Admission admit(self, WorkItem item, int64_t due, int64_t now, Py_ssize_t capacity) except *
    cdef object admitted(self, WorkItem item, int64_t due, int64_t now, Py_ssize_t capacity)
    cdef int notify_executor(self, bint is_claimed, int64_t alarm) except -1
    cdef int notify_physical(self, bint is_claimed, int64_t alarm) except -1
    cdef int notify_physical_again(self, bint is_claimed, int64_t alarm) except -1
    cdef int64_t run_item(self, WorkItem item, int64_t began) except? -1   # the end of the turn
    cdef int fail(self, WorkItem item, object error, bint has_run, int64_t spent) except -1
    cdef int settle(self, WorkItem item, bint is_done, bint has_work, bint has_run, int64_t spent) except -1
    cdef int recalculate_asked(self) except -1
    cdef int recalculate_item(self, WorkItem item) except -1
    # In the critical section.
    cdef int place_new(self, WorkItem item, int64_t due, int64_t now) except -1
    cdef int make_ready(self, WorkItem item) except -1
    cdef WorkItem take(self, int64_t now)
    cdef void start(self, WorkItem item) noexcept
    cdef void list_running(self, WorkItem item) noexcept
    cdef void stop(self, WorkItem item) noexcept
    cdef bint runs_turn_here(self) noexcept                # whether the calling thread is inside a turn
    cdef bint awaits_turns(self) noexcept                  # whether a pause waits for running turns
    cdef bint put_back(self, WorkItem item, bint is_done, bint has_work) except -1   # whether it must be discarded
    cdef int ask_node(self, TreeNode node) except -1
    cdef int ask_again(self, WorkItem item) except -1
    cdef void mark_stale(self, TreeNode node, bint with_children) noexcept
    cdef int start_asking(self, TreeNode node, list items) except -1
    cdef int start_pausing(self, PendingPause pending, int64_t now) except -1
    cdef void count_turns(self, PendingPause pending) noexcept
    cdef list end_pauses(self, WorkItem item, list over)
    cdef int overtake_pauses(self, TreeNode node, list over) except -1
    cdef list close_nodes(self, TreeNode node, int64_t now)
    cdef bint try_enqueue(self) noexcept
    cdef int64_t claim_alarm(self) noexcept


cdef int raise_first(list failures) except -1   # exceptions of tasks of one round, each with the scheduler's name
