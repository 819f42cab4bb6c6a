"""The base of subscriptions that library authors write.

Roles
    requester   any thread: adds to `permits` and `unnotified_demand`, then to the demand
    producer    any thread: takes a permit and puts an element into the ring, under the lock `producers`
    drainer     the holder of the token: passes the ring on, calls `on_request`, and passes on its elements

Invariants
    I1  Elements in the ring + elements held + elements passed on <= elements requested, because each uses up a permit
        (§1.1).
    I2  The hook is called for an element only when there is a permit for it: `permits` is raised before
        `unnotified_demand`.
    I3  Elements that `emit` accepted are passed on before the end: producers read `is_ending`, and the end sets it,
        under the lock; the drainer reads it before it finds the ring and `held` empty. An exception of the hook also
        waits for `held`.
    I4  An element of the hook is delivered immediately if possible: no pause, no delivery in progress in this thread
        (§1.3: emissions that a consumer causes do not nest), no earlier element in `held`. Otherwise it is added to
        `held`, which is passed on before anything else. A pause is not an end: nothing is refused because of it.

Bound: the ring's capacity. `held` is bounded by the demand with which the hook was called; if that is without limit, by
the capacity: then the emission is refused, and the hook is called again when `held` was passed on.

Ordering (write -> read that pairs with it)
    `permits`, `unnotified_demand`, then the demand and the word  ->  the word, then `unnotified_demand` (exchange,
        acq_rel)
    `end_error`, then `is_ending` (release)  ->  `is_ending` (acquire), then the ring, then `end_error`
    The ring and the token: as in queue_stage.pyx.
    tests/interleavings/test_base_subscription_model.py explores them, with each step or order broken.

Progress: requests are lock-free. Emitters outside the hooks wait for each other, for the duration of one offer; the
drainer never waits for them.
"""

from collections import deque
from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from rs_core.interp.calls cimport decref, incref
from rs_core.demand cimport demand_add, demand_take_up_to
from rs_core.stream.lifecycle cimport initialize
from rs_core.interp.object_handoff cimport handoff_reference
from rs_core.interp.signal_arguments cimport no_exception, null_element
from rs_core.queues.spsc_ring cimport SpscRing, spsc_capacity, spsc_clear, spsc_offer, spsc_peek, spsc_poll
from rs_core.stream.subscription cimport (
    ACCEPTED, LEAVE, PAUSE, TERMINAL, UNWANTED, DemandOwner, drop_signal, link_segment, push, release_failed,
    request_number,
)
from rs_core.ends.subscriber cimport SubscriberStage, check_subscriber
from rs_core.interp.type_slots cimport add_to_class

from rs_core.interp.deferred_functions import hook_check
from rs_core.dropped import dropped
from rs_core.errors import DemandExceededError

cdef extern from *:
    """
    /* Cython creates the mutex without checking the allocation: before 3.13 it is a separate lock. */
    static inline bool rs_mutex_is_there(void **lock) { return *lock != NULL; }
    #if PY_VERSION_HEX >= 0x030D0000
    static inline bool rs_mutex_is_there(PyMutex *) { return true; }
    #endif
    """
    bint mutex_is_there "rs_mutex_is_there"(cython.pymutex* mutex) noexcept

DEFAULT_CAPACITY = 1024
"""How many elements emitted outside the hooks may wait for the drainer, unless the subclass sets `capacity`."""


