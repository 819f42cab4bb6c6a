# Records of saved state, written: one for each operator, with child records inside.

from libc.stdint cimport int64_t, uint32_t

from rs_core.state.encoder cimport ValueEncoder


cdef uint32_t checksum_of(const char* data, Py_ssize_t size, uint32_t before) except? 0


cdef class RecordOutput:
    cdef ValueEncoder encoder
    cdef object registry, limits
    cdef StateWriter open_writer         # one at a time
    cdef uint32_t checksum               # of all so far
    cdef int64_t records, max_records
    cdef bint is_finished

    cdef int end_record(self, Py_ssize_t start) except -1


cdef class StateWriter:
    cdef RecordOutput output
    cdef ValueEncoder encoder
    cdef StateWriter parent, child       # None: a record of its own; no child is open
    cdef int64_t index                   # which record it is, whose, and where that is
    cdef object name, path
    cdef Py_ssize_t start, length_at     # of the record, and of its length, which is written last
    cdef int64_t fields
    cdef int level
    cdef bint is_open

    cdef str place(self)
    cdef int open_here(self) except -1
    cdef int require_open(self, str method) except -1
    cdef int close(self, bint keep) except -1
