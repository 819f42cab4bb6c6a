# What is run to drain an owner of demand: by the thread that has its token, or by a scheduler.

from rs_core.atomics cimport gil_uint32
from rs_core.stage cimport Stage


cdef class DrainTask(Stage):
    cdef object scheduler            # who drains; None: the thread that takes the token
    cdef object variables            # the context variables of who subscribed; None: those of whoever drains
    cdef DrainTask next_ready        # in the list of the run that holds its token
    cdef gil_uint32 is_scheduled  # a scheduler has this task, and with it the token

    cdef int drain(self) except -1   # requires the token; gives it up or passes it on

    cdef int drain_on(self, object scheduler) except -1
    cdef int take_turn(self) except -1
    cdef int run_turn(self) except -1
    cdef int run_scheduled_turn(self) except -1
    cdef bint claim_turn(self) noexcept


cdef bint is_drained_here(DrainTask task) noexcept   # whether this thread drains anything of the task's subscription
