# The number of the C interface that a module is built for; abi.h has the check that makes use of it.

cdef extern from "abi.h":
    enum:
        BUILT_FOR_ABI "RS_ABI_NUMBER"
