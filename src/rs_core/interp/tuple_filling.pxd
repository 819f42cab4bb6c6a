# A tuple that is filled while user code runs, which must not find it half filled: the collector tracks it only
# afterwards.

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_New

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "Python.h":
    void PyObject_GC_Track(void* container) noexcept
    void PyObject_GC_UnTrack(void* container) noexcept
    bint PyObject_GC_IsTracked(PyObject* container) noexcept
    bint PyObject_IS_GC(PyObject* value) noexcept
    void set_place "PyTuple_SET_ITEM"(PyObject* values, Py_ssize_t index, PyObject* value) noexcept


cdef inline tuple begin_tuple(Py_ssize_t count):
    """Return a tuple of a number of empty places, at least one; only the caller refers to it until it is finished."""
    cdef tuple values = PyTuple_New(count)
    PyObject_GC_UnTrack(<void*>values)
    return values


cdef inline bint fill_place(tuple values, Py_ssize_t index, object value):
    """Put a value into a place; return whether the collector must track a tuple with it.

    It need not if no cycle can go through it. The collector determines that for finished tuples by itself, one
    collection later, which costs more than this check.
    """
    Py_INCREF(value)
    return fill_place_with_owned(values, index, <PyObject*>value)


cdef inline bint fill_place_with_owned(tuple values, Py_ssize_t index, PyObject* value):
    """Do what fill_place() does, and steal the reference."""
    set_place(<PyObject*>values, index, value)
    return PyObject_IS_GC(value) and (
        not PyTuple_CheckExact(<object>value) or PyObject_GC_IsTracked(value)
    )


cdef inline void finish_tuple(tuple values, bint is_for_collector) noexcept:
    """End filling; `is_for_collector`: fill_place() returned True for a value."""
    if is_for_collector:
        PyObject_GC_Track(<void*>values)
