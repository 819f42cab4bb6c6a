# A one-token parker: one thread waits until any other thread wakes it. Roles and the argument are in parker.h.

from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "sync/parker.h" nogil:
    ctypedef struct Parker:
        pass

    enum:
        PARK_WOKEN "RS_PARK_WOKEN"
        PARK_TIMED_OUT "RS_PARK_TIMED_OUT"
        PARK_INTERRUPTED "RS_PARK_INTERRUPTED"

    Parker* parker_new() noexcept                                  # NULL: out of memory
    void parker_free(Parker* parker) noexcept
    void parker_unpark(Parker* parker) noexcept
    int parker_park(Parker* parker, int64_t timeout_us) noexcept   # a PARK_* outcome; below 0 there is no limit


# Needs the GIL, releases it while waiting. Returns PARK_WOKEN or PARK_TIMED_OUT; raises what a signal handler raises.
cdef int park_interruptibly(Parker* parker, double timeout_seconds) except -1
