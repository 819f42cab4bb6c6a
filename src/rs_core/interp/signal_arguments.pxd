# The errors for arguments of signals that rule 2.13 refuses. Each is returned, for its caller to raise.

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef object null_subscription()             # on_subscribe(None)
cdef object null_element(str call)          # such as on_next(None), emit(None)
cdef object null_error()                    # on_error(None)
cdef object no_exception(object error)      # fail(error) without an Exception
cdef object as_exception(object error)   # None stays None
