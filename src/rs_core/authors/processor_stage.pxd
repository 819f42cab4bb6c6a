# The operator inside a processor: it calls the hooks that the author of the processor wrote.

from rs_core.sources.publisher cimport PublisherSource
from rs_core.operators.python_operator cimport PythonStage
from rs_core.sync.thread_owner cimport ThreadOwner


cdef class ProcessorStage(PythonStage):
    cdef object processor          # the owner of the hooks; from serve() to the end
    cdef PublisherSource source    # the input
    cdef str label
    cdef ThreadOwner hook_thread    # the thread that runs a hook
    cdef bint has_begun            # hook_on_subscribe was called; drainer
    cdef bint has_asked            # the first window was requested; drainer

    cdef int serve(self, object processor, object subscriber) except -1
    cdef int emit_in_hook(self, object element) except -1
    cdef int end_in_hook(self, str call, object error) except -1
    cdef int require_hook(self, str call) except -1
    cdef bint _begin_hooks(self) noexcept
