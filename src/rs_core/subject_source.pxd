# The source of one subscription to a subject, and what it knows of the hub that feeds it.

from libc.stdint cimport int64_t

from rs_core.emitter_source cimport EmitterSource


cdef class SourceKeeper:
    # Who feeds sources overrides these.
    cdef readonly int64_t capacity        # of the queue of each source
    cdef readonly object on_overflow
    cdef bint is_ahead                    # elements are taken before they are requested

    cdef int join(self, SubjectSource source) except -1    # the source is about to open
    cdef int leave(self, SubjectSource source) except -1   # it was released
    cdef int ask(self) except -1                           # what it has requested, or what waits in it, has changed


cdef class SubjectSource(EmitterSource):
    cdef SourceKeeper keeper
    cdef object waiting                   # a deque of what comes before the queue: what was kept, or loaded; drainer
    cdef readonly bint is_loaded

    cdef int64_t requested(self) noexcept  # beyond what waits; any thread, as the two below
    cdef int64_t room(self) noexcept      # how many more elements may wait
    cdef bint has_room(self) noexcept     # one more element would be taken, and none displaced
    cdef int64_t count_waiting(self) noexcept
