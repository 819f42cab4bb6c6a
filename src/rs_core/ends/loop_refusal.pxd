# The waits that a blocking terminal operation refuses if its thread runs an event loop (loop_refusal.pyx).

from rs_core.stream.subscription cimport Stage

cdef int refuse_own_loop(Stage end, str method) except -1   # before it parks
