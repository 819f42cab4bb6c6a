/* The number of the C interface, and the check that an extension was built for the one that is installed.

   The check must run before the extension imports its first type: Cython refuses a class whose fields moved with "size
   changed", but does not notice a method that moved in a C vtable. So it runs in the extension's PyInit function, which
   the interpreter calls first and which only returns the module's definition: the two functions that can do that get a
   condition here. Every installed .pxd includes this header, directly or through its cimports, so an extension needs no
   extra code.

   docs/reference/c-interface.md says when the number is raised. */
#ifndef RS_CORE_ABI_H
#define RS_CORE_ABI_H
#include <Python.h>

#define RS_ABI_NUMBER 1

/* Return 0, or -1 with an exception set. Calls a Python function, so that an old extension gets the installed message. */
static inline int rs_abi_check(const char *extension) {
    PyObject *answer;
    PyObject *abi = PyImport_ImportModule("rs_core.abi");
    if (abi == NULL) return -1;
    answer = PyObject_CallMethod(abi, "require", "si", extension, RS_ABI_NUMBER);
    Py_DECREF(abi);
    if (answer == NULL) return -1;
    Py_DECREF(answer);
    return 0;
}

/* Only in code that Cython generates for extensions, not in the core's own modules, which are built together. A macro
   is not expanded again inside its own expansion, so the functions themselves are called. */
#if defined(CYTHON_HEX_VERSION) && !defined(RS_CORE_ITSELF)
# define PyModuleDef_Init(definition) (rs_abi_check(__Pyx_MODULE_NAME) < 0 ? NULL : PyModuleDef_Init(definition))
/* The other one is called where CYTHON_PEP489_MULTI_PHASE_INIT is 0. A build that traces references renames it. */
# ifndef PyModule_Create2
#  define PyModule_Create2(definition, version) \
    (rs_abi_check(__Pyx_MODULE_NAME) < 0 ? NULL : PyModule_Create2(definition, version))
# endif
#endif
#endif
