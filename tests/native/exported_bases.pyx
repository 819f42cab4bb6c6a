# Subclasses of the bases as an extension of another project writes them: in Cython, against the installed .pxd files.

from rs_core cimport AsyncBaseSubscriber, BaseProcessor, BaseSubscriber


cdef class Repeating(BaseProcessor):
    """Emits each element as often as it is told."""

    cdef readonly int times

    prefetch = 2

    def __init__(self, int times):
        self.times = times

    def hook_on_next(self, element):
        cdef int _time
        for _time in range(self.times):
            self.emit(element)


cdef class Adding(BaseSubscriber):
    """Adds up; asks for one element at a time."""

    cdef readonly long total

    def hook_on_subscribe(self):
        self.request(1)

    def hook_on_next(self, element):
        self.total += element
        self.request(1)


cdef class AddingAsynchronously(AsyncBaseSubscriber):
    """Adds up on a scheduler."""

    cdef readonly long total
    cdef readonly bint is_complete

    prefetch = 2

    def hook_on_next(self, element):
        self.total += element

    def hook_on_complete(self):
        self.is_complete = True
