"""A running subscription: its nodes, the links between them, the protocol by which one thread at a time drains them.

A live stream is a chain of stages. Elements go down, requests and cancellation go up:

    source --try_next--> stage --try_next--> ... --> root (the end that the subscriber sees)
    source <------- request, cancel: straight to the nearest owner of demand ------- root

A stage that holds elements back, a source or a queue, is an owner of demand. The stages below it, down to and including
the next owner's input, are its segment; its token guards their element side.

Roles
    requester   any thread: adds demand, sets bits of the state word
    drainer     the one thread that has the token of the state word (sync/serial_word.h)
    scheduler   has the token while an owner waits in its line as a task; its thread becomes the drainer, or ends the
                stream where it will not run the task
    saver       any thread: holds the token while the fields that it guards are saved, where nobody drains
    life cycle  the thread that initializes the tree; until `open` the bit NEW keeps everybody from draining
Requires: GIL, where there is one.

Invariants
    I1  At most one thread has the token.
    I2  Element-side fields of the segment below are touched only by the holder of the token.
    I3  Demand that was added, and a bit that was set, is seen by the present drainer or by who set it: the
        drainer goes idle by try_release(), which fails if MISSED or another bit came.
    I4  TERMINAL is final. It is set once, by the holder of the token, and teardown follows.
    I5  Links, iterators and queues are released only by the holder of the token, when no stage of the segment
        is on the C stack: a callback that cancels its own stream cannot free the stage that is running.
    I6  A saver has the token as a drainer has, so I1 to I5 hold for it: what comes meanwhile leaves a mark in the word,
        and is dealt with when it lets go (see Saving). Parked and new owners are held as they are, and stay so.
    I7  A drainer whose turn is over gives the token to the turn that goes on, with the word as it is: so I3 holds, and
        whoever takes that turn, to drain or to tear down, has the token (see Turns).

Ordering (write -> read that pairs with it); that of the state word's transitions is in sync/serial_word.h
    demand_add (seq_cst), then the word   ->  clear_missed (seq_cst), then the demand: a store-buffer pair; in any
                                              weaker order both could miss each other and a request be lost
    giving the token up, or parked        ->  taking it, to drain or to save: element-side fields pass with it
    setting a bit                         ->  clear_missed: what was written before the bit is seen
    `scheduled_drain` := DRAIN_WAITS (release)  ->  its CAS (acq_rel), by the scheduler's task or by the thread that
                                              takes it back: one of them has the token
    the check's `requested`, then the demand  ->  the demand, then `requested`: what is sent finds its request counted
    tests/interleavings/test_drain_model.py explores them, with each step or order broken.

Progress: request and cancel are lock-free and never wait for the drainer; they retry only because another thread
succeeded. A drainer that is preempted delays its own subscription alone. Nobody waits for a saver: where somebody
drains, it refuses; where it saves, all others leave their mark and go. So does a scheduler: it gets no task more
where nothing collides.

Saving: an answer to whether somebody drains would be old at once: a producer may send, a thread may request or cancel,
and so may the user code that a save runs. So a saver takes the token (`hold`), as a drainer does, and whatever comes
leaves its mark in the owner's word until the saver releases it: then the saver drains what came, or has the scheduler
drain it. No mark is lost, since it gives the token up by a CAS that fails if one came. That is enough for each kind of
owner:
  - What runs on the element side, and the teardown, is done by the holder of the token alone (I2, I5).
  - A queue is filled by the holder of the token upstream; so that token is held, too (`quiesce`).
  - Sources that other threads push to go on being filled: from the producer's side of a ring or queue whose consumer is
    the holder of the token, now the saver.
A turn that waits touches nothing, so a saver may hold it where it is, in the scheduler's line. An execution that comes
meanwhile returns and leaves DRAIN_DUE: then the saver schedules the task once more. A thread that holds a token may
hold it once more: a whole tree is held while its nodes are saved (quiescence.pyx).

Turns: a run in the thread of an event loop that the subscription belongs to, or in a task of a scheduler, has a turn
that bounds what it makes (sync/turns.pyx). A subscription belongs to the loop of an end that is awaited, and to those
whose tasks its operators use (`drain_in_turns`). Where what it sends goes into the queue of another subscription of
ours, it is bounded as the run that asks it (`drain_as_consumer`): none of both promises that all has come when
`request` returns. All other subscriptions send what they can before `request` returns, wherever they run; so do those
of a blocking end. An owner whose turn is over keeps the token and waits for another turn as it would wait for a
scheduler: `scheduled_drain` is DRAIN_WAITS. If it waits for a loop, a thread that cancels may take the turn back, and
tears down at once. A stage may leave its turn early, to let an owner above it run first that waits in the list
(`waits_here`); where nothing bounds the run, it waits in the list of that run.

Depth: requests, cancellation, terminal signals, life cycle and teardown walk in loops. An element goes down by tail
calls; where a compiler does not make them, every 64th link is a trampoline that returns to the owner's loop, so that
the C stack holds at most 64 frames of a segment, and as many of checks.
An owner that becomes ready while this stack of calls drains another owner of the same subscription waits in the list of
that run, with its token, instead of being drained inside of it; so a chain of queues needs a flat stack. Another
subscription is drained at once, so that a blocking end inside a callback works, unless too many are nested already, as
where each of a thousand subjects sends to the next; and so is what becomes ready in another greenlet of the thread, for
which the run might wait. drain_run.h says how runs are distinguished; tests/interleavings/drain_run_model.py explores
it, with each part broken. Where there is no memory for a run, its owner is drained without a list: what becomes ready
meanwhile is drained inside of it.

Fan-out: a producer sends an element past the queue of an owner that is idle and has demand, if nothing waits in it
(`push_past_queue`), and a producer of many owners past those of all. It takes the token of each in turn, if no bit is
set, and is a drainer then, so I1 to I6 hold; if one is set, the element takes the way through the queue. One run serves
all of them: it takes the number of each subscription before its element, so what becomes ready meanwhile waits in its
list. It looks at the queue before it has the token: what was offered before this element, in this thread or in one that
it knows of, was sent if it is not there any more. Where it is the only producer of the owner, MISSED alone says that
demand came, for which nothing waits; where there are others (`is_shared`), one of their elements may, so it drains.
tests/interleavings/fan_out_model.py explores it, with each step broken.

Checks: while debug checks are on, a link follows every stage and finds the mistakes of its author:
    an element that was not requested (§1.1)                    ends the stream with DemandExceededError
    a signal while another one is passing (§1.3)                ends the stream with SignalOverlapError
    a signal after the end (§1.7)                               goes to the hook for dropped signals
Like a trampoline it is a link only: no visitor sees it, and it has no state, so that what is saved with checks is
loaded without. Where checks are off there is no link, and nothing is paid. An element that goes on in a trampoline is
not counted by the checks above that trampoline, which cannot see whether it was accepted; so in chains of more than
64 links those find too many elements later, or not at all.

Errors about errors: each would cause the next one, since where the interpreter's stack or memory is used up, each call
fails again. So only what is no Exception, such as KeyboardInterrupt, goes on to the owner, which signals nothing about
it. All else that fails where an error is dropped goes to `sys.unraisablehook`; and a note for which there is no room is
left out.

Overflow and reuse, source of the state word: sync/serial_word.h.
"""

