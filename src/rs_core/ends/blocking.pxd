# Terminal operations that block their caller until the stream has ended.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.sync.parker cimport Parker
from rs_core.stream.subscription cimport ACCEPTED, Stage

cdef enum End:
    RUNNING = 0
    WAITING = 1   # the caller is parked or about to park
    ENDED = 2


cdef class BlockingEnd(Stage):
    cdef str method               # the name of the method of Stream, for messages
    cdef object outcome           # the result of wait()
    cdef object failure           # the exception of wait()
    cdef int64_t prefetch         # INT64_MAX: no limit, and never replenished
    cdef int64_t replenish_at
    cdef int64_t until_request    # how many elements are taken before more are requested
    cdef Parker* parker           # created by the first caller that has to wait
    cdef gil_uint32 end

    cdef void limit(self, int64_t prefetch)
    cdef int replenish(self) noexcept
    cdef int stop(self, object failure) noexcept
    cdef void signal_end(self) noexcept
    cdef int _await_end(self, double timeout_seconds) except -1
    cdef object result(self)


cdef inline int taken(BlockingEnd end) noexcept:
    """Count an element that was taken; request more at 75 %. A function, because a method would be a virtual call."""
    end.until_request -= 1
    return ACCEPTED if end.until_request else end.replenish()
