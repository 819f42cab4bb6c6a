# Which thread runs something: a mark that only that thread takes for its own (sync/thread_owner.h).

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef extern from "sync/thread_owner.h":  # not nogil: where there is a GIL, it guards the mark
    cppclass ThreadMark "RsThreadMark":
        void enter() noexcept     # this thread runs it from now on
        void leave() noexcept     # no thread does
        bint is_mine() noexcept   # whether this thread does