import contextvars

cimport cython
from cpython.exc cimport PyErr_SetObject, PyErr_WriteUnraisable
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t

from rs_core.debug_checks cimport checks_are_on, log_of_words
from rs_core.demand cimport as_demand, demand_add, demand_take, invalid_request
from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport caught, decref, incref, reference_count, safe_point
from rs_core.sync.atomics cimport (
    gil_uint64, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
    memory_order_seq_cst,
)
from rs_core.sync.serial_word cimport (
    ACQUIRED, MISSED, TOKEN, clear_acquire, clear_missed, clear_release, connect_log, mark_missed as mark_word_missed,
    release_token, set_or_acquire, set_relaxed, try_acquire, try_acquire_idle, try_release, try_release_from,
)
from rs_core.sync.turns cimport LoopTurns, Turn, turn_of_task, turns_here

from rs_core.dropped import dropped, shortened
from rs_core.errors import (
    DemandExceededError, InvalidRequestTypeError, SignalAfterEndError, SignalOverlapError, StateError,
)
from rs_core.state.changes import StateChanged
from rs_core.state.refusals import check_loading, check_saving
from rs_core.stream.nop_subscription import NOP

cdef extern from "stream/drain_run.h":
    const uint64_t TREE_IS_AWAITED "RS_TREE_IS_AWAITED"

    ctypedef struct Run "RsRun":
        uint64_t tree
        PyObject* first
        PyObject* last
        PyObject* turn

    ctypedef struct ThreadRuns "RsThreadRuns":
        pass

    ThreadRuns* runs_of_this_thread "rs_runs_of_this_thread"() noexcept
    const void* this_stack "rs_this_stack"() noexcept
    Run* run_of_stack "rs_run_of_stack"(const ThreadRuns* runs, const void* stack) noexcept
    Run* run_of_this_stack "rs_run_of_this_stack"() noexcept
    bint stack_is_short "rs_stack_is_short"(const Run* run) noexcept
    bint joins_run "rs_joins_run"(const Run* run, uint64_t tree, const PyObject* turn) noexcept
    Run* begin_run "rs_begin_run"(
        ThreadRuns* runs, uint64_t tree, const void* stack, const Run* outer, PyObject* turn
    ) noexcept
    void turn_run "rs_turn_run"(Run* run, const Run* outer, uint64_t tree) noexcept
    void end_run "rs_end_run"(ThreadRuns* runs, Run* run) noexcept
    bint runs_in_this_thread "rs_runs_in_this_thread"(uint64_t tree) noexcept

VERSION_1 = (1, 0, 0, 0)

cdef enum:
    TRAMPOLINE_EVERY = 64   # links of a segment

cdef gil_uint64 _trees   # how many numbers were given
_trees.store(0, memory_order_relaxed)  # relaxed: the import orders it before all else

connect_log(log_of_words())


# --- the node --------------------------------------------------------------------------------------------------------


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
        """The operator's id, which precedes its saved state; empty at an end."""
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
        """What a source does after a recovery, "exact", "skips", "restarts" or "none"; None: it is not a source."""
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
        if not is_starting_below(self) and self.begin_once() and self.is_owner:
            (<DemandOwner>self).open()

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

    def inspect(self) -> dict:
        """Return what is known of this node at this moment, by name; what is not known is left out.

        `rs_core.inspection` says what the names mean. Reads what is there: nothing is counted for it, nothing is
        stopped, and nothing is waited for. The numbers are those of moments that may lie apart.

        Threads: any, also while elements flow. Never runs user code.
        """
        # All that is read is an atomic word, a flag or number that a moment later may be another, or a reference that
        # stays as it is from the start of the node until it is freed.
        cdef dict facts = {
            "description": self.description,
            "has_started": self.has_started,
            "is_terminated": self.disposed or self.disposed_in_state,
        }
        cdef SignalCheck check = self.check
        if check is not None:
            # relaxed: see above
            facts["requested"] = max(0, check.requested.load(memory_order_relaxed) - check.passed)
            facts["delivered"] = check.passed
        return facts

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
        is_held = self.quiesce()  # until the flags are set: what comes meanwhile would change the state during the save
        try:
            check_saving(self, writer, not is_held)
            if self.changes is None:
                self.changes = StateChanged()
            generation = self.changes.save_state()
            self.saves += 1
            self.changed = False  # before the fields are read: a change during the save must stay one
            try:
                writer.write(self.disposed or self.disposed_in_state)
                self.write_fields(writer)
            except BaseException:
                self.changed = True
                raise
        finally:
            if is_held:
                self.unquiesce()
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

    cdef bint quiesce(self) except -1:
        return self.owner is None or self.owner.hold()

    cdef int unquiesce(self) except -1:
        return 0 if self.owner is None else self.owner.release_hold()

    def __repr__(self) -> str:
        if self.description is None:
            return f"<{type(self).__name__}>"
        return f"<{type(self).__name__} {self.name} assembled at {self.description.assembly}>"

    # --- what stages override -------------------------------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        decref(element)
        return STOPPED

    cdef int receive_complete(self) noexcept:
        return FORWARDED

    cdef int receive_error(self, object error) noexcept:
        return FORWARDED

    cdef bint must_wait(self) noexcept:
        return False

    cdef void release(self) noexcept:
        pass

    cdef tuple side_inputs(self):
        return ()

    cdef Stage next_below(self):
        return below_of(self)

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
            self.up.reporter = self.reporter
        return 0

    cdef int take_context(self, object context) except -1:
        self.context_of_host = context
        return 0

    cdef bint begin_once(self) except -1:
        with cython.critical_section(self):
            is_first = not self.has_started
            self.has_started = True
        if is_first:
            if self.disposed_in_state and _is_end_noted(self):
                self.owner.finish(self.down, None)
            elif self.disposed_in_state:
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

    cdef int element_failed(self, PyObject* element) noexcept:
        """Deal with the exception that a user function raised for an element."""
        error = caught()
        if self.reporter is not None:
            error = self.left_out(error, <object>element)
        if error is not None:
            note_element(error, self, <object>element)
        decref(element)
        return self.drop() if error is None else self.owner.fail_at(self, error)

    cdef object left_out(self, object error, object element):
        """Have an exception that a user function raised for an element reported, if it is; else return what ends it."""
        if self.reporter is None or not isinstance(error, Exception):
            return error
        return self.reporter.report(self, error, element)

    cdef object report(self, Stage failed, object error, object element):
        return error

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


def root_below(Stage stage not None):
    """Return the end of the subscription that a node belongs to; None: it was torn down, or has no end."""
    cdef Stage below = stage.next_below()
    while below is not None:
        stage = below
        below = stage.next_below()
    return None if stage.disposed or stage is _DISPOSED or not stage.has_started else stage


cdef int request_through(Stage target, int64_t n) except -1:
    """Carry a request up to the nearest owner, through the stages that look at it, of which `target` is the first."""
    cdef bint is_news_below = False
    cdef DemandOwner owner
    while target is not None and not target.is_owner:
        n = target.translate(n)
        if n == 0:
            owner = owner_of(target)
            if owner is None:
                return 0
            if owner.disposed:  # by an interrupt of a function that looked at the request, while nobody drained
                owner._raise_fatal()
            # The end may have waited for that there (must_wait), though nothing more is requested.
            return owner.notify() if is_news_below else 0
        is_news_below = True
        target = target.demand_link
    return 0 if target is None else (<DemandOwner>target).add_demand(n)


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
    cdef DemandOwner owner = owner_of(stage)
    if owner is not None:
        owner.refuse_request(error)
    return 0


