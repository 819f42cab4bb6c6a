"""The root of a tree whose elements go to a subscriber of any library, through the four interfaces.

None is refused there (§2.13): it ends the stream with a TypeError that names the operator.

Requests before the start add up, and begin() passes them upstream, as it does a cancellation.

Ordering: adding pending demand, then reading `has_begun`, and writing `has_begun`, then taking the pending demand, are
a store-buffer pair, all seq_cst: at least one side reads the other's write. So are writing `muted`, then reading
`has_begun`, and writing `has_begun`, then reading `muted`. `subscriber` and `pending_refusal` are used in critical
sections.
"""

cimport cython
from cpython.exc cimport PyErr_SetObject
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

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

cdef extern from *:
    """
    /* Whether a method is a compiled one, bound to that object. */
    static inline int rs_is_method_of(PyObject *method, PyObject *self) {
        return PyCFunction_Check(method) && PyCFunction_GET_SELF(method) == self;
    }
    """
    bint is_method_of "rs_is_method_of"(object method, object self) noexcept

cdef tuple _SIGNALS = ("on_subscribe", "on_next", "on_error", "on_complete")
cdef str _SYNCHRONOUS = "define it with def, and end the stream with for_each_async() if it awaits"


cdef class CompiledSubscriber:
    """The base of subscribers of this project that get their elements without a call of Python; it refuses them."""

    cdef int receive(self, PyObject* element) noexcept:
        decref(element)
        PyErr_SetObject(NotImplementedError, type(self))
        return -1


@cython.final
@cython.binding(False)  # see is_method_of()
cdef class DiscardingSubscriber(CompiledSubscriber):
    """Request everything, and do nothing with the elements: the end of a stream that runs for what its operators do.

    Args:
        on_error: Called with the error of the stream.
    """

    cdef object report

    def __init__(self, on_error):
        self.report = on_error

    def on_subscribe(self, subscription, /) -> None:
        subscription.request(INT64_MAX)

    cdef int receive(self, PyObject* element) noexcept:
        decref(element)
        return 0

    def on_next(self, element, /) -> None:
        pass

    def on_error(self, error, /) -> None:
        self.report(error)

    def on_complete(self) -> None:
        pass


