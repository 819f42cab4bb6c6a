"""The sources that a hub feeds: who gets an element, who has no room for it, and how much may be requested for all.

Roles, invariants and ordering: those of hub_delivery.pyx and hub_register.pyx. All but `leave` and `ask` is the
deliverer's.
"""

from libc.stdint cimport INT64_MAX, int64_t

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.sources.emitter cimport source_end
from rs_core.subjects.hub_delivery cimport HubDelivery
from rs_core.subjects.signal_queue cimport NOBODY
from rs_core.subjects.source cimport SourcePlace, SubjectSource

from rs_core.dropped import dropped
from rs_core.errors import CapacityError


cdef class HubSources(HubDelivery):
    """Give elements and ends to sources, as a policy says."""

    cdef int set_policy(self, str label, policy) except -1:
        self.label = label
        self.capacity = policy.capacity
        self.on_overflow = policy.on_overflow
        self.is_ahead = policy.is_ahead
        self.is_lockstep = policy.is_lockstep
        self.is_lossy = policy.is_lossy
        self.drops_for_slow = policy.drops_for_slow
        self.has_leavers.store(0, memory_order_relaxed)  # relaxed: whoever hands the hub to another thread publishes it
        self.has_asked.store(0, memory_order_relaxed)  # relaxed: as above
        return 0

    # --- any thread -------------------------------------------------------------------------------------------------

    cdef int leave(self, SubjectSource source) except -1:
        self.register.note_leaver(source)
        self.has_leavers.store(1, memory_order_relaxed)  # relaxed: notify() releases it
        return self.notify()

    cdef int ask(self) except -1:
        self.has_asked.store(1, memory_order_relaxed)  # relaxed: notify() releases it
        return self.notify()

    # --- elements and ends ------------------------------------------------------------------------------------------

    cdef int send(self, object element) except -1:
        """Give an element to all sources, whatever one of them raises."""
        cdef SourcePlace place = self.register.seen_first
        cdef SourcePlace last = self.register.seen_last
        cdef SubjectSource source
        while place is not None:
            source = place.source
            if source is not None:
                try:
                    if not self._give(source, element):
                        self._note_leaver(source)
                except BaseException as error:
                    self.keep(error)
                    self._note_leaver(source)
            place = None if place is last else place.following
        return 0

    cdef void _note_leaver(self, SubjectSource source) noexcept:
        """Have a source forgotten that takes nothing any more, if that is so."""
        if source.is_closed():
            self.register.note_leaver(source)
            self.has_leavers.store(1, memory_order_relaxed)  # relaxed: a note to itself

    cdef bint _give(self, SubjectSource source, object element) except -1:
        """Do with an element what the policy says; False: the source takes nothing any more."""
        if self.is_ahead or self.is_lockstep or source.requested() > 0:
            return source.give(element)
        if self.drops_for_slow:
            dropped("on_next", element, origin=source.origin)
            return True
        source_end(source, CapacityError(
            f"{self.label} got {shown(element)}, which this subscriber has not requested; request more or earlier, or "
            f"give the subject the policy lockstep, drop_slow or buffer"
        ))
        return False

    cdef int tell_end(self, object error, bint at_once) except -1:
        """End all sources, whatever one of them raises; `at_once`: past what waits. They have left the register."""
        cdef SourcePlace place = self.register.seen_first
        cdef SourcePlace following
        cdef SubjectSource source
        self.register.seen_first = self.register.seen_last = None
        while place is not None:
            source, place.source = place.source, None
            if source is not None:
                try:
                    if at_once:
                        source.cut()
                    source_end(source, error)
                except BaseException as trouble:
                    self.keep(trouble)
            following, place.following = place.following, None
            place = following
        return 0

    cdef bint forget_leavers(self) except -1:
        # relaxed: clearing MISSED has acquired it; who closes a source later sets it again
        if not self.has_leavers.exchange(0, memory_order_relaxed):
            return False
        if self.is_lockstep:  # the others may be ahead of who has left
            self.has_asked.store(1, memory_order_relaxed)  # relaxed: a note to itself
        return self.register.forget_leavers()

    # --- demand -----------------------------------------------------------------------------------------------------

    cdef int64_t least_room(self) noexcept:
        """How many elements all of the sources could take now that the register has seen, or NOBODY."""
        cdef SourcePlace place = self.register.seen_first
        cdef SourcePlace last = self.register.seen_last
        cdef SubjectSource source
        cdef int64_t least = NOBODY
        cdef int64_t takes
        while place is not None:
            source = place.source
            if source is not None and not source.is_closed():
                takes = source.takes()
                if least == NOBODY or takes < least:
                    least = takes
            place = None if place is last else place.following
        return least

    cdef int64_t wanted(self, int64_t in_flight) except -2:
        """How many elements to request of the upstream now, where so many are on their way."""
        cdef SubjectSource source
        cdef int64_t wanted = -1
        cdef int64_t room, takes
        cdef bint is_bound_by_room = False
        cdef bint is_any_open = False
        cdef SourcePlace place, last
        if in_flight == INT64_MAX or in_flight >= self.capacity and not self.is_lossy:  # nobody's room is more
            return 0
        self.register.look()
        place = self.register.seen_first
        last = self.register.seen_last
        while place is not None:
            source = place.source
            place = None if place is last else place.following
            if source is None:
                continue
            room = takes = 0
            if not source.is_opening():  # it asks when it is open
                is_any_open = True
                room = source.room()
                takes = source.takes()
            if wanted < 0 or (takes < wanted if self.is_lockstep else takes > wanted):
                wanted = takes
                is_bound_by_room = takes == room
        if self.is_lossy:
            return INT64_MAX if is_any_open else 0
        wanted -= in_flight
        # In batches, as long as elements are on their way: else a fast subscriber would make a request of each element.
        if wanted <= 0 or (is_bound_by_room and in_flight and 4 * wanted < self.capacity):
            return 0
        return wanted
