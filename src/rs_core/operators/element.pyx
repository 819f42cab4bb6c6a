"""Operators that look at one element at a time: map, starmap, filter, do."""

from cpython.object cimport PyObject

cimport cython

from rs_core.interp.calls cimport call1, decref, incref, truth
from rs_core.interp.arguments cimport shown
from rs_core.stream.subscription cimport DROPPED, FORWARDED, REPLACED, Stage, drop_signal

from rs_core.errors import ArgumentTypeError

cdef extern from "Python.h":
    bint PyTuple_CheckExact(PyObject* element) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* arguments) noexcept
    PyObject** PySequence_Fast_ITEMS(PyObject* arguments) noexcept   # borrowed
    PyObject* PyObject_Vectorcall(PyObject* function, PyObject** arguments, size_t count, PyObject* names) noexcept


@cython.final
cdef class MapStage(Stage):
    """Pass on what a function returns for each element."""

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call1(<PyObject*>self.function, element)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class StarMapStage(Stage):
    """Pass on what a function returns that is called with the parts of each element."""

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        cdef tuple parts
        if not PyTuple_CheckExact(element):
            try:
                parts = self._parts_of(<object>element)
            except BaseException as error:
                decref(element)
                return self.owner.fail_at(self, error)
            decref(element)
            element = <PyObject*>parts
            incref(element)
        result = PyObject_Vectorcall(
            <PyObject*>self.function, PySequence_Fast_ITEMS(element), <size_t>PyTuple_GET_SIZE(element), NULL
        )
        decref(element)
        if result is NULL:
            return self.callback_failed()
        return self.down.try_next(result)

    cdef tuple _parts_of(self, object element):
        try:
            return tuple(element)
        except TypeError:
            if hasattr(element, "__iter__"):
                raise
            raise ArgumentTypeError(
                f"starmap(function) needs elements with parts, such as tuples, got {shown(element)} "
                f"({type(element).__name__}); use map(function) for a single argument"
            ) from None

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class FilterStage(Stage):
    """Pass on the elements for which a predicate is true."""

    cdef object predicate

    def __init__(self, predicate):
        self.predicate = predicate

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int keep = truth(call1(<PyObject*>self.predicate, element))
        if keep > 0:
            return self.down.try_next(element)
        decref(element)
        if keep == 0:
            return DROPPED if self.drops_directly else self.drop()
        return self.callback_failed()

    cdef void release(self) noexcept:
        self.predicate = None


@cython.final
cdef class DoStage(Stage):
    """Call a function for each signal and pass the signal on unchanged."""

    cdef object next_function, error_function, complete_function

    def __init__(self, on_next, on_error, on_complete):
        self.next_function = on_next
        self.error_function = on_error
        self.complete_function = on_complete

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        if self.next_function is not None:
            result = call1(<PyObject*>self.next_function, element)
            if result is NULL:
                decref(element)
                return self.callback_failed()
            decref(result)
        return self.down.try_next(element)

    cdef int receive_complete(self) noexcept:
        if self.complete_function is not None:
            try:
                self.complete_function()
            except BaseException as error:
                self.owner.fail_at(self, error)
                return REPLACED
        return FORWARDED

    cdef int receive_error(self, object error) noexcept:
        if self.error_function is not None:
            try:
                self.error_function(error)
            except BaseException as trouble:
                if trouble is not error:
                    drop_signal(self, "on_error", error, self.name)  # §1.7: one terminal signal only
                self.owner.fail_at(self, trouble)
                return REPLACED
        return FORWARDED

    cdef void release(self) noexcept:
        self.next_function = None
        self.error_function = None
        self.complete_function = None
