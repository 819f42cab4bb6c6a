# The queues of one tree of schedulers, and whose turn is next. The argument is in task_lane.pyx.

from libc.stdint cimport int64_t

from rs_core.scheduling.task_queues cimport TaskQueues
from rs_core.scheduling.task_tree cimport WorkItem

cdef enum Admission:
    TAKEN = 0
    C_REFUSED_DISPOSED = 1
    C_REFUSED_FULL = 2


cdef class Lane(TaskQueues):
    cdef readonly object physical
    cdef object clock
    cdef bint is_prepared

    cdef int64_t now(self) except? -1
    cdef Admission admit(self, WorkItem item, int64_t due, int64_t now, Py_ssize_t capacity) except *
    cdef int call_out(self, bint is_claimed, int64_t alarm) except -1
    cdef int tell_physical(self, bint is_claimed, int64_t alarm) except -1
    cdef int tell_physical_again(self, bint is_claimed, int64_t alarm) except -1
    cdef int64_t run_item(self, WorkItem item, int64_t began) except? -1   # when it ended
    cdef int fail(self, WorkItem item, object error, bint has_run, int64_t spent) except -1
    cdef int settle(self, WorkItem item, bint is_done, bint has_work, bint has_run, int64_t spent) except -1
    cdef int recalculate_asked(self) except -1
    cdef int recalculate_item(self, WorkItem item) except -1


cdef int raise_first(list failures) except -1   # what tasks of one round have raised, each with the scheduler's name
