# A queue whose elements are handed to hooks written in Python: the mode "own" of a Python operator.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.stream.queue_stage cimport QueueStage

cdef enum Hook:
    HOOK_NONE = 0
    HOOK_ELEMENT = 1   # one emit answers it in the mode "per_element"
    HOOK_OTHER = 2


cdef class HookedQueue(QueueStage):
    cdef object next_hook        # the function on_next of the class: no bound method, which would be a cycle
    cdef int in_hook
    cdef bint is_ending          # complete() or fail() was called
    cdef object end_error
    # The mode "own"; drainer.
    cdef object outbox
    cdef int64_t capacity_elements
    cdef bint waits_for_demand   # on_next runs only where there is demand; else also where there is none
    cdef int64_t owed            # asked for by the operator and not yet requested
    cdef int64_t outstanding     # requested and not yet taken
    cdef int64_t announced       # demand that on_request was told of and that was not yet served
    cdef bint end_was_told

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1
    cdef bint _announce(self, int64_t n) noexcept
    cdef bint _take_in(self, PyObject* element) noexcept
    cdef bint _end_of_input(self) noexcept
    cdef bint _request_owed(self) noexcept
    cdef bint tell_end(self, object error) noexcept
    cdef int save_waiting(self, object writer) except -1
    cdef int load_waiting(self, object reader) except -1
