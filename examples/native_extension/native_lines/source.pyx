"""A source in Cython: the lines of a buffer."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memchr

cimport cython

from rs_core cimport ACCEPTED, caught, DemandOwner, push

cdef extern from "Python.h":
    PyObject* PyBytes_FromStringAndSize(const char* start, Py_ssize_t length) noexcept   # owned


@cython.final
cdef class LinesSource(DemandOwner):
    """Send the lines of a buffer as bytes.

    State: where the next line begins; a loaded source goes on there in a buffer of the same contents.
    """

    cdef Py_buffer view
    cdef bint has_view
    cdef Py_ssize_t position

    def __init__(self, data):
        PyObject_GetBuffer(data, &self.view, PyBUF_SIMPLE)
        self.has_view = True

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        # A callback below may cancel the stream, or the subscriber may: both show before the next element.
        while sent < n and self.position < self.view.len and not self.should_leave():
            element = self._next_line()
            if element is NULL:
                self.fail_at(self, caught())
                break
            if push(self, element) == ACCEPTED:   # else it was dropped: the demand is still there for another one
                sent += 1
        if self.position >= self.view.len and not self.should_leave():
            self.finish(self.down, None)
        return sent

    cdef PyObject* _next_line(self) noexcept:
        cdef const char* start = <const char*>self.view.buf + self.position
        cdef Py_ssize_t left = self.view.len - self.position
        cdef const char* end = <const char*>memchr(start, b"\n", left)
        cdef Py_ssize_t length = left if end is NULL else end - start
        self.position += length + 1
        self.changed = True
        return PyBytes_FromStringAndSize(start, length)

    cdef void release(self) noexcept:
        self._drop_view()

    def __dealloc__(self):
        self._drop_view()   # of a source that never ran

    cdef void _drop_view(self) noexcept:
        if self.has_view:
            self.has_view = False
            self.view.len = 0
            PyBuffer_Release(&self.view)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.position)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.position = reader.read()
        return 0
