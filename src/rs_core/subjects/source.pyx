"""The source of one subscription to a subject: what comes to the subject waits here until it is requested.

Roles
    joiner      the thread that begins it: lets it join, and fills `waiting` before it is opened
    deliverer   the holder of the hub's token (hub_delivery.pyx): gives elements and the end; looks at how much is
                requested and how much room there is
    drainer     the holder of this owner's token: sends what was kept or loaded, then what is in the queue
    requester   any thread

Invariants
    I1  `waiting` is filled before the source is opened, and from then on used by the drainer, or while nothing flows by
        who saves; others read its length alone.
    I2  What is requested beyond what was given is `ever_requested - ever_taken`: the deliverer alone writes the second,
        and the first only grows, so what it reads is there, and is all that it has been told of. (The demand that the
        drainer counts down lags behind what it has sent.) It is exact, as the end of a subscriber is right below: each
        element that is sent takes one of the demand.
    I3  A source that is released is closed first, then the hub is told; see hub_register.pyx, I8.

Bound: `capacity` elements in the queue; before them what the keeper handed over when this source joined, and what was
loaded, which is bounded where it comes from.

Ordering (write -> read that pairs with it)
    the queue: overflow_queue.pyx, drain.pyx
    ever_taken, by the joiner  ->  reading it, by the deliverer: both in critical sections of the hub's register
    ever_requested (seq_cst), then the hub's word by ask()  ->  clearing its MISSED, then reading: hub_delivery.pyx
"""

from collections import deque

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport incref
from rs_core.demand cimport demand_add
from rs_core.stream.drain cimport NEW, DemandOwner, push
from rs_core.sources.emitter cimport EmitterSource, source_end
from rs_core.stream.failures cimport drop_signal, release_failed
from rs_core.interp.object_handoff cimport owned
from rs_core.queues.overflow_queue cimport EMIT_ACCEPTED, overflow_is_closed, overflow_pending, overflow_poll
from rs_core.stream.queue_stage cimport read_error
from rs_core.stream.stage cimport ACCEPTED

from rs_core.queues.overflow_policy import DEFAULT_BLOCK_TIMEOUT_SECONDS

__all__ = ["SourceKeeper", "SourcePlace", "SubjectSource"]


@cython.final
@cython.freelist(16)
@cython.trashcan(True)   # each holds the next
cdef class SourcePlace:
    """The place of a source; made by hubs."""


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
        self.ever_requested.store(0, memory_order_relaxed)  # relaxed: who hands it to other threads publishes it
        self.is_cut.store(0, memory_order_relaxed)  # relaxed: as above

    # --- life cycle and requests ------------------------------------------------------------------------------------

    cdef int begin(self) except -1:
        EmitterSource.begin(self)
        if not self.is_closed():  # else the state says that it has ended
            self.keeper.join(self)
        return 0

    cdef int open(self) except -1:
        return DemandOwner.open(self)  # there is no callback

    cdef int add_demand(self, int64_t n) except -1:
        demand_add(self.ever_requested, n)
        return DemandOwner.add_demand(self, n)

    cdef int skip(self, int64_t n) except -1:
        if n:
            demand_add(self.ever_requested, n)  # as if requested: `ever_taken` is the deliverer's by now
        return 0

    # --- the keeper's deliverer ---------------------------------------------------------------------------------------

    cdef bint give(self, object element) except -1:
        self.ever_taken += 1
        if self.emit(element) != EMIT_ACCEPTED:
            self.ever_taken -= 1
        return not self.is_closed()

    cdef void cut(self) noexcept:
        self.is_cut.store(1, memory_order_release)  # release: pairs with the acquire in send()

    cdef bint is_closed(self) noexcept:
        return overflow_is_closed(self.queue)

    cdef bint is_opening(self) noexcept:
        # relaxed: when it has been opened it asks
        return (self.state.load(memory_order_relaxed) & NEW) != 0

    cdef int64_t requested(self) noexcept:
        # acquire: what the requester wrote before is seen
        cdef int64_t requested = self.ever_requested.load(memory_order_acquire)
        return requested if requested == INT64_MAX else max(0, requested - self.ever_taken)

    cdef int64_t room(self) noexcept:
        return max(0, self.queue.capacity - overflow_pending(self.queue) - <int64_t>len(self.waiting))

    cdef int64_t takes(self) noexcept:
        return self.room() if self.keeper.is_ahead else min(self.room(), self.requested())

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int drain(self) except -1:
        try:
            return EmitterSource.drain(self)
        finally:
            self.keeper.ask()  # behind the drain: now it is known what is requested and what waits

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        # acquire: pairs with the release in cut(); closing the queue has told the drainer
        if self.is_cut.load(memory_order_acquire):
            self._drop_waiting()
        while self.waiting and sent != n and not self.should_leave():
            element = self.waiting.popleft()
            incref(<PyObject*>element)
            self.changed = True
            if push(self, <PyObject*>element) == ACCEPTED:
                sent += 1
        if not self.waiting and not self.should_leave():
            sent += EmitterSource.send(self, n - sent)
        return sent

    cdef void _drop_waiting(self) noexcept:
        """Hand what waits to the hook, since the error passes it."""
        cdef PyObject* element
        while self.waiting:
            drop_signal(self, "on_next", self.waiting.popleft(), self.origin)
        element = overflow_poll(self.queue)
        while element is not NULL:
            drop_signal(self, "on_next", owned(element), self.origin)
            element = overflow_poll(self.queue)
        self.changed = True

    cdef void release(self) noexcept:
        EmitterSource.release(self)  # closes the queue
        self.waiting.clear()
        try:
            self.keeper.leave(self)  # I3
        except BaseException as error:
            release_failed(self, "cancel", error, self.origin)

    # --- state ------------------------------------------------------------------------------------------------------

    cdef bint differs_from_saved(self) noexcept:
        # What comes only adds to what was saved, all of which is in `waiting`; what is sent is noted by the drainer.
        cdef int64_t size = <int64_t>len(self.waiting) + overflow_pending(self.queue)
        return size != self.saved_size or self._has_ended() != self.saved_end

    cdef bint _has_ended(self) noexcept:
        return self.is_closed() and not self.queue.is_cancelled

    cdef int write_fields(self, object writer) except -1:
        cdef PyObject* element = overflow_poll(self.queue)
        while element is not NULL:  # nobody drains: what has to wait may wait here
            self.waiting.append(owned(element))
            element = overflow_poll(self.queue)
        has_ended = self._has_ended()
        # acquire: as in send()
        writer.write([] if self.is_cut.load(memory_order_acquire) else list(self.waiting))
        writer.write(has_ended)
        writer.write(self.queue.end_error)
        self.saved_size = len(self.waiting)
        self.saved_end = has_ended
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.waiting = deque(reader.read(list))
        has_ended = reader.read(bool)
        error = read_error(reader)
        self.is_loaded = True
        if has_ended:
            source_end(self, error)
        self.saved_size = len(self.waiting)
        self.saved_end = has_ended
        return 0
