# What an operator that waits has of a scheduler. The argument is in clock.pyx.

from libc.stdint cimport int64_t

from rs_core.stream.subscription cimport Alarm, DemandOwner, Stage


cdef extern from "<stdint.h>" nogil:
    const int64_t NEVER "INT64_MIN"   # no moment


cdef class Clock:
    cdef object find_scheduler
    cdef object scheduler   # what that returned; None before the first use
    cdef Alarm alarm        # the one it waits for; None: it does not wait
    cdef int64_t rings_at   # when that is due
    cdef bint shows_system_time

    cdef object at(self, object context)                         # the scheduler
    cdef int64_t now(self) except? -1                     # of the scheduler, which was looked for before
    cdef int wait_until(self, DemandOwner owner, int64_t due) except -1
    cdef bint will_ring_by(self, int64_t due) noexcept
    cdef bint rang(self) except -1
    cdef int stop(self) except -1
    cdef void close(self, DemandOwner owner) noexcept


cdef object as_datetime(int64_t moment)                          # None for NEVER
cdef int64_t as_moment(object time) except? -1            # NEVER for None
cdef int64_t as_span(object duration) except? -1
cdef int64_t after(int64_t moment, int64_t span) noexcept
cdef object checked_time(Stage stage, object time)               # loaded, or None; raises StateError
cdef int64_t read_moment(Stage stage, object reader) except? -1   # loaded; raises StateError