cdef class BaseSubscription(DemandOwner):
    """A subscription whose elements a library author emits: it implements demand, order and the end.

    Subclass it and define `on_request(n)`, and `on_cancel()` if there is something to release. Emit in `on_request`, or
    later from any thread, but never more than was requested. This class follows rules 3.2, 3.3, 3.5 to 3.10 and 3.15 to
    3.17, and 1.1, 1.3 and 1.7.

    Args:
        subscriber: The receiver of the elements.

    Class attribute `capacity`: how many elements emitted outside the hooks may wait, 1024 by default.

    While the stream is paused, the elements of `on_request` wait, as many as were requested. Only if demand is without
    limit are they limited by `capacity`: then `demand` is 0, `emit` returns False, and `on_request` is called again
    with 2**63 - 1 when the stream continues.

    Demand: the subscriber's requests; `demand` is the rest of it.
    Errors: an exception of a hook ends the stream with `on_error`.
    State: none.
    Threads: hooks run one at a time, in the thread that drains; any thread may call the other methods.
    Rules: §1.1, §1.3, §1.7, §3.2, §3.3, §3.5, §3.6, §3.7, §3.8, §3.9, §3.15, §3.16, §3.17.

    Example:
        >>> from rs_core.authors.base_classes import BasePublisher, BaseSubscription
        >>> from reactivestreams import Stream
        >>> class Countdown(BaseSubscription):
        ...     left = 3
        ...     def on_request(self, n):
        ...         while self.left and self.demand:
        ...             self.emit(self.left)
        ...             self.left -= 1
        ...         if not self.left:
        ...             self.complete()
        >>> class Countdowns(BasePublisher):
        ...     def create_subscription(self, subscriber):
        ...         return Countdown(subscriber)
        >>> Stream.from_publisher(Countdowns()).to_list()
        [3, 2, 1]
    """

    def __cinit__(self, subscriber, *args, **kwargs):
        if not mutex_is_there(&self.producers):
            raise MemoryError("no memory for a lock")
        check_subscriber(subscriber, type(self).__name__)
        self.permits.store(0, memory_order_relaxed)
        self.unnotified_demand.store(0, memory_order_relaxed)
        self.is_ending.store(0, memory_order_relaxed)
        self.queue = SpscRing(getattr(type(self), "capacity", DEFAULT_CAPACITY))
        self.end = SubscriberStage(None, subscriber)
        self.end.up = self
        self.end.has_subscribed = True
        self.down = self.end
        self.tree = self.end.tree
        link_segment(self)

    def __init__(self, subscriber, *args, **kwargs):
        pass  # everything is done above: a subclass may omit super().__init__()

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `BaseSubscription[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    # --- the subscriber's side ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Give the subscriber its subscription, then serve its requests; called by `BasePublisher.subscribe`."""
        cdef SubscriberStage end = self._unreleased_end()
        if end is not None:
            initialize(end, None)

    def request(self, n) -> None:
        """Request n more elements, like the subscriber through the handle that it got in `on_subscribe`."""
        cdef SubscriberStage end = self._unreleased_end()
        if end is not None:
            request_number(end, n)

    def cancel(self) -> None:
        """Stop the stream, like the subscriber through its handle."""
        cdef SubscriberStage end = self._unreleased_end()
        if end is not None:
            end.cancel()

    cdef SubscriberStage _unreleased_end(self):
        with cython.critical_section(self):  # the drainer may release it now
            return self.end

    cdef int add_demand(self, int64_t n) except -1:
        demand_add(self.permits, n)
        demand_add(self.unnotified_demand, n)
        return DemandOwner.add_demand(self, n)

    # --- overridden by the author -------------------------------------------------------------------------------------

    def on_request(self, n) -> None:
        """Handle a request of n more elements; 2**63 - 1 means without limit, also in a repeated call."""

    def on_cancel(self) -> None:
        """Release resources: the subscription was cancelled, or ended without complete() or fail()."""

    # --- called by the author -----------------------------------------------------------------------------------------

    @property
    def demand(self) -> int:
        """How many elements may be emitted now; 2**63 - 1 means without limit. In a hook 0 if `capacity` is used up."""
        if self.hook_thread.is_mine() and self._must_refuse():
            return 0
        return self.permits.load(memory_order_relaxed)  # relaxed: a number that is immediately outdated

    @property
    def is_cancelled(self) -> bool:
        """Whether no more elements are accepted: cancelled, failed or completed."""
        return bool(
            self.state.load(memory_order_relaxed) & UNWANTED  # relaxed: immediately outdated
            or self.is_ending.load(memory_order_relaxed)
        )

    def emit(self, element) -> bool:
        """Send an element to the subscriber, now or after the elements before it.

        Args:
            element: Any object except None (§2.13).

        Returns:
            True if it was accepted. False if not, and then the caller still owns it: the subscription has ended
            (`is_cancelled`), or `capacity` elements already wait.

        Raises:
            DemandExceededError: Nothing is requested (§1.1).
            NullElementError: The element is None.
        """
        if element is None:
            raise null_element("emit")
        if self.hook_thread.is_mine():
            return self._emit_in_hook(element)
        return self._emit_outside(element)

    def complete(self) -> None:
        """Complete after the emitted elements; later calls do nothing (§1.7)."""
        self._end_with(None)

    def fail(self, error) -> None:
        """Fail with an exception after the emitted elements; after the end it goes to the hook for dropped signals.

        Raises:
            ArgumentTypeError: The argument is not an exception instance.
        """
        if not isinstance(error, Exception):
            raise no_exception(error)
        self._end_with(error)

    cdef bint _emit_in_hook(self, object element) except -1:
        # relaxed: drain() looks again, with the order that the bits need
        if self.state.load(memory_order_relaxed) & UNWANTED or self.is_ending.load(memory_order_relaxed):
            return False
        if self._must_refuse():
            return False
        if demand_take_up_to(self.permits, 1) == 0:
            raise _without_demand(element)
        # relaxed: as above
        if self.is_pushing or self.held or self.state.load(memory_order_relaxed) & PAUSE:
            self._hold(element)  # I4
        else:
            self.is_pushing = True
            incref(<PyObject*>element)
            if push(self, <PyObject*>element) == ACCEPTED:
                self.sent_in_hook += 1
            self.is_pushing = False
        # relaxed: as above
        while self.held and not self.is_pushing and not self.state.load(memory_order_relaxed) & LEAVE:
            self.is_pushing = True
            self.sent_in_hook += self._push_held()
            self.is_pushing = False
        return True

    cdef int _hold(self, object element) except -1:
        """Add an element with a permit to `held`."""
        try:
            if self.held is None:
                self.held = deque()
            self.held.append(element)
        except BaseException:
            demand_add(self.permits, 1)
            raise
        return 0

    cdef bint _must_refuse(self) noexcept:
        """Return whether `held` is full; then the hook is called again later."""
        # relaxed: unlimited demand stays unlimited
        if self.held is None or self.permits.load(memory_order_relaxed) != INT64_MAX:
            return False
        if <int64_t>len(self.held) < <int64_t>spsc_capacity(self.queue.slots):
            return False
        self.was_refused = True
        return True

    cdef bint _push_held(self) noexcept:
        """Send the oldest element of `held`; return whether it counts."""
        element = self.held.popleft()
        incref(<PyObject*>element)
        return push(self, <PyObject*>element) == ACCEPTED

    cdef bint _emit_outside(self, object element) except -1:
        cdef bint is_taken = False
        cdef bint has_permit = False
        with self.producers:
            # relaxed: ordered by the lock, or only a snapshot
            if self.is_ending.load(memory_order_relaxed) or self.state.load(memory_order_relaxed) & TERMINAL:
                return False
            has_permit = demand_take_up_to(self.permits, 1) == 1
            if has_permit:
                is_taken = spsc_offer(self.queue.slots, handoff_reference(<PyObject*>element))
        if not has_permit:
            raise _without_demand(element)
        if not is_taken:
            decref(<PyObject*>element)
            demand_add(self.permits, 1)
            return False
        self.notify()
        return True

    cdef int _end_with(self, object error) except -1:
        cdef bint is_late = False
        with self.producers:
            is_late = self.is_ending.load(memory_order_relaxed) != 0  # relaxed: ordered by the lock
            if not is_late:
                self.end_error = error
                self.is_ending.store(1, memory_order_release)  # release: pairs with the acquire in send()
        if is_late:
            if error is not None:
                dropped("on_error", error, origin=type(self).__name__)
            return 0
        return self.notify()

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef int64_t told
        cdef bint ends
        while True:
            # acquire: pairs with the release in _end_with(); read before the ring, so that earlier elements are seen
            ends = self.is_ending.load(memory_order_acquire) != 0
            if not self._pass_on_queue(&sent, n) or self.held:
                return sent
            if self.hook_error is not None:
                error, self.hook_error = self.hook_error, None
                self.fail_at(self, error)
                return sent
            # relaxed: demand that is missed here sets MISSED after it
            if not ends and (self.was_refused or self.unnotified_demand.load(memory_order_relaxed) > 0):
                # acq_rel: takes all new demand; pairs with demand_add() in add_demand()
                told = self.unnotified_demand.exchange(0, memory_order_acq_rel)
                if self.was_refused:
                    self.was_refused = False
                    told = INT64_MAX  # it is refused only if demand is without limit
                sent += self._call_on_request(told)
                continue
            if ends and spsc_peek(self.queue.slots) is NULL:
                self.finish(self.down, self.end_error)
            return sent

    cdef bint _pass_on_queue(self, int64_t* sent, int64_t n) noexcept:
        """Pass on `held`, then the elements emitted outside the hooks; return False to leave the loop."""
        cdef PyObject* element
        while True:
            # relaxed: drain() looks again, with the order that the bits need
            if self.state.load(memory_order_relaxed) & LEAVE:
                return False
            if sent[0] == n:
                return True
            if self.held:
                sent[0] += self._push_held()
                continue
            element = spsc_poll(self.queue.slots)
            if element is NULL:
                return True
            if push(self, element) == ACCEPTED:
                sent[0] += 1

    cdef int64_t _call_on_request(self, int64_t n) noexcept:
        """Call the hook; return the number of elements that it passed on."""
        self.sent_in_hook = 0
        self.hook_thread.enter()
        try:
            self.on_request(n)
        except Exception as error:
            self.hook_error = error
        except BaseException as error:
            self.fail_at(self, error)
        self.hook_thread.leave()
        return self.sent_in_hook

    cdef void release(self) noexcept:
        cdef object error
        _held, self.held = self.held, None  # both are freed at the end, when nothing is half done
        error, self.hook_error = self.hook_error, None
        spsc_clear(self.queue.slots)
        with cython.critical_section(self):
            _released, self.end = self.end, None  # the handle keeps this stage alive, not the other way round
        if error is not None:
            drop_signal(self, "on_error", error, type(self).__name__)
        # acquire: pairs with the release in _end_with()
        if not self.is_ending.load(memory_order_acquire):
            try:
                self.on_cancel()
            except BaseException as error:
                release_failed(self, "on_cancel", error, type(self).__name__)


cdef object _without_demand(object element):
    return DemandExceededError(
        f"§1.1: emit({safe_repr(element)}) without demand; emit while `demand` is above 0, or wait for on_request(n)"
    )


add_to_class(BaseSubscription, "__init_subclass__", hook_check(
    BaseSubscription, "and call emit() from a task that it starts"
))
