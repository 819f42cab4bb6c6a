"""The hub of a subject: signals of producers come here, and go to the sources of all subscriptions.

Roles
    producer    any thread, also from inside a delivery or a finalizer: puts signals into the queue (subjects/signal_queue.pyx)
    subscriber  any thread: enters the register with its source (hub_register.pyx), and puts what is kept into it
    deliverer   the holder of the token (hub_delivery.pyx): takes signals out of the queue, keeps elements, gives them
                and the ends to the sources (hub_sources.pyx), finds what to request
    asker       calls the upstream, without the token (hub_upstream.pyx)
Requires: GIL, where there is one.

Invariants, besides those of these modules
    I1  There is one order: that in which signals go out of the queue. All sources see it, each from where it has
        entered; what waits in the queue then comes to it, too.
    I2  What is in flight goes down in the step in which all sources get the element, and the deliverer finds what to
        request between such steps. So that is never more than the room that was found for it.

Ordering: the register and the queue, has_leavers, has_asked, ever_requested of a source, then notify()  ->  the
deliverer's looks behind clearing MISSED: hub_delivery.pyx.

Bound: subjects/signal_queue.pyx, hub_register.pyx; each source bounds what waits in it.
Depth, Progress: hub_delivery.pyx.
"""

import enum

cimport cython
from libc.stdint cimport int64_t

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.stream.drain_task cimport drain_as_consumer
from rs_core.sources.emitter cimport source_end
from rs_core.subjects.signal_queue cimport (
    DISPOSE, END, NOBODY, OFFER, PUSH, PUT, PUT_CLOSED, PUT_FULL, SEAL, UPSTREAM, HubSignal, new_signal,
)
from rs_core.subjects.hub_register cimport HubEntry, HubRegister
from rs_core.subjects.hub_sources cimport HubSources
from rs_core.subjects.hub_upstream cimport CALL, CANCEL, HubErrand, HubUpstream, new_errand
from rs_core.interp.signal_arguments cimport as_exception, null_element, null_subscription
from rs_core.subjects.source cimport SubjectSource
from rs_core.ends.subscriber cimport SubscriberStage

from rs_core.dropped import dropped
from rs_core.errors import CapacityError, SourceUsedTwiceError, StreamCancelledError

__all__ = ["OfferResult", "SubjectHub"]


class OfferResult(enum.Enum):
    """What became of an element that was offered to a subject."""

    ACCEPTED = "accepted"
    """Every subscriber has it or will get it, or it is kept for those to come."""
    NO_SUBSCRIBER = "no subscriber"
    """Nobody is there. The element is still the caller's."""
    NO_DEMAND = "no demand"
    """A subscriber has not requested it or has no room, so that none got it. The element is still the caller's."""
    TERMINATED = "terminated"
    """The subject has ended or was disposed. The element is still the caller's."""

    @property
    def is_accepted(self) -> bool:
        """Whether the element was accepted."""
        return self is OfferResult.ACCEPTED


# By Outcome, those of offers.
cdef tuple _RESULTS = (
    OfferResult.ACCEPTED, None, OfferResult.TERMINATED, OfferResult.NO_SUBSCRIBER, OfferResult.NO_DEMAND
)


