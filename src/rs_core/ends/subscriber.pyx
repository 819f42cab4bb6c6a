"""The end of a tree whose elements go to a subscriber of any origin, through the four interfaces.

None is refused there (§2.13): it ends the stream with a TypeError that names the operator.

What is requested before the start adds up, and is brought upstream by begin(); so is a cancellation.

Ordering: adding early demand, then reading `has_begun`, and writing `has_begun`, then taking the early demand, are a
store-buffer pair, all seq_cst: one of both finds what the other wrote. So are writing `silent`, then reading
`has_begun`, and writing `has_begun`, then reading `silent`. `subscriber` and `early_refusal` are used in critical
sections.
"""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst,
)
from rs_core.interp.calls cimport call_unpacked, caught, decref, none_pointer, unpack
from rs_core.demand cimport demand_add
from rs_core.stream.description cimport Description
from rs_core.interp.function_kind cimport runs_at_once
from rs_core.stream.lifecycle cimport initialize
from rs_core.stream.subscription cimport (
    ACCEPTED, CONSUMED, STOPPED, Stage, cancel_from_outside, cancel_upstream, drop_signal, new_error, refusal_of,
    refuse_request_of, request_number, request_upstream,
)

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.errors import ArgumentTypeError, NullElementError, StateError

cdef tuple _SIGNALS = ("on_subscribe", "on_next", "on_error", "on_complete")
cdef str _SYNCHRONOUS = "define it with def, and let for_each_async() be the end of the stream where it awaits"


