# The two slots that a final type with references in C memory replaces after Cython has filled them, so that the
# collector sees those references. Such a type has one object attribute, because only then Cython makes the type known
# to the collector. And additions to the dictionary of a type.

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
        PyObject* tp_dict
    void PyType_Modified(PyTypeObject* kind) noexcept


cdef inline int add_to_class(type kind, str name, object value) except -1:
    """Give an extension type an attribute that Cython cannot define, before anything uses the type."""
    (<object>(<PyTypeObject*>kind).tp_dict)[name] = value
    PyType_Modified(<PyTypeObject*>kind)
    return 0
