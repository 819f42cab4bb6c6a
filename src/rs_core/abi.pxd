# The number of the C interface for which a module is built; abi.h has the check that uses it.

cdef extern from "abi.h":
    enum:
        BUILT_FOR_ABI "RS_ABI_NUMBER"
