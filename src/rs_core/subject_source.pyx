"""The source of one subscription to a subject: what comes to the subject waits here until it is requested.

Roles
    producer    any thread: emits into the bounded queue, as in emitter_source.pyx, whose protocol this is
    drainer     the holder of this owner's token: sends what was kept or loaded, then what is in the queue
    keeper      any thread: looks at how much is requested and how much room there is

Bound: `capacity` elements in the queue; before them what the keeper handed over when this source joined, and what was
loaded, which is bounded where it comes from.

Ordering: `waiting` is filled before the source is opened, and from then on used by the drainer, or while nothing flows
by who saves; others read its length alone.
"""

from collections import deque

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.atomics cimport memory_order_relaxed
from rs_core.calls cimport incref
from rs_core.drain cimport DemandOwner
from rs_core.emitter_source cimport EmitterSource, hand_down, source_end
from rs_core.failures cimport release_failed
from rs_core.object_handoff cimport owned
from rs_core.overflow_queue cimport overflow_is_closed, overflow_pending, overflow_poll
from rs_core.queue_stage cimport read_error

from rs_core.overflow_policy import DEFAULT_BLOCK_TIMEOUT_SECONDS

__all__ = ["SourceKeeper", "SubjectSource"]


cdef class SourceKeeper:
    """Who feeds sources."""

    cdef int join(self, SubjectSource source) except -1:
        return 0

    cdef int leave(self, SubjectSource source) except -1:
        return 0

    cdef int ask(self) except -1:
        return 0


@cython.final
cdef class SubjectSource(EmitterSource):
    """Send what comes to a subject to one subscriber, as it requests it.

    Args:
        keeper: The hub of the subject.

    State: the elements that came and were not sent, and the end that waits behind them. Demand is none.
    """

    def __init__(self, SourceKeeper keeper not None):
        EmitterSource.__init__(self, None, keeper.on_overflow, keeper.capacity, DEFAULT_BLOCK_TIMEOUT_SECONDS)
        self.keeper = keeper
        self.waiting = deque()

    cdef int begin(self) except -1:
        EmitterSource.begin(self)
        if not overflow_is_closed(self.queue):  # else the state says that it has ended
            self.keeper.join(self)
        return 0

    cdef int open(self) except -1:
        return DemandOwner.open(self)  # there is no callback

    cdef int drain(self) except -1:
        try:
            return EmitterSource.drain(self)
        finally:
            self.keeper.ask()  # behind the drain: now it is known what is requested and what waits

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        while self.waiting and sent != n and not self.should_leave():
            element = self.waiting.popleft()
            incref(<PyObject*>element)
            sent += hand_down(self, <PyObject*>element)
        if not self.waiting and not self.should_leave():
            sent += EmitterSource.send(self, n - sent)
        self.handed_down.store(0, memory_order_relaxed)  # relaxed: as in emitter_source.pyx
        return sent

    cdef int64_t requested(self) noexcept:
        # relaxed: old the next moment
        cdef int64_t requested = self.demand_word.load(memory_order_relaxed)
        if requested == INT64_MAX:
            return requested
        return max(0, requested - self.handed_down.load(memory_order_relaxed) - self.count_waiting())

    cdef int64_t room(self) noexcept:
        return max(0, self.queue.capacity - self.count_waiting())

    cdef bint has_room(self) noexcept:
        return self.room() > 0 and (self.keeper.is_ahead or self.requested() > 0)

    cdef int64_t count_waiting(self) noexcept:
        return overflow_pending(self.queue) + <int64_t>len(self.waiting)

    cdef void release(self) noexcept:
        try:
            self.keeper.leave(self)
        except BaseException as error:
            release_failed(self, "cancel", error, self.origin)
        self.waiting.clear()
        EmitterSource.release(self)

    cdef int write_fields(self, object writer) except -1:
        cdef PyObject* element = overflow_poll(self.queue)
        while element is not NULL:  # nobody drains: what has to wait may wait here
            self.waiting.append(owned(element))
            element = overflow_poll(self.queue)
        has_ended = overflow_is_closed(self.queue) and not self.queue.is_cancelled
        writer.write(list(self.waiting))
        writer.write(bool(has_ended))
        writer.write(self.queue.end_error)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.waiting = deque(reader.read(list))
        has_ended = reader.read(bool)
        error = read_error(reader)
        self.is_loaded = True
        if has_ended:
            source_end(self, error)
        return 0
