# The node of a running subscription: links, life cycle, state, and the signals in both directions.

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rs_core.interp.arguments cimport small_int
from rs_core.stream.description cimport Description

cdef enum Outcome:
    ACCEPTED = 0   # the element counts against demand
    DROPPED = 1    # it does not: the emitter may send one more
    STOPPED = 2    # nothing more is wanted; a bit of the owner's state word says why
    RELAYED = 3    # the element waits in a relay: DemandOwner.push goes on there

cdef enum Passage:
    SWALLOWED = 0  # the terminal signal goes no further
    PASSED_ON = 1  # the stage below gets it next
    REPLACED = 2   # the owner's note says which signal goes to whom instead


cdef enum Cancelling:
    LATE = 0       # it was cancelled or had ended, and with it all that is above it
    MARKED = 1     # the holder of the token will tear it down
    TORN_DOWN = 2  # by this call


cdef class Stage:
    # Life-cycle fields: written by the thread that runs the life cycle, before anything flows.
    cdef Description description         # the node that this stage was made from; None at a root
    cdef Description source              # what the input is made from; None where there is none
    cdef Stage up                        # the input; lives as long as the handle
    cdef object branch                   # at the head of a chain: the handle of an input that is no stage of this tree
    cdef Stage owner                     # the demand owner upstream whose token guards the element side
    cdef Stage demand_link               # the nearest node upstream that looks at requests
    cdef Stage check                     # the link below that counts requests, where checks are on (signal_check.pyx)
    cdef object context_of_host
    cdef uint64_t tree                   # the number of the root, never given twice: whose subscription this is
    cdef bint is_owner                   # holds elements back: has a token and a demand of its own
    cdef bint is_unit                    # one element in is at most one element out
    cdef bint is_translating             # looks at requests
    cdef bint is_concurrent              # may signal in a thread that nobody below called
    cdef bint is_pulled                  # a root whose elements are requested by the thread that subscribed, later
    cdef bint drops_directly             # may answer DROPPED: all stages up to the owner are units
    cdef bint has_subscribed, has_started
    cdef bint is_begun                    # has_started, and the start of this node is over
    # Element-side fields: touched by the holder of the owner's token only.
    cdef Stage down                      # DISPOSED after teardown
    cdef bint disposed, disposed_in_state
    cdef bint changed                     # since the last save
    cdef object changes                  # a StateChanged; None: neither saved nor loaded yet
    cdef object __weakref__

    # Element side, called by the holder of the owner's token.
    cdef int try_next(self, PyObject* element) noexcept   # steals the element
    cdef int receive_complete(self) noexcept              # a Passage
    cdef int receive_error(self, object error) noexcept   # a Passage
    cdef bint must_wait(self) noexcept                    # completion would deliver what nobody requested yet
    cdef void release(self) noexcept                      # drop what only a live stage needs; may run user code
    cdef int drop(self) noexcept
    cdef int callback_failed(self) noexcept
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
    cdef bint differs_from_saved(self) noexcept           # any thread: something came that `changed` does not tell of
    cdef bint hold_still(self) except -1                  # take the tokens that guard this node; False: elements flow
    cdef int go_on(self) except -1                        # give them back

    # What an owner of demand overrides (drain.pxd).
    cdef int open(self) except -1                              # life cycle: serve the demand added so far
    cdef int add_demand(self, int64_t n) except -1             # any thread
    cdef int refuse_request(self, object error) except -1      # any thread
    cdef int cancel_here(self) noexcept                        # any thread; a Cancelling
    cdef object take_interrupt(self)                           # whoever tore it down
    cdef void drop_interrupt(self) noexcept                    # whoever tore it down and cannot raise
    cdef bint hold(self) noexcept                              # any thread; False: somebody drains (drain_task.pyx)
    cdef int let_go(self) except -1                            # the thread that called hold()
    cdef int finish(self, Stage receiver, object error) noexcept   # drainer
    cdef int fail_at(self, Stage stage, object error) noexcept     # drainer
    cdef int deliver(self, Stage stage, PyObject* element) noexcept  # drainer; steals; for a push that is no tail call
    cdef bint has_note(self) noexcept                              # drainer: finish() was called since the last end
    cdef void hold_relay(self, Stage relay) noexcept               # drainer


cdef int request_through(Stage target, int64_t n) except -1
cdef int request_checked(Stage stage, object n) except -1
cdef object refusal_of(object n, int64_t* demand)
cdef int refuse_request_of(Stage stage, object error) except -1
cdef void cancel_upstream(Stage stage) noexcept
cdef int cancel_from_outside(Stage stage) except -1


cdef inline Stage below_of(Stage stage):
    """The link below, for a thread without the token: its holder may tear the segment down at this moment."""
    cdef Stage below
    with cython.critical_section(stage):  # pairs with that of the teardown (drain.pyx): else `below` might be freed
        below = stage.down
    return below


cdef inline bint is_starting_below(Stage stage) noexcept:
    """Whether the start of a node downstream has begun and is not over; the nearest tells for all behind it."""
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
        return stage.demand_link.add_demand(n)
    return request_through(stage.demand_link, n)


cdef inline int request_number(Stage stage, object n) except -1:
    """Carry the argument of request(n) upstream: a count as demand, all else as the error that it is."""
    cdef int64_t demand = 0
    if small_int(n, &demand) and demand > 0:
        return request_upstream(stage, demand)
    return request_checked(stage, n)
