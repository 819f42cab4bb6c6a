# A stage that owns demand: a source or a queue. drain.pyx's head holds the protocol and its argument.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.stream.drain_task cimport DrainTask
from rs_core.stream.links cimport Relay
from rs_core.stream.stage cimport RELAYED, Stage
from rs_core.sync.turns cimport Turn

cdef enum StateBit:
    DRAINING = 1      # somebody holds the token
    MISSED = 2        # something happened since the drainer last looked
    CANCELLED = 4
    BAD_REQUEST = 8
    PAUSE = 16        # with DRAINING: asked to park; without: parked
    TERMINAL = 32     # the end was signalled or the stream was torn down; final
    FINISHING = 64    # the drainer's own note: signal the end when the push has returned
    NEW = 128         # not started: demand only adds up
    INTERRUPTED = 256  # by something that is no Exception: the whole subscription is cancelled, also downstream
    TURN_OVER = 512   # the drainer's own note: go on in another turn (turns.pyx)
    LEAVE = 4 | 8 | 16 | 32 | 64 | 512   # what makes the drainer leave its loop; MISSED alone does not
    UNWANTED = 4 | 8 | 32 | 64     # an end is on its way, or was: nothing that is emitted would be sent any more

cdef enum:
    TICK_EVERY = 1024
    TURN_ELEMENTS = 1024   # what a task of a scheduler sends before the next task gets its turn


cdef class DemandOwner(DrainTask):
    cdef gil_uint32 state
    cdef gil_int64 demand_word
    cdef object bad_request              # the first illegal request, published by BAD_REQUEST
    # Fields of the drainer.
    cdef int64_t until_tick              # how many elements may still be made before the next tick()
    cdef int64_t tick_every              # how many that is where a turn is bounded
    cdef Stage finishing                 # who gets the terminal signal first
    cdef object finish_error
    cdef object fatal                    # a BaseException on its way to the outermost Python entry
    cdef Relay relay

    # What a source or a queue overrides: send up to n elements down, return how many were accepted.
    cdef int64_t send(self, int64_t n) noexcept

    # What their loops call.
    cdef int resume_relays(self) noexcept
    cdef bint should_leave(self) noexcept
    cdef void come_again(self) noexcept
    cdef bint tick(self) noexcept
    cdef bint ask(self, int64_t n) noexcept
    cdef int notify(self) except -1

    cdef int fail_turn(self, object error) noexcept
    cdef int _set(self, uint32_t bit) except -1
    cdef int _raise_fatal(self) except -1
    cdef bint _settle(self, uint32_t seen) noexcept
    cdef bint _must_wait(self) noexcept
    cdef void _end(self, Stage receiver, object error) noexcept
    cdef int _mark_cancelled(self) noexcept
    cdef void _drop_noted_error(self) noexcept
    cdef void _teardown(self) noexcept
    cdef DemandOwner _teardown_segment(self)


# Functions, since methods would be calls through the vtable, which each element would pay for.

cdef inline bint count(DemandOwner owner) noexcept:
    """Count an element on its way to the next tick; False: leave the loop."""
    owner.until_tick -= 1
    return owner.until_tick > 0 or owner.tick()


cdef inline int push(DemandOwner owner, PyObject* element) noexcept:
    """Send an element down, through the relays; steals it."""
    cdef int outcome = owner.down.try_next(element)
    if outcome == RELAYED:
        outcome = owner.resume_relays()
    count(owner)
    return outcome
