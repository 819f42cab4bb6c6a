# The bytes of saved state: a block that grows where it is written, and a place in a block where it is read.

from libc.stdint cimport int64_t, uint64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass


cdef class StateBuffer:
    # The bytes so far are the first `used` of `room` at `data`, which is the inside of `storage`. Nobody else has it.
    cdef bytearray storage
    cdef char* data
    cdef Py_ssize_t used, room, max_bytes
    cdef object where                    # its text begins each message

    cdef int put_byte(self, int byte) except -1
    cdef int put_bytes(self, const char* source, Py_ssize_t size) except -1
    cdef int put_fixed64(self, uint64_t number) except -1
    cdef int put_varint(self, uint64_t number) except -1
    cdef int put_zigzag(self, int64_t number) except -1
    cdef int put_sized(self, bytes content) except -1
    cdef int put_text(self, str text) except -1
    cdef int patch64(self, Py_ssize_t at, uint64_t number) except -1
    cdef bytes taken(self, Py_ssize_t start)
    cdef int reserve(self, Py_ssize_t size) except -1
    cdef object refusal(self, object error_class, str what, str remedy)


cdef class StateCursor:
    cdef bytes source                    # kept alive; `data` is the inside of it
    cdef const unsigned char* data
    cdef Py_ssize_t position, end        # what may be read: from position to before end
    cdef object where                    # its text begins each message

    cdef int take_byte(self) except -1
    cdef const char* take_bytes(self, Py_ssize_t size) except NULL
    cdef uint64_t take_fixed64(self) except? 0
    cdef uint64_t take_varint(self) except? 0
    cdef int64_t take_zigzag(self) except? 0
    cdef Py_ssize_t take_count(self) except -1
    cdef str take_text(self)
    cdef object refusal(self, object error_class, str what, str remedy)
    cdef object damaged(self, str what)
