# Where the signals of a subject come to, and from where they go to the sources of its subscriptions.

from libc.stdint cimport int64_t

from rs_core.subjects.signal_queue cimport HubSignal
from rs_core.subjects.hub_register cimport HubEntry
from rs_core.subjects.hub_sources cimport HubSources
from rs_core.subjects.hub_upstream cimport HubUpstream
from rs_core.subjects.source cimport SubjectSource


cdef class SubjectHub(HubSources):
    cdef bint auto_cancel                 # the upstream is cancelled when the last source of a shared one leaves
    cdef bint delay_error                 # an error is told behind what waits for demand
    cdef object max_age, scheduler        # None: of any age; whose clock tells it
    # Fields of the deliverer.
    cdef bint is_leaving                  # nobody will come any more
    cdef object on_empty                  # called once, when no source is left in a sealed hub
    cdef HubUpstream upstream

    cdef object _now(self)
    cdef bint _put(self, int kind, object value, object detail) except -1
    cdef int _leave_upstream(self) except -1
    cdef bint _fail_full(self, object element) except -1
    cdef int _handle(self, HubSignal signal) except -1
    cdef int _pass_on(self, HubSignal signal) except -1
    cdef int _forget_old(self, object now) except -1
    cdef bint _fail_unserved(self, object element) except -1
    cdef int _end(self, object error, bint cancels) except -1
    cdef int _dispose(self, object refuse) except -1
    cdef int _replay(self, HubEntry entry, SubjectSource source, object now) except -1
    cdef object _made(self, object refuse)
    cdef int64_t _room(self) noexcept
