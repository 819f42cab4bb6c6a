# The base of operators that are written in Python.

from cpython.object cimport PyObject

from rs_core.sync.atomics cimport gil_uint32
from rs_core.operators.own_demand_operator cimport HookedQueue

cdef enum Life:
    STARTING = 1   # on_start runs
    RELEASED = 2   # on_dispose runs, has run, or runs when on_start has returned; or nothing was started
    STARTED = 4    # on_start was called, so on_dispose will be


cdef class PythonStage(HookedQueue):
    cdef gil_uint32 life         # bits of a Life
    cdef PyObject* answer        # owned; the one element of "per_element"

    cdef int keep_emitted(self, object element) except -1
    cdef int end_with(self, object error) except -1
    cdef void _let_go(self, bint was_started) noexcept
    cdef void _forget_answer(self) noexcept
    cdef int _pass_end(self, object error) noexcept
