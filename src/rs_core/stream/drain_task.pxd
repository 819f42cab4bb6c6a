# What is run to drain an owner of demand: by the thread that has its token, or by a scheduler.

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.stream.stage cimport Stage
from rs_core.sync.thread_owner cimport ThreadMark
from rs_core.sync.turns cimport LoopTurns, Turn

cdef enum TurnState:
    NO_TURN = 0       # no scheduler has this task
    TURN_WAITS = 1    # a scheduler has it, and with it the token
    TURN_HELD = 2     # the same, and who saves keeps it from beginning
    TURN_DUE = 3      # held, and the scheduler has come for it meanwhile


cdef class DrainTask(Stage):
    cdef object scheduler            # who drains; None: the thread that takes the token
    cdef object variables            # the context variables of who subscribed; None: those of whoever drains
    cdef tuple loops                 # the LoopTurns of the event loops it belongs to; empty: bounded as its consumer
    cdef DrainTask next_ready        # in the list of the run that holds its token
    cdef gil_uint32 turn             # a TurnState
    cdef ThreadMark saver            # the thread that holds the token to save what it guards
    cdef int64_t holds               # how often it does; the holder's

    cdef int drain(self) except -1   # requires the token; gives it up or passes it on

    cdef int drain_on(self, object scheduler) except -1
    cdef int take_turn(self) except -1
    cdef int run_turn(self) except -1
    cdef int run_scheduled_turn(self, Turn turn) except -1
    cdef int leave_turn(self) except -1               # requires the token: the turn is over, another goes on
    cdef void look_early(self, Turn turn) noexcept    # drainer: a bounded run begins
    cdef int fail_turn(self, object error) noexcept   # requires the token: the turn that waits will not come
    cdef int _hand_over(self, object scheduler) except -1
    cdef int _run_bounded(self, Turn turn) except -1
    cdef bint claim_turn(self) noexcept
    cdef bint hold_turn(self) noexcept
    cdef bint return_turn(self) except -1

    # The token of who saves, which an owner of demand has (drain.pyx).
    cdef bint claim_token(self) noexcept   # False: somebody has it
    cdef bint free_token(self) noexcept    # False: something came that has to be done now


cdef bint is_drained_here(DrainTask task) noexcept   # whether this thread drains anything of the task's subscription
cdef Turn turn_here()                              # what bounds the run of this thread; None: nothing
cdef int drain_in_turns(Stage stage, LoopTurns turns) except -1
cdef int drain_as_consumer(Stage root) except -1
cdef int mark_awaited(Stage root) except -1   # new, and a thread will wait for it: see drain_run.h, I4
