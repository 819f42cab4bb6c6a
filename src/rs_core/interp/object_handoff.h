/* References that one thread creates and another one drops.

   Free-threaded builds count references in two fields: a plain one for the thread that created the object, an atomic
   one for all others. A reference counted in the plain field but dropped by another thread drives the atomic field
   below zero; the object is then queued back to its creator and lives until that thread runs Python again. A producer
   that loops in C never does, so all its elements would accumulate. If the reference is counted in the atomic field
   from the start, the receiver drops it, which frees the object immediately. With the GIL there is one field and
   nothing to do.

   All functions need an attached thread state (the GIL, where there is one). */
#ifndef RS_CORE_OBJECT_HANDOFF_H
#define RS_CORE_OBJECT_HANDOFF_H
#include <Python.h>

/* Make a new reference to a borrowed object, for another thread to drop. Never runs user code. */
static inline PyObject *rs_handoff_reference(PyObject *element) {
#ifdef Py_GIL_DISABLED
    /* The same as Py_INCREF in a thread that is not the creator. */
    if (_Py_atomic_load_uint32_relaxed(&element->ob_ref_local) != _Py_IMMORTAL_REFCNT_LOCAL)
        _Py_atomic_add_ssize(&element->ob_ref_shared, (Py_ssize_t)1 << _Py_REF_SHARED_SHIFT);
#else
    Py_INCREF(element);
#endif
    return element;
}

/* Turn the caller's own reference into one for another thread to drop. Never runs user code: the object stays alive. */
static inline PyObject *rs_handoff_owned(PyObject *element) {
#ifdef Py_GIL_DISABLED
    rs_handoff_reference(element);
    Py_DECREF(element);
#endif
    return element;
}

/* The caller's own reference unchanged: lets Cython take over a reference of C code. */
static inline PyObject *rs_owned(PyObject *element) { return element; }
#endif
