"""The core of a subject: signals of any number of threads are delivered, one at a time, to all of its sources.

Roles
    producer    any thread, also inside a delivery, a signal handler or a finalizer: puts signals into the registry,
                then notifies
    subscriber  the thread that starts a source: adds it to the registry, and puts the retained elements into it before
                it is opened
    deliverer   the one thread that has the token of `word` (sync/serial_word.h). It takes signals out of the registry,
                retains elements, passes them and the ends to the sources, determines what to request
    caller      the thread that, as the deliverer, found a call for the upstream, set CALLING and released the token: it
                calls the upstream (§2.7), then returns to the word
    drainer     the holder of the token of one source, which is an owner of demand: sends retained or loaded elements,
                then those in its queue
    requester   any thread
Requires: GIL, where there is one.

Invariants of the token
    I1  At most one thread has it. Only this thread accesses the fields of the deliverer; no lock is held while user
        code runs, and signals of user code wait meanwhile: nothing nests.
    I2  A thread that published a signal then sets MISSED, or gets the token and checks. The deliverer goes idle by
        try_release(), which fails if MISSED was set; a caller sets it when it returns: so nothing is left behind.
    I3  At most one thread is a caller: only the deliverer sets CALLING, and only while it is not set.
    I4  Exceptions of user code in a step are stored; this step and the following ones are finished, and the first
        exception is raised after the token was released: so all sources get their element and their end.
    I5  There is one order: that in which signals are taken out. All sources see it, each from the moment when it was
        added, including the signals that waited then.
    I6  The deliverer is the only producer of an open source. So it may send an element past the source's queue, with
        the source's token, if nothing waits there and there is demand (subscription.pyx, Fan-out).
    I7  The elements in flight are reduced in the step in which all sources get the element, and the deliverer
        determines what to request between such steps. So they never exceed the capacity on which the request was based.
    I8  An element goes past the registry if the word was idle, and no signal waits and none is retained. So nothing was
        pushed before it, and what is pushed meanwhile waits: it sets MISSED, and the deliverer looks.

Invariants of the registry
    R1  Shared data is changed in its critical section, where only references and counts are moved: no object is created
        or freed there, so no user code runs. With a GIL, the GIL is the critical section.
    R2  An offer is accepted while fewer elements wait than `accepted_by_all`, and no other signals wait. That is the
        number that, as the deliverer found, all sources accept, provided that none was added or removed before it sets
        it; each element that is taken out lowers it by one. Only the deliverer passes elements to sources, so otherwise
        the number that they accept only grows; if a source is added, or a signal other than an element is taken out, it
        becomes 0 in the same step. So all sources that were present accept the element. The deliverer finds the
        number while it sends the element before, as a part of `reach`, and again if demand, waiting elements or the
        sources have changed since; in between it is too low at most, as is what is requested by it.
    R3  In one step an element is retained and the sources that get it are read; in one step a source is listed and
        takes the retained elements. So it gets the retained elements, then every later element, and none twice.
    R4  The retained elements are a chain that is changed only at its ends: a subscriber walks, in its own thread and
        time, from the first to the last that were retained when it was listed. `ever_taken` counts them from then on.
    R5  The places of sources are a chain, in the order of arrival. Other threads append places; only the deliverer
        removes any, never the last, and not while it walks the chain. So it walks those that it has read without the
        section. A closed source is put into a separate list; the deliverer empties its place, and removes empty places
        when they outnumber the others: in constant time for each.
    R6  Too many elements can wait only while the only source has not arrived: whether it has is checked again in the
        step that ends the registry for it, because the error is created in between. So that source gets either the
        excess element, or the end after the retained elements.
    R7  A subscriber checks, after it was added, whether its source is closed, and reports it; the thread that closes
        one reports it afterwards. The critical section orders both, and the second acts: so no closed source stays
        listed.

Invariants of a source
    S1  `waiting` is filled before the source is opened, and from then on used by the drainer, or by the thread that
        saves while no elements pass; others only read its length.
    S2  The demand not yet covered is `ever_requested - ever_taken`: only the deliverer writes the second, and the first
        only grows, so the value that it reads is valid, and includes everything of which it was notified. (The demand
        that the drainer counts down lags behind its sent elements.) It is exact: each sent element uses up one of the
        demand, or, if an operator of a shared stream drops it, counts as requested again when it was sent.
    S3  A released source is closed first, then the core is notified (R7).

Ordering (write -> read that pairs with it); that of the word's transitions is in sync/serial_word.h
    releasing the token  ->  taking it: the writes to the fields of the deliverer are visible
    a signal, has_closed, demand_changed, ever_requested, then acquire_or_mark  ->  clear_missed, then the checks: both
        are exchanges of one word, so the second sees the writes before the first; a plain load would be half of a
        store-buffer pair
    the upstream's call, then clearing CALLING, then acquire_or_mark  ->  clear_missed, then reading CALLING: bits of
        one word, seen in its one order; so calls of the upstream are in order (§2.7)
    ever_taken, by the subscriber  ->  reading it, by the deliverer: both in critical sections of the registry
    the queue of a source: overflow_queue.pyx, stream/subscription.pyx

Bound: `most_waiting` elements wait for the deliverer: MOST_WAITING, or the capacity of the policy if that is larger,
because that many requested elements may arrive. One more displaces the oldest one (policies `drop_oldest` and
`latest`), is dropped (policies that drop the new one), or is refused, and the subject ends. Of the other signals: no
two ends in direct succession; one upstream for each end; sealing and disposing once. `replay_limit` elements are
retained; one more of a shared subject evicts the oldest. `capacity` elements wait in the queue of a source; before them
the elements that were retained when it was added, and loaded ones, which are bounded where they come from.

Depth: an upstream that sends inside `request` finds the token free: its elements are delivered there, and further
requests are left to the outer caller.
Progress: with a GIL no thread waits, except that `drop_oldest` walks past signals that are not elements; without one,
producers wait for each other in the critical section. The thread with the token works for others as long as they
signal; a subscriber that blocks delays all later signals, which wait in the registry.

Source: sync/serial_word.h, and the protocol of emitter.pyx, without its path past the queue and with a second token,
for calls that must not delay deliveries. tests/interleavings/multicaster_model.py explores it.
"""

import enum
from collections import deque
from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.debug_checks cimport log_of_words
from rs_core.demand cimport Demand, demand_add, demand_take_up_to
from rs_core.ends.subscriber cimport CompiledSubscriber, SubscriberStage
from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport caught, decref, incref
from rs_core.interp.object_handoff cimport owned
from rs_core.interp.signal_arguments cimport as_exception, null_element, null_subscription
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED, overflow_is_closed, overflow_is_idle, overflow_pending, overflow_poll,
)
from rs_core.scheduling.task_tree cimport RUNNING, TreeNode
from rs_core.sources.emitter cimport EmitterSource, source_end
from rs_core.stream.queue_stage cimport read_error
from rs_core.stream.subscription cimport (
    ACCEPTED, KEPT, KEPT_RAISED, NEW, DemandOwner, FanOut, drain_as_consumer, drop_signal, end_fan_out, push,
    push_past_queue, release_failed,
)
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.sync.serial_word cimport (
    MISSED, TOKEN, acquire_or_mark, clear_missed, clear_release, connect_log, release_token, set_relaxed, try_acquire,
    try_acquire_idle, try_release,
)

from rs_core.dropped import dropped
from rs_core.errors import CapacityError, SourceUsedTwiceError, StateError, StreamCancelledError
from rs_core.queues.overflow_policy import DEFAULT_BLOCK_TIMEOUT_SECONDS, OverflowPolicy

