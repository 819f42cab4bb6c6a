"""The base of operators with several inputs that are written in Python, used by `MultiInputNode`.

Each input is a separate subscription, with a handle and a tree that visitors reach. Its subscriber offers the elements
to the ring of a port of the stage (stream/combine_stage.pyx). Hooks of one operator never run at the same time or
inside each other: the stage's token guards them, except `on_start`, which runs before the stage is opened, and
`on_dispose`; these two are ordered as in operators/python_operator.pyx.

Roles
    input       any thread, one signal of each input at a time (§1.3): offers to its ring, or ends; lists the port
    drainer     the holder of the stage's token: calls the hooks, sends downstream, requests from the inputs
    life cycle  the thread that starts the stage: runs `on_start`, then starts the inputs

Inputs that are added while it runs have the numbers after those that it began with, and none is given again. One that
is over is forgotten, with its subscription: the stage, and its state, grow with those that are open.

Invariants, in addition to those of stream/combine_stage.pyx
    I6  The stage is opened after all inputs were started: no hook gets an element before that.
    I7  No hook for a signal of an input runs while an emitted element waits for demand; the signals wait meanwhile.
    I8  The error of an input is passed to a hook or reported as dropped, once: the input ends, and the operator closes
        it, by changes of `input_ended`, the second of which sees the writes before the first.
        tests/interleavings/test_multi_input_model.py explores it, with each step broken.

Ordering (write -> read that pairs with it), in addition to that of the ports
    `input_error`, then INPUT_ENDED (acq_rel)  ->  INPUT_CLOSED (acq_rel), then `input_error`
    credit added (acq_rel), then `request`     ->  credit taken (acq_rel): a legal element finds it

Depth: operators that are inputs of each other are started, and disposed, inside each other, up to the interpreter's
recursion limit; then a RecursionError is raised.

An element that an input offers while it is being closed stays in the ring until the port is freed.
"""

from collections import deque
from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint32_t

cimport cython

from rs_core.ends.subscriber cimport SubscriberStage
from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport caught, decref
from rs_core.interp.object_handoff cimport handoff_reference
from rs_core.interp.signal_arguments cimport as_exception, null_element, null_error, null_subscription
from rs_core.operators.python_operator cimport (
    STARTING, OutputBuffer, begin_first_hook, begin_last_hook, end_first_hook,
)
from rs_core.queues.spsc_ring cimport spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.sources.publisher cimport drain_in_turn_here
from rs_core.stream.combine_stage cimport CombineStage, InputPort, listed_ports, next_listed, pass_on
from rs_core.stream.queue_stage cimport elements_in, ring_with
from rs_core.stream.subscription cimport (
    LEAVE, UNWANTED, count, drain_as_consumer, drop_signal, note_element, release_failed,
)
from rs_core.sync.atomics cimport (
    gil_int64, gil_uint32, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_seq_cst,
)
from rs_core.sync.exclusive_use cimport ExclusiveUse, exclusive_enter, exclusive_leave
from rs_core.sync.thread_owner cimport ThreadOwner

from rs_core.dropped import dropped
from rs_core.errors import (
    ArgumentError, ArgumentTypeError, DemandExceededError, NullElementError, SignalOverlapError, StateError,
)
from rs_core.stream.tree_walk import nodes_of

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char* where) except -1
    void Py_LeaveRecursiveCall() noexcept
    const size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    PyObject* PyObject_Vectorcall(PyObject* callable, PyObject** arguments, size_t count, PyObject* names) noexcept

cdef enum InputEnd:      # the values of a port's input_ended
    INPUT_OPEN = 0
    INPUT_ENDED = 1      # by the input: the drainer handles its error
    INPUT_CLOSED = 2     # by the operator: later signals are refused

cdef enum SavedKind:   # the kinds of a signal in a saved state
    SAVED_ELEMENT = 0
    SAVED_COMPLETE = 1
    SAVED_ERROR = 2

cdef str _REMEDY = "load an older checkpoint, or drop the state of this operator"


cdef class MultiInputStage(CombineStage)


