"""How signals from any number of threads are delivered to many sources, one at a time: the token of a hub.

Roles
    signaller   any thread, also from inside a delivery, a signal handler or a finalizer: makes a signal known, then
                calls `notify`
    deliverer   the one thread that moved `word` to DELIVERING: it has the token and handles what was made known
    asker       the thread that found an errand for the upstream as the deliverer, set ASKING and gave the token up: it
                calls the upstream (§2.7), then comes back
Requires: GIL, where there is one.

Invariants
    I1  At most one thread has the token. The fields of the deliverer are touched by it alone; no lock is held while
        user code runs, and a signal that user code makes meanwhile waits: nothing nests.
    I2  Whoever made a signal known then sets MISSED, or gets the token and looks. The deliverer goes idle by a CAS that
        fails if MISSED came; who runs an errand sets it afterwards: so nothing is left behind.
    I3  At most one thread is an asker: the deliverer alone sets ASKING, and only where it is not set.
    I4  What user code raises in a step is kept; this step and those that follow are finished, and the first of what was
        raised is raised when the token was given up: so all sources get their element and their end.

Ordering (write -> read that pairs with it)
    giving the token up (release)  ->  taking it (acquire): the fields of the deliverer travel with it
    a signal, then setting MISSED (acq_rel)  ->  clearing MISSED (acq_rel), then looking: both are exchanges of one
        word, so the second sees what came before the first; a plain load would be half of a store-buffer pair
    the upstream's call, then clearing ASKING (release), then setting MISSED  ->  clearing MISSED (acquire), then
        reading ASKING: bits of one word, seen in its one order

Depth: an upstream that sends inside of `request` finds the token free: its elements are delivered there, and what is
requested then is left to the outer asker.
Progress: nobody waits. Who has the token handles for others as long as they signal; a subscriber that blocks delays all
that is behind it, which waits in the hub's queue.

Reuse: the word holds nothing but bits, so ABA is harmless.
Source: serial_delivery.pyx, without its way past the queue and with a second token, for calls that must not hold up.
tests/interleavings/subject_hub_model.py explores it.
"""

from libc.stdint cimport uint32_t

from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.subjects.hub_upstream cimport CALL, HubErrand
from rs_core.subjects.source cimport SourceKeeper


cdef class HubDelivery(SourceKeeper):
    """What delivers for a hub."""

    def __cinit__(self, *args, **kwargs):
        # relaxed: whoever hands the hub to another thread publishes it
        self.word.store(IDLE, memory_order_relaxed)

    # --- any thread -------------------------------------------------------------------------------------------------

    cdef int notify(self) except -1:
        """Make sure that somebody looks: the deliverer, or this thread (I2)."""
        # acq_rel: an exchange; releases what this thread wrote to the deliverer, acquires the token if it is free
        if self.word.fetch_or(DELIVERING | MISSED, memory_order_acq_rel) & DELIVERING:
            return 0
        return self.deliver()

    cdef bint try_take(self) noexcept:
        cdef uint32_t seen = self.word.load(memory_order_relaxed)  # relaxed: the CAS checks it
        while not seen & DELIVERING:
            # acquire: pairs with the release of whoever gave the token up
            if self.word.compare_exchange_weak(seen, seen | DELIVERING, memory_order_acquire, memory_order_relaxed):
                return True
        return False

    # --- the deliverer ------------------------------------------------------------------------------------------------

    cdef int deliver(self) except -1:
        """Handle what waits, run errands, then go idle. Requires the token; gives it up."""
        cdef HubDelivery _held = self  # user code may drop the last other reference to this hub
        cdef HubErrand errand
        cdef bint is_idle
        cdef object first = None  # of what was raised
        while True:
            errand = None
            is_idle = False
            # acq_rel: an exchange; acquires what came with MISSED, and keeps its place before the looks (I2)
            self.word.fetch_and(~<uint32_t>MISSED, memory_order_acq_rel)
            try:
                is_idle = not self.handle_one()
                # Once behind each element, whatever each of its subscribers has requested: to find what to request
                # takes longer the more they are. Where nothing else waits, that is in the next round.
                if is_idle or self.has_more():
                    # relaxed: as it is part of the word, it is not older than the exchange above
                    errand = self.find_errand(not self.word.load(memory_order_relaxed) & ASKING)
            except BaseException as error:
                self.keep(error)
            raised, self.interrupt = self.interrupt, None
            first = raised if first is None else first
            if errand is not None:
                if errand.n != CALL:
                    self.word.fetch_or(ASKING, memory_order_relaxed)  # relaxed: giving the token up publishes it (I3)
                # release: pairs with the acquire of whoever takes the token next
                self.word.fetch_and(~<uint32_t>DELIVERING, memory_order_release)
                try:
                    errand.run()
                except BaseException as error:
                    first = error if first is None else first
                if errand.n != CALL:
                    # release: pairs with the acquire of the next deliverer; calls of the upstream are in order (§2.7)
                    self.word.fetch_and(~<uint32_t>ASKING, memory_order_release)
                # acq_rel: as in notify()
                if self.word.fetch_or(DELIVERING | MISSED, memory_order_acq_rel) & DELIVERING:
                    break
            elif is_idle and self._try_go_idle():
                break
        if first is not None:
            raise first
        return 0

    cdef bint _try_go_idle(self) noexcept:
        """Give the token up unless MISSED has come."""
        cdef uint32_t seen = self.word.load(memory_order_relaxed)  # relaxed: the CAS checks it
        while not seen & MISSED:
            # release: pairs with the acquire of whoever takes the token next
            if self.word.compare_exchange_weak(
                seen, seen & ~<uint32_t>DELIVERING, memory_order_release, memory_order_relaxed
            ):
                return True
        return False

    cdef int keep(self, object error) except -1:
        """Note what user code raised, to raise the first when the token was given up (I4)."""
        if self.interrupt is None:
            self.interrupt = error
        return 0

    # --- what a hub overrides -----------------------------------------------------------------------------------------

    cdef bint handle_one(self) except -1:
        return False

    cdef bint has_more(self) noexcept:
        return False

    cdef HubErrand find_errand(self, bint may_ask):
        return None
