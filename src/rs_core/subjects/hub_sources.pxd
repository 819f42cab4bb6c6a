# The sources that a hub feeds, and what its policy makes of their demand. The argument is in hub_sources.pyx.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.subjects.hub_delivery cimport HubDelivery
from rs_core.subjects.hub_register cimport HubRegister
from rs_core.subjects.source cimport SubjectSource


cdef class HubSources(HubDelivery):
    cdef str label
    cdef bint is_lockstep, is_lossy, drops_for_slow
    cdef HubRegister register
    cdef gil_uint32 has_leavers           # a source has left since the deliverer last looked; any thread
    cdef gil_uint32 has_asked             # what may be requested has to be found out anew; any thread

    cdef int set_policy(self, str label, policy) except -1
    # The deliverer.
    cdef int send(self, object element) except -1            # to whom the register has seen
    cdef int tell_end(self, object error, bint at_once) except -1   # the same; at once: past what waits
    cdef bint forget_leavers(self) except -1         # whether the last one has left
    cdef int64_t least_room(self) noexcept
    cdef int64_t wanted(self, int64_t in_flight) except -2

    cdef bint _give(self, SubjectSource source, object element) except -1
    cdef void _note_leaver(self, SubjectSource source) noexcept
