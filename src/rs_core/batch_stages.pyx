"""Operators that join neighboring elements: buffer."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.calls cimport decref, incref
from rs_core.stage cimport ACCEPTED, PASSED_ON, REPLACED, Stage

cdef extern from "Python.h":
    int PyList_Append(object elements, object element) noexcept


@cython.final
cdef class BufferStage(Stage):
    """Pass on lists of `count` neighboring elements; the last list may be shorter.

    State: the elements of the list that is being filled.
    """

    cdef list elements
    cdef Py_ssize_t count

    def __init__(self, Py_ssize_t count):
        self.count = count
        self.elements = []
        self.is_translating = True
        self.is_unit = False

    cdef int64_t translate(self, int64_t n) noexcept:
        return INT64_MAX if n > INT64_MAX // self.count else n * self.count

    cdef int try_next(self, PyObject* element) noexcept:
        cdef list elements = self.elements
        cdef int failed = PyList_Append(elements, <object>element)
        decref(element)
        if failed:
            return self.callback_failed()
        if len(elements) < self.count:
            self.changed = True
            return ACCEPTED
        return self._pass_on()

    cdef int _pass_on(self) noexcept:
        cdef list elements = self.elements
        self.elements = []
        self.changed = True
        incref(<PyObject*>elements)
        return self.down.try_next(<PyObject*>elements)

    cdef int receive_complete(self) noexcept:
        # What is left fills a part of a list that was requested: its first element came for that demand.
        cdef list elements = self.elements
        if elements:
            self.elements = []
            incref(<PyObject*>elements)
            self.owner.deliver(self.down, <PyObject*>elements)
            if self.owner.has_note():
                return REPLACED  # a stage below failed on this last list, or has had enough
        return PASSED_ON

    cdef int write_fields(self, object writer) except -1:
        writer.write(list(self.elements))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.elements = list(reader.read())
        return 0
