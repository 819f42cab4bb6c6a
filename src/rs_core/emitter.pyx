"""The serialized emitter: signals from any number of threads are delivered to one subscriber, one at a time.

Roles
    emitter     any thread: emits, completes, fails; also from inside a delivery, a signal handler or a finalizer
    deliverer   the one thread that has the token of `word` (sync/serial_word.h): it calls the subscriber and polls the
                queue
Requires: GIL, where there is one.

Invariants
    I1  At most one thread has the token, so signals never overlap (§1.3). A signal made inside a delivery finds the
        token taken and is queued: nothing nests (§3.3).
    I2  An element is delivered without the queue only by a thread that got the token from idle and then found the queue
        open and empty, places that others have claimed included. So nothing that the same thread emitted before can
        still be on its way, and elements of one thread arrive in its order.
    I3  Whoever put an element into the queue, or closed it, then sets MISSED, or gets the token and delivers. The
        deliverer goes idle by try_release(), which fails if MISSED came: so no element is left behind.
    I4  ENDED is set once, by the deliverer, when the queue is closed and empty or the subscriber failed. The token is
        never given up after it, so nothing is signalled after the end (§1.7).

Ordering (write -> read that pairs with it); that of the word's transitions is in sync/serial_word.h
    giving the token up                          ->  taking it: what the subscriber wrote, and the deliverer's fields,
                                                     travel with it
    the queue's offer or closing, then acquire_or_mark  ->  clear_missed, then polling: both are exchanges of one word,
                                                     so the second sees what came before the first; a plain load would
                                                     be half of a store-buffer pair
    delivering_thread: see sync/thread_owner.h

Progress: emitting is lock-free but for the policy `block`; see queues/overflow_queue.pyx for `drop_oldest`. A
deliverer that is preempted inside the subscriber delays all signals: they queue up, and the policy decides. A thread
may deliver what others emit for as long as they keep the queue filled. On free-threaded builds a producer that is
preempted in the middle of its offer hides the elements behind it; it delivers them itself when it goes on, if nobody
else does.

Source: sync/serial_word.h; the way without the queue is new here, as is its condition (I2).
"""

from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t

from rs_core.debug_checks cimport log_of_words
from rs_core.interp.arguments cimport shown
from rs_core.interp.calls cimport call_unpacked, caught, decref, safe_point, unpack
from rs_core.interp.function_kind cimport runs_at_once
from rs_core.interp.object_handoff cimport owned
from rs_core.interp.signal_arguments cimport no_exception, null_element
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED, EMIT_FULL, EMIT_OVERFLOWED, POLICY_BLOCK, emit_result, new_overflow_queue, overflow_cancel,
    overflow_drop_all, overflow_end, overflow_evict, overflow_is_closed, overflow_is_finished, overflow_is_idle,
    overflow_offer, overflow_pending, overflow_poll, overflow_wait, policy_name,
)
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.sync.serial_word cimport (
    MISSED, TOKEN, acquire_or_mark, clear_missed, connect_log, set_relaxed, try_acquire_idle, try_release,
)

from rs_core.dropped import dropped
from rs_core.errors import ArgumentTypeError, NullElementError, WouldDeadlockError
from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.queues.overflow_policy import DEFAULT_BLOCK_TIMEOUT_SECONDS, DEFAULT_CAPACITY

__all__ = ["SerializedEmitter"]

connect_log(log_of_words())

cdef str ORIGIN = "SerializedEmitter"   # of what it drops

cdef tuple _SIGNALS = ("on_next", "on_error", "on_complete")

cdef enum:
    TICK_EVERY = 1024   # elements of others that are delivered before the interpreter gets a safe point


