# Whether a call of a function runs it (function_kind.h).

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "interp/function_kind.h":
    bint runs_at_once "rs_runs_at_once"(object function) noexcept   # False: ask deferred_functions.deferred_kind()
