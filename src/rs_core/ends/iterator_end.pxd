# The last stage of a stream whose elements are taken one by one. Roles and the argument are in iterator_end.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.queues.spsc_ring cimport SpscRing
from rs_core.stream.subscription cimport Stage
from rs_core.sync.turns cimport LoopTurns


cdef class IteratorEnd(Stage):
    cdef SpscRing ring
    cdef object failure
    cdef gil_uint32 is_waiting, is_ended
    cdef bint is_deserted                                # the consumer can no longer be woken; producer
    cdef bint is_wait_cancelled                          # the task that waited was cancelled, and with it the stream
    cdef LoopTurns turns     # the turns of the event loop of the consumer's task; None: a thread
    # Only the consumer accesses these.
    cdef int64_t prefetch, replenish_at, consumed

    cdef void wake(self) noexcept                        # producer
    cdef int call_consumer(self) except -1               # producer; runs the event loop's code, and may raise
    cdef void _desert(self, Exception error) noexcept
    cdef bint has_news(self) noexcept                    # consumer
    cdef bint wait_begins(self) noexcept                 # consumer; False: there is already an element or the end
    cdef PyObject* poll(self) except? NULL               # consumer; owned; NULL without an exception: no element
    cdef int begin_iteration(self, object prefetch, int64_t default_prefetch, object context) except -1
    cdef int abandon(self) except -1                     # the thread that destroys the consumer
    cdef int raise_end(self, object complete) except -1  # consumer; always raises