__all__ = ["OfferResult", "SubjectCore", "SubjectInput"]

MOST_WAITING = 1024
"""How many elements may wait at a subject for the delivering thread; more if its policy has a larger capacity."""

connect_log(log_of_words())

cdef tuple _DISPLACING = (OverflowPolicy.DROP_OLDEST, OverflowPolicy.LATEST)

cdef enum:
    FEW_PLACES = 16   # fewer empty places are not worth a walk


@cython.final
@cython.freelist(16)
@cython.trashcan(True)   # each refers to the next
cdef class Signal:
    """A signal in a subject."""


@cython.final
cdef class Admission:
    """The result of adding a subscriber to the registry."""


@cython.final
@cython.freelist(16)
@cython.trashcan(True)   # each refers to the next
cdef class SourcePlace:
    """The place of a source in the registry."""


@cython.final
cdef class SubscriberRegistry:
    """The waiting signals, the sources that get them, and the elements retained for later sources.

    Args:
        capacity: The capacity of the policy.
        on_overflow: The OverflowPolicy for an element when the queue is full.
        remembers_end: Whether a terminal signal closes it.
        is_shared: False: it serves only one source, and retains elements until that arrives.
        replay_limit: How many elements are retained for later sources; 0: none.
    """

    def __init__(self, int64_t capacity, on_overflow, bint remembers_end, bint is_shared, int64_t replay_limit):
        self.most_waiting = max(capacity, <int64_t>MOST_WAITING)
        self.displaces = on_overflow in _DISPLACING
        self.drops = on_overflow is OverflowPolicy.DROP_NEWEST
        self.remembers_end = remembers_end
        self.accepted_by_all = NOBODY
        self.is_shared = is_shared
        self.replay_limit = replay_limit
        self.retains = replay_limit > 0

    # --- signals: any thread ----------------------------------------------------------------------------------------

    cdef Signal put_element(self, Signal signal, int* outcome):
        """Accept an element; return the one that is dropped for it, which may be the same, or None."""
        cdef Signal lost = None
        outcome[0] = PUT
        with cython.critical_section(self):
            if self.is_closed:
                outcome[0] = PUT_CLOSED
            elif self.waiting_elements < self.most_waiting:
                self._append(signal)
            elif self.displaces:
                lost = self._displace()
                self._append(signal)
            elif self.drops:
                lost = signal
                self.lost_pushes += 1
            else:
                outcome[0] = PUT_FULL
        return lost

    cdef int offer(self, Signal signal) noexcept:
        """Accept an element if all sources accept it (R2)."""
        cdef int outcome = PUT
        with cython.critical_section(self):
            if self.is_closed:
                outcome = PUT_CLOSED
            elif self.waiting_controls or self.waiting_elements >= self.most_waiting:
                outcome = PUT_UNWANTED
            elif self.accepted_by_all == NOBODY:
                outcome = PUT_NOBODY
            elif self.waiting_elements >= self.accepted_by_all:
                outcome = PUT_UNWANTED
            else:
                self._append(signal)
        return outcome

    cdef bint put_control(self, Signal signal) noexcept:
        cdef bint is_taken
        with cython.critical_section(self):
            is_taken = not self._refuses(signal.kind)
            if is_taken:
                self._append(signal)
                if signal.kind == END:
                    self.is_closed = self.remembers_end
                    self.has_upstream = False
                elif signal.kind == UPSTREAM:
                    self.has_upstream = True
                    self.is_disconnected = False
                elif signal.kind == SEAL:
                    self.is_sealed = True
                elif signal.kind == DISPOSE:
                    self.is_closed = self.is_disposed = True
        return is_taken

    cdef bint _refuses(self, int kind) noexcept:
        if kind == END:  # directly after another one it would end nothing
            return self.is_closed or (self.last_signal is not None and self.last_signal.kind == END)
        if kind == UPSTREAM:
            return self.is_closed or self.has_upstream
        if kind == SEAL:
            return self.is_sealed or self.is_disposed
        return kind == DISPOSE and self.is_disposed

    cdef bint refuses_elements(self) noexcept:
        cdef bint is_closed
        with cython.critical_section(self):
            is_closed = self.is_closed
        return is_closed

    cdef bint is_empty(self) noexcept:
        """Return whether no signal waits; a thread that adds one meanwhile notifies the deliverer afterwards."""
        return self.waiting_elements + self.waiting_controls == 0

    cdef void _append(self, Signal signal) noexcept:
        """In the critical section."""
        if self.last_signal is None:
            self.first_signal = signal
        else:
            self.last_signal.following = signal
        self.last_signal = signal
        if signal.kind <= OFFER:
            self.waiting_elements += 1
        else:
            self.waiting_controls += 1

    cdef Signal _displace(self):
        """Remove the oldest element, in the critical section; there is one."""
        cdef Signal before = None
        cdef Signal oldest = self.first_signal
        while oldest.kind > OFFER:
            before = oldest
            oldest = oldest.following
        if before is None:
            self.first_signal = oldest.following
        else:
            before.following = oldest.following
        if self.last_signal is oldest:
            self.last_signal = before
        oldest.following = None
        self.waiting_elements -= 1
        return oldest

    # --- signals: the deliverer ---------------------------------------------------------------------------------------

    cdef Signal take(self, int64_t changes, int64_t accepted):
        """Take out the next signal; `accepted` is the number that all accept, as of `changes`."""
        cdef Signal taken
        with cython.critical_section(self):
            self.accepted_by_all = accepted if self.changes == changes else 0
            taken = self.first_signal
            if taken is not None:
                self.first_signal = taken.following
                if self.first_signal is None:
                    self.last_signal = None
                taken.following = None
                if taken.kind > OFFER:
                    self.waiting_controls -= 1
                    self.accepted_by_all = 0
                else:
                    self.waiting_elements -= 1
                    if 0 < self.accepted_by_all < INT64_MAX:
                        self.accepted_by_all -= 1
        return taken

    cdef void set_accepted(self, int64_t changes, int64_t accepted) noexcept:
        with cython.critical_section(self):
            self.accepted_by_all = accepted if self.changes == changes else 0

    cdef bint look_if_nothing_waits(self) noexcept:
        """Read the sources for an element that goes past the registry; False: it has to wait, or would be retained."""
        cdef bint is_direct
        with cython.critical_section(self):
            is_direct = not (
                self.waiting_elements or self.waiting_controls or self.retains
                or self.is_closed or self.is_over or self.is_disconnected
            )
            if is_direct:
                self._look()
        return is_direct

    cdef void take_accepted(self, int64_t changes, int64_t accepted) noexcept:
        """Set what all accept, less the element that goes past the registry (R2)."""
        with cython.critical_section(self):
            if self.changes != changes:
                accepted = 0
            self.accepted_by_all = accepted - 1 if 0 < accepted < INT64_MAX else accepted

    cdef int64_t take_lost(self) noexcept:
        cdef int64_t lost
        with cython.critical_section(self):
            lost = self.lost_pushes
            self.lost_pushes = 0
        return lost

    # --- subscribers: any thread ------------------------------------------------------------------------------------

    cdef Admission add(self, SubjectSource source):
        """List a source and take the retained elements for it (R3), or return why not."""
        cdef Admission admission = Admission.__new__(Admission)
        cdef SourcePlace place = SourcePlace.__new__(SourcePlace)
        cdef int64_t loaded = len(source.waiting)
        cdef bint is_expected = False
        with cython.critical_section(self):
            if source.is_loaded and self.expected:
                self.expected -= 1
                is_expected = not self.is_disposed
            if self.refuse is not None and not is_expected:
                admission.refuse = self.refuse
            elif not self.is_shared and self.had_source and not is_expected:
                admission.is_second = True
            else:
                if not (source.is_loaded and self.is_shared):
                    admission.first = self.first_retained
                    admission.last = self.last_retained
                    loaded += self.retained
                source.ever_taken = loaded
                if not self.is_shared:
                    self.had_source = True
                    self.retains = False
                    self.first_retained = None
                    self.last_retained = None
                    self.retained = 0
                if self.is_over:
                    admission.is_over = True
                    admission.end_error = self.end_error
                elif self.is_disconnected:
                    admission.is_over = True
                    admission.end_error = self.disconnect_error
                else:
                    place.source = source
                    source.place = place
                    if self.last_place is None:
                        self.first_place = place
                    else:
                        self.last_place.following = place
                    self.last_place = place
                    self.present += 1
                    self.changes += 1
                    self.accepted_by_all = 0
        return admission

    cdef int64_t present_count(self) noexcept:
        cdef int64_t present
        with cython.critical_section(self):
            present = self.present
        return present

    cdef void note_closed(self, SubjectSource source) noexcept:
        """Let the deliverer remove a closed source; idempotent."""
        with cython.critical_section(self):
            if not source.is_noted_closed:
                source.is_noted_closed = True
                source.next_closed = self.first_closed
                self.first_closed = source

    cdef int64_t free_replay(self) noexcept:
        cdef int64_t free = NOBODY
        with cython.critical_section(self):
            if self.retains:
                free = INT64_MAX if self.is_shared else max(0, self.replay_limit - self.retained)
        return free

    # --- subscribers: the deliverer -----------------------------------------------------------------------------------

    cdef void look(self) noexcept:
        """Read which sources there are (R5)."""
        with cython.critical_section(self):
            self._look()

    cdef void _look(self) noexcept:
        """In the critical section. The places read before are still part of the chain, or of one that gets its end."""
        self.seen_first = self.first_place
        self.seen_last = self.last_place
        self.seen_changes = self.changes

    cdef bint retain(self, Signal signal) noexcept:
        """Retain an element, and read its receivers; False: the only source has not arrived, and too many wait."""
        cdef bint is_full
        with cython.critical_section(self):
            self._look()
            is_full = self.retains and not self.is_shared and self.retained >= self.replay_limit
            if self.retains and not is_full:
                if self.last_retained is None:
                    self.first_retained = signal
                else:
                    self.last_retained.following = signal
                self.last_retained = signal
                self.retained += 1
        return not is_full

    cdef Signal evict(self, bint is_too_many):
        """Remove the oldest retained element, or only one too many; return it, so that it is freed outside."""
        cdef Signal oldest = None
        with cython.critical_section(self):
            if self.is_shared and self.retained > (self.replay_limit if is_too_many else 0):
                oldest = self.first_retained
                self.first_retained = oldest.following
                if self.first_retained is None:
                    self.last_retained = None
                self.retained -= 1
        return oldest

    cdef bint end_unserved(self, object error) noexcept:
        """End because one element too many waits for the only source, if that has not arrived meanwhile (R6)."""
        cdef bint is_unserved
        with cython.critical_section(self):
            is_unserved = self.retains
            if is_unserved:
                self.is_closed = True
                self.is_over = True
                self.end_error = error
        return is_unserved

    cdef bint disconnect(self, object error) noexcept:
        """Drop the upstream if there is no source: new subscribers get the error until there is another one (§3.14)."""
        cdef bint is_done
        cdef object _before = None  # freed outside
        with cython.critical_section(self):
            is_done = self.present == 0
            if is_done:
                _before = self.disconnect_error
                self.disconnect_error = error
                self.is_disconnected = True
                self.has_upstream = False
        return is_done

    cdef void end(self, object error):
        """Record an end if it is remembered; read its receivers, and remove them."""
        with cython.critical_section(self):
            self._look()
            self._empty()
            if self.remembers_end:
                self.is_closed = True
                self.is_over = True
                self.end_error = error

    cdef void _empty(self) noexcept:
        """In the critical section: remove all sources, except those that the deliverer has read."""
        self.first_place = None
        self.last_place = None
        self.present = 0
        self.changes += 1
        self.empty_places = 0

    cdef void close(self, object refuse, bint disposes):
        """Refuse new sources; `disposes`: remove all, and retain nothing. Read the receivers."""
        cdef object _replaced  # freed outside, as does what was retained
        cdef Signal _forgotten = None
        with cython.critical_section(self):
            _replaced = self.refuse
            self.refuse = refuse
            if disposes:
                self._look()
                self._empty()
                _forgotten = self.first_retained
                self.first_retained = None
                self.last_retained = None
                self.retained = 0
                self.retains = False

    cdef bint prune_closed(self) except -1:
        """Remove closed sources: they have ended, failed or were cancelled (R5)."""
        cdef int64_t empty_before = self.empty_places
        cdef bint has_any
        cdef SubjectSource closed = self._take_closed()
        while closed is not None:
            closed = self._take_closed()
        has_any = self.empty_places != empty_before
        if self.empty_places > self.present_count() + FEW_PLACES:
            self._compact()
        return has_any and self.present_count() == 0

    cdef SubjectSource _take_closed(self):
        """Remove and return one, which is freed outside; None: there is none."""
        cdef SubjectSource closed
        cdef SourcePlace _place = None
        with cython.critical_section(self):
            closed = self.first_closed
            if closed is not None:
                self.first_closed = closed.next_closed
                closed.next_closed = None
                closed.is_noted_closed = False
                _place, closed.place = closed.place, None
                if _place is not None and _place.source is not None:
                    _place.source = None
                    self.present -= 1
                    self.changes += 1
                    self.empty_places += 1
        return closed

    cdef int _compact(self) except -1:
        """Remove the empty places except the last, after which others may be appended meanwhile (R5)."""
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
                        self.first_place = following
            place = following
        self.seen_last = None
        return 0


