# A tuple that is filled while user code runs, and one that is used again (tuple_filling.h).

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from rs_core.interp.object_handoff cimport owned

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/tuple_filling.h":
    PyObject* begin_spare "rs_begin_tuple"(PyObject** spare, Py_ssize_t count) noexcept    # NULL: an exception is set
    bint fill_with_owned "rs_fill_place"(PyObject* values, Py_ssize_t index, PyObject* stolen_value) noexcept
    void finish_spare "rs_finish_tuple"(PyObject* values, bint is_for_collector) noexcept
    void take_back_tuple "rs_take_back_tuple"(PyObject** spare, PyObject* stolen_values) noexcept


cdef inline tuple begin_tuple(Py_ssize_t count):
    """Return a tuple of a number of empty places, at least one; only the caller refers to it until it is finished."""
    cdef PyObject* no_spare = NULL
    return <tuple>owned(begin_spare(&no_spare, count))


cdef inline bint fill_place(tuple values, Py_ssize_t index, object value):
    """Put a value into a place; return whether the collector must track a tuple with it."""
    Py_INCREF(value)
    return fill_with_owned(<PyObject*>values, index, <PyObject*>value)


cdef inline void finish_tuple(tuple values, bint is_for_collector) noexcept:
    """End filling; `is_for_collector`: fill_place() returned True for a value."""
    finish_spare(<PyObject*>values, is_for_collector)
