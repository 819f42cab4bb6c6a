# Bytes to values: the reading direction of the format of saved state (state/codec.pxd).

from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.state.codec cimport StateKind
from rs_core.state.buffer cimport StateCursor


cdef class ValueDecoder(StateCursor):
    cdef Py_ssize_t max_number_bytes, max_equal_hashes
    cdef int64_t max_values, values      # values: since the record began
    cdef int max_depth
    cdef dict kinds                      # StateKind by name
    cdef gil_uint32 busy                 # user code runs inside, and could read, too

    cdef object take_value(self, object where)
    cdef int require_idle(self) except -1

    cdef object take(self, int depth)
    cdef object take_rare(self, int tag, int depth)
    cdef list take_values(self, int depth)
    cdef list values_behind(self, Py_ssize_t count, int depth)
    cdef tuple take_tuple(self, int depth)
    cdef object take_dict(self, int depth)
    cdef object take_set(self, object kind, int depth)
    cdef object take_enum(self, int depth)
    cdef object take_object(self, int depth)
    cdef list take_fields(self, StateKind kind, int depth)
    cdef dict take_old_fields(self, int depth)
    cdef object take_error(self)
    cdef object made_error(self, str kind, str message)
    cdef object too_many(self)
    cdef StateKind take_kind(self, bint is_object, int64_t* version)
    cdef object migrated(self, StateKind kind, int64_t version, object content)
    cdef int enter(self, int depth) except -1
    cdef bint is_before(self, Py_ssize_t left, Py_ssize_t left_size, Py_ssize_t right, Py_ssize_t right_size) noexcept
    cdef int check_hashes(self, list keys) except -1
    cdef object unusable(self, StateKind kind, str what)


cdef str shown_part(object content)