cdef void cancel_upstream(Stage stage) noexcept:
    """Cancel every owner above this stage; each is torn down by the holder of its token."""
    cdef DemandOwner owner = stage.owner
    cdef int outcome
    while owner is not None:
        outcome = owner.cancel_here()
        if outcome == ALREADY_DONE:
            return
        if outcome == COMPLETED:
            owner.drop_interrupt()
        owner = owner.owner


cdef bint _is_end_noted(Stage ended) noexcept:
    """Whether a loaded state was saved after an operator had noted the end of its stream, and before it was sent.

    Then an operator below it has not ended: it waits for a request for its last elements.
    """
    cdef Stage stage = ended.down
    if ended.is_owner:
        return False
    while stage is not None and not stage.is_owner:
        if stage.description is not None and not stage.disposed_in_state:
            return True
        stage = stage.down
    return False


cdef int cancel_from_outside(Stage stage) except -1:
    """Cancel what this stage sends: itself, if it is an owner, and every owner above it.

    Raises what is no Exception and came from user code that was torn down here, such as KeyboardInterrupt.
    """
    cdef DemandOwner owner = owner_of(stage)
    cdef int outcome
    first_interrupt = None
    while owner is not None:
        outcome = owner.cancel_here()
        if outcome == ALREADY_DONE:
            break
        if outcome == COMPLETED and first_interrupt is None:
            first_interrupt = owner.take_interrupt()
        owner = owner.owner
    if first_interrupt is not None:
        raise first_interrupt
    return 0


# --- the owner of demand ---------------------------------------------------------------------------------------------