@cython.final
cdef class InputSubscriber:
    """The subscriber of one input."""

    cdef MultiInputStage stage
    cdef InputPort port
    cdef object number         # the port's index
    cdef object handle         # the handle of the subscription
    cdef tuple added           # of an input that was added: source_id and arguments; else None
    cdef int64_t wanted        # wanted by hooks and not yet requested; drainer
    cdef gil_int64 credit      # requested and not yet received
    cdef ExclusiveUse signalling
    cdef object __weakref__

    def __cinit__(self, MultiInputStage stage not None):
        self.stage = stage
        self.port = stage.new_port(None, self)
        self.number = self.port.index
        self.credit.store(0, memory_order_relaxed)

    def on_subscribe(self, subscription, /) -> None:
        """Limit the input by the turn of the run that requests; requests go through its handle."""
        if subscription is None:
            raise null_subscription()
        if isinstance(subscription, SubscriberStage):
            drain_as_consumer(<SubscriberStage>subscription)

    def on_next(self, element, /) -> None:
        """Store a requested element; one that was not requested ends its input (§1.1)."""
        cdef bint is_open, is_legal
        if element is None:
            raise null_element("on_next")
        if not exclusive_enter(self.signalling):
            self._overlap("on_next")
            return
        # acquire: pairs with the closing exchange; the stage may be torn down
        is_open = self.port.input_ended.load(memory_order_acquire) == INPUT_OPEN
        is_legal = is_open and self.credit.fetch_sub(1, memory_order_acq_rel) > 0  # acq_rel: see Ordering
        if is_legal:
            # never full: credit never exceeds the free capacity
            spsc_offer(self.port.slots, handoff_reference(<PyObject*>element))
        exclusive_leave(self.signalling)
        if is_legal:
            self.port.announce()
            self.stage.notify()
        elif is_open:  # otherwise it was cancelled (§2.8) or has ended (§1.7)
            self._break_off(DemandExceededError(
                f"§1.1: input {self.number} of {self.stage!r} sent {safe_repr(element)}, which was not requested; a "
                f"publisher may send only what was requested"
            ))

    def on_error(self, error, /) -> None:
        """Store the error of the input, if it is its first terminal signal."""
        if error is None:
            raise null_error()
        self._end("on_error", error)

    def on_complete(self) -> None:
        """Record completion of the input, if it is its first terminal signal."""
        self._end("on_complete", None)

    cdef int _end(self, str signal, object error) except -1:
        cdef uint32_t seen = INPUT_OPEN
        cdef bint is_first
        if not exclusive_enter(self.signalling):
            return self._overlap(signal)
        is_first = self.port.input_ended.load(memory_order_acquire) == INPUT_OPEN  # acquire: as in on_next()
        if is_first:
            self.port.input_error = as_exception(error)
            # acq_rel: see Ordering
            is_first = self.port.input_ended.compare_exchange_strong(
                seen, INPUT_ENDED, memory_order_acq_rel, memory_order_acquire
            )
        exclusive_leave(self.signalling)
        if is_first:
            self.port.announce()
            return self.stage.notify()
        if error is not None:
            dropped(signal, error, origin=self.stage.name)
        return 0

    cdef int _break_off(self, object error) except -1:
        """End and cancel an input that broke a rule."""
        self._end("on_error", error)
        if self.handle is not None:  # it signals inside bind()
            self.stage._dispose_handles((self.handle,))
        return 0

    cdef int _overlap(self, str signal) except -1:
        return self.stage.refuse_request(SignalOverlapError(
            f"§1.3: input {self.number} of {self.stage!r} called {signal} while another of its signals was running; a "
            f"publisher must signal one at a time"
        ))

    cdef int request(self, int64_t n) except -1:
        """Add n wanted elements; request up to the free capacity, if enough are due. For the drainer and `on_start`."""
        cdef InputPort port = self.port
        cdef int64_t more
        self.wanted = INT64_MAX if n > INT64_MAX - self.wanted else self.wanted + n
        more = min(self.wanted, self.stage.prefetch - port.outstanding)
        # Fewer: elements wait or are on their way, so this is called again.
        if more <= 0 or (more < self.wanted and more < self.stage.replenish_at):
            return 0
        if port.input_ended.load(memory_order_relaxed) != INPUT_OPEN:  # relaxed: a hint; ended inputs ignore it
            return 0
        if self.wanted != INT64_MAX:
            self.wanted -= more
        port.outstanding += more
        self.credit.fetch_add(more, memory_order_acq_rel)  # acq_rel: see Ordering
        try:
            self.handle.request(more)
        except Exception as error:  # §3.16 forbids it
            self._break_off(error)
        return 0

    cdef void close(self) noexcept:
        """Accept nothing more from this input, and drop waiting elements. For the drainer and release."""
        cdef InputPort port = self.port
        cdef PyObject* element
        # acq_rel: see Ordering
        cdef bint end_waits = port.input_ended.exchange(INPUT_CLOSED, memory_order_acq_rel) == INPUT_ENDED
        end_waits = end_waits and not port.is_over
        port.is_over = True
        port.key = None  # they refer to each other
        self.retire()
        element = spsc_poll(port.slots)
        while element is not NULL:
            decref(element)
            element = spsc_poll(port.slots)
        if end_waits and port.input_error is not None:
            drop_signal(self.stage, "on_error", port.input_error, self.stage.name)

    cdef void retire(self) noexcept:
        """Let nobody list the port again (I3); forget an input that was added. For the drainer and release."""
        cdef MultiInputStage stage = self.stage
        # seq_cst: as in list_port()
        was_listed = self.port.is_listed.exchange(1, memory_order_seq_cst)
        if self.added is None:
            return
        if was_listed:
            stage.retired[self.port.index] = self.port  # as long as it is in the list (I4)
        stage.ports.pop(self.port.index, None)
        stage.subscribers.pop(self.port.index, None)
        with cython.critical_section(stage):  # pairs with that in _keep_handles()
            stage.handles = tuple([handle for handle in stage.handles if handle is not self.handle])


