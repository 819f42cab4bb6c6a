# The root of a tree whose elements go to a subscriber of any library.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport Stage


cdef class CompiledSubscriber:
    # By the holder of the token, one element at a time, never None; steals it. -1: an exception is set.
    cdef int receive(self, PyObject* element) noexcept


cdef class SubscriberStage(Stage):
    cdef object subscriber               # None after release
    cdef CompiledSubscriber compiled     # the same, where it is one; None: `function` gets the elements
    cdef PyObject* function              # borrowed: `on_next`, or the function of the bound method
    cdef PyObject* function_self         # NULL: `on_next` is not a bound method
    cdef object on_next
    cdef gil_uint32 muted                # no more signals: cancelled, failed or ended
    cdef gil_uint32 has_begun            # requests and cancellations go upstream directly
    cdef gil_int64 pending_demand          # requested before has_begun
    cdef object pending_refusal            # the error for an illegal request before has_begun
    cdef gil_uint32 is_initializing      # initialize() is running

    cdef int refuse_none(self, PyObject* element) noexcept
    cdef int next_failed(self) noexcept
    cdef int request_early(self, object n) except -1
    cdef int flush_pending_demand(self) except -1
    cdef int subscriber_failed(self, str signal, object error) noexcept


cdef str describe(Description source)
cdef int check_subscriber(object subscriber, str where) except -1
cdef int serve_subscriber(Stage source, object subscriber) except -1
