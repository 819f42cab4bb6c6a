# A parker for Python tests.

from rs_core.sync.parker cimport Parker, park_interruptibly, parker_free, parker_new, parker_unpark


cdef class Bed:
    cdef Parker* parker

    def __cinit__(self):
        self.parker = parker_new()

    def __dealloc__(self):
        parker_free(self.parker)

    def park(self, double timeout_seconds):
        """Return 0 if woken, 1 if the time is up."""
        return park_interruptibly(self.parker, timeout_seconds)

    def unpark(self):
        parker_unpark(self.parker)