@cython.final
@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class SubscriberStage(Stage):
    """The root of a tree whose elements go to a subscriber: the handle of the subscription.

    It is the Subscription of the specification (`request`, `cancel`) and the handle of the life cycle (`accept`,
    `dispose`, `subscribe`, `set_context`, `start`). Each signal of the subscriber is looked up once, at `start`.

    Args:
        source: The description of the stream.
        subscriber: The subscriber, with `on_subscribe`, `on_next`, `on_error` and `on_complete`.

    Demand: the subscriber's requests.
    Errors: an exception of the subscriber cancels the stream; it goes to the hook for dropped signals (§2.13).
    State: none.
    Threads: signals are sent by the thread that drains, one at a time; any thread may call `request` and `cancel`.
    """

    def __init__(self, Description source, subscriber):
        check_subscriber(subscriber, "subscribe")
        self.source = source
        self.subscriber = subscriber
        self.on_next = subscriber.on_next
        self.has_begun.store(0, memory_order_relaxed)
        self.pending_demand.store(0, memory_order_relaxed)
        self.muted.store(0, memory_order_relaxed)
        self.is_initializing.store(0, memory_order_relaxed)
        # Not where a subclass in Python defines its own.
        if isinstance(subscriber, CompiledSubscriber) and is_method_of(self.on_next, subscriber):
            self.compiled = <CompiledSubscriber>subscriber
        else:
            unpack(self.on_next, &self.function, &self.function_self)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and who its subscriber is."""
        cdef dict facts = Stage.inspect(self)
        with cython.critical_section(self):  # the draining thread may release it at this moment
            subscriber = self.subscriber
        facts["operator"] = "subscriber" if subscriber is None else f"subscriber {type(subscriber).__name__}"
        facts["subscriber"] = subscriber
        # relaxed: as for all that is inspected
        if not self.has_begun.load(memory_order_relaxed):
            facts["requested"] = self.pending_demand.load(memory_order_relaxed)
            facts["waiting_for"] = "start"
        return facts

    def request(self, n) -> None:
        """Request n more elements; before the start, requests add up."""
        if self.has_begun.load(memory_order_acquire):  # acquire: pairs with begin(); the upstream links are visible
            request_number(self, n)
        else:
            self.request_early(n)

    def cancel(self) -> None:
        """Stop the stream: no signal is sent any more, except one that is being sent now (§3.5, §3.12)."""
        self.muted.store(1, memory_order_seq_cst)  # seq_cst: see Ordering
        self.has_begun.load(memory_order_seq_cst)  # seq_cst: see Ordering; links are visible, or begin() cancels
        cancel_from_outside(self)

    def initialize(self, context=None) -> None:
        """Run the life cycle of the whole tree: subscribe, set_context, start. Always runs user code.

        Args:
            context: The context of the operators, or None.

        Raises:
            StateError: It is already running, in another thread or in an outer frame of this one.
        """
        # acquire: pairs with the release below; a later caller sees what was started
        if self.is_initializing.exchange(1, memory_order_acquire):
            raise StateError(
                f"initialize() of {self!r} was called while another call of it is running, in another thread or "
                f"further out in this one; call it once, in the thread that subscribes"
            )
        try:
            initialize(self, context)
        except BaseException:
            self.cancel()  # after an interrupt nothing stays half started
            raise
        finally:
            self.is_initializing.store(0, memory_order_release)  # release: pairs with the acquire above

    cdef int request_early(self, object n) except -1:
        cdef int64_t demand = 0
        refusal = refusal_of(n, &demand)
        if refusal is None:
            demand_add(self.pending_demand, demand)
        else:
            with cython.critical_section(self):
                if self.pending_refusal is None:
                    self.pending_refusal = refusal
        if self.has_begun.load(memory_order_seq_cst):  # seq_cst: see Ordering
            self.flush_pending_demand()
        return 0

    cdef int flush_pending_demand(self) except -1:
        cdef int64_t early = self.pending_demand.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
        if early:
            request_upstream(self, early)
        with cython.critical_section(self):
            refusal, self.pending_refusal = self.pending_refusal, None
        if refusal is not None:
            refuse_request_of(self, refusal)
        return 0

    cdef int begin(self) except -1:
        self.has_begun.store(1, memory_order_seq_cst)  # seq_cst: see Ordering; releases the upstream links
        if self.muted.load(memory_order_seq_cst):  # seq_cst: see Ordering
            cancel_from_outside(self)
            return 0
        self.flush_pending_demand()
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
        # Rare cases are in separate methods: their code would slow down the path of every element.
        cdef PyObject* result
        if self.muted.load(memory_order_relaxed):  # relaxed: a late element may still pass (§2.8)
            decref(element)
            return STOPPED
        if element is none_pointer:
            return self.refuse_none(element)
        if self.function is NULL:
            return ACCEPTED if self.compiled.receive(element) == 0 else self.next_failed()
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
        # acq_rel: of several terminal signals only one is sent (§1.7); pairs with itself
        if not self.muted.exchange(1, memory_order_acq_rel):
            try:
                self.subscriber.on_complete()
            except BaseException as error:
                self.subscriber_failed("on_complete", error)
        return CONSUMED

    cdef int receive_error(self, object error) noexcept:
        # acq_rel: as in receive_complete()
        if self.muted.exchange(1, memory_order_acq_rel):
            drop_signal(self, "on_error", error, describe(self.source))
            return CONSUMED
        try:
            self.subscriber.on_error(error)
        except BaseException as trouble:
            self.subscriber_failed("on_error", trouble)
        return CONSUMED

    cdef int subscriber_failed(self, str signal, object error) noexcept:
        """§2.13: a subscriber that raised is cancelled, and never signalled again."""
        self.muted.store(1, memory_order_relaxed)  # relaxed: read by the holder of the same token
        if isinstance(error, Exception):
            drop_signal(self, signal, error, f"{type(self.subscriber).__name__}.{signal}")
        elif self.owner is not None:
            self.owner.fail_at(self, error)
        cancel_upstream(self)
        return STOPPED

    cdef void release(self) noexcept:
        # §3.13. The subscriber may keep the handle alive, but the handle must not keep the subscriber alive.
        self.muted.store(1, memory_order_relaxed)  # relaxed: as in cancel()
        self.function = NULL
        self.function_self = NULL
        self.on_next = None
        self.compiled = None
        with cython.critical_section(self):
            _released, self.subscriber = self.subscriber, None

    def __repr__(self) -> str:
        with cython.critical_section(self):  # the draining thread may release it at this moment
            subscriber = self.subscriber
        return f"<subscription of {type(subscriber).__name__} to {describe(self.source)}>"

    def _repr_html_(self) -> str:
        """Return for a notebook what `explain` says of this run at this moment."""
        from rs_core.inspection.report import explain  # not loaded by programs that do not ask

        return explain(self)._repr_html_()


cdef str describe(Description source):
    return "a publisher" if source is None else f"{source.definition.id} assembled at {source.assembly}"


cdef int check_subscriber(object subscriber, str where) except -1:
    """Raise if an object cannot be a subscriber (§1.9)."""
    if subscriber is None:
        raise NullElementError(
            f"§1.9: {where}(None): a subscriber is needed; pass an object with {', '.join(_SIGNALS)}", rule="1.9"
        )
    if isinstance(subscriber, type):
        raise ArgumentTypeError(
            f"{where}(subscriber) needs a Subscriber, got the class {subscriber.__qualname__}; pass an instance of it, "
            f"as {subscriber.__qualname__}()"
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
    """Send to a checked subscriber the elements of a source, or of a chain of stages that begins with one."""
    cdef SubscriberStage end = SubscriberStage(None, subscriber)
    cdef Stage stage = source
    end.up = source
    source.down = end
    while stage is not None:
        stage.tree = end.tree
        stage = stage.up
    return initialize(end, None)
