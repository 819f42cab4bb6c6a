# The queue of virtual time: one queue by due tick, run by the thread that moves the clock. See virtual_time_queue.pyx.

from libc.stdint cimport int64_t

from rs_core.scheduling.serial_queue cimport SerialQueue
from rs_core.scheduling.task_tree cimport WorkItem


cdef class VirtualTimeQueue(SerialQueue):
    cdef int64_t ticks
    cdef bint is_advancing

    cdef WorkItem take_until(self, int64_t tick)
    cdef bint _has_more(self, int64_t tick)
