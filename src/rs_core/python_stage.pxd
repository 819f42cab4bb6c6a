# The base of operators that are written in Python.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.atomics cimport gil_uint32
from rs_core.queue_stage cimport QueueStage

cdef enum Hook:
    HOOK_NONE = 0
    HOOK_ELEMENT = 1   # one emit answers it in the mode "per_element"
    HOOK_OTHER = 2


cdef enum Life:
    STARTING = 1   # on_start runs
    RELEASED = 2   # on_dispose runs, has run, or runs when on_start has returned


cdef class PythonStage(QueueStage):
    cdef object next_hook        # the function on_next of the class: no bound method, which would be a cycle
    cdef int in_hook
    cdef gil_uint32 life         # bits of a Life
    cdef PyObject* answer        # owned; the one element of "per_element"
    cdef bint is_ending          # complete() or fail() was called
    cdef object end_error
    # The mode "own"; drainer.
    cdef object outbox
    cdef int64_t capacity_elements
    cdef bint holds_input        # on_next waits for demand; else it takes elements as they come
    cdef int64_t owed            # asked for by the operator and not yet requested
    cdef int64_t outstanding     # requested and not yet taken
    cdef int64_t announced       # demand that on_request was told of and that was not yet served
    cdef bint end_was_told

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1
    cdef int keep_emitted(self, object element) except -1
    cdef int end_with(self, object error) except -1
    cdef void _let_go(self) noexcept
    cdef void _forget_answer(self) noexcept
    cdef int _pass_end(self, object error) noexcept
    cdef bint _tell_end(self, object error) noexcept
    cdef bint _announce(self, int64_t n) noexcept
    cdef bint _take_in(self, PyObject* element) noexcept
    cdef bint _end_of_input(self) noexcept
    cdef bint _request_owed(self) noexcept
