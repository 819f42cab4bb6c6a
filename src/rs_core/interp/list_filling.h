/* A list that is filled by its only owner: elements are stored in preallocated places, without a call for each.

   Only the stored ones count as its elements, so that code that finds the list through the collector sees no empty
   place. Ownership: an element that is stored is stolen, also if that fails. */
#ifndef RS_CORE_LIST_FILLING_H
#define RS_CORE_LIST_FILLING_H
#include <Python.h>

#include "interp/calls.h"

/* A new list without elements and with a number of preallocated places, or NULL with an exception set. */
static inline PyObject *rs_list_with_room(Py_ssize_t room) {
#ifdef Py_GIL_DISABLED
    (void)room; /* other threads may read the size at any time, so only the interpreter sets it */
    return PyList_New(0);
#else
    PyObject *list = PyList_New(room);
    if (list != NULL) Py_SET_SIZE(list, 0);
    return list;
#endif
}

/* Append an element to a list, or None, if it finds a free place there and is not the last of `count`; false: nothing was
   done. */
static inline bool rs_list_put_inside(PyObject *list, PyObject *element, Py_ssize_t count) {
#ifndef Py_GIL_DISABLED
    Py_ssize_t size;
    if (RS_LIKELY(list != Py_None && (size = PyList_GET_SIZE(list)) + 1 < count &&
                  size < ((PyListObject *)list)->allocated)) {
        PyList_SET_ITEM(list, size, element);
        Py_SET_SIZE(list, size + 1);
        return true;
    }
#else
    (void)list, (void)element, (void)count;
#endif
    return false;
}

/* Append an element; -1: it failed with an exception set. */
static inline int rs_list_put(PyObject *list, PyObject *element) {
#ifndef Py_GIL_DISABLED
    Py_ssize_t size = PyList_GET_SIZE(list);
    if (size < ((PyListObject *)list)->allocated) {
        PyList_SET_ITEM(list, size, element);
        Py_SET_SIZE(list, size + 1);
        return 0;
    }
#endif
    int failed = PyList_Append(list, element);
    Py_DECREF(element);
    return failed;
}
#endif
