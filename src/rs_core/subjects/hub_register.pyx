"""Who is there to get what comes to a subject, and what is kept for those to come.

Roles
    subscriber  any thread: enters with a source that is not open yet
    deliverer   the holder of the hub's token (hub_delivery.pyx): keeps elements, ends, disposes, forgets who has left

Invariants, besides those of the queue, whose critical section guards all that changes here, too
    I4  In one step an element is kept and the sources that get it are seen; in one step a source is listed and takes
        what is kept. So it gets what was kept, then every element that goes out later, and none twice.
    I5  What is kept is a chain that is never changed but at its ends: who has entered walks from the first to the last
        that were kept then, in its own thread and time. `ever_taken` counts them from the moment it is listed.
    I6  The places of sources are a chain, in the order in which they came. Others put places behind the last; the
        deliverer alone takes any out, never the last, and not while it goes through them. So it goes through those that
        it has seen without the section. A source that leaves is put into a list of its own; the deliverer empties its
        place, and takes empty places out when they are more than the others: in constant time for each that leaves.
    I7  Too much waits for the only source as long as that has not come: whether it has is looked at once more in the
        step that ends the register for it, since the error is made in between. So who enters gets either what was one
        too many, or the end behind what is kept.
    I8  Who has entered looks whether its source is closed, and says that it leaves if so; who closes one says so behind
        that. The critical section puts one of both second: so no closed source stays listed.

Bound: `most_kept` elements; one more of a shared register lets the oldest go.
Progress: as the queue.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.subjects.signal_queue cimport NOBODY, HubQueue, HubSignal
from rs_core.subjects.source cimport SourcePlace, SubjectSource

cdef enum:
    FEW_PLACES = 16   # so many empty ones are not worth a walk


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
        """List a source and take what is kept for it (I4), or tell why not."""
        cdef HubEntry entry = HubEntry.__new__(HubEntry)
        cdef SourcePlace place = SourcePlace.__new__(SourcePlace)
        cdef int64_t loaded = len(source.waiting)
        with cython.critical_section(self):
            if self.refuse is not None:
                entry.refuse = self.refuse
            elif not self.is_shared and self.had_source:
                entry.is_second = True
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
                elif self.is_deserted:
                    entry.is_over = True
                    entry.end_error = self.desert_error
                else:
                    place.source = source
                    source.place = place
                    if self.last is None:
                        self.first = place
                    else:
                        self.last.following = place
                    self.last = place
                    self.present += 1
                    self.changes += 1
                    self.room = 0
        return entry

    cdef int64_t present_count(self) noexcept:
        cdef int64_t present
        with cython.critical_section(self):
            present = self.present
        return present

    cdef void note_leaver(self, SubjectSource source) noexcept:
        """Have the deliverer forget a source that is closed; once more is the same."""
        with cython.critical_section(self):
            if not source.is_leaving:
                source.is_leaving = True
                source.next_leaver = self.first_leaver
                self.first_leaver = source

    cdef int64_t room_to_keep(self) noexcept:
        cdef int64_t room = NOBODY
        with cython.critical_section(self):
            if self.keeps:
                room = INT64_MAX if self.is_shared else max(0, self.most_kept - self.kept)
        return room

    # --- the deliverer ------------------------------------------------------------------------------------------------

    cdef void look(self) noexcept:
        """See who is there (I6)."""
        with cython.critical_section(self):
            self._look()

    cdef void _look(self) noexcept:
        """In the critical section. What was seen before is part of the chain still, or of one that is told its end."""
        self.seen_first = self.first
        self.seen_last = self.last
        self.seen_changes = self.changes

    cdef bint keep(self, HubSignal signal) noexcept:
        """Keep an element, and see who gets it; False: the only source has yet to come, and too much waits."""
        cdef bint is_full
        with cython.critical_section(self):
            self._look()
            is_full = self.keeps and not self.is_shared and self.kept >= self.most_kept
            if self.keeps and not is_full:
                if self.last_kept is None:
                    self.first_kept = signal
                else:
                    self.last_kept.following = signal
                self.last_kept = signal
                self.kept += 1
        return not is_full

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

    cdef bint desert(self, object error) noexcept:
        """Give the upstream up, if nobody is there: who comes is told so, until another one comes (§3.14)."""
        cdef bint is_done
        cdef object _before = None  # dies outside
        with cython.critical_section(self):
            is_done = self.present == 0
            if is_done:
                _before = self.desert_error
                self.desert_error = error
                self.is_deserted = True
                self.has_upstream = False
        return is_done

    cdef void end(self, object error):
        """Remember an end, or not; see who is told, and forget them."""
        with cython.critical_section(self):
            self._look()
            self._empty()
            if self.remembers_end:
                self.is_closed = True
                self.is_over = True
                self.end_error = error

    cdef void _empty(self) noexcept:
        """In the critical section: nobody is there any more, but for those whom the deliverer sees."""
        self.first = None
        self.last = None
        self.present = 0
        self.changes += 1
        self.empty_places = 0

    cdef void shut(self, object refuse, bint disposes):
        """Let nobody in any more; `disposes`: nobody stays, and nothing is kept. See who is told."""
        cdef object _replaced  # dies outside, as does what was kept
        cdef HubSignal _forgotten = None
        with cython.critical_section(self):
            _replaced = self.refuse
            self.refuse = refuse
            if disposes:
                self._look()
                self._empty()
                _forgotten = self.first_kept
                self.first_kept = None
                self.last_kept = None
                self.kept = 0
                self.keeps = False

    cdef bint forget_leavers(self) except -1:
        """Forget the sources that have said that they leave: they have ended, failed or were cancelled (I6)."""
        cdef int64_t empty_before = self.empty_places
        cdef bint has_any
        cdef SubjectSource leaver = self._take_leaver()
        while leaver is not None:
            leaver = self._take_leaver()
        has_any = self.empty_places != empty_before
        if self.empty_places > self.present_count() + FEW_PLACES:
            self._close_ranks()
        return has_any and self.present_count() == 0

    cdef SubjectSource _take_leaver(self):
        """Take one out, which dies outside; None: there is none."""
        cdef SubjectSource leaver
        cdef SourcePlace _place = None
        with cython.critical_section(self):
            leaver = self.first_leaver
            if leaver is not None:
                self.first_leaver = leaver.next_leaver
                leaver.next_leaver = None
                leaver.is_leaving = False
                _place, leaver.place = leaver.place, None
                if _place is not None and _place.source is not None:
                    _place.source = None
                    self.present -= 1
                    self.changes += 1
                    self.empty_places += 1
        return leaver

    cdef int _close_ranks(self) except -1:
        """Take the empty places out, all but the last, behind which others may come in meanwhile (I6)."""
        cdef SourcePlace before = None
        cdef SourcePlace place, following
        self.look()
        place = self.seen_first
        self.seen_first = None
        while place is not self.seen_last:
            following = place.following
            if place.source is not None:
                before = place
            else:
                self.empty_places -= 1
                place.following = None
                if before is not None:
                    before.following = following
                else:
                    with cython.critical_section(self):
                        self.first = following
            place = following
        self.seen_last = None
        return 0
