"""The node of a running subscription.

A live stream is a chain of stages. Elements go down, requests and cancellation go up:

    source --try_next--> stage --try_next--> ... --> root (the end that the subscriber sees)
    source <------- request, cancel: straight to the nearest owner of demand ------- root

A stage that holds elements back, a source or a queue, is an owner of demand (drain.pyx). The stages below it,
down to and including the next owner's input, are its segment; its token guards their element side.

Depth: requests, cancellation, terminal signals, life cycle and teardown walk in loops. An element goes down by
tail calls; where a compiler does not make them, the relays of stream/links.pyx keep the C stack flat.
"""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint64, memory_order_relaxed
from rs_core.interp.calls cimport caught, decref, reference_count
from rs_core.demand cimport as_demand, invalid_request

from rs_core.errors import InvalidRequestTypeError, StateError
from rs_core.stream.nop_subscription import NOP
from rs_core.state.changes import StateChanged
from rs_core.state.refusals import check_loading, check_saving

VERSION_1 = (1, 0, 0, 0)

cdef gil_uint64 _trees   # how many numbers were given
_trees.store(0, memory_order_relaxed)  # relaxed: the import orders it before all else


@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class Stage:
    """A node of a running subscription: an operator, a source or an end.

    Stages are made by `Description`s and found by visitors; they are not built by hand. Every stage belongs to
    the tree of one subscription, knows its inputs, and has a life cycle and a state that can be saved:
    subscribe, set_context, load_state, start, then elements, then dispose.

    Threads: life-cycle methods by one thread before anything flows; `request`, `cancel` and `dispose` by any.
    """

    def __cinit__(self, *args, **kwargs):
        self.is_unit = True
        self.drops_directly = True
        # relaxed: that no two get the same number is all it says; an address may be given again
        self.tree = _trees.fetch_add(1, memory_order_relaxed) + 1

    # --- life cycle -----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The operator's id, which stands in front of its saved state; empty at an end."""
        return "" if self.description is None else self.description.definition.id

    @property
    def version(self) -> tuple:
        """The version of the state's layout, four integers."""
        return VERSION_1

    @property
    def inputs(self) -> tuple:
        """The upstream subscriptions of this node; empty before `subscribe` and at a source."""
        return () if self.input is NOP else (self.input,)

    @property
    def input(self):
        """The upstream subscription of this node; `NOP`, which does nothing, before `subscribe` and at a source."""
        source = self.up if self.branch is None else self.branch
        return NOP if source is None else source

    @property
    def context(self):
        """What the host handed to this node; None before that, and where a stream runs without a host."""
        return self.context_of_host

    @property
    def assembly(self):
        """Where in the user's code this operator was added, or None at an end."""
        return None if self.description is None else self.description.assembly

    @property
    def recovery(self):
        """What a source does behind a recovery, "exact", "skips", "restarts" or "none"; None: it is no source."""
        if self.description is None or self.source is not None:
            return None
        recovery_of = getattr(self.description.definition, "recovery_of", None)
        return None if recovery_of is None else recovery_of(self.description.parameters)

    @property
    def is_disposed(self) -> bool:
        """Whether this node was torn down, here or in the state that it was loaded from."""
        return self.disposed or self.disposed_in_state

    def subscribe(self) -> None:
        """Make the input of this node, once; nothing flows. Never runs user code."""
        self.attach_once()

    def set_context(self, context) -> None:
        """Hand this node what its host provides, once: scheduler, settings. Never runs user code."""
        if self.context_of_host is None:
            self.take_context(context)

    def start(self) -> None:
        """Start this node, once; a source begins to serve the demand that was added. Always runs user code.

        A node that was disposed in the state that it was loaded from cancels its inputs instead. While another thread
        starts a node downstream nothing is done: that thread comes here next, and nothing may flow before.

        Raises:
            StateError: The node was made by hand and belongs to no stream.
        """
        if self.is_owner and self.down is None:
            raise StateError(f"{self!r} belongs to no stream; stages are made by subscribing to one")
        if not is_starting_below(self) and self.begin_once():
            self.open()

    def dispose(self) -> None:
        """Cancel the subscription: the same as `cancel`."""
        self.cancel()

    def accept(self, visitor) -> None:
        """Let a visitor visit this node: calls `visitor.visit(self)`; also after it was disposed."""
        visitor.visit(self)

    def request(self, n) -> None:
        """Ask for n more elements; the face of rule 3.8.

        Args:
            n: A positive integer; 2**63 - 1 and more mean "no limit" (§3.17). Anything else ends the stream
                with `on_error` (§3.9), as raising would break rule 3.16.

        Threads: any, also from inside `on_next` (§3.2), where it only adds (§3.3).
        """
        cdef int64_t demand = 0
        error = refusal_of(n, &demand)
        if error is None:
            request_through(self if self.check is None else self.check, demand)
        else:
            refuse_request_of(self, error)

    def cancel(self) -> None:
        """Stop the stream; idempotent, from any thread, also from inside a signal (§3.5).

        Elements that are on their way may still arrive (§2.8). Always returns normally (§3.15).
        """
        if not self.is_owner or self.down is not None:  # else it was made by hand, and nothing of it was set
            cancel_from_outside(self)

    # --- state ----------------------------------------------------------------------------------------------

    @property
    def state_changed(self) -> bool:
        """Whether there is state that is not yet safely stored; True until it was saved or loaded once."""
        return bool(self.changed or self.changes is None or self.changes.state_changed or self.differs_from_saved())

    @property
    def loadable_versions(self) -> tuple:
        """The older versions of the state's layout that can be loaded, too; a subclass that reads some names them."""
        return ()

    def save_state(self, writer) -> int:
        """Write the state of this node: whether it is disposed, then its own fields.

        Args:
            writer: Has `write(value)`.

        Returns:
            The number of the snapshot, for `on_state_saved`.

        Raises:
            StateError: The node is being drained; save when its stream is idle or parked.
        """
        is_held = self.hold_still()  # until the flags are set: what comes meanwhile changes the state behind the save
        try:
            check_saving(self, writer, not is_held)
            if self.changes is None:
                self.changes = StateChanged()
            generation = self.changes.save_state()
            self.changed = False  # before the fields are read: a change beside the save must stay one
            try:
                writer.write(self.disposed or self.disposed_in_state)
                self.write_fields(writer)
            except BaseException:
                self.changed = True
                raise
        finally:
            if is_held:
                self.go_on()
        return generation

    def load_state(self, reader, version) -> None:
        """Read what `save_state` wrote; between `set_context` and `start`.

        Args:
            reader: Has `read(expected)`, which returns the values in the order in which they were written, and refuses
                one that is not of the expected class.
            version: The version of the state: that of this operator, or one of its `loadable_versions`.

        Raises:
            StateError: The version is not one that this operator reads, or the node was started already.
        """
        check_loading(self, reader, version, self.has_started)
        self.disposed_in_state = reader.read(bool)
        self.read_fields(reader, version)
        self.changes = StateChanged()
        self.changes.load_state()

    def on_state_saved(self, generation=None) -> None:
        """Take notice that a snapshot is stored safely; harmless when nothing is pending.

        Args:
            generation: Which one, as `save_state` returned it; None: the last one.

        Raises:
            ArgumentError: There is no snapshot of this number.
            ArgumentTypeError: The number is no integer.
        """
        if self.changes is not None:
            self.changes.on_state_saved(generation)
        elif generation is not None:
            StateChanged().on_state_saved(generation)  # which refuses it

    cdef bint differs_from_saved(self) noexcept:
        return False

    cdef bint hold_still(self) except -1:
        return self.owner is None or self.owner.hold()

    cdef int go_on(self) except -1:
        return 0 if self.owner is None else self.owner.let_go()

    def __repr__(self) -> str:
        if self.description is None:
            return f"<{type(self).__name__}>"
        return f"<{type(self).__name__} {self.name} assembled at {self.description.assembly}>"

    # --- what stages override -------------------------------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        decref(element)
        return STOPPED

    cdef int receive_complete(self) noexcept:
        return PASSED_ON

    cdef int receive_error(self, object error) noexcept:
        return PASSED_ON

    cdef bint must_wait(self) noexcept:
        return False

    cdef void release(self) noexcept:
        pass

    cdef int64_t translate(self, int64_t n) noexcept:
        return n

    cdef int attach_once(self) except -1:
        with cython.critical_section(self):
            is_first = not self.has_subscribed
            self.has_subscribed = True
        return self.attach() if is_first else 0

    cdef int attach(self) except -1:
        if self.source is not None:
            self.up = self.source.definition.stage(*self.source.parameters)
            self.up.description = self.source
            self.up.source = self.source.upstream
            self.up.down = self
            self.up.tree = self.tree
        return 0

    cdef int take_context(self, object context) except -1:
        self.context_of_host = context
        return 0

    cdef bint begin_once(self) except -1:
        with cython.critical_section(self):
            is_first = not self.has_started
            self.has_started = True
        if is_first:
            if self.disposed_in_state:
                cancel_from_outside(self)
            elif not self.disposed:
                self.begin()
            with cython.critical_section(self):
                self.is_begun = True
        return is_first

    cdef int begin(self) except -1:
        return 0

    cdef int write_fields(self, object writer) except -1:
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        return 0

    # --- what owners of demand override (drain.pyx) -----------------------------------------------------------

    cdef int open(self) except -1:
        return 0

    cdef int add_demand(self, int64_t n) except -1:
        return 0

    cdef int refuse_request(self, object error) except -1:
        return 0

    cdef int cancel_here(self) noexcept:
        return LATE

    cdef object take_interrupt(self):
        return None

    cdef void drop_interrupt(self) noexcept:
        pass

    cdef bint hold(self) noexcept:
        return True

    cdef int let_go(self) except -1:
        return 0

    cdef int finish(self, Stage receiver, object error) noexcept:
        return STOPPED

    cdef int fail_at(self, Stage stage, object error) noexcept:
        return STOPPED

    cdef int deliver(self, Stage stage, PyObject* element) noexcept:
        return stage.try_next(element)

    cdef bint has_note(self) noexcept:
        return False

    cdef void hold_relay(self, Stage relay) noexcept:
        pass

    # --- what stages call -----------------------------------------------------------------------------------

    cdef int drop(self) noexcept:
        """Give the demand of an element back that this stage does not pass on."""
        if self.drops_directly:
            return DROPPED
        # Some stage above counts differently, e.g. a buffer: one of ours is many of its elements.
        request_upstream(self, 1)  # only adds, since this thread drains the owner
        return ACCEPTED

    cdef int callback_failed(self) noexcept:
        """End the stream with the exception that a user function raised."""
        return self.owner.fail_at(self, caught())

    def __dealloc__(self):
        # Frees a chain of any length with a flat stack: each stage is unlinked before it is dropped. Its owner and
        # its demand link stand further up, so `above` keeps them alive until their turn comes.
        cdef Stage stage = self.up
        cdef Stage above
        self.up = None
        self.owner = None
        self.demand_link = None
        while stage is not None and reference_count(<PyObject*>stage) == 1:
            above = stage.up
            stage.up = None
            stage.owner = None
            stage.demand_link = None
            stage = above
            above = None  # else `stage` would never be the only reference