cdef Signal new_signal(int kind, object value, object detail):
    cdef Signal signal = Signal.__new__(Signal)
    signal.kind = kind
    signal.value = value
    signal.detail = detail
    return signal


@cython.final
cdef class DeferredCall:
    """A call that is made without holding the token."""

    cdef int run(self) except -1:
        """Make the call; raises only interrupts. An Exception goes to the hook: rules 3.15 and 3.16 forbid it."""
        try:
            if self.n > 0:
                self.target.request(self.n)
            elif self.n == CANCEL:
                self.target.cancel()
            else:
                self.target()
        except Exception as error:
            call = "request" if self.n > 0 else "cancel" if self.n == CANCEL else "on_empty"
            dropped(call, error, origin=self.origin)
        return 0


@cython.final
cdef class Upstream:
    """The requests from the upstream, and the upstreams that must be cancelled."""

    def __init__(self, str origin):
        self.origin = origin
        self.unwanted = []

    cdef int attach(self, object subscription) except -1:
        self.subscription = subscription
        return 0

    cdef int refuse(self, object subscription) except -1:
        """Schedule the cancellation of a second one (§2.5)."""
        self.unwanted.append(subscription)
        return 0

    cdef int detach(self, bint cancels) except -1:
        """Drop the upstream; `cancels`: it has not ended by itself."""
        cdef object _detached = self.subscription  # freed when nothing is half done
        if cancels and _detached is not None:
            self.unwanted.append(_detached)
        self.subscription = None
        self.in_flight = 0
        return 0

    cdef int lower_in_flight(self, int64_t n) noexcept:
        if self.in_flight != INT64_MAX:
            self.in_flight = max(0, self.in_flight - n)
        return 0

    cdef DeferredCall next_call(self, int64_t wanted):
        """Return the next call of an upstream, or None; `wanted` is how many more elements may be requested."""
        cdef DeferredCall call
        if self.unwanted:
            return deferred_call(self.unwanted.pop(0), CANCEL, self.origin)
        if self.subscription is None or wanted <= 0:
            return None
        call = deferred_call(self.subscription, wanted, self.origin)
        self.in_flight = INT64_MAX if wanted == INT64_MAX else self.in_flight + wanted
        return call


