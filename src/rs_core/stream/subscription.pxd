# A running subscription: its nodes, the links between them, the protocol by which they are drained. The argument is in
# subscription.pyx.

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t

from rs_core.interp.arguments cimport small_int
from rs_core.stream.description cimport Description
from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.sync.thread_owner cimport ThreadOwner
from rs_core.sync.turns cimport LoopTurns, Turn

cdef enum Outcome:
    ACCEPTED = 0   # the element counts against demand
    DROPPED = 1    # it does not: the emitter may send one more
    STOPPED = 2    # nothing more is wanted; a bit of the owner's state word says why
    BOUNCED = 3    # the element waits in a trampoline: DemandOwner.push goes on there

cdef enum TerminalResult:
    CONSUMED = 0   # the terminal signal goes no further
    FORWARDED = 1  # the stage below gets it next
    REPLACED = 2   # the owner's note says which signal goes to whom instead

cdef enum CancelResult:   # in the order of FINAL, MARKED, ACQUIRED (sync/serial_word.h)
    ALREADY_DONE = 0   # it was cancelled or had ended, and with it all that is above it
    DEFERRED = 1       # the holder of the token will tear it down
    COMPLETED = 2      # by this call

cdef enum StateBit:   # of an owner's state word, beside TOKEN and MISSED (sync/serial_word.h)
    CANCELLED = 4
    BAD_REQUEST = 8
    PAUSE = 16        # with TOKEN: asked to park; without: parked
    TERMINAL = 32     # the end was signalled or the stream was torn down; final
    FINISHING = 64    # the drainer's own note: signal the end when the push has returned
    NEW = 128         # not started: demand only adds up
    INTERRUPTED = 256  # by something that is no Exception: the whole subscription is cancelled, also downstream
    TURN_OVER = 512   # the drainer's own note: go on in another turn (sync/turns.pyx)
    LEAVE = 4 | 8 | 16 | 32 | 64 | 512   # what makes the drainer leave its loop; MISSED alone does not
    UNWANTED = 4 | 8 | 32 | 64     # an end is on its way, or was: nothing that is emitted would be sent any more

cdef enum:
    TICK_EVERY = 1024
    TURN_ELEMENTS = 1024   # what a task of a scheduler sends before the next task gets its turn

cdef enum ScheduledDrain:
    DRAIN_NONE = 0     # no scheduler has this task
    DRAIN_WAITS = 1    # a scheduler has it, and with it the token
    DRAIN_HELD = 2     # the same, and who saves keeps it from beginning
    DRAIN_DUE = 3      # held, and the scheduler has come for it meanwhile


