"""The serialized emitter for library authors. How it works, and why that is right, stands in serial_delivery.pyx."""

from types import GenericAlias

cimport cython

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.function_kind cimport runs_at_once
from rs_core.queues.overflow_queue cimport (
    emit_result, new_overflow_queue, overflow_is_closed, overflow_pending, policy_name,
)
from rs_core.stream.serial_delivery cimport SerialDelivery, deliver_or_queue, end_delivery
from rs_core.interp.signal_arguments cimport no_exception, null_element

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.dropped import dropped
from rs_core.errors import ArgumentTypeError, NullElementError
from rs_core.queues.overflow_policy import DEFAULT_BLOCK_TIMEOUT_SECONDS, DEFAULT_CAPACITY

__all__ = ["SerializedEmitter"]

cdef tuple _SIGNALS = ("on_next", "on_error", "on_complete")


@cython.final
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class SerializedEmitter(SerialDelivery):
    """Deliver signals of any number of threads to one subscriber, one at a time, each thread's in its order.

    An emitter that is idle delivers in the emitting thread, without a queue. What is emitted while another thread
    delivers, or from inside a delivery, waits in a bounded queue for the one that delivers. The end comes behind all
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
        self.prepare(subscriber, new_overflow_queue(capacity, on_overflow, block_timeout_seconds, "on_overflow"))

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
        """Complete, behind what was accepted. Always runs user code: the subscriber.

        Returns:
            True for the first terminal signal; False for every later one, which does nothing (§1.7).
        """
        return emitter_complete(self)

    def fail(self, error, /):
        """Fail with an exception, behind what was accepted. Always runs user code: the subscriber, or the hook.

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


cdef int emitter_emit(SerializedEmitter emitter, object element) except -1:
    if element is None:
        raise null_element("emit")
    return deliver_or_queue(emitter, element)


cdef bint emitter_complete(SerializedEmitter emitter) except -1:
    return end_delivery(emitter, None)


cdef bint emitter_fail(SerializedEmitter emitter, object error) except -1:
    if not isinstance(error, Exception):
        raise no_exception(error)
    cdef bint is_first = end_delivery(emitter, error)
    if not is_first:
        dropped("on_error", error, origin="SerializedEmitter")
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
