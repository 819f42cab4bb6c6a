/* The calls of the hot path: a Python callable with one or two arguments, the truth of a result, the next element
   of an iterator. Written as a header since Cython has no access to the vectorcall slot of a type.

   Ownership: arguments are borrowed, results are new references (NULL with an exception set on failure). */
#ifndef RS_CORE_CALLS_H
#define RS_CORE_CALLS_H
#include <Python.h>

#include <cstdint>

#if defined(__GNUC__)
# define RS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
# define RS_LIKELY(condition) (condition)
#endif

static inline vectorcallfunc rs_vectorcall_of(PyObject *callable) {
    PyTypeObject *type = Py_TYPE(callable);
    if (RS_LIKELY(PyType_HasFeature(type, Py_TPFLAGS_HAVE_VECTORCALL)))
        return *(vectorcallfunc *)((char *)callable + type->tp_vectorcall_offset);
    return NULL;
}

/* The callee may write the slot before the arguments (PY_VECTORCALL_ARGUMENTS_OFFSET); it is not read before that. */

static inline PyObject *rs_call1(PyObject *callable, PyObject *argument) {
    vectorcallfunc vectorcall = rs_vectorcall_of(callable);
    PyObject *arguments[2];
    arguments[1] = argument;
    if (RS_LIKELY(vectorcall != NULL))
        return vectorcall(callable, arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    return PyObject_CallOneArg(callable, argument);
}

static inline PyObject *rs_call2(PyObject *callable, PyObject *first, PyObject *second) {
    vectorcallfunc vectorcall = rs_vectorcall_of(callable);
    PyObject *arguments[3];
    arguments[1] = first;
    arguments[2] = second;
    if (RS_LIKELY(vectorcall != NULL))
        return vectorcall(callable, arguments + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    return PyObject_Vectorcall(callable, arguments + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* Unpack a bound method for rs_call_unpacked; both references are borrowed from it. Else: the callable, and no self. */
static inline void rs_unpack(PyObject *callable, PyObject **function, PyObject **self) {
    bool is_method = PyMethod_Check(callable);
    *function = is_method ? PyMethod_GET_FUNCTION(callable) : callable;
    *self = is_method ? PyMethod_GET_SELF(callable) : NULL;
}

/* Call an unpacked bound method, or, without a self, an ordinary callable. */
static inline PyObject *rs_call_unpacked(PyObject *function, PyObject *self, PyObject *argument) {
    return RS_LIKELY(self != NULL) ? rs_call2(function, self, argument) : rs_call1(function, argument);
}

/* 1 true, 0 false, -1 an exception is set; steals the result (which may be NULL). */
static inline int rs_truth(PyObject *result) {
    int truth;
    if (result == NULL) return -1;
    truth = result == Py_True ? 1 : result == Py_False ? 0 : PyObject_IsTrue(result);
    Py_DECREF(result);
    return truth;
}

/* Of the two functions, CPython 3.11 has a fast path for small numbers in the one for long. */
static inline PyObject *rs_int_from_int64(int64_t value) {
    return sizeof(long) >= sizeof(int64_t) ? PyLong_FromLong((long)value) : PyLong_FromLongLong(value);
}

static inline PyObject *rs_next(PyObject *iterator) { return Py_TYPE(iterator)->tp_iternext(iterator); }

/* A call that returned NULL without an exception is a defect of a foreign extension, and CPython 3.12 crashes on it later. */
static inline void rs_require_exception(void) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a callable failed without setting an exception");
}

/* Return the pending exception as a new reference, and clear it. Allocates nothing itself, and makes no traceback:
   there may be no memory left. Before 3.12 an exception may not be an instance yet; if its creation fails, the
   interpreter replaces it by a MemoryError. */
static inline PyObject *rs_caught(void) {
    rs_require_exception();
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) PyException_SetTraceback(value, traceback);
    Py_XDECREF(traceback);
    Py_XDECREF(type);
    return value;
#endif
}

static inline int rs_is_generator(PyObject *candidate) { return PyGen_Check(candidate); }
#endif