cdef int request_through(Stage target, int64_t n) except -1:
    """Carry a request up to the nearest owner, through the stages that look at it, of which `target` is the first."""
    while target is not None and not target.is_owner:
        n = target.translate(n)
        if n == 0:
            return 0
        target = target.demand_link
    return 0 if target is None else target.add_demand(n)


cdef int request_checked(Stage stage, object n) except -1:
    """Do the work of request_number() for any argument."""
    cdef int64_t demand = 0
    error = refusal_of(n, &demand)
    return request_upstream(stage, demand) if error is None else refuse_request_of(stage, error)


cdef object refusal_of(object n, int64_t* demand):
    """Return the error for an argument of request(n), or None: then `demand` is the count."""
    try:
        demand[0] = as_demand(n)
    except InvalidRequestTypeError as error:
        return error
    return None if demand[0] > 0 else invalid_request(n)


cdef int refuse_request_of(Stage stage, object error) except -1:
    """Bring an illegal request to the nearest owner, which signals it (§3.9) in order with its elements (§1.3)."""
    cdef Stage owner = stage if stage.is_owner else stage.owner
    if owner is not None:
        owner.refuse_request(error)
    return 0


cdef void cancel_upstream(Stage stage) noexcept:
    """Cancel every owner above this stage; each is torn down by the holder of its token."""
    cdef Stage owner = stage.owner
    cdef int outcome
    while owner is not None:
        outcome = owner.cancel_here()
        if outcome == LATE:
            return
        if outcome == TORN_DOWN:
            owner.drop_interrupt()
        owner = owner.owner


cdef int cancel_from_outside(Stage stage) except -1:
    """Cancel what this stage sends: itself, if it is an owner, and every owner above it.

    Raises what is no Exception and came from user code that was torn down here, such as KeyboardInterrupt.
    """
    cdef Stage owner = stage if stage.is_owner else stage.owner
    cdef int outcome
    first_interrupt = None
    while owner is not None:
        outcome = owner.cancel_here()
        if outcome == LATE:
            break
        if outcome == TORN_DOWN and first_interrupt is None:
            first_interrupt = owner.take_interrupt()
        owner = owner.owner
    if first_interrupt is not None:
        raise first_interrupt
    return 0
