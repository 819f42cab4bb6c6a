# A role for one thread at a time (sync/exclusive_use.h).

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "sync/exclusive_use.h" nogil:
    cdef cppclass Role "RsRole":
        pass

    bint role_enter "rs_role_enter"(Role& role) noexcept   # False: another thread has it now
    void role_leave "rs_role_leave"(Role& role) noexcept
