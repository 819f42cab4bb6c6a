# The source of one subscription to a subject, and what it knows of the hub that feeds it.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.sources.emitter cimport EmitterSource


cdef class SourcePlace:
    # The place of a source among those of its keeper, who guards it.
    cdef SubjectSource source             # None: it has left
    cdef SourcePlace following


cdef class SourceKeeper:
    # Who feeds sources overrides these. Any thread calls them; the keeper's deliverer alone gives sources anything.
    cdef readonly int64_t capacity        # of the queue of each source
    cdef readonly object on_overflow
    cdef bint is_ahead                    # elements are taken before they are requested

    cdef int join(self, SubjectSource source) except -1    # the source is about to open
    cdef int leave(self, SubjectSource source) except -1   # it was released
    cdef int ask(self) except -1                           # what a source has requested, or what waits, has changed


cdef class SubjectSource(EmitterSource):
    cdef SourceKeeper keeper
    cdef object waiting                   # a deque of what comes before the queue: what was kept, or loaded; drainer
    cdef int64_t saved_size               # elements that the last save wrote, or the load read
    cdef bint saved_end                   # whether the end was among it
    cdef readonly bint is_loaded
    cdef gil_int64 ever_requested         # only grows, up to 2**63 - 1
    cdef gil_uint32 is_cut                # what waits is not sent any more; written before the queue is closed
    # Guarded by the keeper.
    cdef SourcePlace place                # None: it is not there
    cdef SubjectSource next_leaver
    cdef bint is_leaving                  # it is among those who have said that they leave
    # A field of who lets it join, then of the keeper's deliverer.
    cdef int64_t ever_taken               # elements that were put in and count as requested

    cdef int skip(self, int64_t n) except -1   # who lets it join: so many fewer were put in than was counted
    cdef void _drop_waiting(self) noexcept     # drainer
    # The keeper's deliverer.
    cdef bint give(self, object element) except -1   # False: it takes nothing any more
    cdef void cut(self) noexcept               # the end that follows goes past what waits
    cdef bint is_closed(self) noexcept
    cdef bint _has_ended(self) noexcept
    cdef bint is_opening(self) noexcept
    cdef int64_t requested(self) noexcept      # beyond what was given
    cdef int64_t room(self) noexcept           # how many more elements may wait
    cdef int64_t takes(self) noexcept          # how many more elements can be given now