cdef class Stage:
    # Life-cycle fields: written by the thread that runs the life cycle, before anything flows.
    cdef Description description         # the node that this stage was made from; None at a root
    cdef Description source              # what the input is made from; None where there is none
    cdef Stage up                        # the input; lives as long as the handle
    cdef object branch                   # at the head of a chain: the handle of an input that is no stage of this tree
    cdef DemandOwner owner               # upstream: its token guards the element side
    cdef Stage demand_link               # the nearest node upstream that looks at requests
    cdef SignalCheck check               # the link below that counts requests, where checks are on
    cdef object context_of_host
    cdef uint64_t tree                   # the number of the root, never given twice: whose subscription this is
    cdef bint is_owner                   # it is a DemandOwner
    cdef bint is_unit                    # one element in is at most one element out
    cdef bint is_translating             # looks at requests
    cdef bint is_pulled                  # a root whose elements are requested by the thread that subscribed, later
    cdef bint drops_directly             # may answer DROPPED: all stages up to the owner are units
    cdef bint has_subscribed, has_started
    cdef bint is_begun                    # has_started, and the start of this node is over
    # Element-side fields: touched by the holder of the owner's token only.
    cdef Stage down                      # DISPOSED after teardown
    cdef Stage reporter                  # below: takes what functions raise for elements; None: it ends the stream
    cdef bint disposed, disposed_in_state
    cdef bint changed                     # since the last save
    cdef int64_t saves                   # how often it was saved: who has seen it clean notices that somebody saved it
    cdef object changes                  # a StateChanged; None: neither saved nor loaded yet
    cdef object __weakref__

    # Element side, called by the holder of the owner's token.
    cdef int try_next(self, PyObject* element) noexcept   # steals the element
    cdef int receive_complete(self) noexcept              # a TerminalResult
    cdef int receive_error(self, object error) noexcept   # a TerminalResult
    cdef bint must_wait(self) noexcept                    # completion would deliver what nobody requested yet
    cdef void release(self) noexcept                      # drop what only a live stage needs; may run user code
    cdef tuple side_inputs(self)                          # the ends of the inputs besides `up`, each of its own chain
    cdef Stage next_below(self)                           # any thread; from the end of an input the stage that has it
    cdef int drop(self) noexcept
    cdef int callback_failed(self) noexcept
    cdef int element_failed(self, PyObject* element) noexcept      # steals; a stage that is no owner
    cdef object left_out(self, object error, object element)       # None: it was reported, and the stream goes on
    cdef object report(self, Stage failed, object error, object element)   # of a reporter, as left_out()
    # Request side, called by any thread.
    cdef int64_t translate(self, int64_t n) noexcept      # what a request for n asks of the upstream; 0: nothing
    # Life cycle.
    cdef int attach_once(self) except -1
    cdef int attach(self) except -1
    cdef int take_context(self, object context) except -1
    cdef bint begin_once(self) except -1                  # True: by this call
    cdef int begin(self) except -1
    # State.
    cdef int write_fields(self, object writer) except -1
    cdef int read_fields(self, object reader, object version) except -1
    cdef bint differs_from_saved(self) noexcept           # any thread: something came that `changed` does not cover
    cdef bint quiesce(self) except -1                     # take the tokens that guard this node; False: elements flow
    cdef int unquiesce(self) except -1                    # give them back


cdef class DemandOwner(Stage):
    cdef bint is_concurrent              # may signal in a thread that nobody below called
    cdef bint is_forwarding              # sends what others give it, and calls no function for that
    cdef gil_uint32 state
    cdef gil_int64 demand_word
    cdef object bad_request              # the first illegal request, published by BAD_REQUEST
    cdef object scheduler                # who drains; None: the thread that takes the token
    cdef object variables                # the context variables of the subscribing thread; None: those of the drainer
    cdef tuple loops                     # LoopTurns of the event loops it belongs to; empty: bounded as its consumer
    cdef gil_uint32 scheduled_drain      # a ScheduledDrain
    cdef ThreadOwner saver                # the thread that holds the token to save what it guards
    cdef int64_t holds                   # how often it does; the holder's
    # Fields of the drainer.
    cdef int64_t until_tick              # how many elements may still be made before the next tick()
    cdef int64_t tick_every              # how many that is where a turn is bounded
    cdef Stage finishing                 # who gets the terminal signal first
    cdef object finish_error
    cdef object refusing                 # an exception that has refused the note for its element
    cdef object fatal                    # a BaseException on its way to the outermost Python entry
    cdef Trampoline trampoline
    cdef DemandOwner next_ready          # in the list of the run that holds its token

    # What a source or a queue overrides: send up to n elements down, return how many were accepted.
    cdef int64_t send(self, int64_t n) noexcept
    cdef void cancel_inputs(self) noexcept            # besides the one above

    # What its segment calls: the drainer.
    cdef int finish(self, Stage receiver, object error) noexcept
    cdef int fail_at(self, Stage stage, object error) noexcept
    cdef int deliver(self, Stage stage, PyObject* element) noexcept  # steals; for a push that is no tail call
    cdef bint has_note(self) noexcept                 # finish() was called since the last end
    cdef void bounce(self, Trampoline trampoline) noexcept
    # What the loops call.
    cdef int run_trampoline(self) noexcept
    cdef bint should_leave(self) noexcept
    cdef void mark_missed(self) noexcept
    cdef bint tick(self) noexcept
    cdef bint ask(self, int64_t n) noexcept
    cdef int notify(self) except -1

    # The drainer.
    cdef int drain(self) except -1                    # requires the token; gives it up or passes it on
    cdef bint _settle(self, uint32_t seen) noexcept
    cdef void _note_in_state(self) noexcept
    cdef bint _must_wait(self) noexcept
    cdef void _end(self, Stage receiver, object error) noexcept
    cdef void _drop_noted_error(self) noexcept
    cdef void _teardown(self) noexcept
    cdef DemandOwner _teardown_segment(self)
    cdef int _raise_fatal(self) except -1
    cdef void look_early(self, Turn turn) noexcept    # a bounded run begins
    # Any thread.
    cdef int add_demand(self, int64_t n) except -1
    cdef int refuse_request(self, object error) except -1
    cdef int cancel_here(self) noexcept               # a CancelResult
    cdef int _mark_cancelled(self) noexcept
    cdef int _set(self, uint32_t bit) except -1
    # Life cycle.
    cdef int open(self) except -1                     # serve the demand added so far
    # Who tore it down.
    cdef object take_interrupt(self)
    cdef void drop_interrupt(self) noexcept           # who cannot raise
    # A task of a scheduler.
    cdef int drain_on(self, object scheduler) except -1
    cdef int schedule_drain(self) except -1
    cdef int run_drain(self) except -1
    cdef int run_scheduled_drain(self, Turn turn) except -1
    cdef int leave_turn(self) except -1               # requires the token: the turn is over, another goes on
    cdef int fail_drain(self, object error) noexcept  # requires the token: the turn that waits will not come
    cdef int _hand_over(self, object scheduler) except -1
    cdef int _run_bounded(self, Turn turn) except -1
    cdef bint claim_drain(self) noexcept
    # Who saves: any thread.
    cdef bint hold(self) noexcept                     # False: somebody drains
    cdef int release_hold(self) except -1             # the thread that called hold()
    cdef bint free_token(self) noexcept               # False: something came that has to be done now
    cdef bint hold_drain(self) noexcept
    cdef bint return_drain(self) except -1


