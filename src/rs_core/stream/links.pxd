# The stages below an owner of demand, down to and including the next owner's input.

from cpython.object cimport PyObject

from rs_core.stream.stage cimport Stage


cdef class Relay(Stage):
    cdef PyObject* element   # owned while it waits


cdef int link_segment(Stage owner) except -1
cdef Stage disposed_stage()
