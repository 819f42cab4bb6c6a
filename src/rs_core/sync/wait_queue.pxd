# The threads that wait for a condition that any thread can make true. The argument is in sync/wait_queue.pyx.

from rs_core.sync.atomics cimport gil_uint32, memory_order_acq_rel
from rs_core.sync.parker cimport Parker
from rs_core.sync.thread_owner cimport ThreadOwner


cdef class WaitNode:
    cdef Parker* parker
    cdef ThreadOwner thread           # the waiting thread
    cdef WaitNode following            # guarded by the queue's critical section


cdef class WaitQueue:
    cdef gil_uint32 length
    cdef WaitNode first                # guarded by the queue's critical section

    cdef WaitNode enter(self)                    # adds a waiter; it checks its condition after that
    cdef int leave(self, WaitNode waiter) except -1
    cdef void wake_first(self) noexcept


cdef inline void wake(WaitQueue queue) noexcept:
    """Let the first waiter check again; called after the condition was made true. Never runs user code."""
    # acq_rel: an exchange, the second half of the pair with enter(); a load could be reordered before the caller's
    # writes
    if queue.length.fetch_add(0, memory_order_acq_rel) != 0:
        queue.wake_first()
