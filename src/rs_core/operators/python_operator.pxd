# The base of operators that are written in Python. The argument is in python_operator.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

from rs_core.stream.clock cimport Clock
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport DemandOwner
from rs_core.sync.atomics cimport gil_uint32, memory_order_acq_rel

cdef enum Hook:
    HOOK_NONE = 0
    HOOK_ELEMENT = 1   # one emit answers it in the mode "per_element"
    HOOK_OTHER = 2

cdef enum Life:
    STARTING = 1   # on_start runs
    RELEASED = 2   # on_dispose runs, has run, or runs when on_start has returned; or nothing was started
    STARTED = 4    # on_start was called, so on_dispose will be


# The word that orders the first hook against the last one: of the thread that starts the operator and the one that
# releases it, each finds the other's bit, and what was written before it.

cdef inline bint begin_first_hook(gil_uint32& life) noexcept:
    """Whether the first hook may run; False: the operator was released before."""
    # acq_rel: pairs with begin_last_hook()
    return not life.fetch_or(STARTING | STARTED, memory_order_acq_rel) & RELEASED


cdef inline bint end_first_hook(gil_uint32& life) noexcept:
    """Note that the first hook has returned; True: this thread has to run the last one, now."""
    # acq_rel: as above
    return (life.fetch_and(~<uint32_t>STARTING, memory_order_acq_rel) & RELEASED) != 0


cdef inline uint32_t begin_last_hook(gil_uint32& life) noexcept:
    """Note that the operator is released; returns the bits before: with STARTING the starting thread does the rest."""
    # acq_rel: pairs with the two above
    return life.fetch_or(RELEASED, memory_order_acq_rel)


cdef class OutputBuffer:
    cdef object elements         # a deque; None in the mode "per_element"
    cdef int64_t capacity
    cdef int64_t notified        # demand of which on_request knows and that was not yet served
    cdef bint is_ending          # complete() or fail() was called
    cdef object error            # what fail() was called with, or a hook raised
    cdef bint was_raised         # by a hook; the drainer's

    cdef int require_open(self, object operator) except -1
    cdef int put(self, object operator, object element) except -1
    cdef bint end(self, object error) noexcept
    cdef PyObject* take(self) noexcept
    cdef int64_t take_news(self, int64_t n) noexcept


cdef class ScheduledHooks:
    cdef tuple names             # of the methods that may be scheduled
    cdef Clock clock
    cdef object as_duration      # checks a delay and returns it as a timedelta; None before the operator is in a stream
    cdef dict due                # the moment at which each that waits runs, by its name, in the order of scheduling
    cdef bint is_saved           # whether `due` is part of the state
    cdef bint is_loaded          # `due` was, and the operator is not started
    cdef int64_t running         # when the hook was due that runs; NEVER: none runs
    cdef bint look_again         # `due` was changed, or may hold another one whose time has come
    cdef bint is_counted         # the time of a hook has come, and the elements that waited then were counted
    cdef int64_t elements_ahead  # those of them that were not yet taken

    cdef str checked_name(self, object operator, str call, object hook)
    cdef bint have_come(self, PythonStage operator) except -1
    cdef str take(self, DemandOwner operator)
    cdef int64_t moment_after(self, object delay) except? -1
    cdef int stop(self) except -1


cdef class PythonStage(QueueStage):
    cdef gil_uint32 life         # bits of a Life
    cdef PyObject* answer        # owned; the one element of "per_element"
    cdef object next_hook        # the function on_next of the class: no bound method, which would be a cycle
    cdef int in_hook
    cdef OutputBuffer output     # "per_element": only the end
    # The mode "own"; drainer.
    cdef bint waits_for_demand   # on_next runs only where there is demand; else also where there is none
    cdef int64_t unrequested     # wanted by the operator and not yet requested
    cdef int64_t requested       # and not yet taken
    cdef bint end_was_reported
    cdef ScheduledHooks scheduled   # None: the class has no scheduled hooks

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1
    cdef bint _notify_demand(self, int64_t n) noexcept
    cdef bint _take_in(self, PyObject* element) noexcept
    cdef bint _end_of_input(self) noexcept
    cdef bint fail_in_hook(self, object error) noexcept
    cdef bint _request_more(self) noexcept
    cdef bint _run_due_hook(self) noexcept
    cdef ScheduledHooks _require_scheduled(self, str call)
    cdef int _load_scheduled(self, object reader) except -1
    cdef bint report_end(self, object error) noexcept
    cdef int save_waiting(self, object writer) except -1
    cdef int load_waiting(self, object reader) except -1

    cdef int keep_emitted(self, object element) except -1
    cdef int end_with(self, object error) except -1
    cdef void _dispose_operator(self, bint was_started) noexcept
    cdef void _drop_answer(self) noexcept
    cdef int _pass_end(self, object error) noexcept
