# A link between two stages that checks what passes it. signal_check.pyx's head says what.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.stream.stage cimport Stage


cdef class SignalCheck(Stage):
    cdef Stage sender            # the stage above; None after release
    cdef gil_int64 requested     # from below; any thread
    cdef gil_uint32 is_busy      # a signal is passing
    # Fields of the holder of the owner's token.
    cdef int64_t passed
    cdef bint has_ended

    cdef int _end(self, str signal, object error) noexcept
    cdef object enter(self, str signal)
    cdef void leave(self) noexcept
    cdef int refuse(self, object error) noexcept
    cdef str name_of_sender(self)


cdef SignalCheck new_check(Stage sender)
