# The serialized emitter: signals from any number of threads, delivered to one subscriber, one at a time. The argument
# is in emitter.pyx.

from cpython.object cimport PyObject

from rs_core.queues.overflow_queue cimport OverflowQueue
from rs_core.sync.atomics cimport gil_uint32
from rs_core.sync.thread_owner cimport ThreadOwner

cdef enum WordBit:   # in addition to TOKEN and MISSED (sync/serial_word.h)
    ENDED = 4         # the end was signalled, or the subscriber failed; final, as is TOKEN with it


cdef class SerializedEmitter:
    cdef gil_uint32 word
    cdef ThreadOwner delivering_thread    # with the policy `block`: the thread that holds the token
    cdef bint is_blocking                # the policy is `block`
    cdef OverflowQueue queue
    # Fields of the deliverer.
    cdef PyObject* function              # borrowed: `on_next`, or the function of the bound method
    cdef PyObject* function_self         # NULL: `on_next` is not a bound method
    cdef object subscriber, on_next, on_error, on_complete   # None after the end (§3.13)
    cdef object __weakref__

    cdef int _queue_up(self, object element) except -1
    cdef int _queue_up_with_token(self, object element) except -1
    cdef int _notify(self) except -1
    cdef int _deliver(self) except -1
    cdef int _signal_end(self) except -1
    cdef int _stop(self, str signal, object error) except -1
    cdef int _sweep(self) except -1
    cdef int _forget_subscriber(self) except -1


# The signals for callers in C. They run the subscriber's code, and raise its interrupts, such as KeyboardInterrupt.
cdef int emitter_emit(SerializedEmitter emitter, object element) except -1     # an Emission of overflow_queue.pxd
cdef bint emitter_complete(SerializedEmitter emitter) except -1                # False: it had already ended
cdef bint emitter_fail(SerializedEmitter emitter, object error) except -1      # False: so; the error was dropped