cdef class DemandOwner(Stage):
    """A stage that holds elements back until they are requested: a source or a queue. A scheduler runs it as a task.

    A task runs in a copy of the context variables of who subscribed, a new one each time: what callbacks set there is
    not carried on. The thread that has the token uses its own.

    Threads: `request`, `cancel`, `pause` and `resume` by any; elements are sent by one thread at a time.
    """

    def __cinit__(self, *args, **kwargs):
        self.is_owner = True
        self.is_translating = True
        self.drops_directly = False
        self.state.store(NEW, memory_order_relaxed)
        self.scheduled_drain.store(DRAIN_NONE, memory_order_relaxed)
        self.demand_word.store(0, memory_order_relaxed)
        self.until_tick = TICK_EVERY
        self.tick_every = 1

    # --- any thread ---------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Park the stream: the drainer stops after the element it is at; requests only add up until `resume`."""
        self._set(PAUSE)

    def resume(self) -> None:
        """Let a parked stream go on, in this thread or on its scheduler. May run user code."""
        clear_release(self.state, PAUSE)  # what the pauser wrote is seen by the next drainer
        self.notify()

    @property
    def is_parked(self) -> bool:
        """Whether the stream was paused and its drainer has stopped."""
        # acquire: pairs with the release of the parking CAS; else the drainer's last fields might be missing
        return (self.state.load(memory_order_acquire) & (PAUSE | TOKEN)) == PAUSE

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what it waits for."""
        cdef uint32_t seen
        cdef int64_t wanted
        cdef dict facts = Stage.inspect(self)
        if not self.is_owner:  # an operator in Python that owns none
            return facts
        # relaxed: what is said of this moment may be otherwise in the next one
        seen = self.state.load(memory_order_relaxed)
        wanted = self.demand_word.load(memory_order_relaxed)
        facts["requested"] = wanted
        if seen & TERMINAL:
            facts["is_terminated"] = True
        elif seen & NEW:
            facts["waiting_for"] = "start"
        elif self.scheduled_drain.load(memory_order_relaxed) != DRAIN_NONE:  # relaxed: as above
            facts["waiting_for"] = "scheduler"
        elif seen & TOKEN:
            facts["is_running"] = True
        elif seen & PAUSE:
            facts["waiting_for"] = "resume"
        else:
            facts["waiting_for"] = "elements" if wanted else "demand"
        if self.scheduler is not None:
            facts["scheduler"] = self.scheduler
        elif self.loops:
            facts["loops_run"] = all([(<LoopTurns>each)._is_running() for each in self.loops])
        return facts

    cdef int add_demand(self, int64_t n) except -1:
        cdef uint32_t seen
        demand_add(self.demand_word, n)
        # seq_cst: second half of the store-buffer pair with drain(); see Ordering
        seen = self.state.load(memory_order_seq_cst)
        if (seen & (TOKEN | MISSED)) == (TOKEN | MISSED) or seen & TERMINAL:
            return 0  # §3.3: the drainer has yet to clear MISSED, and looks at the demand after that
        return self.notify()

    cdef int notify(self) except -1:
        """Make sure that somebody looks at this owner: the present drainer, or this thread."""
        return self._set(0)

    cdef int refuse_request(self, object error) except -1:
        with cython.critical_section(self):
            if self.bad_request is None:
                self.bad_request = error
        return self._set(BAD_REQUEST)

    cdef int cancel_here(self) noexcept:
        cdef int outcome = self._mark_cancelled()
        if outcome == DEFERRED and self.scheduler is None and self.claim_drain():
            outcome = COMPLETED  # it waited for another turn of a loop, and had the token
        if outcome == COMPLETED:
            self._teardown()  # I5: idle, new or parked, so nothing of the segment runs
        return outcome

    cdef int _mark_cancelled(self) noexcept:
        """Set CANCELLED; COMPLETED: this thread got the token and has to tear down."""
        return set_or_acquire(self.state, CANCELLED, 0, TERMINAL | CANCELLED)  # §3.7: else nothing is left to cancel

    cdef int _set(self, uint32_t bit) except -1:
        """Set a bit; drain if that makes this thread the drainer."""
        # §3.6, §1.6: nothing after the end. What waits for open() or resume() goes on waiting.
        if set_or_acquire(self.state, bit, NEW | PAUSE, TERMINAL) == ACQUIRED:
            return self.schedule_drain()
        return 0

    # --- a task of a scheduler ----------------------------------------------------------------------------------

    def execute(self, scheduler=None) -> bool:
        """Run as a task of a scheduler: drain; always done afterwards. Always runs user code."""
        if self.claim_drain():
            self.run_scheduled_drain(turn_of_task(scheduler))
        return True

    def discard(self, error) -> None:
        """End the stream with an error instead of draining it: what a scheduler calls for a task it will not run."""
        if self.claim_drain():
            self.fail_drain(error)
            self.run_scheduled_drain(None)

    cdef int drain_on(self, object scheduler) except -1:
        """Have a scheduler drain from now on, in the context variables of this thread; before anything flows."""
        self.variables = contextvars.copy_context()
        self.scheduler = scheduler
        return 0

    cdef bint claim_drain(self) noexcept:
        """Take the token over from the scheduler; False: it never had it, or has passed it on already."""
        cdef uint32_t wanted
        cdef uint32_t seen = DRAIN_WAITS
        while seen == DRAIN_WAITS or seen == DRAIN_HELD:
            wanted = DRAIN_NONE if seen == DRAIN_WAITS else DRAIN_DUE
            # acq_rel: of several executions of one turn only one has the token, and sees what came with it
            if self.scheduled_drain.compare_exchange_weak(seen, wanted, memory_order_acq_rel, memory_order_relaxed):
                return wanted == DRAIN_NONE
        return False

    cdef int schedule_drain(self) except -1:
        """Drain, here or on the scheduler; this thread has the token and passes it on."""
        if self.scheduler is not None:
            return self._hand_over(self.scheduler)
        return _run(self, NULL) if self.loops is None else self.run_drain()

    cdef int _hand_over(self, object scheduler) except -1:
        """Have the token taken by a task of a scheduler, or in another turn of a loop."""
        self.scheduled_drain.store(DRAIN_WAITS, memory_order_release)  # release: pairs with the CAS in claim_drain()
        try:
            scheduler.schedule(self)
        except BaseException as error:
            # Nobody else will come: this thread takes the token back, and signals the error itself.
            if self.claim_drain():
                self.fail_drain(error)
                return self.drain() if is_drained_here(self) else self.run_drain()
            raise
        return 0

    cdef int leave_turn(self) except -1:
        cdef Turn turn = None
        if self.scheduler is None:
            turn = turn_here()
            if turn is None:  # nothing bounds the run: after those in its list
                return _run(self, NULL)
        return self._hand_over(self.scheduler if turn is None else turn.place())

    cdef int fail_drain(self, object error) noexcept:
        # A subscriber that cancelled gets no end; an interrupt is raised in any case.
        # relaxed: a scheduler that gives up orders what was cancelled before
        if isinstance(error, Exception) and self.state.load(memory_order_relaxed) & (CANCELLED | TERMINAL):
            return STOPPED
        return self.fail_at(self, error)

    cdef int run_scheduled_drain(self, Turn turn) except -1:
        """Drain as a task of a scheduler: in a copy of the context variables of who subscribed, entered once."""
        with cython.critical_section(self):  # an asynchronous subscriber may get its subscription at this moment
            variables = self.variables
        if variables is None:
            return self._run_bounded(turn)
        variables.copy().run(_run_drain, self, turn)
        return 0

    cdef int run_drain(self) except -1:
        """Drain this owner and those of its subscription that become ready meanwhile; see Depth."""
        if self.loops is None:
            return _run(self, NULL)
        return self._run_bounded(turns_here(self.loops) if self.loops else turn_here())

    cdef int _run_bounded(self, Turn turn) except -1:
        """Drain as in run_drain(), in a turn; None: without a bound."""
        return _run(self, <PyObject*>turn if turn is not None else NULL)  # the caller keeps it

    # --- who saves ----------------------------------------------------------------------------------------------

    cdef bint hold(self) noexcept:
        """Keep everybody from draining, to save what the token guards; see Saving. False: somebody drains."""
        if not self.saver.is_mine():
            if not try_acquire(self.state) and not self.hold_drain():
                return False
            self.saver.enter()
        self.holds += 1
        return True

    cdef int release_hold(self) except -1:
        """End what hold() began. Drains what came meanwhile, here or on the scheduler, so it may run user code."""
        self.holds -= 1
        if self.holds:
            return 0
        self.saver.leave()
        return 0 if self.return_drain() or self.free_token() else self.schedule_drain()

    cdef bint quiesce(self) except -1:
        if not self.hold():
            return False
        if Stage.quiesce(self):
            return True
        self.release_hold()
        return False

    cdef int unquiesce(self) except -1:
        try:
            self.release_hold()
        finally:
            Stage.unquiesce(self)
        return 0

    cdef bint free_token(self) noexcept:
        cdef uint32_t seen = self.state.load(memory_order_relaxed)
        # What waits for open() or resume() goes on waiting.
        while seen & TERMINAL or not (seen & CANCELLED or (seen & (MISSED | NEW | PAUSE)) == MISSED):
            if try_release_from(self.state, seen):
                return True
        return False

    cdef bint hold_drain(self) noexcept:
        """Keep a turn that waits from beginning, and the token with it; False: none waits, or somebody holds it."""
        cdef uint32_t seen = DRAIN_WAITS
        # acquire: pairs with the release in schedule_drain(); the fields pass with the token
        return self.scheduled_drain.compare_exchange_strong(
            seen, DRAIN_HELD, memory_order_acquire, memory_order_relaxed
        )

    cdef bint return_drain(self) except -1:
        """Let a turn that was held go on waiting, or schedule it again if its execution came; False: none was held."""
        cdef uint32_t seen = DRAIN_HELD
        # release: pairs with the CAS in claim_drain(); the token goes back to the scheduler
        if self.scheduled_drain.compare_exchange_strong(seen, DRAIN_WAITS, memory_order_release, memory_order_relaxed):
            return True
        if seen == DRAIN_NONE:
            return False
        # relaxed: the token is here, so nobody else writes it
        self.scheduled_drain.store(DRAIN_NONE, memory_order_relaxed)
        self.schedule_drain()
        return True

    # --- life cycle ---------------------------------------------------------------------------------------------

    cdef int attach(self) except -1:
        if self.is_owner and self.down is not None and self.down.owner is None:
            link_segment(self)
        return Stage.attach(self)

    cdef int take_context(self, object context) except -1:
        """Under a host with a scheduler only its tasks drain; a request from elsewhere adds, and wakes the task."""
        Stage.take_context(self, context)
        scheduler = getattr(context, "scheduler", None)
        if scheduler is not None and not getattr(scheduler, "is_immediate", False):
            self.drain_on(scheduler)
        return 0

    cdef int open(self) except -1:
        """Serve the demand that was added so far; called when the whole tree was started."""
        cdef uint32_t seen = clear_release(self.state, NEW)  # the life cycle's fields pass with the token
        if seen & TERMINAL:
            self._drop_noted_error()  # noted at a start, while another thread cancelled
        elif seen & NEW:
            return self.notify()
        return 0

    # --- the drainer --------------------------------------------------------------------------------------------

    cdef int drain(self) except -1:
        """Send what demand allows, then go idle, park or end. Requires the token; gives it up."""
        cdef DemandOwner _held = self  # a callback may drop the last reference to this stream
        cdef uint32_t seen
        cdef int64_t wanted, sent
        while True:
            seen = clear_missed(self.state)  # first half of the store-buffer pair with add_demand()
            if seen & LEAVE:
                if seen & TURN_OVER:
                    # another bit may have come meanwhile
                    seen = clear_acquire(self.state, TURN_OVER) & ~<uint32_t>TURN_OVER
                    if not seen & LEAVE:
                        return self.leave_turn()
                if self._settle(seen):
                    fatal, self.fatal = self.fatal, None
                    if fatal is not None:
                        raise fatal
                    return 0
                continue
            wanted = self.demand_word.load(memory_order_seq_cst)  # seq_cst: after MISSED was cleared, see Ordering
            if self.scheduler is not None and wanted > TURN_ELEMENTS:
                wanted = TURN_ELEMENTS
            sent = self.send(wanted)
            demand_take(self.demand_word, sent)
            if sent < wanted or wanted == 0 or self.demand_word.load(memory_order_relaxed) == 0:
                if try_release(self.state, ~<uint32_t>TOKEN):  # I3: nothing at all has come
                    return 0
            if self.scheduler is not None and not self.should_leave():
                return self.schedule_drain()  # a turn is one send(): the scheduler's other tasks come in between

    cdef bint _settle(self, uint32_t seen) noexcept:
        """Act on the bits that made the drainer leave its loop; return whether the token was given up."""
        if seen & (CANCELLED | TERMINAL):
            self._teardown()
            return True
        if seen & BAD_REQUEST:
            self._end(self.down, self.bad_request)  # §3.9
            return True
        if seen & FINISHING:
            if self.finish_error is not None or not self._must_wait():
                self._end(self.finishing, self.finish_error)
                return True
            self._note_in_state()
            seen &= ~<uint32_t>MISSED  # idle with FINISHING set: the awaited request takes the token
        return try_release_from(self.state, seen)  # that, or PAUSE: the parked state may be saved and taken over

    cdef void _note_in_state(self) noexcept:
        """Have a state that is saved now say that the operator which noted the end has ended; see _is_end_noted()."""
        cdef Stage stage = self
        while stage.down is not self.finishing:
            stage = stage.down
        if stage is not self and not stage.disposed_in_state:  # an owner knows its end by its own state
            stage.disposed_in_state = True
            stage.changed = True

    cdef bint _must_wait(self) noexcept:
        """Whether a stage that the completion would reach needs a request for its last elements first (§1.1)."""
        cdef Stage stage = self.finishing
        while stage is not None:
            if stage.must_wait():
                return True
            if stage.is_owner:
                return False
            stage = stage.down
        return False

    cdef void _end(self, Stage receiver, object error) noexcept:
        """Signal the end to the stages from `receiver` down, then tear the segment down."""
        cdef int result
        set_relaxed(self.state, TERMINAL)  # only the holder of the token does (I4)
        cancel_upstream(self)
        self.cancel_inputs()
        self.finishing = None
        self.finish_error = None
        while receiver is not None:
            result = receiver.receive_complete() if error is None else receiver.receive_error(error)
            if result == FORWARDED:
                receiver = receiver.down
            elif result == REPLACED and self.fatal is None:  # an interrupt takes the place of all signals
                receiver = self.finishing
                error = self.finish_error
                self.finishing = None
                self.finish_error = None
            else:
                break
        self._teardown()

    cdef void _teardown(self) noexcept:
        """Release the segment; after an interrupt also those below, as far as their tokens are free."""
        cdef DemandOwner owner = self
        while owner is not None:
            owner = owner._teardown_segment()

    cdef DemandOwner _teardown_segment(self):
        """Release the segment, from the owner down to its end; nobody takes the token after that (I4, I5).

        Returns:
            The owner at the end of the segment if this thread has its token now and has to tear it down, else None.
        """
        cdef Stage stage = self
        cdef Stage below
        cdef DemandOwner next_owner = None
        set_relaxed(self.state, TERMINAL)
        self.finishing = None
        self._drop_noted_error()  # it was raised by what cancelled the stream, or meanwhile
        self.trampoline = None
        while stage is not None:
            below = stage.down
            if stage is not self and stage.is_owner:
                next_owner = <DemandOwner>stage  # the next segment has its own token
                break
            stage.disposed = True
            stage.changed = stage.changed or not stage.disposed_in_state
            stage.reporter = None
            if below is not None:
                with cython.critical_section(stage):  # pairs with that in below_of()
                    stage.down = _DISPOSED
            stage.release()
            stage = below
        # From now on a host may save the disposed state.
        if not release_token(self.state) & INTERRUPTED or next_owner is None:
            return None
        set_relaxed(next_owner.state, INTERRUPTED)  # whoever tears it down has seen CANCELLED, which comes after it
        return next_owner if next_owner._mark_cancelled() == COMPLETED else None

    cdef object take_interrupt(self):
        error = self.fatal
        self.fatal = None
        return error

    cdef void drop_interrupt(self) noexcept:
        error = self.take_interrupt()
        if error is not None:
            drop_signal(self, "cancel", error, self.name)

    cdef int _raise_fatal(self) except -1:
        error = self.take_interrupt()
        if error is not None:
            raise error
        return 0

    # --- what the loops of sources and queues call --------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        return 0

    cdef void cancel_inputs(self) noexcept:
        pass

    cdef int deliver(self, Stage stage, PyObject* element) noexcept:
        cdef int outcome = stage.try_next(element)
        if outcome == BOUNCED:
            outcome = self.run_trampoline()
        return outcome

    cdef int run_trampoline(self) noexcept:
        cdef int outcome = BOUNCED
        cdef Trampoline trampoline
        while outcome == BOUNCED:
            trampoline = self.trampoline
            outcome = trampoline.down.try_next(trampoline.element)
        return outcome

    cdef void bounce(self, Trampoline trampoline) noexcept:
        self.trampoline = trampoline

    cdef bint should_leave(self) noexcept:
        return (self.state.load(memory_order_relaxed) & LEAVE) != 0  # relaxed: a hint; drain() decides

    cdef void mark_missed(self) noexcept:
        """Note that send() stops with work left, so that the drainer does not go idle."""
        mark_word_missed(self.state)

    cdef bint tick(self) noexcept:
        """Give the interpreter a safe point: signals, other threads, a stop of the world; False: leave the loop.

        Due every TICK_EVERY elements: where all functions are compiled, nothing else lets the interpreter look up.
        Where the turn is bounded it is due earlier, and looks whether the turn is over.
        """
        cdef Turn turn = turn_here()
        cdef int64_t more = TICK_EVERY
        self.until_tick = TICK_EVERY
        try:
            safe_point()
            if turn is not None:
                more = turn.look(self.tick_every)
        except BaseException as error:
            self.fail_at(self, error)
            return False
        if turn is None:
            return True
        if more:
            self.tick_every = more
        else:
            set_relaxed(self.state, TURN_OVER)
        self.until_tick = self.tick_every
        return more != 0

    cdef void look_early(self, Turn turn) noexcept:
        self.until_tick = min(self.until_tick, turn.first_look(self.tick_every))

    cdef bint ask(self, int64_t n) noexcept:
        """Request n elements of this owner's own input; False: leave the loop."""
        try:
            request_upstream(self, n)
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True

    cdef int finish(self, Stage receiver, object error) noexcept:
        """Note the end for `receiver` and the stages below, to be sent when the present push has returned."""
        # A later note of the same push comes from further down and takes the place of this one; one by this owner
        # itself, after the push, does not.
        if receiver is self.down and self.finishing is not None and self.finishing is not receiver:
            if error is not None:
                drop_signal(self, "on_error", error, self.name)
            return STOPPED
        if self.finish_error is not error:
            self._drop_noted_error()
        self.finishing = receiver
        self.finish_error = error
        set_relaxed(self.state, FINISHING)
        return STOPPED

    cdef void _drop_noted_error(self) noexcept:
        error = self.finish_error
        self.finish_error = None
        if error is not None:
            drop_signal(self, "on_error", error, self.name)

    cdef bint has_note(self) noexcept:
        return self.finishing is not None or self.fatal is not None

    cdef int fail_at(self, Stage stage, object error) noexcept:
        """End the stream with an error that was raised at a stage of this segment."""
        if isinstance(error, Exception):
            add_assembly_note(error, stage)
            return self.finish(stage.down, error)
        # KeyboardInterrupt, SystemExit: not the subscriber's business; re-raised where Python called us.
        if self.fatal is None:
            self.fatal = error
        else:  # of user code that ran because of the first, as of a generator that was closed
            drop_second_interrupt(stage, error)
        set_relaxed(self.state, INTERRUPTED)  # nobody below gets an end, so all that is below is cancelled
        cancel_upstream(self)
        self.cancel_here()
        return STOPPED


