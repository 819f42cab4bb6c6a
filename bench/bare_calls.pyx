# What a chain of maps does less the chain: the floor of ten maps in bench_operators.py.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.interp.calls cimport call1, caught, decref, int_from_int64


def call_in_a_row(function, int times, int64_t elements) -> None:
    """Call a function with each integer, and again with what it returned, so many times in all."""
    cdef int64_t number
    cdef int time
    cdef PyObject* element
    cdef PyObject* result
    for number in range(elements):
        element = int_from_int64(number)
        for time in range(times):
            result = call1(<PyObject*>function, element)
            if result is NULL:
                raise caught()
            decref(element)
            element = result
        decref(element)


def call_each(list functions, int64_t elements) -> None:
    """Call each function with each integer: what a fan-out does less the fan-out, the floor of bench_subject.py."""
    cdef int64_t number
    cdef PyObject* element
    cdef PyObject* result
    for number in range(elements):
        element = int_from_int64(number)
        for function in functions:
            result = call1(<PyObject*>function, element)
            if result is NULL:
                raise caught()
            decref(result)
        decref(element)
