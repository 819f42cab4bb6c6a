# A lane without a line: who schedules a task runs it. See scheduling/inline_queue.pyx.

from rs_core.scheduling.task_lane cimport Lane
from rs_core.scheduling.task_tree cimport WorkItem


cdef class CallerLane(Lane):
    cdef int run_here(self, WorkItem item) except -1
