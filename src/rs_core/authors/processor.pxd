# The base of processors that library authors write; it can also be subclassed in Cython.

from rs_core.sync.atomics cimport gil_uint32
from rs_core.authors.processor_stage cimport ProcessorStage
from rs_core.sources.publisher cimport PublisherSource


cdef class BaseProcessor:
    cdef PublisherSource source     # receives the upstream's signals
    cdef ProcessorStage stage       # calls the hooks
    cdef gil_uint32 is_served       # a downstream subscribed
    cdef object __weakref__
