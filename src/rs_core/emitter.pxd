# The serialized emitter: signals from any number of threads, delivered to one subscriber one at a time.

from rs_core.stream.serial_delivery cimport SerialDelivery


cdef class SerializedEmitter(SerialDelivery):
    pass


# The signals for callers in C. They run the subscriber's code, and raise what it raises and is no Exception.
cdef int emitter_emit(SerializedEmitter emitter, object element) except -1     # an Emission of overflow_queue.pxd
cdef bint emitter_complete(SerializedEmitter emitter) except -1                # False: it had ended already
cdef bint emitter_fail(SerializedEmitter emitter, object error) except -1      # False: so; the error was dropped
