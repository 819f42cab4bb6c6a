"""A demand and a ring without the GIL: one thread finds where lines begin, another takes what was found."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, intptr_t

from rs_core cimport (
    as_demand,
    atomic_int64,
    demand_add,
    demand_take_up_to,
    invalid_request,
    memory_order_relaxed,
    ring_capacity,
    spsc_free,
    spsc_free_slots,
    spsc_new,
    spsc_offer,
    spsc_poll,
    SpscSlots,
)


cdef class LineStarts:
    """Where the lines of a buffer begin, no more of them than were requested.

    Threads: `find` by one at a time, `take` by one at a time, `request` by any; all three may run at once.
    """

    cdef Py_buffer view
    cdef SpscSlots* found      # numbers in place of pointers, each plus one, since a NULL would mean "empty"
    cdef atomic_int64 demand
    cdef Py_ssize_t position   # of `find`
    cdef bint is_line_start

    def __cinit__(self, data, *, capacity=1024):
        PyObject_GetBuffer(data, &self.view, PyBUF_SIMPLE)
        self.found = spsc_new(ring_capacity(capacity))
        if self.found is NULL:
            raise MemoryError
        self.demand.store(0, memory_order_relaxed)   # relaxed: nobody else knows this object yet
        self.is_line_start = True

    def __dealloc__(self):
        if self.found is not NULL:
            while spsc_poll(self.found) is not NULL:   # what is left are no objects, so it must not be dropped as such
                pass
            spsc_free(self.found)
        PyBuffer_Release(&self.view)

    def request(self, n) -> None:
        """Ask for n more."""
        cdef int64_t wanted = as_demand(n)
        if wanted <= 0:
            raise invalid_request(n)   # §3.9
        demand_add(self.demand, wanted)

    def find(self) -> int:
        """Look for what is requested and has room; return how many were found."""
        cdef int64_t count = 0
        with nogil:
            while spsc_free_slots(self.found) and self._skip_to_start() and demand_take_up_to(self.demand, 1):
                # There is room, since only this thread fills the ring.
                spsc_offer(self.found, <PyObject*><intptr_t>(self.position + 1))
                self.is_line_start = False
                count += 1
        return count

    cdef bint _skip_to_start(self) noexcept nogil:
        """Move to the next start that was not offered; False: there is none."""
        cdef const char* text = <const char*>self.view.buf
        while not self.is_line_start and self.position < self.view.len:
            self.is_line_start = text[self.position] == b"\n"
            self.position += 1
        return self.is_line_start and self.position < self.view.len

    def take(self) -> list:
        """Return the positions that were found and not yet taken."""
        cdef PyObject* number = spsc_poll(self.found)
        taken = []
        while number is not NULL:
            taken.append(<intptr_t>number - 1)
            number = spsc_poll(self.found)
        return taken

    @property
    def is_exhausted(self) -> bool:
        """Whether `find` has seen the whole buffer; for the thread that calls it."""
        return not self._skip_to_start()