cdef DeferredCall deferred_call(object target, int64_t n, str origin):
    cdef DeferredCall call = DeferredCall.__new__(DeferredCall)
    call.target = target
    call.n = n
    call.origin = origin
    return call


class OfferResult(enum.Enum):
    """The result of an offer to a subject."""

    ACCEPTED = "accepted"
    """Every subscriber has or will get the element, or it is retained for later ones."""
    NO_SUBSCRIBER = "no subscriber"
    """There is no subscriber. The caller still owns the element."""
    NO_DEMAND = "no demand"
    """A subscriber has no demand or capacity, so none got the element. The caller still owns it."""
    TERMINATED = "terminated"
    """The subject has ended or was disposed. The caller still owns the element."""

    @property
    def is_accepted(self) -> bool:
        """Whether the element was accepted."""
        return self is OfferResult.ACCEPTED


# By Outcome, for offers.
cdef tuple _RESULTS = (
    OfferResult.ACCEPTED, None, OfferResult.TERMINATED, OfferResult.NO_SUBSCRIBER, OfferResult.NO_DEMAND
)


@cython.binding(False)  # a plain method descriptor: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class SubjectInput(CompiledSubscriber):
    """The side of a subject into which elements are pushed; the base of the subjects in memory.

    It is meant to be subclassed: a subclass sets `_core`, and defines `_refuse_element(element)`, which is called after
    the end.
    """

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `SubjectInput[element_type]`, for base classes."""
        return GenericAlias(cls, element_type)

    def on_next(self, element, /):
        """Send an element by the policy. Always runs user code: that of the subscribers.

        While another thread delivers, or inside a delivery, the element waits. If more wait than the bound, 1024 or the
        capacity of the policy, the policy decides whether the element is dropped or the subject fails. After the end an
        element goes to the hook for dropped signals.

        Raises:
            NullElementError: The element is None (§2.13).
            SubjectDisposedError: The subject was disposed and has no upstream; elements of an upstream may arrive late
                (§2.8).
        """
        self.accept(element)

    cdef int accept(self, object element) except -1:
        cdef SubjectCore core = self._core
        if core is None:
            raise AttributeError(f"{type(self).__name__} has no core; call __init__ of its base before it is used")
        if not core.accept(element):
            self._refuse_element(element)
        return 0

    cdef int receive(self, PyObject* element) noexcept:
        cdef int outcome = (<Accepts>_accept)(self, element)
        decref(element)
        return outcome


# Whose -1 means that an exception is set, as in subscription.pyx.
ctypedef int (*Accepts)(SubjectInput subject, PyObject* element) noexcept


cdef int _accept(SubjectInput subject, PyObject* element) except -1:
    return subject.accept(<object>element)


@cython.final
cdef class SubjectCore:
    """Pass the signals of producers to the sources of all subscriptions.

    Args:
        label: The name of the subject in messages.
        policy: The policy, with `capacity`, `on_overflow`, `is_lockstep`, `is_ahead`, `is_lossy`, `drops_for_slow`.
        is_shared: False: it serves only one subscription, and retains up to `capacity` elements until that arrives.
        replay_limit: How many of the last elements a shared one retains for later subscriptions.
        max_age: How old these may be, a timedelta; None means any age.
        scheduler: The scheduler whose clock measures the age; required with `max_age`.
        remembers_end: Whether a late subscription gets the terminal signal.
        auto_cancel: Whether the upstream of a shared one is cancelled when its last subscription was cancelled.
        delay_error: Whether an error is sent after elements that were not requested yet.
    """

    def __cinit__(
        self, str label not None, policy, *, bint is_shared=True, int64_t replay_limit=0, max_age=None, scheduler=None,
        bint remembers_end=True, bint auto_cancel=False, bint delay_error=True
    ):
        self.label = label
        self.capacity = policy.capacity
        self.on_overflow = policy.on_overflow
        self.is_ahead = policy.is_ahead
        self.is_lockstep = policy.is_lockstep
        self.is_lossy = policy.is_lossy
        self.drops_for_slow = policy.drops_for_slow
        self.auto_cancel = auto_cancel
        self.delay_error = delay_error
        self.max_age = max_age
        self.scheduler = scheduler
        self.registry = SubscriberRegistry(
            self.capacity, self.on_overflow, remembers_end, is_shared, replay_limit if is_shared else self.capacity
        )
        self.upstream = Upstream(label)
        # relaxed: sharing it with another thread publishes it
        self.word.store(0, memory_order_relaxed)
        self.has_closed.store(0, memory_order_relaxed)  # relaxed: as above
        self.demand_changed.store(0, memory_order_relaxed)  # relaxed: as above
        self.reach_changed.store(1, memory_order_relaxed)  # relaxed: as above

    # --- producers ----------------------------------------------------------------------------------------------------

    def accept_element(self, element) -> bool:
        """Pass an element on; return False if the subject accepts nothing more, and the caller keeps the element."""
        return self.accept(element)

    cdef bint accept(self, object element) except -1:
        cdef int outcome = PUT
        cdef Signal lost
        if element is None:
            raise null_element("on_next")
        if try_acquire_idle(self.word):
            if self._push_at_once(element):
                return True
            if not try_release(self.word, MISSED):
                self.deliver()
        lost = self.registry.put_element(new_signal(PUSH, element, self._now()), &outcome)
        if outcome == PUT_CLOSED:
            return False
        if outcome == PUT_FULL:
            return self._fail_full(element)
        try:
            self.notify()
        finally:
            # After the notification, so that elements that the hook pushes follow this one.
            if lost is not None:
                dropped("on_next", lost.value, origin=self.label)
        return True

    def accept_from(self, elements, Demand demand not None, TreeNode node not None) -> None:
        """Pass on what waits in a deque, one after the other, while there is demand and a scheduler runs.

        Args:
            elements: The deque; each element is taken out before it is passed on.
            demand: How many may be passed on; what is requested meanwhile counts.
            node: Of the scheduler whose task calls this: it returns once that pauses.
        """
        take_first = elements.popleft
        # relaxed: whoever pauses the scheduler waits for this task
        while elements and node.status.load(memory_order_relaxed) == RUNNING:
            if demand_take_up_to(demand.value_word, 1) == 0:
                break
            element = take_first()
            if not self.accept(element):
                dropped("on_next", element, origin=self.label)

    def offer(self, element):
        """Pass an element on if every subscriber can accept it, else do nothing; return the OfferResult."""
        cdef int outcome
        cdef Signal signal
        cdef bint has_token
        if element is None:
            raise null_element("offer")
        signal = new_signal(OFFER, element, self._now())
        has_token = try_acquire(self.word)
        try:
            if has_token:
                self.registry.look()
                self.registry.set_accepted(self.registry.seen_changes, self.accepted_by_all())
            outcome = self.registry.offer(signal)
        finally:
            if has_token:
                self.deliver()
        if outcome == PUT and not has_token:
            self.notify()
        return _RESULTS[outcome]

    def accept_end(self, error) -> bool:
        """End: complete, or fail with an error; return False if the subject accepts nothing any more."""
        return self._put(END, as_exception(error), False)

    def accept_subscription(self, subscription) -> bool:
        """Accept the subscription of an upstream; False: there is one already, or the end: it was cancelled (§2.5)."""
        if subscription is None:
            raise null_subscription()
        if isinstance(subscription, SubscriberStage):
            drain_as_consumer(subscription)
        if self._put(UPSTREAM, subscription, None):
            return True
        deferred_call(subscription, CANCEL, self.label).run()
        return False

    def seal(self, refuse, on_empty) -> None:
        """Refuse further subscriptions.

        Args:
            refuse: Makes the error for new subscribers.
            on_empty: Called once, without arguments, when no subscription is left; an Exception that it raises goes to
                the hook for dropped signals.
        """
        self._put(SEAL, refuse, on_empty)

    def dispose(self, refuse) -> None:
        """Accept nothing more: subscriptions end with the error that `refuse` makes, and the upstream is cancelled."""
        self._put(DISPOSE, refuse, None)

    @property
    def subscriber_count(self):
        """How many subscriptions get elements."""
        return self.registry.present_count()

    def sources(self) -> list:
        """Return the node that each of its subscriptions has, in the order in which they came; any thread."""
        cdef list found = []
        cdef SourcePlace place
        with cython.critical_section(self.registry):  # nothing in it runs other code
            place = self.registry.first_place
            while place is not None:
                if place.source is not None:
                    found.append(place.source)
                place = place.following
        return found

    # --- state: the host, while nothing flows -------------------------------------------------------------------------

    @property
    def is_flowing(self) -> bool:
        """Whether somebody delivers, or something waits for it."""
        # relaxed: where the host has stopped what flows, that is no news
        return (self.word.load(memory_order_relaxed) & TOKEN) != 0 or not self.registry.is_empty()

    @property
    def state_differs(self) -> bool:
        """Whether what is retained, or an end, is not what was saved or loaded last."""
        return (
            self.saved_flags != self._flags()
            or self.saved_retained != self.registry.retained
            or self.saved_last is not self.registry.last_retained
            or self.registry.is_sealed and self.saved_present != self.registry.present + self.registry.expected
        )

    def save_fields(self, writer) -> None:
        """Write what late subscribers get: what is retained, with its times, and the end."""
        cdef Signal signal = self.registry.first_retained
        cdef list elements = [], times = []
        while signal is not None:
            elements.append(signal.value)
            times.append(signal.detail)
            signal = signal.following
        writer.write(elements)
        writer.write(times if self.max_age is not None else None)
        writer.write(bool(self.registry.is_over))
        writer.write(self.registry.end_error)
        writer.write(bool(self.registry.had_source))
        # Others come and go, which changes nothing for who comes later.
        is_counted = self.registry.is_sealed or not self.registry.is_shared
        writer.write(self.registry.present + self.registry.expected if is_counted else 0)
        self._note_saved()

    def load_fields(self, reader) -> None:
        """Read what `save_fields` has written, before there are subscribers and elements."""
        cdef SubscriberRegistry registry = self.registry
        cdef list elements = reader.read(list)
        cdef object times = reader.read((list, type(None)))
        cdef Signal signal
        if len(elements) > registry.replay_limit or times is not None and len(times) != len(elements):
            raise StateError(
                f"{self.label} retained {len(elements)} elements when it was saved, and retains at most "
                f"{registry.replay_limit} now; make it with the arguments that it had"
            )
        for place in range(len(elements)):
            signal = new_signal(PUSH, elements[place], None if times is None else times[place])
            if registry.last_retained is None:
                registry.first_retained = signal
            else:
                registry.last_retained.following = signal
            registry.last_retained = signal
            registry.retained += 1
        registry.is_over = reader.read(bool)
        registry.end_error = read_error(reader)
        registry.is_closed = registry.is_over
        registry.had_source = reader.read(bool)
        if registry.had_source:
            registry.retains = False
        registry.expected = reader.read_count()
        self._note_saved()

    def loaded(self) -> None:
        """Take what was done since `load_fields` for a part of the state that was loaded."""
        self._note_saved()

    cdef int _flags(self) noexcept:
        cdef SubscriberRegistry registry = self.registry
        return registry.is_over + 2 * registry.had_source + 4 * registry.is_sealed + 8 * registry.is_disposed

    cdef void _note_saved(self) noexcept:
        self.saved_last = self.registry.last_retained
        self.saved_retained = self.registry.retained
        self.saved_present = self.registry.present + self.registry.expected
        self.saved_flags = self._flags()

    cdef object _now(self):
        """The time, read in the signalling thread: a clock may raise."""
        return None if self.max_age is None else self.scheduler.now

    cdef bint _push_at_once(self, object element) except -1:
        """Deliver an element past the registry; requires the token, and releases it, unless it has to be put there."""
        cdef SubscriberRegistry registry = self.registry
        # relaxed: clearing MISSED, or taking the token, has acquired it; closing a source later notifies
        if self.has_closed.load(memory_order_relaxed) or not registry.look_if_nothing_waits():
            return False
        self._find_reach()
        registry.take_accepted(registry.seen_changes, self.reach.least)
        self.demand_changed.store(1, memory_order_relaxed)  # relaxed: a note to itself
        if (<Sends>_send_pushed)(self, element) == -1:
            self.note_raised(caught())
        if self._has_nothing_to_do() and try_release(self.word, MISSED):
            return True
        self.deliver()
        return True

    cdef bint _has_nothing_to_do(self) noexcept:
        """Whether no more has to be done after an element, if no signal waits."""
        return (
            self.upstream.subscription is None
            and not self.upstream.unwanted
            and self.on_empty is None
            and self.interrupt is None
            and not self.has_closed.load(memory_order_relaxed)  # relaxed: as in _push_at_once()
        )

    cdef bint _put(self, int kind, object value, object detail) except -1:
        cdef bint is_taken = self.registry.put_control(new_signal(kind, value, detail))
        if is_taken:
            self.notify()
        return is_taken

    cdef bint _fail_full(self, object element) except -1:
        """End because the queue is full; return False if there is already an end."""
        return self._put(END, CapacityError(
            f"{self.label} got {safe_repr(element)} while {self.registry.most_waiting} elements wait for the thread "
            f"that delivers; push from fewer threads or less inside on_next, or offer() elements and check the result"
        ), True)

    # --- sources: any thread ----------------------------------------------------------------------------------------

    cdef bint refuses_elements(self) noexcept:
        """Return whether it has an end, or was disposed; what came before may still wait."""
        return self.registry.refuses_elements()

    cdef int add_source(self, SubjectSource source) except -1:
        """Add a source, which gets the retained and all later elements, or only an end."""
        cdef object now = self._now()
        cdef Admission admission
        if source.is_closed():  # it was cancelled meanwhile
            return 0
        admission = self.registry.add(source)
        if admission.refuse is not None:
            source_end(source, admission.refuse())
        elif admission.is_second:
            source_end(source, SourceUsedTwiceError(
                f"§1.11: {self.label} has a subscriber, or had one, and serves only one; use a shared subject",
                rule="1.11",
            ))
        else:
            self._replay(admission, source, now)
            if admission.is_over:
                source_end(source, admission.end_error)
            elif source.is_closed():  # R7
                self.source_closed(source)
        return 0

    cdef int _replay(self, Admission admission, SubjectSource source, object now) except -1:
        """Put the retained elements into a source that is not open yet."""
        cdef Signal signal = admission.first
        cdef int64_t skipped = 0
        cdef object oldest = None if self.max_age is None else now - self.max_age
        while signal is not None:
            if oldest is None or not signal.detail < oldest:
                source.waiting.append(signal.value)
                source.has_waiting.store(1, memory_order_relaxed)  # relaxed: opening it publishes it
            else:
                skipped += 1
            signal = None if signal is admission.last else signal.following
        return source.skip(skipped)

    cdef int source_closed(self, SubjectSource source) except -1:
        self.registry.note_closed(source)
        self.has_closed.store(1, memory_order_relaxed)  # relaxed: notify() releases it
        return self.notify()

    cdef int source_changed(self) except -1:
        self.reach_changed.store(1, memory_order_relaxed)  # relaxed: notify() releases it
        self.demand_changed.store(1, memory_order_relaxed)  # relaxed: notify() releases it
        return self.notify()

    # --- the token: any thread --------------------------------------------------------------------------------------

    cdef int notify(self) except -1:
        """Make sure that signals are handled: by the deliverer, or by this thread (I2)."""
        if acquire_or_mark(self.word) & TOKEN:
            return 0
        return self.deliver()

    # --- the token: the deliverer -------------------------------------------------------------------------------------

    cdef int deliver(self) except -1:
        """Handle waiting signals, make calls, then go idle. Requires the token; releases it."""
        cdef SubjectCore _held = self  # user code may drop the last other reference
        cdef DeferredCall call
        cdef bint is_idle
        cdef object first = None  # the first exception
        while True:
            call = None
            is_idle = False
            clear_missed(self.word)  # before the checks (I2)
            try:
                is_idle = not self.handle_one()
                # Only once after each element, for the requests of all its subscribers: determining what to request
                # takes longer the more there are. If nothing else waits, that is in the next round.
                if is_idle or not self.registry.is_empty():
                    # relaxed: a part of the word, so it is not older than the exchange above
                    call = self.find_call(not self.word.load(memory_order_relaxed) & CALLING)
            except BaseException as error:
                self.note_raised(error)
            raised, self.interrupt = self.interrupt, None
            first = raised if first is None else first
            if call is not None:
                if call.n != CALL:
                    set_relaxed(self.word, CALLING)  # releasing the token publishes it (I3)
                release_token(self.word)
                try:
                    call.run()
                except BaseException as error:
                    first = error if first is None else first
                if call.n != CALL:
                    clear_release(self.word, CALLING)
                if acquire_or_mark(self.word) & TOKEN:
                    break
            elif is_idle and try_release(self.word, MISSED):
                break
        if first is not None:
            raise first
        return 0

    cdef int note_raised(self, object error) except -1:
        """Store an exception of user code; the first is raised after the token was released (I4)."""
        if self.interrupt is None:
            self.interrupt = error
        return 0

    # --- elements and ends: the deliverer -----------------------------------------------------------------------------

    cdef bint handle_one(self) except -1:
        """Take out the next signal and handle it."""
        cdef Signal signal
        if self.prune_closed():
            self._disconnect()
        if self.registry.is_empty():
            return False
        self.registry.look()
        signal = self.registry.take(self.registry.seen_changes, self.accepted_by_all())
        if signal is None:
            return False
        self.demand_changed.store(1, memory_order_relaxed)  # relaxed: a note to itself
        if signal.kind == PUSH or signal.kind == OFFER:
            self._deliver_element(signal)
        else:
            self._handle(signal)
        return True

    cdef int _disconnect(self) except -1:
        """Cancel the upstream, because no source is left: permanently, or until there are others."""
        if not self.registry.is_shared:
            self.is_abandoned = True
            return self.upstream.detach(True)
        if not self.auto_cancel or self.upstream.subscription is None:
            return 0
        error = StreamCancelledError(
            f"{self.label} cancelled its upstream when its last subscriber left, because of auto_cancel; subscribe it "
            f"to another publisher first, or create it without auto_cancel"
        )
        return self.upstream.detach(True) if self.registry.disconnect(error) else 0

    cdef int _handle(self, Signal signal) except -1:
        if signal.kind == END:
            return self._end(signal.value, signal.detail)
        if signal.kind == DISPOSE:
            return self._dispose(signal.value)
        if signal.kind == UPSTREAM:
            if self.upstream.subscription is not None:  # it arrived while the previous one was being cancelled
                return self.upstream.refuse(signal.value)
            self.upstream.attach(signal.value)
            return self.upstream.detach(True) if self.is_abandoned else 0
        self.registry.close(signal.value, False)
        self.on_empty = signal.detail
        return 0

    cdef int _deliver_element(self, Signal signal) except -1:
        """Retain an element, and pass it to all sources."""
        if self.registry.is_over:  # it was pushed before the end
            dropped("on_next", signal.value, origin=self.label)
            return 0
        if self.registry.is_disconnected:  # on its way when the upstream was cancelled (§2.8)
            return 0
        if not self.registry.retain(signal):
            if self._fail_unserved(signal.value):
                return 0
            self.registry.retain(signal)  # for the sources that have arrived: nothing is retained any more
        self.registry.evict(True)
        if signal.kind == PUSH:
            self.send_pushed(signal.value)
        else:
            self._send_or_drop(signal.value)
        return self._evict_old(signal.detail)

    cdef int send_pushed(self, object element) except -1:
        self._send_or_drop(element)
        return self.upstream.lower_in_flight(1)  # an offered element was not requested from the upstream

    cdef int _send_or_drop(self, object element) except -1:
        self.send(element)
        if self.is_abandoned and self.registry.present_count() == 0:  # the only possible subscriber has left
            dropped("on_next", element, origin=self.label)
        return 0

    cdef int _evict_old(self, object now) except -1:
        """Evict elements that are too old."""
        if self.max_age is not None:
            oldest = now - self.max_age
            while self.registry.first_retained is not None and self.registry.first_retained.detail < oldest:
                self.registry.evict(False)
        return 0

    cdef bint _fail_unserved(self, object element) except -1:
        """End because too many elements wait for the only subscription; return False if that has arrived meanwhile."""
        cdef object error = CapacityError(
            f"{self.label} got one more element while {self.registry.replay_limit} wait for its subscriber; subscribe "
            f"first, raise capacity, or offer() elements and check the result"
        )
        if not self.registry.end_unserved(error):
            return False
        self.is_abandoned = True
        self.upstream.detach(True)
        dropped("on_next", element, origin=self.label)
        return True

    cdef int _end(self, object error, bint cancels) except -1:
        self.upstream.detach(cancels)
        self.registry.end(error)
        return self.send_end(error, error is not None and not self.delay_error)

    cdef int _dispose(self, object refuse) except -1:
        self.is_abandoned = True
        self.on_empty = None
        self.upstream.detach(True)
        self.registry.close(refuse, True)
        return 0 if self.registry.seen_first is None else self.send_end(self._error_of(refuse), False)

    cdef int send(self, object element) except -1:
        """Pass an element to all sources, even if one of them raises."""
        cdef SourcePlace place = self.registry.seen_first
        cdef SourcePlace last = self.registry.seen_last
        cdef SubjectSource source
        cdef FanOut fan_out
        cdef Reach reach
        cdef int outcome
        fan_out.run = NULL
        fan_out.is_shared = False
        _begin_reach(&reach, self.registry.seen_changes)
        self.reach_changed.store(0, memory_order_relaxed)  # relaxed: clearing MISSED has acquired it
        while place is not None:
            source = place.source
            if source is not None:
                outcome = source.take_at_once(&fan_out, element)
                if outcome == KEPT or outcome == KEPT_RAISED:
                    if outcome == KEPT_RAISED:
                        self.note_raised(caught())
                    end_fan_out(&fan_out)  # it is drained in a run of its own
                    outcome = (<Gives>_give_to)(self, source, element)
                    if outcome != 1:
                        if outcome == -1:
                            self.note_raised(caught())
                        self._note_if_closed(source)
                    source.reach(&reach)
                else:
                    if outcome == -1:
                        self.note_raised(caught())
                        self._note_if_closed(source)
                    source.reach_idle(&reach)
            place = None if place is last else place.following
        end_fan_out(&fan_out)
        self.reach = reach
        return 0

    cdef void _note_if_closed(self, SubjectSource source) noexcept:
        """Let a source be removed if it accepts nothing any more."""
        if source.is_closed():
            self.registry.note_closed(source)
            self.has_closed.store(1, memory_order_relaxed)  # relaxed: a note to itself

    cdef bint _give(self, SubjectSource source, object element) except -1:
        """Pass an element to a source by the policy; return False if the source accepts nothing any more."""
        if self.is_ahead or self.is_lockstep or source.requested() > 0:
            return source.give(element)
        if self.drops_for_slow:
            dropped("on_next", element, origin=source.origin)
            return True
        source_end(source, CapacityError(
            f"{self.label} got {safe_repr(element)}, which this subscriber has not requested; request more or earlier, "
            f"or give the subject the policy lockstep, drop_slow or buffer"
        ))
        return False

    cdef int send_end(self, object error, bint at_once) except -1:
        """End all sources, even if one raises; `at_once`: before waiting elements. They have left the registry."""
        cdef SourcePlace place = self.registry.seen_first
        cdef SourcePlace following
        cdef SubjectSource source
        self.registry.seen_first = self.registry.seen_last = None
        while place is not None:
            source, place.source = place.source, None
            if source is not None:
                try:
                    if at_once:
                        source.cut()
                    source_end(source, error)
                except BaseException as trouble:
                    self.note_raised(trouble)
            following, place.following = place.following, None
            place = following
        return 0

    cdef bint prune_closed(self) except -1:
        # relaxed: clearing MISSED has acquired it; closing a source later sets it again
        if not self.has_closed.exchange(0, memory_order_relaxed):
            return False
        if self.is_lockstep:  # the others may be ahead of the removed one
            self.demand_changed.store(1, memory_order_relaxed)  # relaxed: a note to itself
        return self.registry.prune_closed()

    cdef object _error_of(self, object refuse):
        """Return the error for the subscribers to end; if making it fails, the exception of that."""
        try:
            return refuse()
        except Exception as error:
            return error
        except BaseException as error:
            self.note_raised(error)
            return StreamCancelledError(f"{self.label} was interrupted while it was disposed; use another subject")

    # --- demand: the deliverer ----------------------------------------------------------------------------------------

    cdef int64_t accepted_by_all(self) noexcept:
        """How many elements all sources that the registry has read accept now, or NOBODY."""
        cdef int64_t to_keep = self.registry.free_replay()
        cdef int64_t least
        if to_keep != NOBODY and not self.registry.is_shared:
            return to_keep
        self._find_reach()
        least = self.reach.least
        return to_keep if least == NOBODY else least

    cdef DeferredCall find_call(self, bint may_call):
        cdef object on_empty = self.on_empty
        cdef int64_t wanted
        cdef int64_t lost = self.registry.take_lost()
        if lost:
            self.upstream.lower_in_flight(lost)
            self.demand_changed.store(1, memory_order_relaxed)  # relaxed: a note to itself
        if on_empty is not None and self.registry.present_count() == 0 and self.registry.expected == 0:
            self.on_empty = None
            return deferred_call(on_empty, CALL, self.label)
        if not may_call:
            return None
        wanted = 0
        if self.upstream.subscription is not None and not self.upstream.unwanted:
            # relaxed: clearing MISSED has acquired it; a later change sets it again
            if self.demand_changed.exchange(0, memory_order_relaxed):
                wanted = self.wanted(self.upstream.in_flight)
        return self.upstream.next_call(wanted)

    cdef int _find_reach(self) noexcept:
        """Bring `reach` up to date for the sources that the registry has read."""
        # relaxed: clearing MISSED has acquired it; a later change sets it again, and only adds
        if self.reach_changed.load(memory_order_relaxed) or self.reach.changes != self.registry.seen_changes:
            self._renew_reach()
        return 0

    cdef int _renew_reach(self) noexcept:
        cdef SourcePlace place = self.registry.seen_first
        cdef SourcePlace last = self.registry.seen_last
        self.reach_changed.store(0, memory_order_relaxed)  # relaxed: as in _find_reach(); before the sources are read
        _begin_reach(&self.reach, self.registry.seen_changes)
        while place is not None:
            if place.source is not None:
                place.source.reach(&self.reach)
            place = None if place is last else place.following
        return 0

    cdef int64_t wanted(self, int64_t in_flight) except -2:
        """How many elements to request from the upstream now, if `in_flight` are on their way."""
        cdef int64_t wanted
        cdef bint fills_capacity
        if in_flight == INT64_MAX or in_flight >= self.capacity and not self.is_lossy:  # no capacity is larger
            return 0
        self.registry.look()
        self._find_reach()
        if self.is_lossy:
            return INT64_MAX if self.reach.most >= 0 else 0
        if self.is_lockstep and self.reach.has_opening:  # it requests when it is open
            return 0
        wanted = self.reach.least if self.is_lockstep else self.reach.most
        fills_capacity = self.reach.least_fills if self.is_lockstep else self.reach.most_fills
        wanted -= in_flight
        # In batches while elements are on their way: otherwise a fast subscriber would cause a request per element.
        if wanted <= 0 or (fills_capacity and in_flight and 4 * wanted < self.capacity):
            return 0
        return wanted


# Whose -1 means that an exception is set, as in subscription.pyx.
ctypedef int (*Sends)(SubjectCore core, object element) noexcept
ctypedef int (*Gives)(SubjectCore core, SubjectSource source, object element) noexcept


cdef int _give_to(SubjectCore core, SubjectSource source, object element) except -1:
    return core._give(source, element)


cdef int _send_pushed(SubjectCore core, object element) except -1:
    return core.send_pushed(element)


cdef inline void _begin_reach(Reach* reach, int64_t changes) noexcept:
    reach.changes = changes
    reach.least = NOBODY
    reach.most = -1
    reach.least_fills = reach.most_fills = reach.has_opening = False


cdef inline void _widen_reach(Reach* reach, int64_t accepts, int64_t free) noexcept:
    if reach.least == NOBODY or accepts < reach.least:
        reach.least = accepts
        reach.least_fills = accepts == free
    if accepts > reach.most:
        reach.most = accepts
        reach.most_fills = accepts == free


cdef class SubjectSource(EmitterSource):
    """Send the elements of a subject to one subscriber, on its demand.

    Args:
        core: The core of the subject.

    State: the elements that arrived and were not sent, and the end after them. Demand is not saved.
    """

    def __init__(self, SubjectCore core not None):
        EmitterSource.__init__(self, None, core.on_overflow, core.capacity, DEFAULT_BLOCK_TIMEOUT_SECONDS)
        self.core = core
        self.most_waiting = self.queue.capacity
        self.waiting = deque()
        self.ever_requested.store(0, memory_order_relaxed)  # relaxed: sharing it with other threads publishes it
        self.is_cut.store(0, memory_order_relaxed)  # relaxed: as above
        self.has_waiting.store(0, memory_order_relaxed)  # relaxed: as above

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and whose elements it sends."""
        cdef dict facts = EmitterSource.inspect(self)
        facts["buffered"] += len(self.waiting)
        facts["subject"] = self.core
        facts["is_lockstep"] = self.core.is_lockstep
        return facts

    # --- life cycle and requests ------------------------------------------------------------------------------------

    cdef int begin(self) except -1:
        EmitterSource.begin(self)
        if not self.is_closed():  # otherwise the state says that it has ended
            self.core.add_source(self)
        return 0

    cdef int open(self) except -1:
        return DemandOwner.open(self)  # there is no callback

    cdef int add_demand(self, int64_t n) except -1:
        demand_add(self.ever_requested, n)
        return DemandOwner.add_demand(self, n)

    @cython.final
    cdef int skip(self, int64_t n) except -1:
        if n:
            demand_add(self.ever_requested, n)  # as if requested: `ever_taken` now belongs to the deliverer
        return 0

    # --- the core's deliverer ---------------------------------------------------------------------------------------

    @cython.final
    cdef bint give(self, object element) except -1:
        self.ever_taken += 1
        self.has_given = True
        if self.emit(element) != EMIT_ACCEPTED:
            self.ever_taken -= 1
        return not self.is_closed()

    @cython.final
    cdef int take_at_once(self, FanOut* fan_out, object element) noexcept:
        """Send an element past the queue, if nothing waits and there is demand (I6)."""
        cdef int outcome
        # The queue before `waiting`, to which who saves adds what is in the queue. Only the deliverer puts elements
        # there, so it stays empty; once it is closed and empty, the word is never idle again.
        if self.scheduler is not None or self.has_given and not overflow_is_idle(self.queue):
            return KEPT
        self.has_given = False
        # relaxed: both are looked at again, or only cleared, by who has the token
        if self.has_waiting.load(memory_order_relaxed) or self.demand_word.load(memory_order_relaxed) == 0:
            return KEPT
        self.ever_taken += 1
        outcome = push_past_queue(fan_out, self, <PyObject*>element)
        if outcome != ACCEPTED:
            self.ever_taken -= 1
        return outcome

    @cython.final
    cdef int reach(self, Reach* reach) noexcept:
        cdef int64_t free, accepts
        if self.is_closed():
            return 0
        free = self.free_capacity()
        accepts = free if self.core.is_ahead else min(free, self.requested())
        if self.is_opening():
            reach.has_opening = True
            if reach.least == NOBODY or accepts < reach.least:
                reach.least = accepts
                reach.least_fills = accepts == free
        else:
            _widen_reach(reach, accepts, free)
        return 0

    @cython.final
    cdef int reach_idle(self, Reach* reach) noexcept:
        # relaxed: what is requested later sets `reach_changed`
        cdef int64_t demand = self.demand_word.load(memory_order_relaxed)
        cdef int64_t free = self.most_waiting
        _widen_reach(reach, free if self.core.is_ahead or demand > free else demand, free)
        return 0

    @cython.final
    cdef void cut(self) noexcept:
        self.is_cut.store(1, memory_order_release)  # release: pairs with the acquire in send()

    @cython.final
    cdef bint is_closed(self) noexcept:
        return overflow_is_closed(self.queue)

    @cython.final
    cdef bint is_opening(self) noexcept:
        # relaxed: it requests after it was opened
        return (self.state.load(memory_order_relaxed) & NEW) != 0

    @cython.final
    cdef int64_t requested(self) noexcept:
        # acquire: the requester's earlier writes are seen
        cdef int64_t requested = self.ever_requested.load(memory_order_acquire)
        return requested if requested == INT64_MAX else max(0, requested - self.ever_taken)

    @cython.final
    cdef int64_t free_capacity(self) noexcept:
        cdef int64_t waiting = overflow_pending(self.queue)
        # relaxed: as in take_at_once()
        if self.has_waiting.load(memory_order_relaxed):
            waiting += <int64_t>len(self.waiting)
        return max(0, self.most_waiting - waiting)

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int drain(self) except -1:
        try:
            return EmitterSource.drain(self)
        finally:
            self.core.source_changed()  # after the drain: now the demand and the waiting elements are known

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        # acquire: pairs with the release in cut(); closing the queue has notified the drainer
        if self.is_cut.load(memory_order_acquire):
            self._drop_waiting()
        while self.waiting and sent != n and not self.should_leave():
            element = self.waiting.popleft()
            incref(<PyObject*>element)
            self.changed = True
            if push(self, <PyObject*>element) == ACCEPTED:
                sent += 1
            else:
                self.unused += 1
        if not self.waiting and not self.should_leave():
            self.has_waiting.store(0, memory_order_relaxed)  # relaxed: releasing the token publishes it
            sent += EmitterSource.send(self, n - sent)
        if self.unused:
            demand_add(self.ever_requested, self.unused)   # drain() tells the core
            self.unused = 0
        return sent

    cdef void _drop_waiting(self) noexcept:
        """Pass the waiting elements to the hook, because the error overtakes them."""
        cdef PyObject* element
        while self.waiting:
            drop_signal(self, "on_next", self.waiting.popleft(), self.origin)
        element = overflow_poll(self.queue)
        while element is not NULL:
            drop_signal(self, "on_next", owned(element), self.origin)
            element = overflow_poll(self.queue)
        self.changed = True

    cdef void release(self) noexcept:
        EmitterSource.release(self)  # closes the queue
        self.waiting.clear()
        try:
            self.core.source_closed(self)  # S3
        except BaseException as error:
            release_failed(self, "cancel", error, self.origin)

    # --- state ------------------------------------------------------------------------------------------------------

    cdef bint differs_from_saved(self) noexcept:
        # New elements only add to the saved ones, which are all in `waiting`; the drainer records sent ones.
        cdef int64_t size = <int64_t>len(self.waiting) + overflow_pending(self.queue)
        return size != self.saved_size or self._has_ended() != self.saved_end

    cdef bint _has_ended(self) noexcept:
        return self.is_closed() and not self.queue.is_cancelled

    cdef int write_fields(self, object writer) except -1:
        cdef PyObject* element = overflow_poll(self.queue)
        while element is not NULL:  # there is no draining: elements may wait here
            self.waiting.append(owned(element))
            self.has_waiting.store(1, memory_order_relaxed)  # relaxed: releasing the token publishes it
            element = overflow_poll(self.queue)
        has_ended = self._has_ended()
        # acquire: as in send()
        writer.write([] if self.is_cut.load(memory_order_acquire) else list(self.waiting))
        writer.write(has_ended)
        writer.write(self.queue.end_error)
        self.saved_size = len(self.waiting)
        self.saved_end = has_ended
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.waiting = deque(reader.read(list))
        self.has_waiting.store(bool(self.waiting), memory_order_relaxed)  # relaxed: opening it publishes it
        has_ended = reader.read(bool)
        error = read_error(reader)
        self.is_loaded = True
        if has_ended:
            source_end(self, error)
        self.saved_size = len(self.waiting)
        self.saved_end = has_ended
        return 0
