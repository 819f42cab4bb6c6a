/* The elements of a list or a tuple by their index, which costs less than its iterator does.

   Only of exactly these types, so no user code runs. A list may be changed between two calls: whoever looks at its size
   each time sees the same elements as its iterator. In a free-threaded build another thread may change it during a call;
   so lists are read by their iterators there, which deal with that. */
#ifndef RS_CORE_SEQUENCE_ITEMS_H
#define RS_CORE_SEQUENCE_ITEMS_H
#include <Python.h>

static inline bool rs_has_items(PyObject *candidate) {
#ifndef Py_GIL_DISABLED
    if (PyList_CheckExact(candidate)) return true;
#endif
    return PyTuple_CheckExact(candidate);
}

/* How many there are now. */
static inline Py_ssize_t rs_item_count(PyObject *items) { return Py_SIZE(items); }

/* A new reference to the element at an index below the present count. */
static inline PyObject *rs_item_at(PyObject *items, Py_ssize_t index) {
    PyObject *item = PySequence_Fast_ITEMS(items)[index];
    Py_INCREF(item);
    return item;
}
#endif
