# The description of a stream: an immutable chain of nodes; nothing runs.

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass


cdef class Assembly:
    cdef readonly str file
    cdef readonly int line
    cdef readonly str function


cdef class Description:
    cdef readonly object definition      # the class that documents and names the operator
    cdef readonly tuple parameters
    cdef readonly Description upstream   # None at a source or at the head of a pipeline
    cdef readonly int depth              # nodes from here to the head, this one included
    cdef readonly int nesting            # how deep streams are nested as inputs of this one
    cdef object place                    # where it was added: an Assembly, or the code object that was run there,
    cdef int offset                      # and the instruction in it; turned into an Assembly when asked

    cdef int capture(self, int depth) except -1
    cdef Description derive(self, object definition, tuple parameters, Assembly assembly)
    cdef int lead(self) except -1
    cdef int follow(self, Description upstream) except -1
    cdef int nest(self, int nesting) except -1


cdef object group_stream(object group)
