# The threads that wait for something which any thread may bring about. The argument is in sync/wait_queue.pyx.

from rs_core.sync.atomics cimport gil_uint32, memory_order_acq_rel
from rs_core.sync.parker cimport Parker
from rs_core.sync.thread_owner cimport ThreadMark


cdef class Waiter:
    cdef Parker* parker
    cdef ThreadMark thread           # who waits
    cdef Waiter following            # guarded by the line's critical section


cdef class WaitingLine:
    cdef gil_uint32 length
    cdef Waiter first                # guarded by the line's critical section

    cdef Waiter enter(self)                    # announces a waiter; it looks at its condition after that
    cdef int leave(self, Waiter waiter) except -1
    cdef void wake_first(self) noexcept


cdef inline void wake(WaitingLine line) noexcept:
    """Let the first waiter look again; called after what made the condition true. Never runs user code."""
    # acq_rel: an exchange, the second half of the pair with enter(); a load could come before what was written
    if line.length.fetch_add(0, memory_order_acq_rel) != 0:
        line.wake_first()
