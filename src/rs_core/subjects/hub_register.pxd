# Who is there to get what comes to a subject, and what is kept for those to come. The argument is in hub_register.pyx.

from libc.stdint cimport int64_t

from rs_core.subjects.signal_queue cimport HubQueue, HubSignal
from rs_core.subjects.source cimport SourcePlace, SubjectSource


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
    cdef SourcePlace first, last          # of the places, those of who has left included
    cdef int64_t present                  # how many places are taken
    cdef SubjectSource first_leaver       # of those who have said that they leave
    cdef HubSignal first_kept, last_kept
    cdef int64_t kept
    cdef bint keeps             # what comes is kept
    cdef bint had_source        # the one of a register that is not shared
    cdef bint is_over           # an end went out that is remembered
    cdef object end_error
    cdef object desert_error    # for who comes while it is deserted
    cdef object refuse          # makes the error for who comes; None: anybody may

    # Fields of the deliverer: who was there when it looked, and how many places it has seen empty.
    cdef SourcePlace seen_first, seen_last
    cdef int64_t seen_changes
    cdef int64_t empty_places

    # Any thread.
    cdef HubEntry enter(self, SubjectSource source)
    cdef int64_t present_count(self) noexcept
    cdef void note_leaver(self, SubjectSource source) noexcept
    cdef int64_t room_to_keep(self) noexcept                 # for those to come; NOBODY: nothing is kept
    # The deliverer.
    cdef void look(self) noexcept                            # who is there: from seen_first to seen_last
    cdef bint keep(self, HubSignal signal) noexcept          # and look; False: the only source has yet to come
    cdef HubSignal forget(self, bint is_too_many)            # the oldest, or None
    cdef bint end_unserved(self, object error) noexcept      # False: the only source has come meanwhile
    cdef void end(self, object error)                        # who is told was seen
    cdef void shut(self, object refuse, bint disposes)       # who is told was seen
    cdef bint forget_leavers(self) except -1                 # whether the last one has left
    cdef bint desert(self, object error) noexcept            # False: somebody has come meanwhile

    cdef void _look(self) noexcept
    cdef void _empty(self) noexcept
    cdef SubjectSource _take_leaver(self)
    cdef int _close_ranks(self) except -1
