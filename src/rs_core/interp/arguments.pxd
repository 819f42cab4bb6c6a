# Reads numbers that a user passes, and shows rejected values in messages.

from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/small_int.h":
    bint small_int "rs_small_int"(object n, int64_t* value) noexcept   # False: read n in another way

cdef int64_t as_clamped_int64(object n) except? -1   # needs PyIndex_Check(n); beyond +-(2**63 - 1) it clamps
cdef int64_t as_count(object n, str name, int64_t lowest, int64_t highest) except? -1
cdef str safe_repr(object rejected)
