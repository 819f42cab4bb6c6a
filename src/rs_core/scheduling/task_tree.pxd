# A scheduler as a node of its tree, and a task that waits in it. See task_tree.pyx.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.queues.stable_heap cimport HeapElement

cdef enum Place:
    NEW = 0
    READY = 1
    TIMED = 2
    PARKED = 3    # it has no work, or its scheduler is paused
    TURN = 4      # its turn is running, or it is being asked whether it has work
    GONE = 5      # it is done or was discarded


cdef enum Status:
    RUNNING = 0
    PAUSING = 1
    PAUSED = 2
    DISPOSED = 3


cdef struct Figures:
    int64_t spent, executions, ticks
    Py_ssize_t[6] places               # how many items are in each place


cdef class TreeNode:
    cdef readonly object scheduler
    cdef readonly object queue
    cdef readonly TreeNode parent
    cdef gil_uint32 status             # written in the queue's critical section; read by any thread
    # All else is guarded by the queue's critical section.
    cdef TreeNode first_child, before, after
    cdef object token
    cdef WorkItem first, last          # accepted and not running, in the order of acceptance
    cdef Py_ssize_t waiting
    cdef bint is_asked
    cdef bint is_held                  # only `release` resumes it and what is below it
    cdef int64_t executions, ticks, spent
    cdef int64_t retired_executions, retired_ticks, retired_spent   # the counters of disposed children
    cdef int64_t created_at, paused_at, paused, disposed_at

    cdef void append(self, WorkItem item) noexcept
    cdef void unlink(self, WorkItem item) noexcept
    cdef bint is_below(self, TreeNode other) noexcept
    cdef void count_turn(self, int64_t spent) noexcept
    cdef TreeNode next_below(self, TreeNode top)   # in a walk over `top` and the tree below it; None at the end
    cdef TreeNode next_beside(self, TreeNode top)  # the same, without what is below this node
    cdef bint is_in_held(self) noexcept            # whether this node, or one above it, is held


cdef class WorkItem(HeapElement):
    cdef readonly object task
    cdef TreeNode node
    cdef object execute, execute_yieldable
    cdef int64_t priority, due
    cdef int64_t key, arrival          # its position among the ready ones, if has_key
    cdef int64_t turn
    cdef unsigned long thread
    cdef WorkItem before, after        # in the list of its node, or of the queue's running items
    cdef int place
    cdef bint has_key, is_stale

    cdef bint is_runnable(self) except -1
    cdef bint run(self) except -1
    cdef bint recalculate(self) except -1


cdef WorkItem new_item(TreeNode node, object task)
cdef int64_t clamped(object nanoseconds) except? -1
cdef int64_t nanoseconds_of(object delay) except? -1

# In the critical section of the queue.
cdef Figures figures_of(TreeNode node, bint with_children) noexcept
cdef bint complete_pause(TreeNode node) noexcept
cdef void end_paused_time(TreeNode node, int64_t now) noexcept
cdef void leave_parent(TreeNode node) noexcept
