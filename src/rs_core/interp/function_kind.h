/* Whether a call of a function runs it; a coroutine function and an asynchronous generator function only make an object. */
#ifndef RS_CORE_FUNCTION_KIND_H
#define RS_CORE_FUNCTION_KIND_H
#include <Python.h>

/* False: check further (deferred_functions.py), because a partial or any object may hide one of the two kinds. A
   function compiled by Cython is recognized by the name of its type, which each version of Cython defines again. */
static inline bool rs_runs_at_once(PyObject *function) {
    if (PyMethod_Check(function)) function = PyMethod_GET_FUNCTION(function);
    if (PyFunction_Check(function))
        return !(((PyCodeObject *)PyFunction_GET_CODE(function))->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR));
    return PyCFunction_Check(function) || PyType_Check(function) ||
           strstr(Py_TYPE(function)->tp_name, "cython_function_or_method") != NULL;
}
#endif
