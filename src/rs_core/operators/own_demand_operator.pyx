"""What an operator written in Python does with a demand of its own: the mode "own" of python_stage.pyx.

What arrives waits in the queue until a hook takes it, what hooks emit waits in the outbox until it is requested. This
stage's own token lets one thread at a time call the hooks.

Invariants, besides those of queue_stage.pyx
    I4  No hook of the input, on_next or that of the end, runs while an emitted element waits in the outbox. So a slow
        output makes elements wait as input, within `prefetch`, and `capacity` bounds what one such hook emits.
    I5  Who empties the outbox looks at the queue behind it, and an outbox is emptied only where demand is served: what
        was held back is taken in by the drainer who serves the request.
tests/interleavings/test_queue_stage_model.py explores them.
"""

from collections import deque

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed
from rs_core.interp.calls cimport call2, caught, decref, incref, int_from_int64, xdecref
from rs_core.stream.queue_stage cimport QueueStage, read_error
from rs_core.queues.spsc_ring cimport SpscRing, spsc_peek, spsc_poll
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, count, push

cdef extern from "Python.h":
    PyObject* PyObject_CallMethodNoArgs(object target, object name) noexcept
    PyObject* PyObject_CallMethodOneArg(object target, object name, object argument) noexcept


cdef class HookedQueue(QueueStage):
    """A queue whose elements are handed to hooks; a base of `PythonStage`, which defines them."""

    def __init__(self, *args, **kwargs):
        pass  # replaces that of QueueStage: a subclass may take any parameters and forget super().__init__()

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1:
        """Make the queue of the mode "own"; before anything flows."""
        self.prefetch = prefetch
        self.queue = SpscRing(prefetch)
        self.slots = self.queue.slots
        self.capacity_elements = capacity
        self.outbox = deque()
        return 0

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        if not self._announce(n):
            return 0
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if self.outbox and sent != n:
                self.changed = True
                leaving = self.outbox.popleft()
                incref(<PyObject*>leaving)
                if self.announced != INT64_MAX:
                    self.announced -= 1
                if push(self, <PyObject*>leaving) == ACCEPTED:
                    sent += 1
                elif not self._announce(n - sent):  # dropped below: its demand is there again
                    break
                continue
            if self.outbox:
                break  # I4
            if self.is_ending:
                self.finish(self.down, self.end_error)
                break
            element = NULL
            if sent != n or not self.waits_for_demand:
                element = spsc_poll(self.slots)
            if element is not NULL:
                if not self._take_in(element):
                    break
            elif not self._end_of_input():
                break
        return sent

    cdef bint _announce(self, int64_t n) noexcept:
        """Tell on_request of demand that is new; False: the stream ends."""
        cdef int64_t fresh = n - self.announced
        cdef PyObject* told
        cdef PyObject* result = NULL
        if fresh <= 0 or self.is_ending:
            return self._request_owed()
        self.announced = n
        self.in_hook = HOOK_OTHER
        told = int_from_int64(n if n == INT64_MAX else fresh)
        if told is not NULL:
            result = PyObject_CallMethodOneArg(self, "on_request", <object>told)
            decref(told)
        self.in_hook = HOOK_NONE
        if result is NULL:
            self.fail_at(self, caught())
            return False
        decref(result)
        return self._request_owed()

    cdef bint _take_in(self, PyObject* element) noexcept:
        """Hand an element to on_next; False: the stream ends."""
        cdef PyObject* result
        count(self)
        self.changed = True
        self.outstanding -= 1
        self.in_hook = HOOK_ELEMENT
        result = call2(<PyObject*>self.next_hook, <PyObject*>self, element)
        self.in_hook = HOOK_NONE
        decref(element)
        if result is NULL:
            self.fail_at(self, caught())
            return False
        decref(result)
        return self._request_owed()

    cdef bint _end_of_input(self) noexcept:
        """Tell the operator once that its input has ended; False: there is nothing more to do."""
        # acquire: pairs with the release in QueueStage; the elements that came before the end are seen
        if self.end_was_told or not self.input_ended.load(memory_order_acquire) or spsc_peek(self.slots) is not NULL:
            return False
        self.end_was_told = True
        if not self.tell_end(self.input_error):
            self.fail_at(self, caught())
            return False
        return True

    cdef bint _request_owed(self) noexcept:
        """Request what the operator asked for, as far as the queue has room for it; False: the stream ends."""
        cdef int64_t more = min(self.owed, self.prefetch - self.outstanding)
        if more <= 0 or self.end_was_told:
            return True
        self.outstanding += more
        if self.owed != INT64_MAX:
            self.owed -= more
        return self.ask(more)

    cdef bint tell_end(self, object error) noexcept:
        """Call the hook for the end of the upstream; False: an exception is set."""
        cdef PyObject* result
        self.changed = True
        self.in_hook = HOOK_OTHER
        if error is None:
            result = PyObject_CallMethodNoArgs(self, "on_complete")
        else:
            result = PyObject_CallMethodOneArg(self, "on_error", error)
        self.in_hook = HOOK_NONE
        xdecref(result)
        return result is not NULL

    cdef int save_waiting(self, object writer) except -1:
        """Write what waits on both sides of the hooks."""
        self.save_queue(writer)
        writer.write(list(self.outbox))
        writer.write(self.owed)
        writer.write(self.end_was_told)
        writer.write(self.is_ending)
        writer.write(self.end_error)
        return 0

    cdef int load_waiting(self, object reader) except -1:
        """Read what save_waiting() wrote."""
        self.load_queue(reader)
        self.outbox = deque(reader.read(list))
        self.owed = reader.read_count()
        self.end_was_told = reader.read(bool)
        self.is_ending = reader.read(bool)
        self.end_error = read_error(reader)
        self.outstanding = len(self.queue)
        return 0
