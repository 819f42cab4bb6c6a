# Stages that break the rules, for the checks of the debug mode.

from cpython.object cimport PyObject

from rs_core.interp.calls cimport incref
from rs_core.stream.subscription cimport Stage


cdef class Doubling(Stage):
    """Sends each element twice, though one was requested."""

    cdef int try_next(self, PyObject* element) noexcept:
        incref(element)
        self.down.try_next(element)
        return self.down.try_next(element)


cdef class Ending(Stage):
    """Tells the stage below of the end behind each element, and goes on."""

    cdef object error

    def __init__(self, error=None):
        self.error = error

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int outcome = self.down.try_next(element)
        if self.error is None:
            self.down.receive_complete()
        else:
            self.down.receive_error(self.error)
        return outcome


cdef class Nesting(Stage):
    """Sends an element whenever `push` is called, from inside of another one too."""

    cdef int try_next(self, PyObject* element) noexcept:
        return self.down.try_next(element)

    def push(self, element):
        incref(<PyObject*>element)
        return self.down.try_next(<PyObject*>element)

    def end(self):
        return self.down.receive_complete()
