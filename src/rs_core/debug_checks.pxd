# Whether running streams are checked for signals that break the rules.

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass


cdef bint checks_are_on() noexcept