# --- which run drains an owner: see Depth ----------------------------------------------------------------------------


cdef int _run(DemandOwner task, PyObject* turn) except -1:
    cdef ThreadRuns* runs = runs_of_this_thread()
    cdef const void* stack = this_stack()
    cdef Run* run = run_of_stack(runs, stack)
    cdef DemandOwner _held
    cdef int outcome
    if joins_run(run, task.tree, turn):
        incref(<PyObject*>task)
        if run.last is NULL:
            run.first = <PyObject*>task
        else:
            (<DemandOwner>run.last).next_ready = task
        run.last = <PyObject*>task
        return 0
    _held = task  # a callback may drop the last reference to it
    run = begin_run(runs, task.tree, stack, run, turn)
    if run is NULL:
        return task.drain()
    outcome = (<Drains>_drain_in_turn)(task, turn)
    if outcome == -1 or run.first is not NULL:
        return _drain_others(runs, run, outcome)
    end_run(runs, run)
    return 0


# Whose -1 means that an exception is set, which the caller takes with caught(), as after a call of a Python function. A
# try statement saves what is handled further out, whether anything is raised or not.
ctypedef int (*Drains)(DemandOwner task, PyObject* turn) noexcept


cdef inline int _drain_in_turn(DemandOwner task, PyObject* turn) except -1:
    if turn is NULL:
        return task.drain()
    if (<Turn>turn).is_over:
        return task.leave_turn()
    task.look_early(<Turn>turn)
    return task.drain()


