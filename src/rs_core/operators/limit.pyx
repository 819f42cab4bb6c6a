"""Operators that limit how many elements pass: take, skip."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.sync.atomics cimport gil_int64, memory_order_relaxed
from rs_core.interp.calls cimport decref
from rs_core.demand cimport demand_take_up_to
from rs_core.stream.subscription cimport Stage

from rs_core.errors import StateError


@cython.final
cdef class TakeStage(Stage):
    """Pass on the first elements, then cancel the upstream and complete.

    Request-side field: `allowance`, what may still be requested upstream. Element-side field: `left`, what may
    still be passed on. Neither side reads the other's (core design, D4).
    """

    cdef int64_t count, left
    cdef gil_int64 allowance

    def __init__(self, int64_t count):
        self.count = count
        self.left = count
        self.allowance.store(count, memory_order_relaxed)
        self.is_translating = True
        # An element dropped below must cost allowance again, so it may not be given back behind our back.
        self.is_unit = False

    cdef int64_t translate(self, int64_t n) noexcept:
        return demand_take_up_to(self.allowance, n)

    cdef int try_next(self, PyObject* element) noexcept:
        self.changed = True
        self.left -= 1
        if self.left == 0:
            self.owner.finish(self.down, None)  # takes effect when this push has returned
        return self.down.try_next(element)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read_count(self.count)
        if self.left == 0 and not self.disposed_in_state:
            raise StateError(
                f"{self!r} cannot load that nothing is left to pass on, for it has not ended; load an older checkpoint"
            )
        self.allowance.store(self.left, memory_order_relaxed)
        return 0


@cython.final
cdef class SkipStage(Stage):
    """Drop the first elements and pass on the others."""

    cdef int64_t count, left

    def __init__(self, int64_t count):
        self.count = count
        self.left = count

    cdef int try_next(self, PyObject* element) noexcept:
        if self.left == 0:
            return self.down.try_next(element)
        self.changed = True
        self.left -= 1
        decref(element)
        return self.drop()

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read_count(self.count)
        return 0