cdef class Alarm:   # a task of a scheduler that wakes an owner of demand
    cdef DemandOwner owner
    cdef object handle           # of the scheduled task; None before set() and after cancel()
    cdef object error            # why it will not ring, published by has_rung
    cdef gil_uint32 has_rung
    cdef gil_uint32 is_cancelled

    cdef int set(self, object scheduler, object due) except -1   # the drainer
    cdef bint rang(self) noexcept                                # the drainer
    cdef int cancel(self) except -1                              # the drainer


cdef class Trampoline(Stage):   # a link that ends the chain of calls
    cdef PyObject* element   # owned while it waits


cdef class SignalCheck(Stage):   # a link that checks what passes it
    cdef Stage sender            # the stage above; None after release
    cdef gil_int64 requested     # from below; any thread
    cdef gil_uint32 is_busy      # a signal is passing
    # Fields of the holder of the owner's token.
    cdef int64_t passed
    cdef bint has_ended

    cdef int _end(self, str signal, object error) noexcept
    cdef object enter(self, str signal)
    cdef void leave(self) noexcept
    cdef int refuse(self, object error) noexcept
    cdef str name_of_sender(self)


cdef struct FanOut:   # the run in which a thread sends one element to one subscription, or to many
    void* runs
    void* outer
    void* run         # NULL: it has not begun, or is over
    bint is_shared    # other threads produce for the owners too

cdef enum PastQueue:
    KEPT = 4           # the element was not sent: somebody drains, or there is no demand
    KEPT_RAISED = -2   # the same, and an exception is set; -1: it was sent, and an exception is set

# For a producer that has seen that nothing waits in the owner's queue.
cdef int push_past_queue(FanOut* fan_out, DemandOwner owner, PyObject* element) noexcept   # an Outcome, or a PastQueue
cdef void end_fan_out(FanOut* fan_out) noexcept
cdef int push_alone_past_queue(DemandOwner owner, PyObject* element) except -1   # all of it; False: not sent
# The same for the only producer of an owner, which has its own accounts: what it does in between has the token.
cdef int begin_past_queue(FanOut* fan_out, DemandOwner owner) except -1   # True: end_past_queue() has to follow
cdef int end_past_queue(FanOut* fan_out, DemandOwner owner) except -1

