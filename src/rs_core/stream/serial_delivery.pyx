"""How signals from any number of threads are delivered to one subscriber, one at a time: what an emitter does.

Roles
    emitter     any thread: emits, completes, fails; also from inside a delivery, a signal handler or a finalizer
    deliverer   the one thread that moved `word` from idle to DELIVERING: it has the token, calls the subscriber and
                polls the queue
Requires: GIL, where there is one.

Invariants
    I1  At most one thread has the token, so signals never overlap (§1.3). A signal made inside a delivery finds the
        token taken and is queued: nothing nests (§3.3).
    I2  An element is delivered without the queue only by a thread that got the token from idle and then found the queue
        open and empty, places that others have claimed included. So nothing that the same thread emitted before can
        still be on its way, and elements of one thread arrive in its order.
    I3  Whoever put an element into the queue, or closed it, then sets MISSED, or gets the token and delivers. The
        deliverer goes idle by a CAS from exactly DELIVERING, which fails if MISSED came: so no element is left behind.
    I4  ENDED is set once, by the deliverer, when the queue is closed and empty or the subscriber failed. The token is
        never given up after it, so nothing is signalled after the end (§1.7).

Ordering (write -> read that pairs with it)
    CAS to idle (release)                        ->  taking the token (acquire): what the subscriber wrote, and the
                                                     deliverer's fields, travel with the token
    the queue's offer or closing, then _notify's exchange (acq_rel)  ->  clearing MISSED (acq_rel), then polling: both
                                                     are exchanges of one word, so the second sees what came before
                                                     the first; a plain load would be half of a store-buffer pair
    delivering_thread: see sync/thread_owner.h

Progress: emitting is lock-free but for the policy `block`; see overflow_queue.pyx for `drop_oldest`. A deliverer that
is preempted inside the subscriber delays all signals: they queue up, and the policy decides. A thread may deliver what
others emit for as long as they keep the queue filled. On free-threaded builds a producer that is preempted in the
middle of its offer hides the elements behind it; it delivers them itself when it goes on, if nobody else does.

Reuse: the word holds nothing but bits, so ABA is harmless.
Source: the work-in-progress counter of RxJava's and Reactor's serialized sinks, reduced to one bit (MISSED); the way
without the queue is new here, as is its condition (I2).
"""

from cpython.object cimport PyObject
from libc.stdint cimport uint32_t

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport call_unpacked, caught, decref, safe_point, unpack
from rs_core.interp.object_handoff cimport owned
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED, EMIT_FULL, EMIT_OVERFLOWED, POLICY_BLOCK, OverflowQueue, overflow_cancel, overflow_drop_all,
    overflow_end, overflow_evict, overflow_is_finished, overflow_is_idle, overflow_offer, overflow_poll, overflow_wait,
)

from rs_core.dropped import dropped
from rs_core.errors import WouldDeadlockError

cdef str ORIGIN = "SerializedEmitter"   # of what it drops

cdef enum:
    TICK_EVERY = 1024   # elements of others that are delivered before the interpreter gets a safe point


