# The base of operators that are written in Python. The argument is in python_operator.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.stream.queue_stage cimport QueueStage
from rs_core.sync.atomics cimport gil_uint32

cdef enum Hook:
    HOOK_NONE = 0
    HOOK_ELEMENT = 1   # one emit answers it in the mode "per_element"
    HOOK_OTHER = 2

cdef enum Life:
    STARTING = 1   # on_start runs
    RELEASED = 2   # on_dispose runs, has run, or runs when on_start has returned; or nothing was started
    STARTED = 4    # on_start was called, so on_dispose will be


cdef class PythonStage(QueueStage):
    cdef gil_uint32 life         # bits of a Life
    cdef PyObject* answer        # owned; the one element of "per_element"
    cdef object next_hook        # the function on_next of the class: no bound method, which would be a cycle
    cdef int in_hook
    cdef bint is_ending          # complete() or fail() was called
    cdef object end_error
    # The mode "own"; drainer.
    cdef object output_buffer
    cdef int64_t capacity_elements
    cdef bint waits_for_demand   # on_next runs only where there is demand; else also where there is none
    cdef int64_t unrequested     # asked for by the operator and not yet requested
    cdef int64_t requested       # and not yet taken
    cdef int64_t notified_demand  # of which on_request knows and that was not yet served
    cdef bint end_was_reported

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1
    cdef bint _notify_demand(self, int64_t n) noexcept
    cdef bint _take_in(self, PyObject* element) noexcept
    cdef bint _end_of_input(self) noexcept
    cdef bint _request_more(self) noexcept
    cdef bint report_end(self, object error) noexcept
    cdef int save_waiting(self, object writer) except -1
    cdef int load_waiting(self, object reader) except -1

    cdef int keep_emitted(self, object element) except -1
    cdef int end_with(self, object error) except -1
    cdef void _dispose_operator(self, bint was_started) noexcept
    cdef void _drop_answer(self) noexcept
    cdef int _pass_end(self, object error) noexcept