cdef int request_through(Stage target, int64_t n) except -1
cdef int request_checked(Stage stage, object n) except -1
cdef object refusal_of(object n, int64_t* demand)
cdef int refuse_request_of(Stage stage, object error) except -1
cdef void cancel_upstream(Stage stage) noexcept
cdef int cancel_from_outside(Stage stage) except -1

cdef int link_segment(DemandOwner owner) except -1

cdef bint is_awaited(Stage stage) noexcept              # whether a thread waits for its subscription
cdef bint others_wait_here() noexcept                   # whether owners wait in the list of the run of this thread
cdef bint is_drained_here(DemandOwner owner) noexcept   # whether this thread drains anything of its subscription
cdef Turn turn_here()                                   # what bounds the run of this thread; None: nothing
cdef bint waits_here(Stage end) noexcept   # whether an owner above it waits in the list of the run of this thread
cdef int drain_in_turns(Stage stage, LoopTurns turns) except -1
cdef int drain_as_consumer(Stage root) except -1
cdef int mark_awaited(Stage root) except -1   # new, and a thread will wait for it: see drain_run.h, I4

cdef void drop_signal(Stage stage, str signal, object value, object origin) noexcept
cdef void release_failed(Stage stage, str signal, object error, object origin) noexcept
cdef object new_error(object kind, str message)   # never runs Python code
cdef void add_assembly_note(object error, Stage stage) noexcept
cdef void note_element(object error, Stage stage, object element) noexcept   # what add_assembly_note() does, and more
cdef int failed_for(Stage stage, PyObject* element) noexcept   # steals; callback_failed() of a call for an element


cdef inline DemandOwner owner_of(Stage stage):
    """Who owns the demand for what this stage sends: itself, or the owner above; None: it is not linked."""
    return <DemandOwner>stage if stage.is_owner else stage.owner


cdef inline Stage below_of(Stage stage):
    """The link below, for a thread without the token: its holder may tear the segment down at this moment."""
    cdef Stage below
    with cython.critical_section(stage):  # pairs with that of the teardown: else `below` might be freed
        below = stage.down
    return below


cdef inline bint is_starting_below(Stage stage) noexcept:
    """Whether the start of a node downstream has begun and is not over; the nearest answers for all below it."""
    cdef Stage below = below_of(stage)
    cdef bint has_started = False
    cdef bint is_begun = False
    while below is not None and not has_started:
        with cython.critical_section(below):  # pairs with those in which the flags are set
            has_started = below.has_started
            is_begun = below.is_begun
        below = below_of(below)
    return has_started and not is_begun


cdef inline int request_upstream(Stage stage, int64_t n) except -1:
    """Carry a request that this stage makes up to the nearest owner of demand."""
    if stage.demand_link is not None and stage.demand_link.is_owner:
        return (<DemandOwner>stage.demand_link).add_demand(n)
    return request_through(stage.demand_link, n)


cdef inline int request_number(Stage stage, object n) except -1:
    """Carry the argument of request(n) upstream: a count as demand, all else as the error that it is."""
    cdef int64_t demand = 0
    if small_int(n, &demand) and demand > 0:
        return request_upstream(stage, demand)
    return request_checked(stage, n)


# Functions, since methods would be calls through the vtable, which each element would pay for.

cdef inline bint count(DemandOwner owner) noexcept:
    """Count an element on its way to the next tick; False: leave the loop."""
    owner.until_tick -= 1
    return owner.until_tick > 0 or owner.tick()


cdef inline int push(DemandOwner owner, PyObject* element) noexcept:
    """Send an element down, through the trampolines; steals it."""
    cdef int outcome = owner.down.try_next(element)
    if outcome == BOUNCED:
        outcome = owner.run_trampoline()
    count(owner)
    return outcome
