# Records of saved state, read: each within its own bounds.

from libc.stdint cimport int64_t, uint32_t

from rs_core.state.decoder cimport ValueDecoder


cdef class RecordInput:
    cdef ValueDecoder decoder
    cdef object registry, limits
    cdef StateReader open_reader         # one at a time
    cdef Py_ssize_t position, end        # of the next record, and behind the last one
    cdef uint32_t checksum               # of all that was checked
    cdef int64_t index                   # of the next record

    cdef int check_records(self, int64_t most) except -1
    cdef int check_checksum(self, Py_ssize_t start, str what) except -1


cdef class StateReader:
    cdef RecordInput input
    cdef ValueDecoder decoder
    cdef StateReader parent, child       # None: a record of its own; no child is open
    cdef int64_t index                   # which record it is, who wants it, and where that is
    cdef object wanted, path
    cdef readonly object name            # what is stored
    cdef readonly object version
    cdef readonly bint is_present        # False: there was no record left
    cdef Py_ssize_t record, after        # where the record begins, and where the next thing stands
    cdef Py_ssize_t start, end           # the fields
    cdef Py_ssize_t position
    cdef int64_t fields
    cdef int level
    cdef bint is_open, is_given_back

    cdef str place(self)
    cdef int take_heading(self) except -1
    cdef object no_version(self)
    cdef object take_field(self, object expected)
    cdef int require_open(self, str method) except -1
    cdef int move_here(self) except -1
    cdef object refusal(self, object error_class, str what, str remedy)
