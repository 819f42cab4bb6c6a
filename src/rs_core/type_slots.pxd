# The two slots that a final type with references in C memory replaces after Cython has filled them, so that the
# collector sees those references. Such a type keeps one object attribute, since Cython makes only types with one known
# to the collector.

from cpython.object cimport PyObject

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "Python.h":
    ctypedef int (*visitproc)(PyObject* element, void* argument) noexcept
    ctypedef int (*traverseproc)(PyObject* self, visitproc visit, void* argument) noexcept
    ctypedef int (*inquiry)(PyObject* self) noexcept
    ctypedef struct PyTypeObject:
        traverseproc tp_traverse
        inquiry tp_clear
