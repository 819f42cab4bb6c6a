# The base of subscribers whose hooks run on a scheduler; it may be subclassed from Cython too.

from rs_core.base_subscriber cimport BaseSubscriber
from rs_core.hook_stages cimport HookSource


cdef class AsyncBaseSubscriber(BaseSubscriber):
    cdef HookSource source
