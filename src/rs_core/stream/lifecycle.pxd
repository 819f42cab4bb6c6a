# The life cycle of a whole tree, run by the one who subscribes.

from rs_core.stream.subscription cimport Stage


cdef int initialize(Stage root, object context) except -1
