"""A source whose elements come from a publisher of any origin, through the four interfaces.

Roles
    publisher   any thread, one signal at a time (§1.3): puts elements into the ring
    drainer     the holder of this owner's token: takes them out, requests, cancels; so `request` and `cancel` of the
                publisher's subscription are serial (§2.7)

Elements that arrive while the drainer asks for them, e.g. from a publisher that emits inside `request`, wait in the
ring and are passed on when `request` has returned: nothing nests (§3.3).

Bound: no more than `prefetch` elements are requested and not yet passed on, whatever the demand below is.

Ordering: `subscription` is written before `is_subscribed` (release) and read after it (acquire). Queue and end of the
input: as in queue_stage.pyx.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.arguments cimport shown
from rs_core.atomics cimport (
    gil_int64, gil_uint32, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
    memory_order_seq_cst,
)
from rs_core.drain cimport LEAVE, TERMINAL, push
from rs_core.failures cimport release_failed
from rs_core.object_handoff cimport handoff_reference
from rs_core.queue_stage cimport QueueStage
from rs_core.role cimport Role, role_enter, role_leave
from rs_core.spsc_ring cimport spsc_offer, spsc_poll, spsc_size
from rs_core.stage cimport ACCEPTED
from rs_core.subscriber_stage cimport describe

from rs_core.dropped import dropped
from rs_core.errors import DemandExceededError, NullElementError, SignalOverlapError


@cython.final
cdef class PublisherSource(QueueStage):
    """Send the elements of a publisher.

    Args:
        publisher: Has `subscribe(subscriber)`.
        prefetch: How many elements may be requested and not yet passed on.

    Errors: signals that overlap end the stream with SignalOverlapError (§1.3), more elements than were requested
    with DemandExceededError (§1.1).
    State: elements that came and were not passed on; after recovery the publisher is subscribed anew.
    """

    cdef object publisher
    cdef object subscription
    cdef gil_uint32 is_subscribed
    cdef gil_int64 credit      # requested and not yet received
    cdef int64_t owed             # requested and not yet passed on; drainer
    cdef Role signalling

    def __init__(self, publisher, prefetch):
        QueueStage.__init__(self, prefetch)
        self.publisher = publisher
        self.is_concurrent = True
        self.is_subscribed.store(0, memory_order_relaxed)
        self.credit.store(0, memory_order_relaxed)

    cdef int begin(self) except -1:
        self.owed = <int64_t>spsc_size(self.slots)
        try:
            self.publisher.subscribe(_Input(self))
        except Exception as error:  # §1.9 allows it for None only; the stream has to end all the same
            if self.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: cancelled meanwhile, or not
                release_failed(self, "subscribe", error, describe(self.description))
            else:
                self.fail_at(self, error)  # nobody drains yet: the note is read when the tree is opened
        return 0

    # --- the publisher's thread ---------------------------------------------------------------------------------

    cdef int accept_subscription(self, object subscription) except -1:
        # acquire: pairs with the release below; one publisher's second attempt and a second publisher look alike
        if self.is_subscribed.load(memory_order_acquire) or self.state.load(memory_order_relaxed) & TERMINAL:
            return self._refuse_subscription(subscription)  # §2.5, and nobody wants elements of an ended stream
        self.subscription = subscription
        # seq_cst: with TERMINAL below a store-buffer pair with release(); one of both cancels the subscription
        self.is_subscribed.store(1, memory_order_seq_cst)
        if self.state.load(memory_order_seq_cst) & TERMINAL:  # seq_cst: see the line above
            return self._refuse_subscription(subscription)
        return self.notify()

    cdef int _refuse_subscription(self, object subscription) except -1:
        try:
            subscription.cancel()
        except Exception as error:  # §3.15 forbids it
            dropped("cancel", error, origin=describe(self.description))
        return 0

    cdef int accept_element(self, object element) except -1:
        cdef bint is_legal
        if self.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: a hint that spares the ring
            return self._let_go(element)
        if not role_enter(self.signalling):
            return self._overlap("on_next")
        # acquire: pairs with the release in accept_end(), which the same publisher called before
        if self.input_ended.load(memory_order_acquire):
            role_leave(self.signalling)
            return self._let_go(element)
        # acq_rel: the drainer adds credit before it requests, so a legal element always finds it
        is_legal = self.credit.fetch_sub(1, memory_order_acq_rel) > 0
        if is_legal:
            spsc_offer(self.slots, handoff_reference(<PyObject*>element))  # never full: credit never exceeds capacity
        role_leave(self.signalling)
        if not is_legal:
            return self.refuse_request(DemandExceededError(
                f"§1.1: {shown(self.publisher)} sent {shown(element)} without demand for it, to "
                f"{describe(self.description)}; a publisher may send only what was requested"
            ))
        return self.notify()

    cdef int _let_go(self, object element) except -1:
        """Let an element go that comes too late: legal after cancel() (§2.8), not after the publisher's end (§1.7)."""
        # acquire: pairs with the release in accept_end(), which the same publisher called before
        if self.input_ended.load(memory_order_acquire):
            dropped("on_next", element, origin=describe(self.description))
        return 0

    cdef int accept_end(self, str signal, object error) except -1:
        cdef bint is_late
        if not role_enter(self.signalling):
            return self._overlap(signal)
        # relaxed: a hint, as in accept_element(). acquire: as there
        is_late = self.state.load(memory_order_relaxed) & TERMINAL or self.input_ended.load(memory_order_acquire)
        if not is_late:
            self.input_error = error
            self.input_ended.store(1, memory_order_release)  # release: pairs with the acquire in finish_if_ended()
        role_leave(self.signalling)
        if not is_late:
            return self.notify()
        if error is not None:
            dropped(signal, error, origin=describe(self.description))  # as in accept_element()
        return 0

    cdef int _overlap(self, str signal) except -1:
        return self.refuse_request(SignalOverlapError(
            f"§1.3: {shown(self.publisher)} called {signal} while another of its signals was running, at "
            f"{describe(self.description)}; a publisher must signal one at a time"
        ))

    # --- the drainer --------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if sent == n:
                self.finish_if_ended()
                break
            element = spsc_poll(self.slots)
            if element is NULL:
                if not self.finish_if_ended():
                    self._replenish(n - sent)
                break
            self.changed = True
            self.owed -= 1
            if push(self, element) == ACCEPTED:
                sent += 1
        return sent

    cdef void _replenish(self, int64_t wanted) noexcept:
        """Request what is wanted below and neither requested nor here, within the bound."""
        cdef int64_t more
        # acquire: pairs with the seq_cst store in accept_subscription(); else `subscription` may not be seen
        if not self.is_subscribed.load(memory_order_acquire):
            return
        more = min(wanted, self.prefetch) - self.owed
        if more <= 0 or (wanted > self.prefetch and more < self.replenish_at):
            return
        self.owed += more
        self.credit.fetch_add(more, memory_order_acq_rel)  # acq_rel: pairs with the fetch_sub of accept_element()
        try:
            self.subscription.request(more)
        except BaseException as error:  # §3.16 forbids it
            self.fail_at(self, error)

    cdef void release(self) noexcept:
        self.publisher = None
        # seq_cst: TERMINAL was set before; see accept_subscription()
        if self.is_subscribed.load(memory_order_seq_cst):
            subscription = self.subscription
            self.subscription = None
            # acquire: pairs with the release in _end_input(); an ended subscription needs no cancel (§1.6)
            if subscription is not None and not self.input_ended.load(memory_order_acquire):
                try:
                    subscription.cancel()
                except BaseException as error:  # §3.15 forbids it
                    release_failed(self, "cancel", error, describe(self.description))
        QueueStage.release(self)

    cdef int write_fields(self, object writer) except -1:
        return self.save_queue(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        return self.load_queue(reader)


@cython.final
cdef class _Input:
    """The subscriber that the publisher sees."""

    cdef PublisherSource source
    cdef object __weakref__

    def __init__(self, PublisherSource source not None):
        self.source = source

    def on_subscribe(self, subscription) -> None:
        if subscription is None:
            raise NullElementError(
                "§2.13: on_subscribe(None): a subscription is needed; pass an object with request and cancel"
            )
        self.source.accept_subscription(subscription)

    def on_next(self, element) -> None:
        if element is None:
            raise NullElementError("§2.13: on_next(None): None cannot be an element; send a value of your own for it")
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        if error is None:
            raise NullElementError("§2.13: on_error(None): an exception is needed; pass what went wrong")
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        self.source.accept_end("on_complete", None)