cdef int _drain_others(ThreadRuns* runs, Run* run, int outcome) except -1:
    """Drain those that came into the list, and meanwhile; end the run; raise what was raised first."""
    cdef DemandOwner task
    first_error = caught() if outcome == -1 else None
    while run.first is not NULL:
        task = <DemandOwner>run.first
        decref(run.first)  # `task` holds its own reference now
        run.first = <PyObject*>task.next_ready if task.next_ready is not None else NULL
        task.next_ready = None
        if run.first is NULL:
            run.last = NULL
        run.tree = task.tree
        if (<Drains>_drain_in_turn)(task, run.turn) == -1:
            error = caught()
            if first_error is None:
                first_error = error
            else:
                drop_second_interrupt(task, error)
    end_run(runs, run)
    if first_error is not None:
        raise first_error
    return 0


# --- one element for many subscriptions: see Fan-out -----------------------------------------------------------------


cdef inline int _can_push_past_queue(FanOut* fan_out, DemandOwner owner) except -1:
    cdef ThreadRuns* runs
    cdef const void* stack
    if owner.scheduler is not None or owner.loops is not None:
        return False
    if fan_out.run is NULL:
        runs = runs_of_this_thread()
        stack = this_stack()
        fan_out.runs = runs
        fan_out.outer = run_of_stack(runs, stack)
        if joins_run(<Run*>fan_out.outer, owner.tree, NULL):
            return False
        fan_out.run = begin_run(runs, owner.tree, stack, <Run*>fan_out.outer, NULL)
        if fan_out.run is NULL:
            return False
    elif fan_out.outer is not NULL and (<Run*>fan_out.outer).tree == owner.tree:
        return False
    if not try_acquire_idle(owner.state):
        return False
    turn_run(<Run*>fan_out.run, <Run*>fan_out.outer, owner.tree)
    # relaxed: taking the token has acquired what its last holder took; a demand that is added now leaves MISSED
    if owner.demand_word.load(memory_order_relaxed) != 0:
        return True
    _settle_fan_out(fan_out, owner)
    return False


# Whose -1 means that an exception is set, as above.
ctypedef int (*Claims)(FanOut* fan_out, DemandOwner owner) noexcept
ctypedef int (*Pushes)(FanOut* fan_out, DemandOwner owner, PyObject* element) noexcept


cdef int push_past_queue(FanOut* fan_out, DemandOwner owner, PyObject* element) noexcept:
    cdef int outcome = (<Claims>_can_push_past_queue)(fan_out, owner)
    if outcome != 1:
        return KEPT if outcome == 0 else KEPT_RAISED
    owner.changed = True
    incref(element)
    return (<Pushes>_push_past_queue)(fan_out, owner, element)


cdef inline int _push_past_queue(FanOut* fan_out, DemandOwner owner, PyObject* element) except -1:
    cdef Run* run = <Run*>fan_out.run
    cdef int outcome
    demand_take(owner.demand_word, 1)  # before it is sent: who gets it may ask what is wanted
    outcome = push(owner, element)
    if outcome != ACCEPTED:
        demand_add(owner.demand_word, 1)
    if run.first is NULL and try_release(owner.state, ~<uint32_t>TOKEN):
        return outcome
    _settle_fan_out(fan_out, owner)
    return outcome


cdef int push_alone_past_queue(DemandOwner owner, PyObject* element) except -1:
    cdef FanOut fan_out  # the three steps in one function: a producer with one owner pays for no more of it
    fan_out.run = NULL
    fan_out.is_shared = True
    if not _can_push_past_queue(&fan_out, owner):
        end_fan_out(&fan_out)
        return False
    owner.changed = True
    incref(element)
    _push_past_queue(&fan_out, owner, element)
    end_fan_out(&fan_out)
    return True


cdef int begin_past_queue(FanOut* fan_out, DemandOwner owner) except -1:
    cdef ThreadRuns* runs = runs_of_this_thread()
    cdef const void* stack = this_stack()
    cdef Run* outer = run_of_stack(runs, stack)
    cdef PyObject* turn = NULL
    cdef Run* run
    if owner.scheduler is not None and outer is not NULL:
        turn = outer.turn  # the producer is in a task of the same scheduler
    if joins_run(outer, owner.tree, turn) or not try_acquire_idle(owner.state):
        return False
    run = begin_run(runs, owner.tree, stack, outer, turn)
    if run is NULL:
        owner.drain()
        return False
    fan_out.runs = runs
    fan_out.run = run
    # relaxed: as in _can_push_past_queue()
    if owner.demand_word.load(memory_order_relaxed) != 0:
        return True
    end_past_queue(fan_out, owner)
    return False


cdef int end_past_queue(FanOut* fan_out, DemandOwner owner) except -1:
    cdef Run* run = <Run*>fan_out.run
    cdef int outcome = 0
    if not try_release(owner.state, ~<uint32_t>TOKEN):
        outcome = (<Drains>_drain_in_turn)(owner, run.turn)
    if outcome == -1 or run.first is not NULL:
        return _drain_others(<ThreadRuns*>fan_out.runs, run, outcome)
    end_run(<ThreadRuns*>fan_out.runs, run)
    return 0