cdef class SerialDelivery:
    """What an emitter does; made by emitters."""

    def __cinit__(self, *args, **kwargs):
        # relaxed: whoever hands the emitter to another thread publishes it
        self.word.store(IDLE, memory_order_relaxed)

    cdef int prepare(self, object subscriber, OverflowQueue queue) except -1:
        """Look the signals of the subscriber up, before anything is emitted."""
        self.queue = queue
        self.is_blocking = queue.policy == POLICY_BLOCK
        self.subscriber = subscriber
        self.on_next = subscriber.on_next
        self.on_error = subscriber.on_error
        self.on_complete = subscriber.on_complete
        unpack(self.on_next, &self.function, &self.function_self)
        return 0

    # --- emitters -----------------------------------------------------------------------------------------------

    cdef int _queue_up(self, object element) except -1:
        """Emit by way of the queue; this thread has no token."""
        cdef int emission = EMIT_FULL
        cdef list evicted = overflow_offer(self.queue, element, ORIGIN, &emission)
        if emission == EMIT_FULL:
            if self.delivering_thread.is_mine():
                raise _would_deadlock(self, element)
            emission = overflow_wait(self.queue, element)
        try:
            if emission == EMIT_ACCEPTED or emission == EMIT_OVERFLOWED:
                self._notify()
        finally:
            # Behind the notification, so that what the hook emits comes after this element.
            if evicted is not None:
                overflow_drop_all(self.queue, evicted, ORIGIN)
        return emission

    cdef int _queue_up_with_token(self, object element) except -1:
        """Emit by way of the queue; this thread has the token, got from idle, and gives it up first.

        The queue is closed, or on free-threaded builds not empty: somebody is about to notify.
        """
        self._deliver()
        return self._queue_up(element)

    cdef int _notify(self) except -1:
        """Make sure that somebody looks at the queue: the deliverer, or this thread (I3)."""
        # acq_rel: an exchange; releases this thread's offer to the deliverer, acquires the token if it is free
        cdef uint32_t seen = self.word.fetch_or(DELIVERING | MISSED, memory_order_acq_rel)
        if seen & ENDED:
            return self._sweep()
        return 0 if seen & DELIVERING else self._deliver()

    # --- the deliverer ------------------------------------------------------------------------------------------

    cdef int _deliver(self) except -1:
        """Deliver what waits, then go idle or signal the end. Requires the token; gives it up, but at the end."""
        cdef SerialDelivery _held = self  # a delivery may drop the last other reference to this emitter
        cdef uint32_t seen
        cdef int until_tick = TICK_EVERY
        cdef PyObject* element
        cdef PyObject* result
        if self.is_blocking:
            self.delivering_thread.enter()
        while True:
            # acq_rel: an exchange; acquires what came with MISSED, and keeps its place before the polls (I3)
            self.word.fetch_and(~<uint32_t>MISSED, memory_order_acq_rel)
            element = overflow_poll(self.queue)
            while element is not NULL:
                result = call_unpacked(self.function, self.function_self, element)
                decref(element)
                if result is NULL:
                    return self._stop("on_next", caught())
                decref(result)
                until_tick -= 1
                if until_tick == 0:
                    until_tick = TICK_EVERY
                    try:
                        safe_point()
                    except BaseException as interrupt:  # as if the subscriber had raised it
                        return self._stop("on_next", interrupt)
                element = overflow_poll(self.queue)
            if overflow_is_finished(self.queue):
                return self._signal_end()
            if self.is_blocking:
                self.delivering_thread.leave()
            seen = DELIVERING
            # release: pairs with the acquire of whoever takes the token next
            if self.word.compare_exchange_strong(seen, IDLE, memory_order_release, memory_order_relaxed):
                return 0
            if self.is_blocking:
                self.delivering_thread.enter()

    cdef int _signal_end(self) except -1:
        """Signal the end to the subscriber; the token is kept for good (I4)."""
        self.word.fetch_or(ENDED, memory_order_relaxed)  # relaxed: only the deliverer sets it, and looks at it alone
        cdef object error = self.queue.end_error
        cdef object subscriber = self.subscriber
        cdef object signal = self.on_complete if error is None else self.on_error
        self.queue.end_error = None
        self.delivering_thread.leave()
        self._forget_subscriber()
        try:
            if error is None:
                signal()
            else:
                signal(error)
        except Exception as trouble:
            name = "on_complete" if error is None else "on_error"
            dropped(name, trouble, origin=f"{type(subscriber).__name__}.{name}")  # §2.13
        return 0

    cdef int _stop(self, str signal, object error) except -1:
        """End because the subscriber raised (§2.13); the token is kept for good."""
        self.word.fetch_or(ENDED, memory_order_relaxed)  # relaxed: as in _signal_end()
        cdef object unsignalled = overflow_cancel(self.queue)
        cdef object interrupt = None
        cdef str origin = f"{type(self.subscriber).__name__}.{signal}"
        self.delivering_thread.leave()
        self._forget_subscriber()
        if not isinstance(error, Exception):
            interrupt = error
        else:
            interrupt = _tell(signal, error, origin, interrupt)
        if unsignalled is not None:
            interrupt = _tell("on_error", unsignalled, ORIGIN, interrupt)
        try:
            self._sweep()
        except BaseException as second:
            interrupt = second if interrupt is None else interrupt
        if interrupt is not None:
            raise interrupt
        return 0

    cdef int _sweep(self) except -1:
        """Hand what waits behind the end to the hook; any thread, as nobody polls any more."""
        cdef PyObject* element
        cdef list left = []
        while True:
            element = overflow_evict(self.queue)
            if element is NULL:
                break
            left.append(owned(element))
        return overflow_drop_all(self.queue, left, ORIGIN)

    cdef int _forget_subscriber(self) except -1:
        self.function = NULL
        self.function_self = NULL
        self.on_next = None
        self.on_error = None
        self.on_complete = None
        self.subscriber = None
        return 0


cdef int deliver_or_queue(SerialDelivery emitter, object element) except -1:
    """Emit an element that is not None."""
    cdef uint32_t seen = IDLE
    cdef PyObject* result
    # acquire: pairs with the release of the CAS to idle
    if not emitter.word.compare_exchange_strong(seen, DELIVERING, memory_order_acquire, memory_order_relaxed):
        return emitter._queue_up(element)
    if not overflow_is_idle(emitter.queue):
        return emitter._queue_up_with_token(element)
    if emitter.is_blocking:
        emitter.delivering_thread.enter()
    result = call_unpacked(emitter.function, emitter.function_self, <PyObject*>element)
    if result is NULL:
        emitter._stop("on_next", caught())
        return EMIT_ACCEPTED
    decref(result)
    if emitter.is_blocking:
        emitter.delivering_thread.leave()
    seen = DELIVERING
    # release: pairs with the acquire of whoever takes the token next
    if not emitter.word.compare_exchange_strong(seen, IDLE, memory_order_release, memory_order_relaxed):
        emitter._deliver()
    return EMIT_ACCEPTED


cdef bint end_delivery(SerialDelivery emitter, object error) except -1:
    """Complete, or fail with an error; False: it had ended already, and nothing was done."""
    cdef bint is_first = overflow_end(emitter.queue, error)
    if is_first:
        emitter._notify()
    return is_first


cdef object _tell(str signal, object value, str origin, object interrupt):
    """Hand a signal to the hook; return the first of what came before and what the hook raises."""
    try:
        dropped(signal, value, origin=origin)
    except BaseException as error:
        return error if interrupt is None else interrupt
    return interrupt


cdef object _would_deadlock(SerialDelivery emitter, object element):
    return WouldDeadlockError(
        f"emit({shown(element)}) found {emitter.queue.capacity} elements waiting, and this thread is the one that "
        f"delivers them: it would wait for itself; emit from another thread, raise capacity, or choose another "
        f"on_overflow"
    )
