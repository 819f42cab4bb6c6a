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
        open and empty, without positions claimed by others. So no earlier element of the same thread can still be on
        its way, and elements of one thread arrive in order.
    I3  A thread that put an element into the queue, or closed it, then sets MISSED, or gets the token and delivers. The
        deliverer goes idle by try_release(), which fails if MISSED was set: so no element is left behind.
    I4  ENDED is set once, by the deliverer, when the queue is closed and empty or the subscriber failed. The token is
        never released after it, so nothing is signalled after the end (§1.7).

Ordering (write -> read that pairs with it); that of the word's transitions is in sync/serial_word.h
    releasing the token                          ->  taking it: the writes of the subscriber and to the deliverer's
                                                     fields are visible
    the queue's offer or closing, then acquire_or_mark  ->  clear_missed, then polling: both are exchanges of one word,
                                                     so the second sees the writes before the first; a plain load would
                                                     be half of a store-buffer pair
    delivering_thread: see sync/thread_owner.h

Progress: emitting is lock-free except for the policy `block`; see queues/overflow_queue.pyx for `drop_oldest`. A
deliverer that is preempted inside the subscriber delays all signals: they wait in the queue, and the policy decides. A
thread may deliver elements of other threads for as long as they keep the queue filled. On free-threaded builds a
producer that is preempted in the middle of its offer hides the later elements; it delivers them itself when it
continues, if no other thread does.

