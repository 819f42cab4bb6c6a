# Where the signals of a subject come to, and from where they go to the sources of its subscriptions.

from libc.stdint cimport int64_t

from rs_core.subject_source cimport SourceKeeper


cdef class SubjectHub(SourceKeeper):
    # Everything that changes is used under `lock`.
    cdef object lock
    cdef str label
    cdef bint is_shared                   # False: it serves one subscription, ever
    cdef bint is_lockstep, is_lossy, drops_for_slow, remembers_end
    cdef tuple sources                    # replaced, never changed
    cdef bint had_source
    cdef object history                   # a deque of (time, element); None: nothing is kept
    cdef int64_t most_kept
    cdef object max_age, scheduler        # None: of any age; whose clock tells it
    cdef bint is_over, is_disposed        # it has ended and remembers that; nothing is taken any more
    cdef object end_error
    cdef object refuse                    # makes the error for who subscribes; None: anybody may
    cdef object on_empty                  # called once, when the last source has left a sealed hub
    cdef object upstream
    cdef bint had_upstream, is_leaving, is_asking
    cdef int64_t in_flight                # requested of the upstream, and not yet passed on

    cdef bint _is_full(self) except -1
    cdef tuple _take_in(self, object element)
    cdef int _forget(self) except -1
    cdef int _send(self, tuple sources, object element) except -1
    cdef int _tell_end(self, tuple sources, object error) except -1
    cdef int _tell_if_empty(self) except -1
    cdef int _call_upstream(self, object upstream, int64_t n) except -1
    cdef int64_t _wanted(self) except -2
    cdef object _refusal(self)
