# What an operator that waits has of a scheduler. The argument is in clock.pyx.

from rs_core.stream.subscription cimport Alarm, DemandOwner, Stage


cdef class Clock:
    cdef object find_scheduler
    cdef object scheduler   # what that returned; None before the first use
    cdef Alarm alarm        # the one it waits for; None: it does not wait

    cdef object at(self, object context)                        # the scheduler
    cdef object now(self)                                       # of the scheduler, which was looked for before
    cdef int wait_until(self, DemandOwner owner, due) except -1
    cdef bint rang(self) except -1
    cdef int stop(self) except -1
    cdef void close(self, DemandOwner owner) noexcept


cdef object checked_time(Stage stage, object time)   # loaded, or None; raises StateError