@cython.final
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class SerializedEmitter:
    """Deliver signals of any number of threads to one subscriber, one at a time, each thread's in its order.

    An emitter that is idle delivers in the emitting thread, without a queue. What is emitted while another thread
    delivers, or from inside a delivery, waits in a bounded queue for the one that delivers. The end comes after all
    elements that were accepted; nothing comes after it.

    Args:
        subscriber: Has `on_next`, `on_error` and `on_complete`, which are looked up once. `on_subscribe` is not called:
            demand, if there is any, is the caller's business.
        capacity: The most elements that may wait, from 1 to 2**24, 1024 by default; 1 with the policy `latest`.
        on_overflow: An OverflowPolicy or its text: what becomes of an element that finds no room, `error` by default.
        block_timeout_seconds: How long an emission waits for room with the policy `block`: above 0, 30 by default.

    Raises:
        NullElementError: The subscriber is None.
        ArgumentError: A number or a policy is out of its bounds.
        ArgumentTypeError: An argument is of another type.

    Errors:
        An Exception of the subscriber ends the emitter and goes to the hook for dropped signals; what waits goes there
        too, and is counted. What is no Exception, such as KeyboardInterrupt, ends it too and is raised by the emission
        whose thread delivered.

    Threads:
        Any thread may call every method, also from inside a delivery, a signal handler or a finalizer. With the policy
        `block` a call that finds no room waits with the GIL released; Ctrl-C ends the wait. Two emitters whose
        deliveries wait for each other's room do so until the time limit.

    Rules:
        §1.3, §1.7, §2.13, §3.3.

    Example:
        >>> class Printing:
        ...     def on_next(self, element):
        ...         print(element)
        ...     def on_error(self, error):
        ...         print("failed:", error)
        ...     def on_complete(self):
        ...         print("complete")
        >>> emitter = SerializedEmitter(Printing(), capacity=16)
        >>> emitter.emit("one")
        one
        <EmitResult.ACCEPTED: 'accepted'>
        >>> emitter.complete()
        complete
        True
        >>> emitter.emit("two").is_accepted
        False
    """

    def __cinit__(
        self, subscriber, *, capacity=DEFAULT_CAPACITY, on_overflow="error",
        block_timeout_seconds=DEFAULT_BLOCK_TIMEOUT_SECONDS,
    ):
        _check_subscriber(subscriber)
        self.queue = new_overflow_queue(capacity, on_overflow, block_timeout_seconds, "on_overflow")
        self.is_blocking = self.queue.policy == POLICY_BLOCK
        self.subscriber = subscriber
        self.on_next = subscriber.on_next
        self.on_error = subscriber.on_error
        self.on_complete = subscriber.on_complete
        unpack(self.on_next, &self.function, &self.function_self)
        # relaxed: whoever hands the emitter to another thread publishes it
        self.word.store(0, memory_order_relaxed)

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `SerializedEmitter[element_type]`, for annotations."""
        return GenericAlias(cls, element_type)

    def emit(self, element, /):
        """Deliver an element, now or after those before it. Always runs user code: the subscriber, or the hook.

        Args:
            element: Anything but None (§2.13).

        Returns:
            What became of it. `is_accepted` is True for exactly one of the results; after all others but DROPPED the
            element is still the caller's.

        Raises:
            NullElementError: The element is None.
            WouldDeadlockError: With the policy `block`: there is no room, and this thread is the one that delivers.
            BaseException: What the subscriber, the hook or a signal handler raised and is no Exception.
        """
        return emit_result(emitter_emit(self, element))

    def complete(self):
        """Complete, after what was accepted. Always runs user code: the subscriber.

        Returns:
            True for the first terminal signal; False for every later one, which does nothing (§1.7).
        """
        return emitter_complete(self)

    def fail(self, error, /):
        """Fail with an exception, after what was accepted. Always runs user code: the subscriber, or the hook.

        Args:
            error: An Exception; after the end it goes to the hook for dropped signals.

        Returns:
            True for the first terminal signal; False for every later one.

        Raises:
            ArgumentTypeError: The argument is no Exception.
        """
        return emitter_fail(self, error)

    @property
    def capacity(self):
        """The most elements that may wait."""
        return self.queue.capacity

    @property
    def policy(self):
        """The OverflowPolicy."""
        return policy_name(self.queue.policy)

    @property
    def pending(self):
        """How many elements wait now; the one that is being delivered does not."""
        return overflow_pending(self.queue)

    @property
    def dropped_count(self):
        """How many elements went to the hook for dropped signals."""
        return self.queue.dropped_elements.load(memory_order_relaxed)  # relaxed: old the next moment

    @property
    def is_terminated(self):
        """Whether nothing is accepted any more: completed, failed, or the subscriber raised."""
        return overflow_is_closed(self.queue)

    def __repr__(self):
        ended = ", terminated" if overflow_is_closed(self.queue) else ""
        return (
            f"SerializedEmitter({overflow_pending(self.queue)} of {self.queue.capacity} elements wait, "
            f"on_overflow={str(policy_name(self.queue.policy))!r}{ended})"
        )

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
            # After the notification, so that what the hook emits comes after this element.
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
        cdef uint32_t seen = acquire_or_mark(self.word)
        if seen & ENDED:
            return self._sweep()
        return 0 if seen & TOKEN else self._deliver()

    # --- the deliverer ------------------------------------------------------------------------------------------

    cdef int _deliver(self) except -1:
        """Deliver what waits, then go idle or signal the end. Requires the token; gives it up, but at the end."""
        cdef SerializedEmitter _held = self  # a delivery may drop the last other reference to this emitter
        cdef int until_tick = TICK_EVERY
        cdef PyObject* element
        cdef PyObject* result
        if self.is_blocking:
            self.delivering_thread.enter()
        while True:
            clear_missed(self.word)  # before the polls (I3)
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
            if try_release(self.word, MISSED):
                return 0
            if self.is_blocking:
                self.delivering_thread.enter()

    cdef int _signal_end(self) except -1:
        """Signal the end to the subscriber; the token is kept for good (I4)."""
        set_relaxed(self.word, ENDED)  # only the deliverer does
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
        set_relaxed(self.word, ENDED)
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


cdef int emitter_emit(SerializedEmitter emitter, object element) except -1:
    cdef PyObject* result
    if element is None:
        raise null_element("emit")
    if not try_acquire_idle(emitter.word):
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
    if not try_release(emitter.word, MISSED):
        emitter._deliver()
    return EMIT_ACCEPTED


cdef bint emitter_complete(SerializedEmitter emitter) except -1:
    return _end(emitter, None)


cdef bint emitter_fail(SerializedEmitter emitter, object error) except -1:
    if not isinstance(error, Exception):
        raise no_exception(error)
    cdef bint is_first = _end(emitter, error)
    if not is_first:
        dropped("on_error", error, origin=ORIGIN)
    return is_first


cdef bint _end(SerializedEmitter emitter, object error) except -1:
    """Complete, or fail with an error; False: it had ended already, and nothing was done."""
    cdef bint is_first = overflow_end(emitter.queue, error)
    if is_first:
        emitter._notify()
    return is_first


cdef int _check_subscriber(object subscriber) except -1:
    if subscriber is None:
        raise NullElementError(
            f"§1.9: SerializedEmitter(None): a subscriber is needed; pass an object with {', '.join(_SIGNALS)}",
            rule="1.9",
        )
    for signal in _SIGNALS:
        method = getattr(subscriber, signal, None)
        if not runs_at_once(method):
            where = f"SerializedEmitter(subscriber): {signal} of {type(subscriber).__name__}"
            refuse_deferred(method, where, "define it with def")
        if not callable(method):
            raise ArgumentTypeError(
                f"SerializedEmitter(subscriber) needs {', '.join(_SIGNALS)}, got {shown(subscriber)} "
                f"({type(subscriber).__name__}) without {signal}; define them"
            )
    return 0


cdef object _tell(str signal, object value, str origin, object interrupt):
    """Hand a signal to the hook; return the first of what came before and what the hook raises."""
    try:
        dropped(signal, value, origin=origin)
    except BaseException as error:
        return error if interrupt is None else interrupt
    return interrupt


cdef object _would_deadlock(SerializedEmitter emitter, object element):
    return WouldDeadlockError(
        f"emit({shown(element)}) found {emitter.queue.capacity} elements waiting, and this thread is the one that "
        f"delivers them: it would wait for itself; emit from another thread, raise capacity, or choose another "
        f"on_overflow"
    )
