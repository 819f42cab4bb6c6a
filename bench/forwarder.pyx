# What an emitter does less its protocol: the baseline of bench_emitter.py.

cimport cython
from cpython.object cimport PyObject

from rs_core.calls cimport call_unpacked, decref, is_method, method_function, method_self


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
        if is_method(self.on_next):
            self.function = method_function(<PyObject*>self.on_next)
            self.function_self = method_self(<PyObject*>self.on_next)
        else:
            self.function = <PyObject*>self.on_next
            self.function_self = NULL

    def emit(self, element, /):
        return forwarder_none(call_unpacked(self.function, self.function_self, <PyObject*>element))
