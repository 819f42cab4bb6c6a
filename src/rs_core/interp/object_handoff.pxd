# References that one thread creates and another one drops (object_handoff.h says why they are counted differently).

from cpython.object cimport PyObject

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/object_handoff.h":
    PyObject* handoff_reference "rs_handoff_reference"(PyObject* borrowed) noexcept   # a new reference
    PyObject* handoff_owned "rs_handoff_owned"(PyObject* stolen) noexcept             # the same reference, recounted
    object owned "rs_owned"(PyObject* stolen)                                         # the same reference, as an object
