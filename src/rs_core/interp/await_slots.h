/* How an awaitable passes its result to the awaiting coroutine, as cheaply as each version of CPython allows.

   Up to 3.11 a coroutine calls am_send, which returns the result. Since 3.12 it calls tp_iternext, where a result is a
   StopIteration: an exception without traceback, which is cleared immediately. Both slots are filled, because callers
   in C may use either. */
#ifndef RS_AWAIT_SLOTS_H
#define RS_AWAIT_SLOTS_H

#include <Python.h>

typedef PySendResult (*rs_sendfunc)(PyObject*, PyObject*, PyObject**);

static inline void rs_set_await_slots(PyTypeObject* type, rs_sendfunc send, iternextfunc iternext) {
    type->tp_as_async->am_send = send;
    type->tp_iternext = iternext;
    PyType_Modified(type);
}

/* Raises StopIteration(value) and returns NULL; steals the value. */
static inline PyObject* rs_stop_with(PyObject* value) {
    if (value == Py_None) { /* no exception means None */
        Py_DECREF(value);
        return NULL;
    }
#if PY_VERSION_HEX < 0x030C0000
    /* A pending exception need not be an object yet: its value may be the arguments, unless it is one of these. */
    if (!PyTuple_Check(value) && !PyExceptionInstance_Check(value)) {
        PyErr_SetObject(PyExc_StopIteration, value);
        Py_DECREF(value);
        return NULL;
    }
#endif
    PyObject* stop = PyObject_CallOneArg(PyExc_StopIteration, value);
    Py_DECREF(value);
    if (stop != NULL) {
        PyErr_SetObject(PyExc_StopIteration, stop);
        Py_DECREF(stop);
    }
    return NULL;
}

#endif