Source: sync/serial_word.h; the path without the queue is new here, and so is its condition (I2).
"""

from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t

from rs_core.debug_checks cimport log_of_words
from rs_core.interp.arguments cimport safe_repr
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

cdef str ORIGIN = "SerializedEmitter"   # the origin of dropped signals

cdef tuple _SIGNALS = ("on_next", "on_error", "on_complete")

cdef enum:
    TICK_EVERY = 1024   # delivered elements of other threads between safe points of the interpreter


@cython.final
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class SerializedEmitter:
    """Deliver signals of any number of threads to one subscriber, one at a time, in order for each thread.

    An idle emitter delivers in the emitting thread, without a queue. Elements that are emitted while another thread
    delivers, or inside a delivery, wait in a bounded queue for the delivering thread. The terminal signal follows all
    accepted elements; nothing follows it.

    Args:
        subscriber: The subscriber; its `on_next`, `on_error` and `on_complete` are looked up once. `on_subscribe` is
            not called: the caller handles demand, if there is any.
        capacity: The maximum of waiting elements, from 1 to 2**24, 1024 by default; 1 with the policy `latest`.
        on_overflow: An OverflowPolicy or its text, for elements that are emitted when the queue is full; `error` by
            default.
        block_timeout_seconds: How long an emission waits with the policy `block`: above 0, 30 by default.

    Raises:
        NullElementError: The subscriber is None.
        ArgumentError: A number or a policy is out of bounds.
        ArgumentTypeError: An argument is of another type.

    Errors:
        An Exception of the subscriber ends the emitter and goes to the hook for dropped signals; the waiting elements
        go there too, and are counted. Another BaseException, such as KeyboardInterrupt, ends it too and is raised by
        the emission whose thread delivered.

    Threads:
        Any thread may call any method, also inside a delivery, a signal handler or a finalizer. With the policy `block`
        a call waits with the GIL released if the queue is full; Ctrl-C ends the wait. Two emitters whose deliveries
        wait for each other do so until the time limit.

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
        # relaxed: sharing the emitter with another thread publishes it
        self.word.store(0, memory_order_relaxed)

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `SerializedEmitter[element_type]`, for annotations."""
        return GenericAlias(cls, element_type)

    def emit(self, element, /):
        """Deliver an element, now or after earlier ones. Always runs user code: the subscriber, or the hook.

        Args:
            element: Any object except None (§2.13).

        Returns:
            The EmitResult. `is_accepted` is True for exactly one of the results; after all others except DROPPED the
            caller still owns the element.

        Raises:
            NullElementError: The element is None.
            WouldDeadlockError: With the policy `block`: the queue is full, and this thread is the one that delivers.
            BaseException: An interrupt, such as KeyboardInterrupt, of the subscriber, the hook or a signal handler.
        """
        return emit_result(emitter_emit(self, element))

    def complete(self):
        """Complete after the accepted elements. Always runs user code: the subscriber.

        Returns:
            True for the first terminal signal; False for every later one, which does nothing (§1.7).
        """
        return emitter_complete(self)

    def fail(self, error, /):
        """Fail with an exception after the accepted elements. Always runs user code: the subscriber, or the hook.

        Args:
            error: An Exception; after the end it goes to the hook for dropped signals.

        Returns:
            True for the first terminal signal; False for every later one.

        Raises:
            ArgumentTypeError: The argument is not an Exception.
        """
        return emitter_fail(self, error)

    @property
    def capacity(self):
        """The maximum of waiting elements."""
        return self.queue.capacity

    @property
    def policy(self):
        """The OverflowPolicy."""
        return policy_name(self.queue.policy)

    @property
    def pending(self):
        """How many elements are waiting, not counting the one that is being delivered."""
        return overflow_pending(self.queue)

    @property
    def dropped_count(self):
        """How many elements went to the hook for dropped signals."""
        return self.queue.dropped_elements.load(memory_order_relaxed)  # relaxed: immediately outdated

    @property
    def is_terminated(self):
        """Whether no more elements are accepted: completed, failed, or the subscriber raised."""
        return overflow_is_closed(self.queue)

    def __repr__(self):
        ended = ", terminated" if overflow_is_closed(self.queue) else ""
        return (
            f"SerializedEmitter({overflow_pending(self.queue)} of {self.queue.capacity} elements wait, "
            f"on_overflow={str(policy_name(self.queue.policy))!r}{ended})"
        )

    # --- emitters -----------------------------------------------------------------------------------------------

    cdef int _queue_up(self, object element) except -1:
        """Emit through the queue; this thread does not have the token."""
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
            # After the notification, so that elements that the hook emits follow this one.
            if evicted is not None:
                overflow_drop_all(self.queue, evicted, ORIGIN)
        return emission

    cdef int _queue_up_with_token(self, object element) except -1:
        """Emit through the queue; this thread has the token, got from idle, and releases it first.

        The queue is closed, or on free-threaded builds not empty: another thread is about to notify.
        """
        self._deliver()
        return self._queue_up(element)

    cdef int _notify(self) except -1:
        """Make sure that the queue is checked: by the deliverer, or by this thread (I3)."""
        cdef uint32_t seen = acquire_or_mark(self.word)
        if seen & ENDED:
            return self._sweep()
        return 0 if seen & TOKEN else self._deliver()

    # --- the deliverer ------------------------------------------------------------------------------------------

    cdef int _deliver(self) except -1:
        """Deliver the waiting elements, then go idle or signal the end. Requires the token; keeps it at the end."""
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
        """Signal the end to the subscriber; the token is never released (I4)."""
        set_relaxed(self.word, ENDED)  # only the deliverer sets it
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
        """End because the subscriber raised (§2.13); the token is never released."""
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
        """Pass the remaining elements to the hook; any thread may do it, because there is no more polling."""
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
    """Complete, or fail with an error; return False if it had already ended, and nothing was done."""
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
    if isinstance(subscriber, type):
        raise ArgumentTypeError(
            f"SerializedEmitter(subscriber) needs a Subscriber, got the class {subscriber.__qualname__}; pass an "
            f"instance of it, as {subscriber.__qualname__}()"
        )
    for signal in _SIGNALS:
        method = getattr(subscriber, signal, None)
        if not runs_at_once(method):
            where = f"SerializedEmitter(subscriber): {signal} of {type(subscriber).__name__}"
            refuse_deferred(method, where, "define it with def")
        if not callable(method):
            raise ArgumentTypeError(
                f"SerializedEmitter(subscriber) needs {', '.join(_SIGNALS)}, got {safe_repr(subscriber)} "
                f"({type(subscriber).__name__}) without {signal}; define them"
            )
    return 0


cdef object _tell(str signal, object value, str origin, object interrupt):
    """Pass a signal to the hook; return the first exception, the earlier one or that of the hook."""
    try:
        dropped(signal, value, origin=origin)
    except BaseException as error:
        return error if interrupt is None else interrupt
    return interrupt


cdef object _would_deadlock(SerializedEmitter emitter, object element):
    return WouldDeadlockError(
        f"emit({safe_repr(element)}) found {emitter.queue.capacity} elements waiting, and this thread is the one that "
        f"delivers them: it would wait for itself; emit from another thread, raise capacity, or choose another "
        f"on_overflow"
    )
