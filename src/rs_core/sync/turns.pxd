# How long a drain may use a thread for which others wait. The argument is in turns.pyx.

from libc.stdint cimport int64_t

from rs_core.sync.thread_owner cimport ThreadOwner

cdef enum:
    NO_LIMIT = 1024   # the result of look() if nothing waits for the thread


cdef class Turn:
    cdef bint is_over      # nothing more is drained in this turn

    cdef int64_t first_look(self, int64_t every) noexcept  # the count before the first look, at most `every`
    cdef int64_t look(self, int64_t made) except -1        # how many until the next look; 0: the turn is over
    cdef object place(self)                                # its schedule(task) continues tasks in another turn


cdef class LoopTurns(Turn):
    cdef object call_soon, is_running
    cdef object waiting             # (context, task), in the order in which they left their turn
    cdef ThreadOwner thread          # the loop's thread
    cdef bint is_expected           # the loop will call next_turn()
    cdef int64_t deadline, left     # of this turn
    cdef int64_t looked_at
    cdef int64_t outside, every     # elements made outside drains: until and between looks

    cdef bint is_here(self) noexcept
    cdef bint _is_running(self) noexcept
    cdef int _expect_next(self) except -1


cdef Turn turn_of_task(object scheduler)
cdef LoopTurns turns_here(tuple loops)
