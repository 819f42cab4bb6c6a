"""The hub of a subject: signals of producers come here, and go to the sources of all subscriptions.

Roles
    producer    any thread; one at a time, where all subscribers have to see the same order
    subscriber  any thread: its source joins before it is opened, and leaves when it is released
    asker       the one thread that set `is_asking`: calls the upstream (§2.7)

Invariants
    I1  What changes is used under `lock`. It is reentrant, since a finalizer may run anywhere; no signal and no hook
        is called under it, but for the clock of a scheduler.
    I2  A source that joins gets what is kept, then every element that comes later, and none twice: in one step an
        element is kept and the sources that get it are read; so does a source take what is kept, and join.
    I3  `in_flight` goes down behind the last source that got the element: so until then it is counted here, and what is
        requested of the upstream is never more than the room that was found for it.

Bound: `most_kept` elements are kept for subscriptions to come; what waits is bounded by each source.
Depth: an upstream that sends inside of `request` comes back here; what is requested then is left to the outer asker.
Progress: producers and subscribers wait for each other for as long as a few references are copied.
"""

import enum
from collections import deque
from threading import RLock

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.arguments cimport shown
from rs_core.emitter_source cimport source_end
from rs_core.signal_arguments cimport null_element, null_subscription
from rs_core.subject_source cimport SourceKeeper, SubjectSource

from rs_core.dropped import dropped
from rs_core.errors import CapacityError, SourceUsedTwiceError

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


