/* Python frames, as plain objects: CPython's functions return types that Cython cannot use as objects. */
#ifndef RS_CORE_FRAMES_H
#define RS_CORE_FRAMES_H
#include <Python.h>
#include <frameobject.h>

static inline PyObject *rs_frame_code(PyObject *frame) { return (PyObject *)PyFrame_GetCode((PyFrameObject *)frame); }
static inline PyObject *rs_frame_globals(PyObject *frame) { return PyFrame_GetGlobals((PyFrameObject *)frame); }
static inline int rs_frame_offset(PyObject *frame) { return PyFrame_GetLasti((PyFrameObject *)frame); }
static inline int rs_code_line(PyObject *code, int offset) { return PyCode_Addr2Line((PyCodeObject *)code, offset); }
#endif
