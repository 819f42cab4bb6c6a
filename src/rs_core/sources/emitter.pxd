# A source whose elements are pushed by any thread. Roles and the argument are in sources/emitter.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_int64, gil_uint32, memory_order_relaxed
from rs_core.queues.overflow_queue cimport OverflowQueue
from rs_core.stream.subscription cimport ACCEPTED, DemandOwner, push
from rs_core.sync.thread_owner cimport ThreadOwner


cdef class EmitterSource(DemandOwner):
    cdef object callback
    cdef OverflowQueue queue
    cdef str origin
    cdef ThreadOwner callback_thread     # the thread that runs the callback
    cdef list tasks                     # the drainers of the subscription: this source and the queues downstream
    cdef bint is_iterated               # the subscriber iterates, and requests after the callback has returned
    cdef ThreadOwner subscribing_thread  # with `block`: the thread that subscribed
    cdef ThreadOwner requesting_thread   # with `block`: the thread that made the last request
    cdef gil_uint32 task_waits_count    # the number of entries in `task_waits`
    cdef dict task_waits                # the tasks that wait for capacity, in the order of arrival; None: none
    cdef object disposer                # registered by on_dispose(), called by release()
    cdef bint has_disposer, is_released
    cdef int64_t unused                 # elements that were sent and used no demand; drainer, only counted up here
    cdef gil_int64 sent_unaccounted     # sent in this turn, not yet subtracted from demand; drainer, others read it

    cdef int emit(self, object element) except -1
    cdef int emit_past_queue(self, object element) except -1       # EMIT_FULL: nothing was done
    cdef int emit_at_once(self, object element) except -1          # EMIT_FULL: with `block` the queue is full
    cdef int await_capacity(self, object waiter) except -1
    cdef int leave_capacity_to_others(self, object waiter) except -1
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


cdef inline int64_t push_counted(EmitterSource source, PyObject* element) noexcept:
    """Drainer: send an element downstream, and steal it; return how much of the demand that used, 0 or 1."""
    # relaxed: a hint for others; only the drainer writes it
    cdef int64_t sent_unaccounted = source.sent_unaccounted.load(memory_order_relaxed)
    source.sent_unaccounted.store(sent_unaccounted + 1, memory_order_relaxed)
    source.changed = True
    if push(source, element) == ACCEPTED:
        return 1
    source.sent_unaccounted.store(sent_unaccounted, memory_order_relaxed)
    source.unused += 1
    return 0
