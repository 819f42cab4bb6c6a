# What an emitter does less its protocol: the baseline of bench_emitter.py.

cimport cython
from cpython.object cimport PyObject

from rs_core.interp.calls cimport call_unpacked, decref, unpack


cdef extern from *:
    """
    static inline PyObject *forwarder_none(PyObject *result) {
        if (result == NULL) return NULL;
        Py_DECREF(result);
        Py_RETURN_NONE;
    }
    """
    object forwarder_none(PyObject* result)   # None, or the exception of a failed call


@cython.final
@cython.binding(False)
cdef class Forwarder:
    """Call `on_next` of a subscriber, looked up once, in the calling thread, whatever other threads do."""

    cdef object on_next
    cdef PyObject* function
    cdef PyObject* function_self

    def __cinit__(self, subscriber):
        self.on_next = subscriber.on_next
        unpack(self.on_next, &self.function, &self.function_self)

    def emit(self, element, /):
        return forwarder_none(call_unpacked(self.function, self.function_self, <PyObject*>element))
