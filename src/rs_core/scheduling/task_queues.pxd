# What waits in one tree of schedulers, and what runs: the steps of a lane in its critical section. See task_queues.pyx.

from libc.stdint cimport int64_t

from rs_core.queues.stable_heap cimport HeapElement, StableHeap
from rs_core.scheduling.task_tree cimport TreeNode, WorkItem

cdef class PendingPause:
    cdef TaskQueues queues
    cdef TreeNode node
    cdef object pause
    cdef int64_t turn                  # the last one that began before
    cdef Py_ssize_t count
    cdef bint is_paused                # how it ended

    cdef bint awaits(self, WorkItem item) noexcept


cdef class TaskQueues(HeapElement):
    cdef readonly Py_ssize_t width         # how many slices may run at the same time
    # All below is guarded by this object's critical section, in which all methods are called.
    cdef StableHeap ready, timed
    cdef list asked, pauses
    cdef WorkItem running
    cdef int64_t turns, starts, alarm
    cdef Py_ssize_t slices
    cdef bint is_in_line
    cdef bint has_lost_root                # its root was disposed

    cdef int place_new(self, WorkItem item, int64_t due, int64_t now) except -1
    cdef int make_ready(self, WorkItem item) except -1
    cdef WorkItem take(self, int64_t now)
    cdef void start(self, WorkItem item) noexcept
    cdef void list_running(self, WorkItem item) noexcept
    cdef void stop(self, WorkItem item) noexcept
    cdef bint runs_turn_here(self) noexcept                # whether the calling thread is inside a turn
    cdef bint awaits_turns(self) noexcept                  # whether a pause waits for running turns
    cdef bint put_back(self, WorkItem item, bint is_done, bint has_work) except -1   # whether it is to be discarded
    cdef int ask_node(self, TreeNode node) except -1
    cdef int ask_again(self, WorkItem item) except -1
    cdef void mark_stale(self, TreeNode node, bint with_children) noexcept
    cdef int start_asking(self, TreeNode node, list items) except -1
    cdef int start_pausing(self, PendingPause pending, int64_t now) except -1
    cdef void count_turns(self, PendingPause pending) noexcept
    cdef list end_pauses(self, WorkItem item, list over)
    cdef int overtake_pauses(self, TreeNode node, list over) except -1
    cdef list close_nodes(self, TreeNode node, int64_t now)
    cdef bint claim_line(self) noexcept
    cdef int64_t claim_alarm(self) noexcept
