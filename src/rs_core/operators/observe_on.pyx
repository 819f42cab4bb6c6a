"""The place where signals change thread, observe_on; and the same queue without one, limit_rate.

The input side runs wherever the upstream is drained and puts elements into the queue; the output side runs as a task
of the scheduler. A task is scheduled only by who takes the token, so at most one is waiting: a burst of elements
costs one wake-up. One turn passes on at most `prefetch` elements and then lets other tasks of the scheduler run.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.object_handoff cimport handoff_owned
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, drain_in_turns, push


cdef class ObserveOnStage(QueueStage):
    """Pass signals on in the threads of a scheduler.

    Args:
        scheduler: Runs the tasks that pass elements on; None: no other thread does.
        prefetch: As for QueueStage.
        replenish_at: How many elements are requested again together, when so many were passed on; 0: 75 %.

    State: the queue, and the end of the input if that came after it.
    """

    def __init__(self, scheduler, prefetch, int64_t replenish_at=0):
        QueueStage.__init__(self, prefetch)
        if replenish_at:
            self.replenish_at = replenish_at
        self.target = scheduler
        self.is_concurrent = scheduler is not None

    cdef int begin(self) except -1:
        if self.target is not None and not getattr(self.target, "is_immediate", False):
            self.drain_on(self.target)
            loop_turns = getattr(self.target, "loop_turns", None)
            if loop_turns is not None:
                drain_in_turns(self, loop_turns)
        return QueueStage.begin(self)

    cdef int try_next(self, PyObject* element) noexcept:
        return QueueStage.try_next(self, handoff_owned(element))

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef int64_t turn = self.prefetch
        cdef PyObject* element
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if sent == n:
                self.finish_if_ended()
                break
            if turn == 0:
                self.mark_missed()
                break
            element = self.poll()
            if element is NULL:
                self.finish_if_ended()
                break
            turn -= 1
            if push(self, element) == ACCEPTED:
                sent += 1
            if self.consumed == 0:
                # poll() has requested more. The owner upstream may wait for this thread: give it its turn, so that
                # the queue is refilled while there is still something in it.
                self.mark_missed()
                break
        return sent

    cdef int write_fields(self, object writer) except -1:
        return self.save_queue(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        return self.load_queue(reader)
