"""A ring of many producers without the GIL: each thread searches a part of a buffer."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from libc.stdint cimport intptr_t

from rs_core cimport MPSC_ACCEPTED, mpsc_free, mpsc_new, mpsc_offer, mpsc_poll, MpscSlots, ring_capacity


cdef class SharedLineStarts:
    """Where the lines of a buffer begin, found by any number of threads.

    Threads: `find` by any; `take` by one at a time.
    """

    cdef Py_buffer view
    cdef MpscSlots* found   # numbers in place of pointers, as in LineStarts

    def __cinit__(self, data, *, capacity=1024):
        PyObject_GetBuffer(data, &self.view, PyBUF_SIMPLE)
        self.found = mpsc_new(ring_capacity(capacity))
        if self.found is NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.found is not NULL:
            while mpsc_poll(self.found) is not NULL:
                pass
            mpsc_free(self.found)
        PyBuffer_Release(&self.view)

    def find(self, Py_ssize_t start, Py_ssize_t stop) -> int:
        """Search from `start` up to, but without, `stop`; return where to go on when the ring has room again."""
        cdef const char* text = <const char*>self.view.buf
        cdef Py_ssize_t position = start
        if not 0 <= start <= stop <= self.view.len:
            raise ValueError(f"find(start, stop) needs 0 <= start <= stop <= {self.view.len}, got {start}, {stop}")
        with nogil:
            while position < stop:
                if position == 0 or text[position - 1] == b"\n":
                    if mpsc_offer(self.found, <PyObject*><intptr_t>(position + 1)) != MPSC_ACCEPTED:
                        break
                position += 1
        return position

    def take(self) -> list:
        """Return the positions that were found and not yet taken; those of one thread in its order."""
        cdef PyObject* number = mpsc_poll(self.found)
        taken = []
        while number is not NULL:
            taken.append(<intptr_t>number - 1)
            number = mpsc_poll(self.found)
        return taken