@cython.final
@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class SubscriberStage(Stage):
    """The end of a tree whose elements go to a subscriber: the handle of the subscription.

    It is the Subscription of the specification (`request`, `cancel`) and the handle of the life cycle (`accept`,
    `dispose`, `subscribe`, `set_context`, `start`). Each signal of the subscriber is looked up once, at `start`.

    Args:
        source: The description whose elements are wanted.
        subscriber: Has `on_subscribe`, `on_next`, `on_error` and `on_complete`.

    Demand: the subscriber's requests.
    Errors: an exception of the subscriber cancels the stream; it goes to the hook for dropped signals (§2.13).
    State: none.
    Threads: signals come from the thread that drains, one at a time; `request` and `cancel` from any.
    """

    def __init__(self, Description source, subscriber):
        check_subscriber(subscriber, "subscribe")
        self.source = source
        self.subscriber = subscriber
        self.on_next = subscriber.on_next
        self.has_begun.store(0, memory_order_relaxed)
        self.early_demand.store(0, memory_order_relaxed)
        self.silent.store(0, memory_order_relaxed)
        self.is_initializing.store(0, memory_order_relaxed)
        unpack(self.on_next, &self.function, &self.function_self)

    def request(self, n) -> None:
        """Ask for n more elements; before the start, requests add up."""
        if self.has_begun.load(memory_order_acquire):  # acquire: pairs with begin(); the links above are seen
            request_number(self, n)
        else:
            self.request_early(n)

    def cancel(self) -> None:
        """Stop the stream: nothing is signalled any more but what is being signalled now (§3.5, §3.12)."""
        self.silent.store(1, memory_order_seq_cst)  # seq_cst: see Ordering
        self.has_begun.load(memory_order_seq_cst)  # seq_cst: see Ordering; the links above are seen, or begin() cancels
        cancel_from_outside(self)

    def initialize(self, context=None) -> None:
        """Run the life cycle of the whole tree: subscribe, set_context, start. Always runs user code.

        Args:
            context: What the host provides to the operators, or None.

        Raises:
            StateError: It runs already, in another thread or further out in this one.
        """
        # acquire: pairs with the release below; who comes later sees what was started
        if self.is_initializing.exchange(1, memory_order_acquire):
            raise StateError(
                f"initialize() of {self!r} was called while another call of it runs, in another thread or further out "
                f"in this one; call it once, in the thread that subscribes"
            )
        try:
            initialize(self, context)
        except BaseException:
            self.cancel()  # an interrupt leaves nothing half started
            raise
        finally:
            self.is_initializing.store(0, memory_order_release)  # release: pairs with the acquire above

    cdef int request_early(self, object n) except -1:
        cdef int64_t demand = 0
        refusal = refusal_of(n, &demand)
        if refusal is None:
            demand_add(self.early_demand, demand)
        else:
            with cython.critical_section(self):
                if self.early_refusal is None:
                    self.early_refusal = refusal
        if self.has_begun.load(memory_order_seq_cst):  # seq_cst: see Ordering
            self.bring_early()
        return 0

    cdef int bring_early(self) except -1:
        cdef int64_t early = self.early_demand.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
        if early:
            request_upstream(self, early)
        with cython.critical_section(self):
            refusal, self.early_refusal = self.early_refusal, None
        if refusal is not None:
            refuse_request_of(self, refusal)
        return 0

    cdef int begin(self) except -1:
        self.has_begun.store(1, memory_order_seq_cst)  # seq_cst: see Ordering; releases the links above
        if self.silent.load(memory_order_seq_cst):  # seq_cst: see Ordering
            cancel_from_outside(self)
            return 0
        self.bring_early()
        with cython.critical_section(self):  # another thread may cancel, and release it, at this moment
            subscriber = self.subscriber
        if subscriber is None:
            return 0
        try:
            subscriber.on_subscribe(self)
        except Exception as error:
            self.subscriber_failed("on_subscribe", error)
        except BaseException:
            self.cancel()
            raise
        return 0

    cdef int try_next(self, PyObject* element) noexcept:
        # What is rare stands in methods of its own: their code would lengthen the way of every element.
        cdef PyObject* result
        if self.silent.load(memory_order_relaxed):  # relaxed: a late element may still pass (§2.8)
            decref(element)
            return STOPPED
        if element is none_pointer:
            return self.refuse_none(element)
        result = call_unpacked(self.function, self.function_self, element)
        decref(element)
        if result is NULL:
            return self.next_failed()
        decref(result)
        return ACCEPTED

    cdef int refuse_none(self, PyObject* element) noexcept:
        decref(element)
        return self.owner.finish(self, new_error(
            NullElementError,
            f"§2.13: None cannot be an element at a subscriber, and {describe(self.source)} sent one; "
            f"map it to a value of your own or filter it out",
        ))

    cdef int next_failed(self) noexcept:
        return self.subscriber_failed("on_next", caught())

    cdef int receive_complete(self) noexcept:
        # acq_rel: of several ends only one is signalled (§1.7); pairs with itself
        if not self.silent.exchange(1, memory_order_acq_rel):
            try:
                self.subscriber.on_complete()
            except BaseException as error:
                self.subscriber_failed("on_complete", error)
        return CONSUMED

    cdef int receive_error(self, object error) noexcept:
        # acq_rel: as in receive_complete()
        if self.silent.exchange(1, memory_order_acq_rel):
            drop_signal(self, "on_error", error, describe(self.source))
            return CONSUMED
        try:
            self.subscriber.on_error(error)
        except BaseException as trouble:
            self.subscriber_failed("on_error", trouble)
        return CONSUMED

    cdef int subscriber_failed(self, str signal, object error) noexcept:
        """§2.13: a subscriber that raised is cancelled, and never signalled again."""
        self.silent.store(1, memory_order_relaxed)  # relaxed: read by the holder of the same token
        if isinstance(error, Exception):
            drop_signal(self, signal, error, f"{type(self.subscriber).__name__}.{signal}")
        elif self.owner is not None:
            self.owner.fail_at(self, error)
        cancel_upstream(self)
        return STOPPED

    cdef void release(self) noexcept:
        # §3.13. The handle may live on in the subscriber; the subscriber must not live on in the handle.
        self.silent.store(1, memory_order_relaxed)  # relaxed: as in cancel()
        self.function = NULL
        self.function_self = NULL
        self.on_next = None
        with cython.critical_section(self):
            _released, self.subscriber = self.subscriber, None

    def __repr__(self) -> str:
        with cython.critical_section(self):  # the drainer may release it at this moment
            subscriber = self.subscriber
        return f"<subscription of {type(subscriber).__name__} to {describe(self.source)}>"


cdef str describe(Description source):
    return "a publisher" if source is None else f"{source.definition.id} assembled at {source.assembly}"


cdef int check_subscriber(object subscriber, str where) except -1:
    """Raise where an object cannot be a subscriber (§1.9)."""
    if subscriber is None:
        raise NullElementError(
            f"§1.9: {where}(None): a subscriber is needed; pass an object with {', '.join(_SIGNALS)}", rule="1.9"
        )
    for signal in _SIGNALS:
        method = getattr(subscriber, signal, None)
        if not runs_at_once(method):
            refuse_deferred(method, f"{where}(subscriber): {signal} of {type(subscriber).__name__}", _SYNCHRONOUS)
        if not callable(method):
            raise ArgumentTypeError(
                f"{where}(subscriber) needs a Subscriber, got {subscriber!r} ({type(subscriber).__name__}) without "
                f"{signal}; define {', '.join(_SIGNALS)}"
            )
    return 0


cdef int serve_subscriber(Stage source, object subscriber) except -1:
    """Let a checked subscriber have the elements of a source, or of a chain of stages that begins with one."""
    cdef SubscriberStage end = SubscriberStage(None, subscriber)
    cdef Stage stage = source
    end.up = source
    source.down = end
    while stage is not None:
        stage.tree = end.tree
        stage = stage.up
    return initialize(end, None)
