# The thread that runs something: a mark that only that thread recognizes as its own (sync/thread_owner.h).

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "sync/thread_owner.h":  # not nogil: where there is a GIL, it guards the mark
    cppclass ThreadOwner "RsThreadOwner":
        void enter() noexcept     # this thread runs it now
        void leave() noexcept     # no thread runs it
        bint is_mine() noexcept   # whether this thread runs it