cdef int _settle_fan_out(FanOut* fan_out, DemandOwner owner) except -1:
    """Deal with what came during the push, then with the owners that wait in the list of the run."""
    cdef Run* run = <Run*>fan_out.run
    cdef int outcome = 0
    while not try_release(owner.state, ~<uint32_t>TOKEN):
        # relaxed: drain() looks again, with the order that the bits need
        if fan_out.is_shared or owner.state.load(memory_order_relaxed) & ~<uint32_t>(TOKEN | MISSED):
            outcome = (<Drains>_drain_in_turn)(owner, NULL)
            break
        clear_missed(owner.state)  # demand was added: nothing waits for it, since only this thread produces
    if outcome == -1 or run.first is not NULL:
        fan_out.run = NULL
        return _drain_others(<ThreadRuns*>fan_out.runs, run, outcome)
    return 0


cdef void end_fan_out(FanOut* fan_out) noexcept:
    if fan_out.run is not NULL:
        end_run(<ThreadRuns*>fan_out.runs, <Run*>fan_out.run)
        fan_out.run = NULL


cdef int mark_awaited(Stage root) except -1:
    """Note that a thread will wait for this subscription.

    Raises:
        RecursionError: There is no room on the stack for it.
    """
    if stack_is_short(run_of_this_stack()):
        raise RecursionError(
            "a stream that blocks was begun inside of so many callbacks of others that half of this thread's stack is "
            "used up; call threading.stack_size() with more before the thread is started, or nest less"
        )
    root.tree |= TREE_IS_AWAITED
    return 0


cdef bint is_awaited(Stage stage) noexcept:
    return (stage.tree & TREE_IS_AWAITED) != 0


cdef bint others_wait_here() noexcept:
    cdef Run* run = run_of_this_stack()
    return run is not NULL and run.first is not NULL


cdef bint is_drained_here(DemandOwner task) noexcept:
    return runs_in_this_thread(task.tree)


cdef Turn turn_here():
    cdef Run* run = run_of_this_stack()
    return None if run is NULL or run.turn is NULL else <Turn>run.turn


cdef bint waits_here(Stage end) noexcept:
    cdef Run* run = run_of_this_stack()
    cdef DemandOwner waiting
    cdef Stage stage
    if run is NULL or run.first is NULL:
        return False
    waiting = <DemandOwner>run.first
    while waiting is not None:
        stage = waiting
        while stage is not None and stage is not end:
            stage = stage.next_below()
        if stage is end:
            return True
        waiting = waiting.next_ready
    return False


cdef int drain_in_turns(Stage stage, LoopTurns turns) except -1:
    """Let the whole subscription belong to a loop; before anything flows."""
    cdef DemandOwner task
    while stage.down is not None:
        stage = stage.down
    while stage is not None:
        if isinstance(stage, DemandOwner):
            task = <DemandOwner>stage
            if task.loops is None:
                task.loops = (turns,)
            elif turns not in task.loops:
                task.loops = (*task.loops, turns)
        for side in stage.side_inputs():
            drain_in_turns(<Stage>side, turns)
        stage = stage.up
    return 0


cdef int drain_as_consumer(Stage root) except -1:
    """Bound what a subscription makes as the run is bounded that asks it; before anything flows."""
    cdef Stage stage = root
    while stage is not None:
        if isinstance(stage, DemandOwner) and (<DemandOwner>stage).loops is None:
            (<DemandOwner>stage).loops = ()
        for side in stage.side_inputs():
            drain_as_consumer(<Stage>side)
        stage = stage.up
    return 0


def _run_drain(DemandOwner task not None, Turn turn):
    task._run_bounded(turn)


# --- what happens at a time ------------------------------------------------------------------------------------------


@cython.final
cdef class Alarm:
    """A task of a scheduler that wakes an owner of demand at a time: how an operator waits without a clock of its own.

    The scheduler runs it on a child for its alarms, which is paused with it.

    Roles
        drainer    the holder of the owner's token: sets it, checks whether it rang, cancels it
        scheduler  whoever runs its tasks: notes that it rang, notifies the owner
    Ordering: what is written before `has_rung` (release) is seen after it (acquire). The owner is notified after that,
    so the drainer, or who comes after it, looks again (I3). tests/interleavings/test_alarm_model.py explores it.
    """

    def __cinit__(self):
        self.has_rung.store(0, memory_order_relaxed)
        self.is_cancelled.store(0, memory_order_relaxed)

    def execute(self, scheduler=None) -> bool:
        """Run as a task of a scheduler: wake the owner; always done afterwards. Always runs user code."""
        return self._ring(None)

    def discard(self, error) -> None:
        """Wake the owner with the error instead: what a scheduler calls for a task it will not run."""
        self._ring(error)

    def _ring(self, error):
        if self.owner is None:
            raise StateError("an Alarm that was made by hand wakes no operator; operators make their own")
        if not self.is_cancelled.load(memory_order_relaxed):  # relaxed: a hint; who cancelled looks no more
            self.error = error
            self.has_rung.store(1, memory_order_release)  # release: see Ordering
            self.owner.notify()
        return True

    cdef int set(self, object scheduler, object due) except -1:
        self.handle = scheduler.set_alarm(self, due)
        return 0

    cdef bint rang(self) noexcept:
        return self.has_rung.load(memory_order_acquire) != 0  # acquire: see Ordering

    cdef int cancel(self) except -1:
        handle = self.handle
        self.handle = None
        self.is_cancelled.store(1, memory_order_relaxed)  # relaxed: see _ring()
        if handle is not None:
            handle.cancel()
        return 0


# --- the links of a segment ------------------------------------------------------------------------------------------


@cython.final
cdef class Trampoline(Stage):
    """A link that ends the chain of calls: keeps the element until the owner's loop sends it on."""

    cdef int try_next(self, PyObject* element) noexcept:
        self.element = element
        self.owner.bounce(self)
        return BOUNCED


@cython.final
cdef class _Disposed(Stage):
    """What `down` becomes after teardown: swallows whatever still comes."""

    cdef int receive_complete(self) noexcept:
        return CONSUMED

    cdef int receive_error(self, object error) noexcept:
        return CONSUMED


cdef Stage _DISPOSED = _Disposed()


cdef int link_segment(DemandOwner owner) except -1:
    """Link a segment: set the owner of its stages' demand, trampolines, and checks if they are on."""
    cdef Stage above = owner
    cdef Stage stage = owner.down
    cdef Stage link = owner
    cdef Trampoline trampoline
    cdef SignalCheck check
    cdef bint are_units = True
    cdef bint is_checked = checks_are_on()
    cdef int depth = 0
    while stage is not _DISPOSED:  # else somebody has torn the segment down, and what is shared must not be linked
        if is_checked:
            check = SignalCheck()
            check.sender = above
            above.check = check
            check.owner = owner
            check.demand_link = link
            check.down = stage
            above.down = check
            above = check
            link = check
        stage.owner = owner
        stage.demand_link = link
        stage.drops_directly = are_units
        depth += 1
        if depth % TRAMPOLINE_EVERY == 0:
            trampoline = Trampoline()
            trampoline.owner = owner
            trampoline.down = stage
            above.down = trampoline
        if stage.is_owner or stage.down is None:
            return 0
        if stage.is_translating:
            link = stage
        are_units = are_units and stage.is_unit
        above = stage
        stage = stage.down
    return 0


