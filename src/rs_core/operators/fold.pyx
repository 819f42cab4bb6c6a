"""Operators that carry a value from element to element: scan, enumerate."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call2, decref, incref, int_from_int64
from rs_core.interp.tuple_filling cimport begin_tuple, fill_place, finish_tuple
from rs_core.stream.subscription cimport Stage

from rs_core.errors import StateError


@cython.final
cdef class ScanStage(Stage):
    """Pass on the accumulator after each element; the seed itself is not passed on.

    Args:
        function: Called with the accumulator and an element; returns the next accumulator.
        has_seed: Whether there is a seed; else the first element is the first accumulator.
        seed: The first accumulator.

    State: whether there is no accumulator yet, and the accumulator.
    """

    cdef object function, accumulator
    cdef bint is_empty

    def __init__(self, function, bint has_seed, seed):
        self.function = function
        self.is_empty = not has_seed
        self.accumulator = seed

    @property
    def version(self) -> tuple:
        """The version of the state's layout; in the one before it there was always an accumulator."""
        return (1, 1, 0, 0)

    @property
    def loadable_versions(self) -> tuple:
        """The older versions of the state's layout that can be loaded, too."""
        return ((1, 0, 0, 0),)

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        if self.is_empty:
            self.is_empty = False
            result = element
        else:
            result = call2(<PyObject*>self.function, <PyObject*>self.accumulator, element)
            if result is NULL:
                return self.element_failed(element)
            decref(element)
        self.accumulator = <object>result  # takes another reference; the one in hand is passed on
        self.changed = True
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None  # the accumulator is state: a disposed node may still be saved

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_empty)
        writer.write(self.accumulator)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_empty = version != (1, 0, 0, 0) and reader.read(bool)
        self.accumulator = reader.read()
        return 0


@cython.final
cdef class EnumerateStage(Stage):
    """Pass on tuples of a number, which counts up, and the element.

    State: the number of the next element.
    """

    cdef int64_t number

    def __init__(self, int64_t start):
        self.number = start

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* number = int_from_int64(self.number)
        cdef tuple numbered
        if number is NULL:
            decref(element)
            return self.callback_failed()
        try:
            numbered = begin_tuple(2)
        except BaseException as error:
            decref(number)
            decref(element)
            return self.owner.fail_at(self, error)
        fill_place(numbered, 0, <object>number)
        finish_tuple(numbered, fill_place(numbered, 1, <object>element))
        decref(number)
        decref(element)
        self.number += 1
        self.changed = True
        incref(<PyObject*>numbered)
        return self.down.try_next(<PyObject*>numbered)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.number)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        number = reader.read(int)
        if not -INT64_MAX <= number < INT64_MAX:
            raise StateError(
                f"{self!r} cannot load that the next element has number {safe_repr(number)}, which it does not count "
                f"to; load an older checkpoint"
            )
        self.number = number
        return 0