@cython.final
cdef class SubjectHub(HubSources):
    """Pass the signals of producers on to the sources of all subscriptions.

    Args:
        label: What the subject is called in messages.
        policy: Has `capacity`, `on_overflow`, `is_lockstep`, `is_ahead`, `is_lossy`, `drops_for_slow`.
        is_shared: False: it serves one subscription ever, and keeps up to `capacity` elements until that is there.
        most_kept: How many of the last elements a shared one keeps for subscriptions to come.
        max_age: How old these may be, a timedelta; None: of any age.
        scheduler: Whose clock tells the age; needed where there is a largest one.
        remembers_end: Whether a subscription behind the end is told of it.
        auto_cancel: Whether the upstream of a shared one is cancelled when its last subscription has left.
        delay_error: Whether an error waits behind elements that were not requested yet.
    """

    def __cinit__(
        self, str label not None, policy, *, bint is_shared=True, int64_t most_kept=0, max_age=None, scheduler=None,
        bint remembers_end=True, bint auto_cancel=False, bint delay_error=True
    ):
        self.set_policy(label, policy)
        self.register = HubRegister(
            self.capacity, self.on_overflow, remembers_end, is_shared, most_kept if is_shared else self.capacity
        )
        self.auto_cancel = auto_cancel
        self.delay_error = delay_error
        self.max_age = max_age
        self.scheduler = scheduler
        self.upstream = HubUpstream(label)

    # --- producers ----------------------------------------------------------------------------------------------------

    def accept_element(self, element) -> bool:
        """Pass an element on; False: the hub takes nothing any more, and the element is the caller's."""
        cdef int outcome = PUT
        cdef HubSignal lost
        if element is None:
            raise null_element("on_next")
        lost = self.register.push(new_signal(PUSH, element, self._now()), &outcome)
        if outcome == PUT_CLOSED:
            return False
        if outcome == PUT_FULL:
            return self._fail_full(element)
        try:
            self.notify()
        finally:
            # Behind the notification, so that what the hook pushes comes after this element.
            if lost is not None:
                dropped("on_next", lost.value, origin=self.label)
        return True

    def offer(self, element):
        """Pass an element on if every subscriber can take it, else do nothing; return the OfferResult."""
        cdef int outcome
        cdef HubSignal signal
        cdef bint has_token
        if element is None:
            raise null_element("offer")
        signal = new_signal(OFFER, element, self._now())
        has_token = self.try_take()
        try:
            if has_token:
                self.register.look()
                self.register.set_room(self.register.seen_changes, self._room())
            outcome = self.register.offer(signal)
        finally:
            if has_token:
                self.deliver()
        if outcome == PUT and not has_token:
            self.notify()
        return _RESULTS[outcome]

    def accept_end(self, error) -> bool:
        """End: complete, or fail with an error; False: it takes nothing any more."""
        return self._put(END, as_exception(error), False)

    def accept_subscription(self, subscription) -> None:
        """Take the subscription of an upstream; cancel it where there is one already (§2.5)."""
        if subscription is None:
            raise null_subscription()
        if isinstance(subscription, SubscriberStage):
            drain_as_consumer(subscription)
        if not self._put(UPSTREAM, subscription, None):
            new_errand(subscription, CANCEL, self.label).run()

    def seal(self, refuse, on_empty) -> None:
        """Refuse further subscriptions.

        Args:
            refuse: Makes the error that who subscribes gets.
            on_empty: Called once, without arguments, when no subscription is left; an Exception that it raises goes to
                the hook for dropped signals.
        """
        self._put(SEAL, refuse, on_empty)

    def dispose(self, refuse) -> None:
        """Take nothing more: subscriptions end with the error that `refuse` makes, the upstream is cancelled."""
        self._put(DISPOSE, refuse, None)

    @property
    def subscriber_count(self):
        """How many subscriptions get elements."""
        return self.register.present_count()

    cdef object _now(self):
        """The time, in the thread that signals: a clock may raise."""
        return None if self.max_age is None else self.scheduler.now

    cdef bint _put(self, int kind, object value, object detail) except -1:
        cdef bint is_taken = self.register.put(new_signal(kind, value, detail))
        if is_taken:
            self.notify()
        return is_taken

    cdef bint _fail_full(self, object element) except -1:
        """End because an element found no place; False: there is an end already."""
        return self._put(END, CapacityError(
            f"{self.label} got {shown(element)} while {self.register.most_waiting} elements wait for the thread that "
            f"delivers; push from fewer threads or less inside of on_next, or offer() elements and look at the result"
        ), True)

    # --- the deliverer: elements and ends ---------------------------------------------------------------------------

    cdef bint handle_one(self) except -1:
        """Take out what comes next and do it."""
        cdef HubSignal signal
        if self.forget_leavers():
            self._leave_upstream()
        if self.register.is_empty():
            return False
        self.register.look()
        signal = self.register.take(self.register.seen_changes, self._room())
        if signal is None:
            return False
        self.has_asked.store(1, memory_order_relaxed)  # relaxed: a note to itself
        if signal.kind == PUSH or signal.kind == OFFER:
            self._pass_on(signal)
        else:
            self._handle(signal)
        return True

    cdef int _leave_upstream(self) except -1:
        """Cancel the upstream, as nobody is left: for good, or until others have come."""
        if not self.register.is_shared:
            self.is_leaving = True
            return self.upstream.detach(True)
        if not self.auto_cancel or self.upstream.subscription is None:
            return 0
        error = StreamCancelledError(
            f"{self.label} cancelled its upstream when its last subscriber left, as auto_cancel has it; subscribe it "
            f"to another publisher first, or make it without auto_cancel"
        )
        return self.upstream.detach(True) if self.register.desert(error) else 0

    cdef bint has_more(self) noexcept:
        return not self.register.is_empty()

    cdef int _handle(self, HubSignal signal) except -1:
        if signal.kind == END:
            return self._end(signal.value, signal.detail)
        if signal.kind == DISPOSE:
            return self._dispose(signal.value)
        if signal.kind == UPSTREAM:
            if self.upstream.subscription is not None:  # it came while the one before was being cancelled
                return self.upstream.refuse(signal.value)
            self.upstream.attach(signal.value)
            return self.upstream.detach(True) if self.is_leaving else 0
        self.register.shut(signal.value, False)
        self.on_empty = signal.detail
        return 0

    cdef int _pass_on(self, HubSignal signal) except -1:
        """Keep an element, and give it to all sources."""
        if self.register.is_over:  # it was pushed before that
            dropped("on_next", signal.value, origin=self.label)
            return 0
        if self.register.is_deserted:  # on its way when the upstream was cancelled (§2.8)
            return 0
        if not self.register.keep(signal):
            if self._fail_unserved(signal.value):
                return 0
            self.register.keep(signal)  # for who has come: nothing is kept any more
        self.register.forget(True)
        self.send(signal.value)
        if self.is_leaving and self.register.present_count() == 0:  # the only subscriber there could be has left
            dropped("on_next", signal.value, origin=self.label)
        if signal.kind == PUSH:  # what is offered was not requested of the upstream
            self.upstream.lower_in_flight(1)
        return self._forget_old(signal.detail)

    cdef int _forget_old(self, object now) except -1:
        """Let go what is too old of what is kept."""
        if self.max_age is not None:
            oldest = now - self.max_age
            while self.register.first_kept is not None and self.register.first_kept.detail < oldest:
                self.register.forget(False)
        return 0

    cdef bint _fail_unserved(self, object element) except -1:
        """End because more waits for the only subscription than may; False: that has come meanwhile."""
        cdef object error = CapacityError(
            f"{self.label} got one more element while {self.register.most_kept} wait for its subscriber; subscribe "
            f"first, raise capacity, or offer() elements and look at the result"
        )
        if not self.register.end_unserved(error):
            return False
        self.is_leaving = True
        self.upstream.detach(True)
        dropped("on_next", element, origin=self.label)
        return True

    cdef int _end(self, object error, bint cancels) except -1:
        self.upstream.detach(cancels)
        self.register.end(error)
        return self.tell_end(error, error is not None and not self.delay_error)

    cdef int _dispose(self, object refuse) except -1:
        self.is_leaving = True
        self.on_empty = None
        self.upstream.detach(True)
        self.register.shut(refuse, True)
        return 0 if self.register.seen_first is None else self.tell_end(self._made(refuse), False)

    # --- subscriptions ----------------------------------------------------------------------------------------------

    cdef int join(self, SubjectSource source) except -1:
        """Let a source have what is kept, and what comes from now on; or an end, where that is all there is."""
        cdef object now = self._now()
        cdef HubEntry entry
        if source.is_closed():  # cancelled meanwhile
            return 0
        entry = self.register.enter(source)
        if entry.refuse is not None:
            source_end(source, entry.refuse())
        elif entry.is_second:
            source_end(source, SourceUsedTwiceError(
                f"§1.11: {self.label} has a subscriber, or had one, and serves only one; take a subject that is shared",
                rule="1.11",
            ))
        else:
            self._replay(entry, source, now)
            if entry.is_over:
                source_end(source, entry.end_error)
            elif source.is_closed():  # I8 of hub_register.pyx
                self.leave(source)
        return 0

    cdef int _replay(self, HubEntry entry, SubjectSource source, object now) except -1:
        """Put what was kept into a source that is not open yet."""
        cdef HubSignal signal = entry.first
        cdef int64_t skipped = 0
        cdef object oldest = None if self.max_age is None else now - self.max_age
        while signal is not None:
            if oldest is None or not signal.detail < oldest:
                source.waiting.append(signal.value)
            else:
                skipped += 1
            signal = None if signal is entry.last else signal.following
        return source.skip(skipped)

    cdef object _made(self, object refuse):
        """The error for who has to leave: what making it raises, where that fails."""
        try:
            return refuse()
        except Exception as error:
            return error
        except BaseException as error:
            self.keep(error)
            return StreamCancelledError(f"{self.label} was interrupted while it was disposed; subscribe to another one")

    # --- the deliverer: demand --------------------------------------------------------------------------------------

    cdef int64_t _room(self) noexcept:
        """How many elements everybody could take now whom the register has seen, or NOBODY."""
        cdef int64_t to_keep = self.register.room_to_keep()
        cdef int64_t least
        if to_keep != NOBODY and not self.register.is_shared:
            return to_keep
        least = self.least_room()
        return to_keep if least == NOBODY else least

    cdef HubErrand find_errand(self, bint may_ask):
        cdef object on_empty = self.on_empty
        cdef int64_t wanted
        cdef int64_t lost = self.register.take_lost()
        if lost:
            self.upstream.lower_in_flight(lost)
            self.has_asked.store(1, memory_order_relaxed)  # relaxed: a note to itself
        if on_empty is not None and self.register.present_count() == 0:
            self.on_empty = None
            return new_errand(on_empty, CALL, self.label)
        if not may_ask:
            return None
        wanted = 0
        if self.upstream.subscription is not None and not self.upstream.unwanted:
            # relaxed: clearing MISSED has acquired it; who changes something later sets it again
            if self.has_asked.exchange(0, memory_order_relaxed):
                wanted = self.wanted(self.upstream.in_flight)
        return self.upstream.next_errand(wanted)
