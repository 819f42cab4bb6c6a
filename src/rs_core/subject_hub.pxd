# Where the signals of a subject come to, and from where they go to the sources of its subscriptions.

from libc.stdint cimport int64_t

from rs_core.hub_queue cimport HubSignal
from rs_core.hub_sources cimport HubSources
from rs_core.hub_upstream cimport HubUpstream
from rs_core.subject_source cimport SubjectSource


cdef class SubjectHub(HubSources):
    cdef bint is_shared                   # False: it serves one subscription, ever
    cdef bint remembers_end
    cdef int64_t most_kept
    cdef object max_age, scheduler        # None: of any age; whose clock tells it
    # Fields of the deliverer.
    cdef object history                   # a deque of HubSignal; None: nothing is kept
    cdef bint had_source                  # the one of a hub that is not shared
    cdef bint is_over, is_leaving         # it has ended and remembers that; nobody will come any more
    cdef object end_error
    cdef object refuse                    # makes the error for who subscribes; None: anybody may
    cdef object on_empty                  # called once, when no source is left in a sealed hub
    cdef HubUpstream upstream

    cdef object _now(self)
    cdef bint _put(self, int kind, object value, object detail) except -1
    cdef bint _fail_full(self, object element) except -1
    cdef int _handle(self, HubSignal signal) except -1
    cdef int _pass_on(self, HubSignal signal) except -1
    cdef int _forget_old(self, object now) except -1
    cdef int _fail_unserved(self) except -1
    cdef int _end(self, object error, bint cancels) except -1
    cdef int _dispose(self, object refuse) except -1
    cdef int _join(self, SubjectSource source, object now) except -1
    cdef int _admit(self, SubjectSource source, object now) except -1
    cdef object _refusal(self)
    cdef object _made_refusal(self)
    cdef int64_t _room(self) except -2
