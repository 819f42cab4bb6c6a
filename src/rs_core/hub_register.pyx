"""Who is there to get what comes to a subject, and what is kept for those to come.

Roles
    subscriber  any thread: enters with a source that is not open yet
    deliverer   the holder of the hub's token (hub_delivery.pyx): keeps elements, ends, disposes, forgets who has left

Invariants, besides those of the queue, whose critical section guards all that changes here, too
    I4  In one step an element is kept and the sources that get it are read; in one step a source is listed and takes
        what is kept. So it gets what was kept, then every element that goes out later, and none twice.
    I5  What is kept is a chain that is never changed but at its ends: who has entered walks from the first to the last
        that were kept then, in its own thread and time. `ever_taken` counts them from the moment it is listed.
    I6  Sources are replaced by a tuple that was made outside, if they are still those it was made of; else once more.
    I7  Too much waits for the only source as long as that has not come: whether it has is looked at once more in the
        step that ends the register for it, since the error is made in between. So who enters gets either what was one
        too many, or the end behind what is kept.
    I8  Who has entered looks whether its source is closed, and who closes one tells the deliverer, which then reads the
        sources. The critical section puts one of both second: so no closed source stays listed.

Bound: `most_kept` elements; one more of a shared register lets the oldest go.
Progress: as the queue; who enters tries again only because another one has come or gone.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.hub_queue cimport NOBODY, HubQueue, HubSignal
from rs_core.subject_source cimport SubjectSource


@cython.final
cdef class HubEntry:
    """What who wants to come in has found."""


@cython.final
cdef class HubRegister(HubQueue):
    """Made by hubs.

    Args:
        capacity: Of the policy.
        on_overflow: What becomes of an element that finds no place, an OverflowPolicy.
        remembers_end: Whether an end closes it.
        is_shared: False: it serves one source ever, and keeps elements until that is there.
        most_kept: How many elements are kept for those to come; 0: none.
    """

    def __init__(self, int64_t capacity, on_overflow, bint remembers_end, bint is_shared, int64_t most_kept):
        HubQueue.__init__(self, capacity, on_overflow, remembers_end)
        self.is_shared = is_shared
        self.most_kept = most_kept
        self.keeps = most_kept > 0

    # --- any thread -------------------------------------------------------------------------------------------------

    cdef HubEntry enter(self, SubjectSource source):
        cdef HubEntry entry = HubEntry.__new__(HubEntry)
        cdef int64_t loaded = len(source.waiting)
        cdef tuple before
        cdef bint has_answer = False
        while not has_answer:
            before = self.current_sources()
            has_answer = self._enter_at_once(entry, source, before, before + (source,), loaded)
        return entry

    cdef int _enter_at_once(
        self, HubEntry entry, SubjectSource source, tuple before, tuple after, int64_t loaded
    ) noexcept:
        """List a source and take what is kept for it, if the sources are still those of `before` (I4, I6)."""
        cdef bint has_answer = True
        with cython.critical_section(self):
            if self.refuse is not None:
                entry.refuse = self.refuse
            elif not self.is_shared and self.had_source:
                entry.is_second = True
            elif self.sources is not before:
                has_answer = False
            else:
                if not (source.is_loaded and self.is_shared):
                    entry.first = self.first_kept
                    entry.last = self.last_kept
                    loaded += self.kept
                source.ever_taken = loaded
                if not self.is_shared:
                    self.had_source = True
                    self.keeps = False
                    self.first_kept = None
                    self.last_kept = None
                    self.kept = 0
                if self.is_over:
                    entry.is_over = True
                    entry.end_error = self.end_error
                else:
                    self.sources = after
                    self.room = 0
        return has_answer

    cdef tuple current_sources(self):
        cdef tuple sources
        with cython.critical_section(self):
            sources = self.sources
        return sources

    cdef int64_t room_to_keep(self) noexcept:
        cdef int64_t room = NOBODY
        with cython.critical_section(self):
            if self.keeps:
                room = INT64_MAX if self.is_shared else max(0, self.most_kept - self.kept)
        return room

    # --- the deliverer ------------------------------------------------------------------------------------------------

    cdef tuple keep(self, HubSignal signal, bint* is_full):
        """Keep an element, and return who gets it; `is_full`: the only source has yet to come, and too much waits."""
        cdef tuple sources
        with cython.critical_section(self):
            sources = self.sources
            is_full[0] = self.keeps and not self.is_shared and self.kept >= self.most_kept
            if self.keeps and not is_full[0]:
                if self.last_kept is None:
                    self.first_kept = signal
                else:
                    self.last_kept.following = signal
                self.last_kept = signal
                self.kept += 1
        return sources

    cdef HubSignal forget(self, bint is_too_many):
        """Let the oldest go that is kept, or only if it is one too many; return it, so that it dies outside."""
        cdef HubSignal oldest = None
        with cython.critical_section(self):
            if self.is_shared and self.kept > (self.most_kept if is_too_many else 0):
                oldest = self.first_kept
                self.first_kept = oldest.following
                if self.first_kept is None:
                    self.last_kept = None
                self.kept -= 1
        return oldest

    cdef bint end_unserved(self, object error) noexcept:
        """End because one element too many waits for the only source, if that has not come meanwhile (I7)."""
        cdef bint is_unserved
        with cython.critical_section(self):
            is_unserved = self.keeps
            if is_unserved:
                self.is_closed = True
                self.is_over = True
                self.end_error = error
        return is_unserved

    cdef tuple end(self, object error):
        """Remember an end, or not; return who is told."""
        cdef tuple sources
        with cython.critical_section(self):
            sources = self.sources
            self.sources = ()
            if self.remembers_end:
                self.is_closed = True
                self.is_over = True
                self.end_error = error
        return sources

    cdef tuple shut(self, object refuse, bint disposes):
        """Let nobody in any more; `disposes`: nobody stays, and nothing is kept. Return who is told."""
        cdef tuple sources = ()
        cdef object _replaced  # dies outside, as does what was kept
        cdef HubSignal _forgotten = None
        with cython.critical_section(self):
            _replaced = self.refuse
            self.refuse = refuse
            if disposes:
                sources = self.sources
                self.sources = ()
                _forgotten = self.first_kept
                self.first_kept = None
                self.last_kept = None
                self.kept = 0
                self.keeps = False
        return sources

    cdef bint forget_closed(self) except -1:
        """Forget the sources that are closed: they have ended, failed or were cancelled."""
        cdef SubjectSource source
        cdef tuple before, after
        cdef bint is_done = False
        cdef bint is_abandoned = False
        while not is_done:
            before = self.current_sources()
            after = tuple([source for source in before if not source.is_closed()])
            with cython.critical_section(self):
                is_done = self.sources is before  # I6
                if is_done:
                    self.sources = after
                    is_abandoned = self.had_source and len(after) == 0
        return is_abandoned
