/* A tuple that is filled while user code runs, which must not find it half filled: the collector tracks it only afterwards.

   And one that is used again, instead of being freed and made anew, when it has gone down a stream and nobody has kept it,
   as the built-in zip() does. The single reference that is left to it is then the one that was kept here before it went
   down, so nobody can see it change. It gives its elements up at once: they die as early as if it had died. A
   free-threaded build makes each tuple anew: there a count of one may be that of another thread.

   Ownership: a spare is NULL or the only reference to a tuple of empty places, which the collector does not know; whoever
   has it drops it in the end. */
#ifndef RS_CORE_TUPLE_FILLING_H
#define RS_CORE_TUPLE_FILLING_H
#include <Python.h>

/* A tuple of empty places, at least one, or NULL with an exception set. A spare has so many places, too. */
static inline PyObject *rs_begin_tuple(PyObject **spare, Py_ssize_t count) {
    PyObject *values = *spare;
    *spare = NULL;
    if (values == NULL) {
        values = PyTuple_New(count);
        if (values != NULL) PyObject_GC_UnTrack(values);
    }
    return values;
}

/* Put a value into a place, whose reference is stolen; return whether the collector must track a tuple with it.

   It need not if no cycle can go through it. The collector determines that for finished tuples by itself, one collection
   later, which costs more than this check. */
static inline bool rs_fill_place(PyObject *values, Py_ssize_t index, PyObject *value) {
    PyTuple_SET_ITEM(values, index, value);
    return PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HAVE_GC) && PyObject_IS_GC(value) &&
           (!PyTuple_CheckExact(value) || PyObject_GC_IsTracked(value));
}

/* End filling; `is_for_collector`: rs_fill_place() returned true for a value. */
static inline void rs_finish_tuple(PyObject *values, bool is_for_collector) {
    if (is_for_collector) PyObject_GC_Track(values);
}

/* Take the reference back that was kept while a tuple went down; it becomes the spare if it is the only one left. Runs
   user code (finalizers of its elements), which cannot reach the tuple. */
static inline void rs_take_back_tuple(PyObject **spare, PyObject *values) {
#ifndef Py_GIL_DISABLED
    if (Py_REFCNT(values) == 1 && *spare == NULL) {
        Py_ssize_t count = PyTuple_GET_SIZE(values);
        if (PyObject_GC_IsTracked(values)) PyObject_GC_UnTrack(values);
        for (Py_ssize_t index = 0; index < count; ++index) {
            PyObject *value = PyTuple_GET_ITEM(values, index);
            PyTuple_SET_ITEM(values, index, NULL);
            Py_DECREF(value);
        }
# if PY_VERSION_HEX >= 0x030E0000
        ((PyTupleObject *)values)->ob_hash = -1; /* computed once for each tuple from then on */
# endif
        *spare = values;
        return;
    }
#endif
    Py_DECREF(values);
}
#endif
