"""An operator in Cython: a C function for each element, and no Python in between."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.object cimport PyObject

cimport cython

from rs_core cimport decref, int_from_int64, Stage, STOPPED


cdef Py_ssize_t occurrences(const char* text, Py_ssize_t length, char wanted) noexcept nogil:
    cdef Py_ssize_t found = 0
    cdef Py_ssize_t i
    for i in range(length):
        found += text[i] == wanted
    return found


@cython.final
cdef class CountByte(Stage):
    """Pass on how often a byte comes in each element."""

    name = "native-lines://operators/count_byte"

    cdef char wanted

    def __init__(self, bytes wanted not None):
        self.wanted = wanted[0]

    cdef int try_next(self, PyObject* element) noexcept:
        line = <object>element
        decref(element)   # stolen; `line` keeps it alive for as long as it is looked at
        if not PyBytes_CheckExact(line):
            self.owner.fail_at(self, TypeError(f"count_byte needs elements of bytes, got {line!r}"))
            return STOPPED
        cdef PyObject* count = int_from_int64(
            occurrences(PyBytes_AS_STRING(line), PyBytes_GET_SIZE(line), self.wanted)
        )
        if count is NULL:
            return self.callback_failed()
        return self.down.try_next(count)
