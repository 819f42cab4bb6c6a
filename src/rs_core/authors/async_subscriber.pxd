# The base of subscribers whose hooks run on a scheduler; it may be subclassed from Cython too.

from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.authors.async_subscriber_stages cimport HookSource


cdef class AsyncBaseSubscriber(BaseSubscriber):
    cdef HookSource source
