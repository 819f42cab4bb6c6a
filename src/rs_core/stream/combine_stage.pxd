# A stage with several inputs, which may come and go. The argument is in combine_stage.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.queues.spsc_ring cimport SpscRing, SpscSlots
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport ACCEPTED, BOUNCED, DemandOwner, Stage
from rs_core.sync.atomics cimport gil_uint32, gil_uint64


cdef enum PortMode:    # what becomes of an element; changed under the token of the input's owner
    PORT_NOTIFIES = 0  # it waits in the ring, and the stage is notified
    PORT_FILLS = 1     # it waits in the ring: the stage draws, and looks itself
    PORT_PASSES = 2    # the stage draws, and takes it at once if it can
    PORT_FORWARDS = 3  # the stage draws, and it goes down at once as it is: take_in() is no more than pass_on()


cdef class InputPort(Stage):   # the end of an input
    cdef CombineStage target
    cdef int64_t index
    cdef object key              # what the stage made this input of
    cdef int mode                # a PortMode
    # Written by the holder of the input's token, read by the drainer of the stage.
    cdef SpscRing ring
    cdef SpscSlots* slots        # borrowed from ring
    cdef object input_error
    cdef gil_uint32 input_ended  # after input_error
    cdef gil_uint32 is_listed    # in `arrived` or in the drainer's list
    cdef PyObject* next_listed   # of who lists it
    # Fields of the stage's drainer.
    cdef int64_t outstanding            # requested and not yet taken
    cdef int64_t allowed                # while it forwards: how many elements are still wanted below
    cdef int64_t dropped                # of those that were forwarded
    cdef bint is_free            # takes elements without demand below
    cdef bint is_over            # ended, and nothing is left
    cdef bint is_begun_late      # waits for its turn: not begun yet
    cdef int64_t saved_size
    cdef bint saved_end

    cdef bint has_ended(self) noexcept       # the drainer: and nothing is left
    cdef void announce(self) noexcept        # the input
    cdef int _end_input(self, object error) noexcept


cdef class CombineStage(DemandOwner):
    cdef tuple sources           # the descriptions of the inputs besides the one above
    cdef dict ports              # by index: those that are visitable
    cdef int64_t prefetch, replenish_at
    cdef int64_t next_index
    cdef int draw_mode           # the PortMode in which inputs are drawn
    cdef bint is_exact           # requests no more than is requested below, except of free inputs
    cdef gil_uint64 arrived      # InputPort*, borrowed: the latest that has news, linked by next_listed
    # Fields of the drainer.
    cdef PyObject* listed_first  # InputPort*, borrowed: those to look at
    cdef PyObject* listed_last
    cdef PyObject* parked_first  # those whose elements wait for demand
    cdef PyObject* parked_last
    cdef dict retired            # over, and listed still
    cdef tuple released          # after the teardown: the nodes of the side inputs; else None
    cdef int64_t remaining       # of what send() was asked for
    cdef int64_t passed          # how many elements went down by pass_on(), or past it
    cdef DemandOwner starving     # a stage above that wants to know when a request cannot be served; None: none does
    cdef int draw_depth          # how many stages draw each other, this one included

    cdef int receive(self, InputPort port, PyObject* element) noexcept   # steals; who has the token of the input

    # What operators override; the drainer.
    cdef int take_in(self, InputPort port, PyObject* element) noexcept   # steals
    cdef bint accepts(self, InputPort port) noexcept
    cdef int input_over(self, InputPort port) noexcept    # it ended, and nothing of it is left
    cdef int nothing_to_do(self) noexcept
    # What they call; the drainer.
    cdef int work(self) noexcept
    cdef InputPort add_port(self, Description source, object key)
    cdef int start_port(self, InputPort port) noexcept
    cdef void remove_port(self, InputPort port) noexcept
    cdef bint see_end(self, InputPort port) noexcept
    cdef int64_t wanted_of(self, InputPort port) noexcept    # may be overridden: how many may be requested of it now
    cdef bint replenish(self, InputPort port) noexcept
    cdef bint draw(self, InputPort port, int64_t more) noexcept
    cdef void list_port(self, InputPort port) noexcept
    cdef void unpark(self) noexcept
    cdef int64_t count_live(self) noexcept
    cdef InputPort new_port(self, Description source, object key)
    cdef InputPort main(self)
    # State.
    cdef int save_port(self, InputPort port, object writer) except -1
    cdef int load_port(self, InputPort port, object reader, bint has_over=?) except -1
    cdef tuple side_nodes(self, bint are_first)
    cdef int64_t count_inputs(self) noexcept
    cdef int require_inputs(self) except -1   # else it cannot be saved: they are not made
    cdef int save_inputs(self, object writer) except -1
    cdef int load_inputs(self, object reader) except -1


cdef inline void pass_on(CombineStage stage, PyObject* element) noexcept:
    """Send an element down, which demand allows; steals it. A method would be a call through the vtable."""
    cdef int outcome = stage.down.try_next(element)
    stage.passed += 1
    if outcome == BOUNCED:
        outcome = stage.run_trampoline()
    if outcome == ACCEPTED:
        stage.remaining -= 1


cdef PyObject* next_listed(CombineStage stage) noexcept   # an InputPort, borrowed, taken out of its list; NULL: none
cdef list listed_ports(CombineStage stage)
