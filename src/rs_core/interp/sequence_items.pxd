# The elements of a list or a tuple by their index (sequence_items.h).

from cpython.object cimport PyObject

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/sequence_items.h":
    bint has_items "rs_has_items"(PyObject* candidate) noexcept
    Py_ssize_t item_count "rs_item_count"(PyObject* items) noexcept
    PyObject* item_at "rs_item_at"(PyObject* items, Py_ssize_t index) noexcept   # a new reference
