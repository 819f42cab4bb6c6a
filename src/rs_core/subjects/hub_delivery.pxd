# The token under which a hub delivers, one thread at a time. The argument is in hub_delivery.pyx.

from rs_core.sync.atomics cimport gil_uint32
from rs_core.subjects.hub_upstream cimport HubErrand
from rs_core.subjects.source cimport SourceKeeper

cdef enum WordBit:
    IDLE = 0
    DELIVERING = 1    # somebody holds the token
    MISSED = 2        # something happened since the deliverer last looked
    ASKING = 4        # somebody calls the upstream, without the token


cdef class HubDelivery(SourceKeeper):
    cdef gil_uint32 word
    # A field of the deliverer.
    cdef object interrupt                 # the first that was raised in a step

    # Any thread.
    cdef int notify(self) except -1
    cdef bint try_take(self) noexcept                # True: this thread has the token and has to deliver()
    # The deliverer.
    cdef int deliver(self) except -1
    cdef int keep(self, object error) except -1      # to be raised when the token was given up
    cdef bint _try_go_idle(self) noexcept

    # What a hub overrides; the deliverer.
    cdef bint handle_one(self) except -1             # False: nothing waits
    cdef bint has_more(self) noexcept
    cdef HubErrand find_errand(self, bint may_ask)   # what has to be called without the token, or None
