# The base of processors that library authors write; it may be subclassed from Cython too.

from rs_core.sync.atomics cimport gil_uint32
from rs_core.authors.processor_stage cimport ProcessorStage
from rs_core.sources.publisher cimport PublisherSource


cdef class BaseProcessor:
    cdef PublisherSource source     # the upstream's signals come in here
    cdef ProcessorStage stage       # calls the hooks
    cdef gil_uint32 is_served       # a downstream subscribed
    cdef object __weakref__
