# The base of subscribers whose hooks run on a scheduler; it can also be subclassed in Cython.

from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.authors.async_subscriber_stages cimport HookSource


cdef class AsyncBaseSubscriber(BaseSubscriber):
    cdef HookSource source
