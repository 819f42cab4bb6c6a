"""Operators that join neighboring elements: buffer."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.sync.atomics cimport atomic_int64, memory_order_relaxed, memory_order_seq_cst
from rs_core.interp.calls cimport decref, incref
from rs_core.stream.subscription cimport ACCEPTED, FORWARDED, REPLACED, Stage

from rs_core.errors import StateError

cdef extern from "Python.h":
    int PyList_Append(object elements, object element) noexcept


@cython.final
cdef class BufferStage(Stage):
    """Pass on lists of `count` neighboring elements; the last list may be shorter.

    State: the elements of the list that is being filled.

    Request-side field: `unrequested`, the elements that were loaded and for whose list no request came yet; the first
    request asks for so many fewer. The element side only looks whether there are any. Ordering: it is cleared before
    the demand is added, and read after MISSED was cleared, all seq_cst: the store-buffer pair of subscription.pyx.
    """

    cdef list elements
    cdef Py_ssize_t count
    cdef atomic_int64 unrequested

    def __init__(self, Py_ssize_t count):
        self.count = count
        self.elements = []
        self.unrequested.store(0, memory_order_relaxed)
        self.is_translating = True
        self.is_unit = False

    cdef int64_t translate(self, int64_t n) noexcept:
        cdef int64_t here = self.unrequested.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
        return INT64_MAX if n > INT64_MAX // self.count else n * self.count - here

    cdef bint must_wait(self) noexcept:
        return self.unrequested.load(memory_order_seq_cst) != 0  # seq_cst: see Ordering

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
        return FORWARDED

    cdef int write_fields(self, object writer) except -1:
        writer.write(list(self.elements))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef list elements = reader.read(list)
        if len(elements) >= self.count:
            raise StateError(
                f"{self!r} cannot load {len(elements)} elements into lists of {self.count}; "
                f"load the state with the count that it was saved with"
            )
        self.elements = elements
        self.unrequested.store(len(elements), memory_order_relaxed)  # relaxed: nothing flows before the start
        return 0
