"""The hub of a subject: signals of producers come here, and go to the sources of all subscriptions.

Roles
    producer    any thread, also from inside a delivery or a finalizer: puts signals into the queue (hub_queue.pyx)
    subscriber  any thread: its source joins before it is opened, and tells when it is released or has more demand
    deliverer   the holder of the token (hub_delivery.pyx): takes signals out of the queue, keeps elements, gives them and
                the ends to the sources, finds what to request
    asker       calls the upstream, without the token
Requires: GIL, where there is one.

Invariants, besides those of the token and of the queue
    I1  Sources, what is kept, the end and what is in flight are touched by the deliverer alone.
    I2  There is one order: that in which signals go out of the queue. A source that joins gets what is kept, then every
        element that comes later in that order, and none twice. A join from inside a delivery is made at once where
        nothing waits and no step is half done: it has the same place in the order then.
    I3  What is in flight goes down in the step in which all sources get the element, and the deliverer finds what to
        request between such steps. So that is never more than the room that was found for it.

Ordering (write -> read that pairs with it): the queue, has_leavers, ever_requested of a source, then notify()  ->  the
deliverer's looks behind clearing MISSED: hub_delivery.pyx.

Bound: hub_queue.pyx; `most_kept` elements are kept for subscriptions to come; each source bounds what waits in it.
Depth, Progress: hub_delivery.pyx.
"""

