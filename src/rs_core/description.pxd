# The description of a stream: an immutable chain of nodes; nothing runs.

cdef class Assembly:
    cdef object code          # code object and offset until asked, then None
    cdef int offset
    cdef str _file
    cdef str _function
    cdef int _line

    cdef int _resolve(self) except -1


cdef class Description:
    cdef readonly object definition      # the class that documents and names the operator
    cdef readonly tuple parameters
    cdef readonly Description upstream   # None at a source or at the head of a pipeline
    cdef readonly int depth              # nodes from here to the head, this one included
    cdef readonly Assembly assembly

    cdef Description derive(self, object definition, tuple parameters, Assembly assembly)
