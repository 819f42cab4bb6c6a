# The upstream of a subject, and the calls that a hub makes without its token. The argument is in hub_delivery.pyx.

from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef enum:
    CALL = 0
    CANCEL = -1


cdef class HubErrand:
    cdef object target          # the upstream, or who wants to know that nobody is left
    cdef int64_t n              # how many elements to request; CANCEL; or CALL
    cdef str origin

    cdef int run(self) except -1


cdef class HubUpstream:
    # Fields of the deliverer.
    cdef str origin
    cdef object subscription
    cdef list unwanted          # to be cancelled
    cdef int64_t in_flight      # requested, and not yet passed on

    cdef int attach(self, object subscription) except -1
    cdef int refuse(self, object subscription) except -1
    cdef int detach(self, bint cancels) except -1
    cdef int lower_in_flight(self, int64_t n) noexcept
    cdef HubErrand next_errand(self, int64_t wanted)


cdef HubErrand new_errand(object target, int64_t n, str origin)
