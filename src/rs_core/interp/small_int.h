/* The value of a Python integer that fits into one digit, without a call: the argument of nearly every request(n).

   Ownership: the object is borrowed; no user code runs, because subclasses of int are read in the general way. */
#ifndef RS_CORE_SMALL_INT_H
#define RS_CORE_SMALL_INT_H
#include <Python.h>

#include <cstdint>

/* Return whether the object is an int of one digit, and store its value. */
static inline bool rs_small_int(PyObject *number, int64_t *value) {
    if (!PyLong_CheckExact(number)) return false;
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)number)) return false;
    *value = PyUnstable_Long_CompactValue((PyLongObject *)number);
#else
    Py_ssize_t size = Py_SIZE(number); /* of its digits, negative for a negative number */
    if (size != 0 && size != 1) return false;
    *value = size == 0 ? 0 : (int64_t)((PyLongObject *)number)->ob_digit[0];
#endif
    return true;
}
#endif
