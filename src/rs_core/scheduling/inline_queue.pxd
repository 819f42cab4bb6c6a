# A queue whose tasks run in the call that schedules them. See scheduling/inline_queue.pyx.

from rs_core.scheduling.serial_queue cimport SerialQueue
from rs_core.scheduling.task_tree cimport WorkItem


cdef class InlineQueue(SerialQueue):
    cdef int run_here(self, WorkItem item) except -1
