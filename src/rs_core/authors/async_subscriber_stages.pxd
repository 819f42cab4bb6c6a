# The stages of an asynchronous subscriber: the argument is in authors/async_subscriber_stages.pyx.

from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.sources.publisher cimport PublisherSource
from rs_core.stream.subscription cimport Stage


cdef class HookSource(PublisherSource):
    cdef bint has_begun         # hook_on_subscribe was called; drainer
    cdef bint has_scheduler     # a scheduler was given, perhaps an immediate one

    cdef int use_scheduler(self, object scheduler) except -1
    cdef int accept_first_subscription(self, object subscription) except -1
    cdef bint _is_cancelled(self) noexcept
    cdef bint _begin_hooks(self) noexcept


cdef class HookEnd(Stage):
    cdef BaseSubscriber subscriber   # None after release

    cdef int tell_end(self, object error) noexcept
