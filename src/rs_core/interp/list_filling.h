/* A list that is filled by its only owner: elements are stored in preallocated places, without a call for each.

   Only the stored ones count as its elements, so that code that finds the list through the collector sees no empty
   place. Ownership: an element that is stored is stolen, also if that fails.

   A list that has gone down a stream and that nobody has kept is filled again: the single reference that is left to it is
   then the one that was kept here before it went down. It gives its elements up at once, and keeps its places. Until it is
   filled again the collector does not know it, so nobody can find it. A free-threaded build makes each list anew: there a
   count of one may be that of another thread. A spare is NULL or the only reference to such a list; whoever has it drops
   it in the end. */
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

/* The spare, or, if there is none, what rs_list_with_room() returns. */
static inline PyObject *rs_list_again(PyObject **spare, Py_ssize_t room) {
    PyObject *list = *spare;
    if (list == NULL) return rs_list_with_room(room);
    *spare = NULL;
    PyObject_GC_Track(list);
    return list;
}

/* Take the reference back that was kept while a list went down; it becomes the spare if it is the only one left. Runs user
   code (finalizers of its elements), which cannot reach the list. */
static inline void rs_take_back_list(PyObject **spare, PyObject *list) {
#ifndef Py_GIL_DISABLED
    if (Py_REFCNT(list) == 1 && *spare == NULL) {
        Py_ssize_t index = PyList_GET_SIZE(list);
        PyObject **elements = ((PyListObject *)list)->ob_item;
        PyObject_GC_UnTrack(list);
        Py_SET_SIZE(list, 0);
        while (--index >= 0) Py_DECREF(elements[index]); /* from the last one on, as where a list dies */
        *spare = list;
        return;
    }
#endif
    Py_DECREF(list);
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
