/* A list that is filled by its only owner: elements go into room that it was made with, without a call for each.

   Only those that are in count as its elements, so that whoever finds the list by the collector meets no empty place.
   Ownership: an element that is put in is stolen, also where that fails. */
#ifndef RS_CORE_LIST_FILLING_H
#define RS_CORE_LIST_FILLING_H
#include <Python.h>

/* A new list without elements and with room for so many, or NULL with an exception set. */
static inline PyObject *rs_list_with_room(Py_ssize_t room) {
#ifdef Py_GIL_DISABLED
    (void)room; /* others may read the size at any time, so that it is the interpreter's alone */
    return PyList_New(0);
#else
    PyObject *list = PyList_New(room);
    if (list != NULL) Py_SET_SIZE(list, 0);
    return list;
#endif
}

/* Put an element behind the others; -1: it failed with an exception set. */
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
