/* Integers that are used again, instead of being freed and made anew, when one has gone down a stream and nobody has kept
   it. The single reference that is left to it is then the one that was kept here before it went down, so nobody can see
   it change. A free-threaded build makes each integer anew: there a count of one may be that of another thread.

   Ownership: a spare is NULL or a reference to an integer of one positive digit; whoever has it drops it in the end. */
#ifndef RS_CORE_INT_REUSE_H
#define RS_CORE_INT_REUSE_H
#include <Python.h>

#include <cstdint>

#include "interp/calls.h"

/* Far above those that CPython shares, of which there is one object each: up to 256, and up to 1,024 from 3.15 on. */
#define RS_FIRST_REUSED_INT 4096

static inline bool rs_is_reused_int(int64_t value) { return value >= RS_FIRST_REUSED_INT && value < PyLong_BASE; }

/* A new reference to an integer, or NULL with an exception set. The spare becomes it if nobody else has it; if somebody
   has, it is dropped, and there is none any more. */
static inline PyObject *rs_int_again(PyObject **spare, int64_t value) {
#ifndef Py_GIL_DISABLED
    PyObject *number = *spare;
    if (number != NULL) {
        if (RS_LIKELY(Py_REFCNT(number) == 1 && rs_is_reused_int(value))) {
# if PY_VERSION_HEX >= 0x030C0000
            ((PyLongObject *)number)->long_value.ob_digit[0] = (digit)value;
# else
            ((PyLongObject *)number)->ob_digit[0] = (digit)value;
# endif
            Py_INCREF(number);
            return number;
        }
        *spare = NULL;
        Py_DECREF(number);
    }
#endif
    return rs_int_from_int64(value);
}

/* A spare for integers from this value on; NULL: they are made anew. Leaves no exception. */
static inline PyObject *rs_int_to_reuse(int64_t value) {
#ifndef Py_GIL_DISABLED
    if (rs_is_reused_int(value)) {
        PyObject *number = rs_int_from_int64(value);
        if (number == NULL) PyErr_Clear();
        return number;
    }
#else
    (void)value;
#endif
    return NULL;
}
#endif