import enum
from collections import deque

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.arguments cimport shown
from rs_core.emitter_source cimport source_end
from rs_core.hub_queue cimport (
    DISPOSE, END, JOIN, NOBODY, OFFER, PUSH, PUT, PUT_CLOSED, PUT_FULL, SEAL, UPSTREAM, HubQueue, HubSignal, new_signal,
)
from rs_core.hub_sources cimport HubSources
from rs_core.hub_upstream cimport CALL, CANCEL, HubErrand, HubUpstream, new_errand
from rs_core.signal_arguments cimport null_element, null_subscription
from rs_core.subject_source cimport SubjectSource

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
    """

    def __init__(
        self, str label not None, policy, *, bint is_shared=True, int64_t most_kept=0, max_age=None, scheduler=None,
        bint remembers_end=True
    ):
        self.set_policy(label, policy)
        self.is_shared = is_shared
        self.most_kept = most_kept if is_shared else self.capacity
        self.history = deque() if self.most_kept else None
        self.max_age = max_age
        self.scheduler = scheduler
        self.remembers_end = remembers_end
        self.queue = HubQueue(self.capacity, self.on_overflow, remembers_end)
        self.upstream = HubUpstream(label)

    # --- producers ----------------------------------------------------------------------------------------------------

    def accept_element(self, element) -> bool:
        """Pass an element on; False: the hub takes nothing any more, and the element is the caller's."""
        cdef int outcome = PUT
        cdef HubSignal lost
        if element is None:
            raise null_element("on_next")
        lost = self.queue.push(new_signal(PUSH, element, self._now()), &outcome)
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
                self.queue.set_room(self._room())
            outcome = self.queue.offer(signal)
        finally:
            if has_token:
                self.deliver()
        if outcome == PUT and not has_token:
            self.notify()
        return _RESULTS[outcome]

    def accept_end(self, error) -> bool:
        """End: complete, or fail with an error; False: it takes nothing any more."""
        return self._put(END, error, False)

    def accept_subscription(self, subscription) -> None:
        """Take the subscription of an upstream; cancel it where there is one already (§2.5)."""
        if subscription is None:
            raise null_subscription()
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

    cdef int join(self, SubjectSource source) except -1:
        """Let a source have what is kept, and what comes from now on; or an end, where that is all there is."""
        now = self._now()
        if self.is_inside_delivery() and self.queue.stop_offers():
            return self._join(source, now)  # I2: else a delivery that waits for what it subscribes to would wait for ever
        self._put(JOIN, source, now)
        return 0

    @property
    def subscriber_count(self):
        """How many subscriptions get elements."""
        return self.count_sources()

    cdef object _now(self):
        """The time, in the thread that signals: a clock may raise."""
        return None if self.max_age is None else self.scheduler.now

    cdef bint _put(self, int kind, object value, object detail) except -1:
        cdef bint is_taken = self.queue.put(new_signal(kind, value, detail))
        if is_taken:
            self.notify()
        return is_taken

    cdef bint _fail_full(self, object element) except -1:
        """End because an element found no place; False: there is an end already."""
        return self._put(END, CapacityError(
            f"{self.label} got {shown(element)} while {self.queue.most_waiting} elements wait for the thread that "
            f"delivers; push from fewer threads or less inside of on_next, or offer() elements and look at the result"
        ), True)

    # --- the deliverer: elements and ends -------------------------------------------------------------------------------

    cdef bint handle_one(self) except -1:
        """Take out what comes next and do it."""
        cdef HubSignal signal
        if self.forget_leavers() and self.had_source and not self.sources:
            self.is_leaving = True  # it is not shared, and nobody can come any more
            self.upstream.detach(True)
        if self.queue.is_empty():
            return False
        signal = self.queue.take(self._room())
        if signal is None:
            return False
        if signal.kind == PUSH or signal.kind == OFFER:
            self._pass_on(signal)
        else:
            self._handle(signal)
        return True

    cdef bint has_more(self) noexcept:
        return not self.queue.is_empty()

    cdef int _handle(self, HubSignal signal) except -1:
        if signal.kind == JOIN:
            return self._join(signal.value, signal.detail)
        if signal.kind == END:
            return self._end(signal.value, signal.detail)
        if signal.kind == DISPOSE:
            return self._dispose(signal.value)
        if signal.kind == UPSTREAM:
            self.upstream.attach(signal.value)
            return self.upstream.detach(True) if self.is_leaving else 0
        self.refuse = signal.value
        self.on_empty = signal.detail
        return 0

    cdef int _pass_on(self, HubSignal signal) except -1:
        """Keep an element, and give it to all sources."""
        if self.is_over:  # it was pushed before that
            dropped("on_next", signal.value, origin=self.label)
            return 0
        if self.history is not None:
            if not self.is_shared and <int64_t>len(self.history) >= self.most_kept:
                return self._fail_unserved()
            self.history.append(signal)
        self.send(signal.value)
        if signal.kind == PUSH:  # what is offered was not requested of the upstream
            self.upstream.lower_in_flight(1)
        return self._forget_old(signal.detail)

    cdef int _forget_old(self, object now) except -1:
        """Let go what is too much or too old of what is kept."""
        if self.history is None or not self.is_shared:
            return 0
        while <int64_t>len(self.history) > self.most_kept:
            self.history.popleft()
        if self.max_age is not None:
            oldest = now - self.max_age
            while self.history and (<HubSignal>self.history[0]).detail < oldest:
                self.history.popleft()
        return 0

    cdef int _fail_unserved(self) except -1:
        """End because more waits for the only subscription than may."""
        self.is_over = True
        self.is_leaving = True
        self.end_error = CapacityError(
            f"{self.label} got one more element while {self.most_kept} wait for its subscriber; subscribe first, raise "
            f"capacity, or offer() elements and look at the result"
        )
        self.queue.close()
        return self.upstream.detach(True)

    cdef int _end(self, object error, bint cancels) except -1:
        self.upstream.detach(cancels)
        if self.remembers_end:
            self.is_over = True
            self.end_error = error
        return self.tell_end(error)

    cdef int _dispose(self, object refuse) except -1:
        cdef object _dropped_history = self.history  # dies when nothing is half done
        self.is_leaving = True
        self.refuse = refuse
        self.on_empty = None
        self.history = None
        self.upstream.detach(True)
        return self.tell_end(self._made_refusal()) if self.sources else 0

    # --- the deliverer: subscriptions -----------------------------------------------------------------------------------

    cdef int _join(self, SubjectSource source, object now) except -1:
        cdef bint was_steady = self.is_steady
        cdef bint is_over = self.is_over
        cdef object refusal = None
        self.is_steady = False
        if not source.is_closed():  # I3 of subject_source.pyx
            try:
                refusal = self._refusal()
                if refusal is None:
                    self._admit(source, now)
            except BaseException as error:  # the source must not wait for ever
                refusal = error
                if not isinstance(error, Exception):
                    self.keep(error)
                    refusal = StreamCancelledError(f"{self.label} was interrupted while it let you in; subscribe again")
        self.is_steady = True
        try:
            source.admit()
            if refusal is not None:
                source_end(source, refusal)
            elif is_over:
                source_end(source, self.end_error)
        except BaseException as error:
            self.keep(error)
        self.is_steady = was_steady
        return 0

    cdef int _admit(self, SubjectSource source, object now) except -1:
        """Let a source have what is kept, and list it."""
        cdef object _kept = self.history  # dies when nothing is half done
        cdef HubSignal signal
        if _kept is not None and not (source.is_loaded and self.is_shared):
            self._forget_old(now)
            for signal in _kept:
                source.waiting.append(signal.value)
        if not self.is_shared:
            self.had_source = True
            self.history = None
        if not self.is_over:
            self.list_source(source)
        return 0

    cdef object _refusal(self):
        if self.refuse is not None:
            return self._made_refusal()
        if not self.is_shared and self.had_source:
            return SourceUsedTwiceError(
                f"§1.11: {self.label} has a subscriber, or had one, and serves only one; take a subject that is shared",
                rule="1.11",
            )
        return None

    cdef object _made_refusal(self):
        """The error for who may not subscribe, or has to leave: what it raises itself, where making it fails."""
        try:
            return self.refuse()
        except Exception as error:
            return error
        except BaseException as error:
            self.keep(error)
            return StreamCancelledError(f"{self.label} was interrupted while it told you why it takes nobody; look at it")

    # --- the deliverer: demand ------------------------------------------------------------------------------------------

    cdef int64_t _room(self) except -2:
        """How many elements everybody could take now, or NOBODY."""
        cdef int64_t least
        if self.history is not None and not self.is_shared:
            return max(0, self.most_kept - <int64_t>len(self.history))
        least = self.least_room()
        return INT64_MAX if least == NOBODY and self.history is not None else least

    cdef HubErrand find_errand(self, bint may_ask):
        cdef object on_empty = self.on_empty
        self.upstream.lower_in_flight(self.queue.take_lost())
        if on_empty is not None and not self.sources:
            self.on_empty = None
            return new_errand(on_empty, CALL, self.label)
        if not may_ask:
            return None
        return self.upstream.next_errand(0 if self.upstream.subscription is None else self.wanted(self.upstream.in_flight))
