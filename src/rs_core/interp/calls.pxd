# The calls of the hot path (calls.h). Arguments are borrowed, results are new references or NULL with an exception set.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/calls.h":
    PyObject* call1 "rs_call1"(PyObject* callable, PyObject* argument) noexcept
    PyObject* call2 "rs_call2"(PyObject* callable, PyObject* first, PyObject* second) noexcept
    void unpack "rs_unpack"(object callable, PyObject** function, PyObject** self_or_null) noexcept   # borrowed
    PyObject* call_unpacked "rs_call_unpacked"(PyObject* function, PyObject* self_or_null, PyObject* argument) noexcept
    int truth "rs_truth"(PyObject* stolen_result) noexcept
    PyObject* int_from_int64 "rs_int_from_int64"(int64_t value) noexcept
    PyObject* next_of "rs_next"(PyObject* iterator) noexcept
    void require_exception "rs_require_exception"() noexcept
    bint is_generator "rs_is_generator"(object candidate) noexcept
    object caught "rs_caught"()   # the exception that a call left behind, cleared; allocates nothing

cdef extern from "Python.h":
    void incref "Py_INCREF"(PyObject* reference) noexcept
    void decref "Py_DECREF"(PyObject* reference) noexcept
    void xdecref "Py_XDECREF"(PyObject* reference) noexcept
    PyObject* error_occurred "PyErr_Occurred"() noexcept
    Py_ssize_t reference_count "Py_REFCNT"(PyObject* reference) noexcept
    PyObject* none_pointer "Py_None"

cdef int safe_point() except -1
cdef int close_iterator(object iterator) except -1
