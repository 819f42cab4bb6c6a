# The place where signals change thread: base of what gets its elements from elsewhere than a stage above.

from rs_core.stream.queue_stage cimport QueueStage


cdef class ObserveOnStage(QueueStage):
    cdef object target       # the scheduler; in use from begin() to the end
