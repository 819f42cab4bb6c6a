# Who is there to get what comes to a subject, and what is kept for those to come. The argument is in hub_register.pyx.

from libc.stdint cimport int64_t

from rs_core.hub_queue cimport HubQueue, HubSignal
from rs_core.subject_source cimport SubjectSource


cdef class HubEntry:
    # What who wants to come in has found.
    cdef HubSignal first, last  # of what is kept for it; None: nothing
    cdef object refuse          # makes the error for it; None: it is not refused
    cdef bint is_second         # it is refused, since another one is, or was, the only one
    cdef bint is_over
    cdef object end_error


cdef class HubRegister(HubQueue):
    cdef bint is_shared         # False: it serves one source, ever
    cdef int64_t most_kept
    # Guarded by the queue's critical section.
    cdef HubSignal first_kept, last_kept
    cdef int64_t kept
    cdef bint keeps             # what comes is kept
    cdef bint had_source        # the one of a register that is not shared
    cdef bint is_over           # an end went out that is remembered
    cdef object end_error
    cdef object refuse          # makes the error for who comes; None: anybody may

    # Any thread.
    cdef HubEntry enter(self, SubjectSource source)
    cdef tuple current_sources(self)
    cdef int64_t room_to_keep(self) noexcept                 # for those to come; NOBODY: nothing is kept
    # The deliverer.
    cdef tuple keep(self, HubSignal signal, bint* is_full)   # who gets it
    cdef HubSignal forget(self, bint is_too_many)            # the oldest, or None
    cdef bint end_unserved(self, object error) noexcept      # False: the only source has come meanwhile
    cdef tuple end(self, object error)                       # who is told
    cdef tuple shut(self, object refuse, bint disposes)      # who is told
    cdef bint forget_closed(self) except -1                  # whether nobody is left, nor can come

    cdef int _enter_at_once(
        self, HubEntry entry, SubjectSource source, tuple before, tuple after, int64_t loaded
    ) noexcept
