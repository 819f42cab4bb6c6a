# How long a drain keeps a thread that others wait for. The argument is in turns.pyx.

from libc.stdint cimport int64_t

from rs_core.sync.thread_owner cimport ThreadMark

cdef enum:
    NO_LIMIT = 1024   # what look() answers where nobody waits


cdef class Turn:
    cdef bint is_over      # nothing more is drained in it

    cdef int64_t first_look(self, int64_t every) noexcept  # when an owner that looks after so many has to, at most
    cdef int64_t look(self, int64_t made) except -1        # how many may be made before the next look; 0: it is over
    cdef object place(self)                                # whose schedule(task) takes what goes on in another turn


cdef class LoopTurns(Turn):
    cdef object call_soon, is_running
    cdef object waiting             # (context, task), in the order in which they have left
    cdef ThreadMark thread          # the loop's
    cdef bint is_expected           # the loop will call next_turn()
    cdef int64_t deadline, left     # of this turn
    cdef int64_t looked_at
    cdef int64_t outside, every     # of what is made outside of drains: left until the next look, and how many that was

    cdef bint is_here(self) noexcept
    cdef bint _is_running(self) noexcept
    cdef int _expect_next(self) except -1


cdef Turn turn_of_task(object scheduler)
cdef LoopTurns turns_here(tuple loops)
