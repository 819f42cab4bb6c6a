# The life cycle of a whole tree, run by the one who subscribes, and its phases.

from rs_core.stream.subscription cimport Stage


cdef int initialize(Stage root, object context) except -1

# The phases, for who brings a part of a tree to life: from a root to the head of its chain.
cdef int make_nodes(Stage root) except -1
cdef int hand_context(Stage root, object context) except -1
cdef int start_nodes(Stage root, object context) except -1
cdef int open_owners(Stage root) except -1