@cython.final
cdef class SubjectHub(SourceKeeper):
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
        self.lock = RLock()
        self.label = label
        self.capacity = policy.capacity
        self.on_overflow = policy.on_overflow
        self.is_ahead = policy.is_ahead
        self.is_lockstep = policy.is_lockstep
        self.is_lossy = policy.is_lossy
        self.drops_for_slow = policy.drops_for_slow
        self.is_shared = is_shared
        self.most_kept = most_kept if is_shared else self.capacity
        self.history = deque() if self.most_kept else None
        self.max_age = max_age
        self.scheduler = scheduler
        self.remembers_end = remembers_end
        self.sources = ()

    # --- producers ----------------------------------------------------------------------------------------------------

    def accept_element(self, element) -> bool:
        """Pass an element on; False: the hub takes nothing any more, and the element is the caller's."""
        if element is None:
            raise null_element("on_next")
        with self.lock:
            if self.is_over or self.is_disposed:
                return False
            sources = self._take_in(element)
        self._send(sources, element)
        with self.lock:
            if 0 < self.in_flight < INT64_MAX:
                self.in_flight -= 1
        self.ask()
        return True

    def offer(self, element):
        """Pass an element on if every subscriber can take it, else do nothing; return the OfferResult."""
        cdef SubjectSource source
        if element is None:
            raise null_element("offer")
        with self.lock:
            if self.is_over or self.is_disposed:
                return OfferResult.TERMINATED
            if not self.sources and self.history is None:
                return OfferResult.NO_SUBSCRIBER
            if self._is_full():
                return OfferResult.NO_DEMAND
            for source in self.sources:
                if not source.has_room():
                    return OfferResult.NO_DEMAND
            sources = self._take_in(element)
        self._send(sources, element)
        return OfferResult.ACCEPTED

    def accept_end(self, error) -> bool:
        """End: complete, or fail with an error; False: it takes nothing any more."""
        with self.lock:
            if self.is_over or self.is_disposed:
                return False
            sources, self.sources = self.sources, ()
            self.upstream = None
            self.in_flight = 0
            if self.remembers_end:
                self.is_over = True
                self.end_error = error
            else:
                self.had_upstream = False
        self._tell_end(sources, error)
        return True

    cdef bint _is_full(self) except -1:
        """Whether no more elements can wait for the only subscription; under the lock."""
        return not self.is_shared and self.history is not None and len(self.history) >= self.most_kept

    cdef tuple _take_in(self, object element):
        """Keep an element, and return the sources that get it; under the lock."""
        if self._is_full():
            self.is_over = True
            self.is_leaving = True
            self.end_error = CapacityError(
                f"{self.label} got one more element while {self.most_kept} wait for its subscriber; subscribe first, "
                f"raise capacity, or offer() elements and look at the result"
            )
            return ()
        if self.history is not None:
            self.history.append((None if self.max_age is None else self.scheduler.now, element))
            self._forget()
        return self.sources

    cdef int _forget(self) except -1:
        """Let go what is too much or too old; under the lock."""
        if not self.is_shared:
            return 0
        while len(self.history) > self.most_kept:
            self.history.popleft()
        if self.max_age is not None:
            oldest = self.scheduler.now - self.max_age
            while self.history and self.history[0][0] < oldest:
                self.history.popleft()
        return 0

    cdef int _send(self, tuple sources, object element) except -1:
        cdef SubjectSource source
        for source in sources:
            if self.is_ahead or self.is_lockstep or source.requested() > 0:
                source.emit(element)
            elif self.drops_for_slow:
                dropped("on_next", element, origin=source.origin)
            else:
                source_end(source, CapacityError(
                    f"{self.label} got {shown(element)}, which this subscriber has not requested; request more or "
                    f"earlier, or give the subject the policy lockstep, drop_slow or buffer"
                ))
        return 0

    cdef int _tell_end(self, tuple sources, object error) except -1:
        cdef SubjectSource source
        for source in sources:
            source_end(source, error)
        return self._tell_if_empty()

    # --- the upstream -------------------------------------------------------------------------------------------------

    def accept_subscription(self, subscription) -> None:
        """Take the subscription of an upstream; cancel it where there is one already (§2.5)."""
        if subscription is None:
            raise null_subscription()
        with self.lock:
            is_refused = self.had_upstream or self.is_over or self.is_disposed
            if not is_refused:
                self.upstream = subscription
                self.had_upstream = True
        if is_refused:
            self._call_upstream(subscription, -1)
        else:
            self.ask()

    cdef int ask(self) except -1:
        """Request of the upstream what the policy allows, or cancel it; one thread does, for all others too."""
        cdef int64_t n
        while True:
            with self.lock:
                upstream = self.upstream
                if self.is_asking or upstream is None:
                    return 0  # who asks looks again when it has done so
                n = -1 if self.is_leaving else self._wanted()
                if n == 0:
                    return 0
                if n > 0:
                    self.in_flight = INT64_MAX if n == INT64_MAX else self.in_flight + n
                else:
                    self.upstream = None
                self.is_asking = True
            try:
                self._call_upstream(upstream, n)
            finally:
                with self.lock:
                    self.is_asking = False

    cdef int _call_upstream(self, object upstream, int64_t n) except -1:
        """Request n, or cancel with -1; what that raises breaks §3.15 or §3.16."""
        try:
            if n > 0:
                upstream.request(n)
            else:
                upstream.cancel()
        except Exception as error:
            dropped("request" if n > 0 else "cancel", error, origin=self.label)
        return 0

    cdef int64_t _wanted(self) except -2:
        """How many elements to request now; under the lock."""
        cdef SubjectSource source
        cdef int64_t wanted = -1
        cdef int64_t room, takes
        cdef bint is_bound_by_room = False
        if not self.sources or self.in_flight == INT64_MAX:
            return 0
        if self.is_lossy:
            return INT64_MAX
        for source in self.sources:
            room = source.room()
            takes = room if self.is_ahead else min(room, source.requested())
            if wanted < 0 or (takes < wanted if self.is_lockstep else takes > wanted):
                wanted = takes
                is_bound_by_room = takes == room
        wanted -= self.in_flight
        # In batches, as long as elements are on their way: else a fast subscriber would make a request of each element.
        if wanted <= 0 or (is_bound_by_room and self.in_flight and 4 * wanted < self.capacity):
            return 0
        return wanted

    # --- subscriptions ------------------------------------------------------------------------------------------------

    cdef int join(self, SubjectSource source) except -1:
        """Let a source have what is kept, and what comes from now on; or an end, where that is all there is."""
        with self.lock:
            refusal = self._refusal()
            is_over, end_error = self.is_over, self.end_error
            if refusal is None:
                self.had_source = True
                if self.history is not None and not source.is_loaded:
                    self._forget()
                    source.waiting.extend([element for _, element in self.history])
                if not self.is_shared:
                    self.history = None
                if not is_over:
                    self.sources += (source,)
        if refusal is not None:
            source_end(source, refusal)
        elif is_over:
            source_end(source, end_error)
        return 0

    cdef object _refusal(self):
        if self.refuse is not None:
            return self.refuse()
        if not self.is_shared and self.had_source:
            return SourceUsedTwiceError(
                f"§1.11: {self.label} has a subscriber, or had one, and serves only one; take a subject that is shared",
                rule="1.11",
            )
        return None

    cdef int leave(self, SubjectSource source) except -1:
        """Forget a source that has ended or was cancelled."""
        with self.lock:
            if source not in self.sources:
                return 0
            self.sources = tuple([each for each in self.sources if each is not source])
            if not self.sources and not self.is_shared:
                self.is_leaving = True  # nobody can come any more
        self._tell_if_empty()
        return self.ask()

    @property
    def subscriber_count(self):
        """How many subscriptions get elements."""
        return len(self.sources)

    def seal(self, refuse, on_empty) -> None:
        """Refuse further subscriptions.

        Args:
            refuse: Makes the error that who subscribes gets.
            on_empty: Called once, without arguments, when no subscription is left.
        """
        with self.lock:
            if self.refuse is None:
                self.refuse = refuse
                self.on_empty = on_empty
        self._tell_if_empty()

    cdef int _tell_if_empty(self) except -1:
        on_empty = None
        with self.lock:
            if not self.sources:
                on_empty, self.on_empty = self.on_empty, None
        if on_empty is not None:
            on_empty()
        return 0

    def dispose(self, refuse) -> None:
        """Take nothing more: subscriptions end with the error that `refuse` makes, the upstream is cancelled."""
        with self.lock:
            if self.is_disposed:
                return
            self.is_disposed = True
            self.is_leaving = True
            self.refuse = refuse
            self.on_empty = None
            self.history = None
            sources, self.sources = self.sources, ()
        if sources:
            self._tell_end(sources, refuse())
        self.ask()
