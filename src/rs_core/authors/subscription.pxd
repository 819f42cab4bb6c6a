# The base of subscriptions that library authors write.

from libc.stdint cimport int64_t
cimport cython

from rs_core.sync.atomics cimport gil_int64, gil_uint32
from rs_core.stream.subscription cimport DemandOwner
from rs_core.queues.spsc_ring cimport SpscRing
from rs_core.ends.subscriber cimport SubscriberStage
from rs_core.sync.thread_owner cimport ThreadOwner


cdef class BaseSubscription(DemandOwner):
    cdef SubscriberStage end             # the subscriber's side, the argument of on_subscribe; in a critical section
    cdef gil_int64 permits            # requested and not yet emitted, by any thread
    cdef gil_int64 unnotified_demand        # requested and not yet passed to on_request
    cdef gil_uint32 is_ending         # complete() or fail() was called
    cdef object end_error                # written before is_ending
    cdef SpscRing queue                  # emitted outside the hooks; producers take the lock, the drainer polls
    cdef cython.pymutex producers
    cdef ThreadOwner hook_thread          # the thread that runs a hook; drainer
    # Fields of the drainer.
    cdef int64_t sent_in_hook
    cdef object held                     # a deque of elements of the hook that cannot be sent yet; None: empty
    cdef bint is_pushing                 # an element of the hook is being delivered
    cdef bint was_refused                # an emission was refused; the hook is called again later
    cdef object hook_error               # its exception, to be signalled after its elements

    cdef SubscriberStage _unreleased_end(self)                           # None after the end
    cdef bint _emit_in_hook(self, object element) except -1
    cdef bint _emit_outside(self, object element) except -1
    cdef int _hold(self, object element) except -1
    cdef bint _must_refuse(self) noexcept
    cdef bint _push_held(self) noexcept
    cdef bint _pass_on_queue(self, int64_t* sent, int64_t n) noexcept
    cdef int64_t _call_on_request(self, int64_t n) noexcept
    cdef int _end_with(self, object error) except -1