@cython.final
cdef class SignalCheck(Stage):
    """A link that checks what passes it."""

    def __cinit__(self, *args, **kwargs):
        self.is_translating = True
        self.requested.store(0, memory_order_relaxed)
        self.is_busy.store(0, memory_order_relaxed)

    cdef int64_t translate(self, int64_t n) noexcept:
        demand_add(self.requested, n)
        return n

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int64_t requested
        cdef int outcome = STOPPED
        held = <object>element
        trouble = self.enter("on_next")
        if trouble is not None:
            decref(element)
            return self.refuse(trouble)
        requested = self.requested.load(memory_order_relaxed)  # relaxed: see Ordering
        if self.has_ended:
            decref(element)
            drop_signal(self, "on_next", SignalAfterEndError(
                f"§1.7: {self.name_of_sender()} sent {safe_repr(held)} after its end; an operator sends nothing "
                f"after its last signal"
            ), self.name_of_sender())
        elif self.passed >= requested and requested != INT64_MAX:
            decref(element)
            self.owner.finish(self.down, DemandExceededError(
                f"§1.1: {self.name_of_sender()} sent {safe_repr(held)} as element {self.passed + 1}, and {requested} "
                f"were requested of it; an operator sends what was requested, at most"
            ))
        else:
            outcome = self.down.try_next(element)
            if outcome == ACCEPTED:
                self.passed += 1
        self.leave()
        return outcome

    cdef int receive_complete(self) noexcept:
        return self._end("on_complete", None)

    cdef int receive_error(self, object error) noexcept:
        return self._end("on_error", error)

    cdef int _end(self, str signal, object error) noexcept:
        trouble = self.enter(signal)
        if trouble is not None:
            self.refuse(trouble)
            return CONSUMED
        is_late = self.has_ended
        self.has_ended = True
        self.leave()
        if not is_late:
            return FORWARDED
        late = SignalAfterEndError(
            f"§1.7: {self.name_of_sender()} called {signal} after its end; an operator sends nothing after its "
            f"last signal"
        )
        late.__cause__ = error
        drop_signal(self, signal, late, self.name_of_sender())
        return CONSUMED

    cdef object enter(self, str signal):
        """Let a signal pass; returns the error where another one is passing."""
        # acquire: pairs with leave()
        if not self.is_busy.exchange(1, memory_order_acquire):
            return None
        return SignalOverlapError(
            f"§1.3: {self.name_of_sender()} called {signal} while another of its signals was running; an operator "
            f"signals one at a time, and only when it is asked to"
        )

    cdef void leave(self) noexcept:
        self.is_busy.store(0, memory_order_release)  # release: pairs with enter()

    cdef int refuse(self, object error) noexcept:
        """End the stream with an error that any thread may have caused."""
        try:
            self.owner.refuse_request(error)
        except BaseException as interrupt:
            self.owner.fail_at(self, interrupt)
        return STOPPED

    cdef str name_of_sender(self):
        cdef Stage sender = self.sender
        try:
            return f"{sender.name or type(sender).__name__}"
        except Exception:  # the name is a property of somebody's class
            return type(sender).__name__

    cdef void release(self) noexcept:
        self.sender = None


# --- errors that cannot be signalled, or need a note on where they come from ------------------------------------------


cdef void drop_signal(Stage stage, str signal, object value, object origin) noexcept:
    """Hand a signal to the hook for dropped ones; an interrupt of the hook goes to the drain."""
    interrupt = _hand_to_hook(signal, value, origin)
    if interrupt is not None:
        _fail_at_owner(stage, interrupt)


cdef void drop_second_interrupt(Stage stage, object error) noexcept:
    """Hand what is no Exception to the hook, since another one is on its way to be raised.

    It is not chained to that one: a context says what was handled when an exception was raised, and these two may have
    nothing to do with each other. What the hook raises is ignored; else a hook that always raises would be called
    without end.
    """
    _hand_to_hook("raise", error, stage.name)


cdef object _hand_to_hook(str signal, object value, object origin):
    """Call the hook; return what is no Exception and was raised by it, or None."""
    cdef object interrupt = None
    try:
        dropped(signal, value, origin=origin)
    except Exception as trouble:  # the hook was not reached: what it raises itself, dropped() has dealt with
        PyErr_SetObject(type(trouble), trouble)
        PyErr_WriteUnraisable(value)
    except BaseException as raised:
        interrupt = raised
    return interrupt


cdef void release_failed(Stage stage, str signal, object error, object origin) noexcept:
    """Pass on what user code raised while a stage was released, when nobody is left to signal it to."""
    if isinstance(error, Exception):
        drop_signal(stage, signal, error, origin)
    else:
        _fail_at_owner(stage, error)


cdef void _fail_at_owner(Stage stage, object error) noexcept:
    """Hand what is no Exception to the owner of demand, which raises it at the outermost entry."""
    cdef DemandOwner owner = owner_of(stage)
    if owner is not None:
        owner.fail_at(stage, error)


cdef object new_error(object kind, str message):
    """Make an error of this project where an interrupt could go nowhere: its `__init__`, which is Python code, is left
    out, since a signal handler may run there. What it does for a message alone, `__new__` has done."""
    return kind.__new__(kind, message)


cdef int failed_for(Stage stage, PyObject* element) noexcept:
    """End the stream with the exception that a user function raised for an element."""
    error = caught()
    note_element(error, stage, <object>element)
    decref(element)
    return stage.owner.fail_at(stage, error)


cdef void add_assembly_note(object error, Stage stage) noexcept:
    """Note on an exception which operator raised it and where that was assembled, once."""
    cdef DemandOwner owner = owner_of(stage)
    if owner is not None and owner.refusing is error:  # the hook knows
        owner.refusing = None
        return
    _add_note(error, stage, False, None)


cdef void note_element(object error, Stage stage, object element) noexcept:
    """Note on an exception which operator raised it, where that was assembled, and for which element."""
    if isinstance(error, Exception):
        _add_note(error, stage, True, element)


cdef void _add_note(object error, Stage stage, bint has_element, object element) noexcept:
    if stage.description is None:
        return
    try:
        note = place = f"in {stage.name}, assembled at {stage.description.assembly}"
        if has_element:
            note = f"{place}, for element {shortened(element)}"
        for index, noted in enumerate(getattr(error, "__notes__", ())):
            if noted == place or noted.startswith(f"{place}, for element "):
                if has_element:  # an exception that is raised again may be about another one
                    error.__notes__[index] = note
                return
        error.add_note(note)
        definition = stage.description.definition
        if getattr(definition, "keyed", False) or getattr(definition, "has_keys", False):
            if isinstance(error, TypeError) and "unhashable" in str(error):
                error.add_note(
                    "keys are found by their hash, and so must be hashable: return a tuple in place of a list, a "
                    "frozenset in place of a set"
                )
    except (MemoryError, RecursionError):
        return
    except Exception as trouble:  # an exception class may refuse notes; the error itself matters more
        drop_signal(stage, "note", trouble, stage.name)
        if has_element and owner_of(stage) is not None:
            owner_of(stage).refusing = error
    except BaseException as interrupt:
        _fail_at_owner(stage, interrupt)