cdef class MultiInputStage(CombineStage):
    """The compiled part of an operator with several inputs: `reactivestreams.lifecycle.MultiInputNode`.

    Args:
        subscriber: The receiver of the emitted elements.
        prefetch: How many elements of each input may be requested and not yet taken, from 1.
        capacity: How many emitted elements may wait for demand.

    State: see MultiInputNode.
    """

    cdef gil_uint32 life         # bits of Life
    cdef SubscriberStage end     # the stage that sends to the subscriber
    cdef OutputBuffer output
    cdef object next_hook        # the function on_next of the class: a bound method would be a cycle
    cdef dict subscribers        # by number: the InputSubscriber of each input
    cdef tuple handles           # for visitors: those that it began with, then those that were added and are open
    cdef int64_t first_added     # the number of the first input that is added
    cdef bint handles_are_due    # released: a thread that makes handles now disposes them
    cdef bint has_context
    cdef ThreadOwner hook_thread  # the thread that runs a hook
    cdef int64_t given           # the demand that send() serves
    cdef int64_t turn_left       # remaining elements in turns of other tasks; holder of the token

    def __cinit__(self, *args, **kwargs):
        self.life.store(0, memory_order_relaxed)
        self.next_hook = type(self).on_next
        self.output = OutputBuffer()
        self.output.elements = deque()
        self.subscribers = {}
        self.handles = ()

    def __init__(self, subscriber, int64_t prefetch, int64_t capacity):
        CombineStage.__init__(self, (), prefetch)
        self.output.capacity = capacity
        self.end = SubscriberStage(None, subscriber)
        self.end.up = self
        self.end.tree = self.tree
        self.down = self.end

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `MultiInputStage[result_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    @property
    def inputs(self) -> tuple:
        """The upstream subscriptions; empty before `subscribe`; after `dispose` those of `sources`."""
        return self.handles

    # --- hooks --------------------------------------------------------------------------------------------------

    def bindable_sources(self):
        """Return the inputs, each of which has `bind`."""
        return ()

    def bindable_source(self, source_id, arguments):
        """Return an input that is added, which has `bind`."""
        raise NotImplementedError(f"{type(self).__name__} has to define source(self, source_id, **arguments)")

    def on_next(self, index, element) -> None:
        """Handle an element of an input."""
        raise NotImplementedError(f"{type(self).__name__} has to define on_next(self, index, element)")

    def on_complete(self, index) -> None:
        """Handle completion of an input; by default the operator completes with the last one."""
        if not any([self.is_input_open(other) for other in list(self.subscribers)]):
            self.complete()

    def on_error(self, index, error) -> None:
        """Handle the error of an input; by default the operator fails with the same error."""
        self.fail(error)

    def on_request(self, n) -> None:
        """Handle demand for n more elements; 2**63 - 1 means any number."""

    def on_context(self, context) -> None:
        """Receive the context, once; it is also `self.context`."""

    def on_start(self) -> None:
        """Start, once; the inputs are started next."""

    def on_dispose(self) -> None:
        """Clean up, once; the inputs were disposed before."""

    def save_fields(self, writer) -> None:
        """Write the operator's state."""

    def load_fields(self, reader, version) -> None:
        """Read the state that `save_fields` wrote, in this class's version or in one of its `loadable_versions`."""

    # --- called by hooks ----------------------------------------------------------------------------------------------

    def emit(self, element) -> None:
        """Send an element downstream, after the hook has returned and when it is requested.

        Raises:
            StateError: No hook is running, or the operator has ended (§1.7).
            NullElementError: The element is None (§2.13).
            CapacityError: `capacity` elements already wait for demand.
        """
        self._require_hook("emit()")
        if element is None:
            raise NullElementError(
                f"§2.13: emit(None) of {self!r}: None cannot be an element; send a value of your own for it"
            )
        self.output.require_open(self)
        self.output.put(self, element)
        self.changed = True

    def complete(self) -> None:
        """Complete after the emitted elements; then the inputs are cancelled. The first terminal call counts."""
        self._require_hook("complete()")
        self.output.end(None)
        self.changed = True

    def fail(self, error) -> None:
        """Fail, after what was emitted was sent; then the inputs are cancelled. The first end counts.

        Raises:
            StateError: No hook is running.
            ArgumentTypeError: The error is not an exception.
        """
        self._require_hook("fail()")
        if not isinstance(error, Exception):
            raise ArgumentTypeError(
                f"fail(error) of {self!r} needs an exception instance, got {safe_repr(error)}; pass one such as "
                "ValueError('why')"
            )
        self.output.end(error)
        self.changed = True

    def add_input(self, source_id, /, **arguments) -> int:
        """Subscribe to one more input: what `source(source_id, **arguments)` returns; then call `request_input`.

        Args:
            source_id: What it is, such as a name.
            **arguments: What else `source` has to know. Both are saved, so values that state may contain.

        Returns:
            Its number, for `request_input`, `cancel_input` and the hooks; no other input ever has it.

        Raises:
            StateError: No hook is running, or the operator has ended.
            ArgumentTypeError: `source` returned no stream, or the id is not a text.
        """
        self._require_hook("add_input()")
        self.output.require_open(self)
        return self._added(source_id, arguments).number

    def request_input(self, index, n) -> None:
        """Ask an input for n more elements, 2**63 - 1 for any number; nothing, where it is over.

        Of these, `prefetch` are requested at most before `on_next` has had some.

        Raises:
            StateError: No hook is running.
            ArgumentError: n is not positive.
        """
        self._require_hook("request_input()")
        if n <= 0:
            raise ArgumentError(f"request_input(index, n) needs n > 0, got {n}; request a positive count")
        cdef InputSubscriber subscriber = self.subscriber(index)
        if subscriber is not None:
            subscriber.request(INT64_MAX if n > INT64_MAX else n)

    def cancel_input(self, index) -> None:
        """Cancel an input: neither waiting elements nor its terminal signal are passed to hooks.

        One of `sources` stays visitable, one that was added is forgotten.
        """
        cdef InputSubscriber subscriber
        self._require_hook("cancel_input()")
        self.changed = True
        subscriber = self.subscriber(index)
        if subscriber is not None:
            subscriber.close()
            subscriber.handle.dispose()

    @property
    def wanted(self) -> int:
        """How many more emitted elements can be sent immediately; 2**63 - 1 means any number."""
        cdef int64_t demand = self._demand()
        return demand if demand == INT64_MAX else max(0, demand - len(self.output.elements))

    def is_input_open(self, index) -> bool:
        """Return whether an input was not cancelled, and its end was not passed to a hook."""
        cdef InputSubscriber subscriber = self.subscriber(index) if self.subscribers else None
        return subscriber is not None and not subscriber.port.is_over

    def mark_changed(self) -> None:
        """Mark the state as changed, so that the next checkpoint saves it."""
        self.changed = True

    cdef InputSubscriber subscriber(self, object index):
        """Return an input by its number; None: it was added, and is over."""
        found = self.subscribers.get(index)
        if found is None and not self.first_added <= index < self.next_index:
            raise IndexError(f"{self!r} has {self.next_index} inputs and none of the number {index}")
        return <InputSubscriber>found

    cdef InputSubscriber _added(self, object source_id, dict arguments):
        """Make an input, and its nodes, which are started where this stage was."""
        cdef InputSubscriber subscriber
        source = self.bindable_source(source_id, arguments)
        subscriber = InputSubscriber(self)
        subscriber.added = (source_id, arguments)
        self.subscribers[subscriber.number] = subscriber
        subscriber.handle = source.bind(subscriber)
        if not self._keep_handles((subscriber.handle,)):
            return subscriber
        self.changed = True
        for node in nodes_of(subscriber.handle):
            node.subscribe()
        if self.has_context:
            for node in nodes_of(subscriber.handle):
                node.set_context(self.context_of_host)
        if self.is_begun:
            for node in nodes_of(subscriber.handle):
                node.start()
        return subscriber

    cdef bint _keep_handles(self, tuple handles) except -1:
        """Let visitors see handles; False: the stage was released meanwhile, and they were disposed."""
        cdef bint are_due
        # Of this thread and a releasing one the second sees the other's write, and disposes them.
        with cython.critical_section(self):
            self.handles += handles
            are_due = self.handles_are_due
        if are_due:
            self._dispose_handles(handles)
        return not are_due

    cdef int _require_hook(self, str call) except -1:
        if not self.hook_thread.is_mine():
            raise StateError(
                f"{call} of {self!r} outside its hooks; call it in a hook, in the thread that runs the hook"
            )
        return 0

    # --- the life cycle -----------------------------------------------------------------------------------------

    def request(self, n) -> None:
        """Request n more elements (§3.8); an n that is not positive leads to `on_error` (§3.9)."""
        cdef SubscriberStage end
        with cython.critical_section(self):  # another thread may release it at this moment
            end = self.end
        if end is not None:
            end.request(n)

    cdef int attach(self) except -1:
        cdef InputSubscriber subscriber
        cdef list made = []
        cdef list handles = []
        CombineStage.attach(self)
        for source in self.bindable_sources():
            subscriber = InputSubscriber(self)
            made.append((subscriber, source))
        self.subscribers = {(<InputSubscriber>pair[0]).number: pair[0] for pair in made}
        self.first_added = self.next_index
        try:
            for pair in made:
                subscriber = <InputSubscriber>pair[0]
                subscriber.handle = pair[1].bind(subscriber)
                handles.append(subscriber.handle)
        finally:
            if not self._keep_handles(tuple(handles)):
                self._close_inputs()
        return 0

    cdef void _close_inputs(self) noexcept:
        for subscriber in list(self.subscribers.values()):
            (<InputSubscriber>subscriber).close()
        self.subscribers = {}  # they refer to this stage

    cdef int take_context(self, object context) except -1:
        if not self.has_context:
            self.has_context = True
            CombineStage.take_context(self, context)
            self.on_context(context)
        return 0

    cdef int begin(self) except -1:
        cdef bint is_released = False
        failure = None
        self.end.begin_once()
        if not begin_first_hook(self.life):
            return 0
        self.hook_thread.enter()
        try:
            self.on_start()
        except Exception as error:
            failure = error
        finally:
            self.hook_thread.leave()
            is_released = end_first_hook(self.life)
            if is_released:
                self._dispose_operator()
        if is_released:
            if failure is not None:
                release_failed(self, "on_start", failure, self.name)
        elif failure is not None:  # no thread drains yet: the note is read when the stage is opened
            self._hook_failed(failure)
        else:
            Py_EnterRecursiveCall(" while the inputs of an operator are started")  # see Depth
            try:
                for handle in self.handles:
                    for node in nodes_of(handle):
                        if self._goes_on():
                            node.start()  # its elements wait (I6)
            finally:
                Py_LeaveRecursiveCall()
        return 0

    cdef bint _goes_on(self) noexcept:
        # relaxed: a hint; a release here or by another thread disposes the inputs
        return not self.output.is_ending and not self.state.load(memory_order_relaxed) & UNWANTED

    cdef int schedule_drain(self) except -1:
        return drain_in_turn_here(self, &self.turn_left)

    cdef void release(self) noexcept:
        if not begin_last_hook(self.life) & STARTING:
            self._dispose_operator()

    cdef void _dispose_operator(self) noexcept:
        self.next_hook = None
        self._close_inputs()
        with cython.critical_section(self):  # pairs with that in request()
            self.end = None
        self.output.elements.clear()
        CombineStage.release(self)
        with cython.critical_section(self):  # pairs with that in _keep_handles()
            self.handles = self.handles[:self.first_added]  # a tree that loads the state does not make the others again
        try:
            self.on_dispose()
        except BaseException as error:
            release_failed(self, "on_dispose", error, self.name)

    cdef void cancel_inputs(self) noexcept:
        cdef bint were_due
        with cython.critical_section(self):  # pairs with that in _keep_handles()
            were_due = self.handles_are_due
            self.handles_are_due = True
            handles = self.handles
        if not were_due:
            self._dispose_handles(handles)

    cdef void _dispose_handles(self, tuple handles) noexcept:
        for handle in handles:
            try:
                Py_EnterRecursiveCall(" while the inputs of an operator are disposed")  # see Depth
                try:
                    handle.dispose()
                finally:
                    Py_LeaveRecursiveCall()
            except BaseException as error:
                release_failed(self, "dispose", error, self.name)

    # --- the drainer --------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent
        self.given = n
        sent = CombineStage.send(self, n)
        self.given = 0
        self.remaining = 0
        self.turn_left -= sent
        return sent

    cdef int work(self) noexcept:
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if self.output.elements:
                if self.remaining == 0:
                    break  # I7
                self.changed = True
                pass_on(self, self.output.take())
                count(self)
            elif self.output.is_ending:
                self.finish(self.down, self.output.error)
            elif not self._tell_demand() and not self._serve_next():
                break
        return 0

    cdef int64_t _demand(self) noexcept:
        """The unserved demand, of which `send` gets a part at a time; any thread outside hooks."""
        cdef int64_t demand = self.demand_word.load(memory_order_relaxed)  # relaxed: later demand sets MISSED
        return demand if demand == INT64_MAX else demand - (self.given - self.remaining)

    cdef bint _tell_demand(self) noexcept:
        """Pass new demand to on_request; return False if there is none."""
        cdef int64_t fresh = self.output.take_news(self._demand())
        if fresh == 0:
            return False
        self.hook_thread.enter()
        try:
            self.on_request(fresh)
        except BaseException as error:
            self._hook_failed(error)
        finally:
            self.hook_thread.leave()
        return True

    cdef bint _serve_next(self) noexcept:
        """Pass the next signal of an input to its hook; return False if there is none."""
        cdef PyObject* listed = next_listed(self)
        cdef PyObject* element
        cdef PyObject* arguments[4]   # the callee may write the first
        cdef PyObject* result
        cdef InputPort port
        cdef InputSubscriber subscriber
        if listed is NULL:
            return False
        port = <InputPort>listed
        if port.is_over:
            self.retired.pop(port.index, None)
            return True
        port.is_listed.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
        subscriber = <InputSubscriber>port.key
        element = spsc_poll(port.slots)
        if element is NULL:
            if port.has_ended():
                self._tell_end(subscriber)
            return True
        # acquire: as in has_ended()
        if spsc_peek(port.slots) is not NULL or port.input_ended.load(memory_order_acquire):
            self.list_port(port)
        count(self)
        self.changed = True
        port.outstanding -= 1
        arguments[1] = <PyObject*>self
        arguments[2] = <PyObject*>subscriber.number
        arguments[3] = element
        self.hook_thread.enter()
        result = PyObject_Vectorcall(
            <PyObject*>self.next_hook, arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL
        )
        self.hook_thread.leave()
        if result is NULL:
            error = caught()
            note_element(error, self, <object>element)
            decref(element)
            self._hook_failed(error)
            return True
        decref(element)
        decref(result)
        if subscriber.wanted and self._goes_on():
            try:
                subscriber.request(0)
            except BaseException as error:
                self.fail_at(self, error)
        return True

    cdef void _tell_end(self, InputSubscriber subscriber) noexcept:
        """Pass the end of an input to a hook."""
        cdef InputPort port = subscriber.port
        port.is_over = True
        subscriber.retire()
        self.changed = True
        self.hook_thread.enter()
        try:
            if port.input_error is None:
                self.on_complete(subscriber.number)
            else:
                self.on_error(subscriber.number, port.input_error)
        except BaseException as error:
            self._hook_failed(error)
        finally:
            self.hook_thread.leave()

    cdef void _hook_failed(self, object error) noexcept:
        """End immediately with the exception of a hook, even if elements wait."""
        self.output.elements.clear()
        self.fail_at(self, error)

    # --- state --------------------------------------------------------------------------------------------------

    cdef int write_fields(self, object writer) except -1:
        cdef InputPort port
        cdef list signals = []
        cdef list closed = []
        cdef list ports = []
        cdef uint32_t ended
        if self.handles_are_due:
            closed = list(range(self.first_added))
        else:
            ports = [each for each in listed_ports(self) if (<InputPort>each).index not in self.retired]
        for subscriber in self.subscribers.values():
            port = (<InputSubscriber>subscriber).port
            if port not in ports:
                ports.append(port)
        for each in ports:
            port = <InputPort>each
            # acquire: as in has_ended(); the end before the elements, see queue_stage.pyx
            ended = port.input_ended.load(memory_order_acquire)
            elements = [] if port.is_over else elements_in(port.slots)
            signals += [(SAVED_ELEMENT, port.index, element) for element in elements]
            if ended and not port.is_over:
                kind = SAVED_COMPLETE if port.input_error is None else SAVED_ERROR
                signals.append((kind, port.index, port.input_error))
            if ended and (self.subscriber(port.index).added is None or not port.is_over):
                closed.append(port.index)
            port.saved_size = len(elements)
            port.saved_end = ended != INPUT_OPEN
        closed.sort()
        added = [
            ((<InputSubscriber>each).number, *(<InputSubscriber>each).added)
            for each in self.subscribers.values() if (<InputSubscriber>each).added is not None
        ]
        writer.write(signals)
        # With a count of numbers where inputs were added, as the layout was before there were such.
        writer.write((closed, added, self.next_index) if self.next_index > self.first_added else closed)
        writer.write(list(self.output.elements))
        writer.write((self.output.error,) if self.output.is_ending else None)
        self.save_fields(writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef list signals = reader.read(list)
        closed = reader.read((list, tuple))
        if type(closed) is tuple:
            closed = self._load_added(closed)
        self._load_signals(signals, closed)
        elements = reader.read(list)
        end = reader.read((tuple, type(None)))
        is_end = end is None or (len(end) == 1 and isinstance(end[0], (Exception, type(None))))
        if not is_end or any([element is None for element in elements]):
            raise StateError(
                f"{self!r} cannot load {elements!r} as emitted elements with {end!r} as the end; {_REMEDY}"
            )
        self.output.elements = deque(elements)
        if end is not None:
            self.output.end(end[0])
        self.load_fields(reader, version)
        return 0

    cdef list _load_added(self, tuple saved):
        """Make the inputs again that were added; return which inputs are over."""
        if not _are_saved_inputs(saved, self.first_added):
            raise StateError(f"{self!r} cannot load {safe_repr(saved)} as the inputs that it had; {_REMEDY}")
        closed, added, next_index = saved
        if not self.disposed_in_state:
            for number, source_id, arguments in added:
                self.next_index = number
                self._added(source_id, arguments)
        self.next_index = next_index
        return closed

    cdef int _load_signals(self, list signals, list closed) except -1:
        cdef InputPort port
        wrong = [signal for signal in signals if not _is_saved_signal(signal)]
        if wrong:
            raise StateError(f"{self!r} cannot load {wrong[0]!r} as a signal of an input; {_REMEDY}")
        if not _are_saved_ends(signals, closed):
            raise StateError(f"{self!r} cannot load {closed!r} as the inputs that are over; {_REMEDY}")
        last = max({*closed, *[index for _, index, _ in signals]} - self.subscribers.keys(), default=-1)
        if last >= 0:
            raise StateError(
                f"{self!r} was saved with {last + 1} inputs or more, sources() returns {self.first_added}; return "
                f"as many as then, or drop the state of this operator"
            )
        for _, index, _ in signals:
            self.list_port(self.subscriber(index).port)  # in the order of their arrival
        for index in self.subscribers:
            port = self.subscriber(index).port
            elements = [value for kind, of, value in signals if kind == SAVED_ELEMENT and of == index]
            port.ring = ring_with(elements, port.ring)
            port.slots = port.ring.slots
            port.outstanding = <int64_t>spsc_size(port.slots)
            ends = [value for kind, of, value in signals if kind != SAVED_ELEMENT and of == index]
            # relaxed: there are no signals before the start
            if ends:
                port.input_error = ends[0]
                port.input_ended.store(INPUT_ENDED, memory_order_relaxed)
            elif index in closed:
                port.input_ended.store(INPUT_CLOSED, memory_order_relaxed)
                port.is_over = True
                port.is_listed.store(1, memory_order_relaxed)  # it is not listed again (I3)
            port.saved_size = port.outstanding
            port.saved_end = index in closed
        return 0


cdef bint _are_saved_inputs(tuple saved, int64_t first_added) except -1:
    """Return whether these are inputs that are over, those that were added, and how many numbers were given."""
    cdef object before = first_added - 1
    if [type(part) for part in saved] != [list, list, int] or not first_added <= saved[2] <= INT64_MAX:
        return False
    for each in saved[1]:
        if type(each) is not tuple or [type(part) for part in each] != [int, str, dict]:
            return False
        if not before < each[0] < saved[2]:
            return False
        if not all([type(name) is str for name in each[2]]):
            return False
        before = each[0]
    return True


cdef bint _is_saved_signal(object saved) except -1:
    if type(saved) is not tuple or [type(part) for part in saved[:-1]] != [int, int]:
        return False
    kind, index, value = saved
    if index < 0 or not SAVED_ELEMENT <= kind <= SAVED_ERROR:
        return False
    return isinstance(value, Exception) if kind == SAVED_ERROR else (value is None) == (kind == SAVED_COMPLETE)


cdef bint _are_saved_ends(list signals, list closed) except -1:
    """Return whether these are inputs, in order, and include all inputs with a waiting end, which each has once."""
    if any([type(index) is not int or index < 0 for index in closed]) or closed != sorted(set(closed)):
        return False
    ends = [index for kind, index, _ in signals if kind != SAVED_ELEMENT]
    came = {index for kind, index, _ in signals if kind == SAVED_ELEMENT}
    return len(ends) == len(set(ends).intersection(closed)) and not (came.intersection(closed) - set(ends))
