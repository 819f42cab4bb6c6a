# Use by one thread at a time (sync/exclusive_use.h).

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "sync/exclusive_use.h" nogil:
    cdef cppclass ExclusiveUse "RsExclusiveUse":
        pass

    bint exclusive_enter "rs_exclusive_enter"(ExclusiveUse& use) noexcept   # False: another thread has it now
    void exclusive_leave "rs_exclusive_leave"(ExclusiveUse& use) noexcept
