# A source whose elements are pushed by any thread. Roles and the argument are in sources/emitter.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32, memory_order_relaxed
from rs_core.queues.overflow_queue cimport OverflowQueue
from rs_core.stream.subscription cimport ACCEPTED, DemandOwner, push
from rs_core.sync.thread_owner cimport ThreadMark


cdef class EmitterSource(DemandOwner):
    cdef object callback
    cdef OverflowQueue queue
    cdef str origin
    cdef ThreadMark callback_thread     # the thread that runs the callback
    cdef list tasks                     # who drains a part of the subscription: this source and the queues below it
    cdef bint is_iterated               # who subscribed iterates, and requests when the callback has returned
    cdef ThreadMark subscribing_thread  # with `block`: the thread that subscribed
    cdef ThreadMark requesting_thread   # with `block`: the thread that made the last request
    cdef gil_uint32 task_waits_count    # how many there are in `task_waits`
    cdef dict task_waits                # of tasks that await room, in the order in which they came; None: none did
    cdef object disposer                # registered by on_dispose(), called by release()
    cdef bint has_disposer, is_released
    cdef gil_int64 handed_down          # of this turn, not yet taken from the demand; drainer, others look

    cdef int emit(self, object element) except -1
    cdef int emit_at_once(self, object element) except -1          # EMIT_FULL: with `block` there is no room
    cdef int await_room(self, object waiter) except -1
    cdef int leave_room_to_others(self, object waiter) except -1
    cdef int wake_tasks(self) except -1
    cdef int _call_back(self) except -1
    cdef int _refusal(self) noexcept
    cdef int _require_others(self, object element) except -1
    cdef bint _is_in_callback(self) noexcept
    cdef bint _is_requested_here(self) noexcept
    cdef int _forget_task(self, object waiter) except -1
    cdef list _tasks_with_room(self)
    cdef void _wake_tasks_or_fail(self) noexcept


cdef bint source_end(EmitterSource source, object error) except -1


cdef inline int64_t hand_down(EmitterSource source, PyObject* element) noexcept:
    """Drainer: send an element down, and steal it; how many elements of the demand that took, 0 or 1."""
    # relaxed: a hint for others; the drainer alone writes it
    cdef int64_t handed_down = source.handed_down.load(memory_order_relaxed)
    source.handed_down.store(handed_down + 1, memory_order_relaxed)
    source.changed = True
    if push(source, element) == ACCEPTED:
        return 1
    source.handed_down.store(handed_down, memory_order_relaxed)
    return 0
