# Values to bytes: the writing direction of the format of saved state (state/codec.pxd).

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.state.buffer cimport StateBuffer
from rs_core.state.codec cimport HIGHEST_DEPTH, StateKind


cdef class ValueEncoder(StateBuffer):
    cdef Py_ssize_t max_number_bytes, max_equal_hashes
    cdef int64_t max_values, values      # values: since the record began
    cdef int max_depth
    cdef dict kinds                      # StateKind by class
    cdef gil_uint32 busy                 # user code runs inside, and could write, too
    cdef PyObject* path[HIGHEST_DEPTH]   # the containers around the value at hand; put() holds them

    cdef int put_value(self, object value, object where) except -1
    cdef int begin_write(self) except -1
    cdef void end_write(self) noexcept
    cdef int require_idle(self) except -1

    cdef int put(self, object value, int depth) except -1
    cdef int put_rare(self, object value, object kind, int depth) except -1
    cdef int put_int(self, object value) except -1
    cdef int put_list(self, list value, int depth) except -1
    cdef int put_tuple(self, tuple value, int depth) except -1
    cdef int put_dict(self, dict value, int depth) except -1
    cdef int put_set(self, int tag, object value, int depth) except -1
    cdef int put_kind(self, StateKind kind, object value, int depth) except -1
    cdef int put_error(self, object error, str kind) except -1
    cdef int enter(self, object container, int depth) except -1
    cdef int check_hashes(self, list keys) except -1
    cdef object changed_meanwhile(self, object container)
    cdef object unknown_kind(self, object value)
