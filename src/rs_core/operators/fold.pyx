"""Operators that carry an accumulator from element to element: scan, and scan with one accumulator per key."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport shown
from rs_core.interp.calls cimport call1, call2, decref, error_occurred, incref
from rs_core.stream.subscription cimport Stage

from rs_core.errors import CapacityError

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object dictionary, object key) noexcept   # borrowed
    int PyDict_SetItem(object dictionary, object key, object value) noexcept
    void PyErr_SetObject(object kind, object value) noexcept


@cython.final
cdef class ScanStage(Stage):
    """Pass on the accumulator after each element; the seed itself is not passed on.

    State: the accumulator.
    """

    cdef object function, accumulator

    def __init__(self, function, seed):
        self.function = function
        self.accumulator = seed

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call2(<PyObject*>self.function, <PyObject*>self.accumulator, element)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        self.accumulator = <object>result  # takes a reference of its own; the one in hand travels on
        self.changed = True
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None  # the accumulator is state: a disposed node may still be saved

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.accumulator)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.accumulator = reader.read()
        return 0


@cython.final
cdef class KeyedScanStage(Stage):
    """Pass on the accumulator of an element's key after each element; every key starts with the seed.

    State: the accumulators with their keys, in the order in which the keys first came.
    """

    cdef object key_function, function, seed
    cdef dict accumulators
    cdef int64_t max_keys

    def __init__(self, key_function, function, seed, int64_t max_keys):
        self.key_function = key_function
        self.function = function
        self.seed = seed
        self.accumulators = {}
        self.max_keys = max_keys

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = NULL
        cdef PyObject* key = call1(<PyObject*>self.key_function, element)
        if key is not NULL:
            result = self._step(<object>key, element)
            decref(key)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        self.changed = True
        return self.down.try_next(result)

    cdef PyObject* _step(self, object key, PyObject* element) noexcept:
        """Return the new accumulator of a key (a new reference), or NULL with an exception set."""
        cdef PyObject* accumulator
        cdef PyObject* result
        cdef dict accumulators = self.accumulators
        accumulator = PyDict_GetItemWithError(accumulators, key)
        if accumulator is NULL:
            if error_occurred() is not NULL:
                return NULL
            if len(accumulators) >= self.max_keys:
                _set_too_many_keys(self.max_keys, key)
                return NULL
            accumulator = <PyObject*>self.seed
        incref(accumulator)  # the function may change the dict that lends it
        result = call2(<PyObject*>self.function, accumulator, element)
        decref(accumulator)
        if result is NULL:
            return NULL
        if PyDict_SetItem(accumulators, key, <object>result) < 0:
            decref(result)
            return NULL
        return result

    cdef void release(self) noexcept:
        self.key_function = None
        self.function = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(dict(self.accumulators))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.accumulators = reader.read(dict)
        return 0


cdef void _set_too_many_keys(int64_t max_keys, object key) noexcept:
    try:
        error = CapacityError(
            f"key {shown(key)} would be number {max_keys + 1}, and key_by(max_keys={max_keys}) holds {max_keys}; "
            f"raise max_keys or use a coarser key"
        )
    except BaseException as interrupt:  # of the key's __repr__, or of a signal handler
        error = interrupt
    PyErr_SetObject(type(error), error)
