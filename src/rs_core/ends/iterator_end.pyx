"""The last stage of a stream whose elements are taken one by one, by a consumer that waits while there are none.

Roles
    producer    the holder of the upstream token: puts elements into the ring, records the end
    consumer    the iterating thread or task, one at a time: takes elements out, requests more, waits

A consumer that finds no element sets `is_waiting` and checks again before it waits; a producer that added one reads
`is_waiting` after that, and wakes the consumer if it was set, once for any number of further elements. Ordering: both
sides write, then read the other's word, all seq_cst (a store-buffer pair); with a weaker order both could miss each
other, and the consumer would sleep although the ring has elements.

An exception of a wake-up is never lost. An interrupt, such as Ctrl-C in the middle of it, goes to the owner, whose
thread raises it when the stream is torn down; the consumer is called again, because it is unknown whether it was woken,
and an extra wake-up is harmless. If that fails too, `is_waiting` is set again, so that the end of the stream, which
follows, wakes it. An Exception means that the event loop has ended.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport memory_order_relaxed, memory_order_seq_cst
from rs_core.interp.calls cimport decref
from rs_core.stream.description cimport Description
from rs_core.stream.lifecycle cimport initialize
from rs_core.interp.object_handoff cimport handoff_owned
from rs_core.queues.spsc_ring cimport SpscRing, spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.subscription cimport (
    ACCEPTED, CONSUMED, DemandOwner, Stage, cancel_from_outside, cancel_upstream, drain_in_turns, drop_signal,
    mark_awaited, new_error, request_upstream,
)

from rs_core.errors import StateError, StreamCancelledError

cdef enum:
    WAKE_TRIES = 3   # an interrupt may come in between, but not every time


cdef class IteratorEnd(Stage):
    """The base of the stages of iterators; a subclass defines how its consumer is woken."""

    def __cinit__(self, Description source, int64_t prefetch, *args):
        mark_awaited(self)
        self.source = source
        self.is_pulled = True
        self.ring = SpscRing(prefetch)
        self.is_waiting.store(0, memory_order_relaxed)
        self.is_ended.store(0, memory_order_relaxed)

    cdef int begin(self) except -1:
        return 0 if self.turns is None else drain_in_turns(self, self.turns)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what waits for the iteration."""
        cdef dict facts = Stage.inspect(self)
        facts["operator"] = "iteration"
        facts["buffered"] = <int64_t>spsc_size(self.ring.slots)
        facts["capacity"] = facts["prefetch"] = self.prefetch
        # relaxed: as for all that is inspected
        if self.is_ended.load(memory_order_relaxed):
            facts["has_input_ended"] = True
        facts["waiting_for"] = "elements" if self.is_waiting.load(memory_order_relaxed) else "its consumer"
        return facts

    # --- producer ---------------------------------------------------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        spsc_offer(self.ring.slots, handoff_owned(element))  # never full: no more than its capacity is requested
        # seq_cst: an exchange, so that it stays after the ring's release store; see Ordering
        if self.is_waiting.exchange(0, memory_order_seq_cst):
            self.wake()
        return ACCEPTED

    cdef int receive_complete(self) noexcept:
        return _end(self, None)

    cdef int receive_error(self, object error) noexcept:
        return _end(self, error)

    cdef void release(self) noexcept:
        # Torn down without a terminal signal: closed by its reader, or a delivering thread was interrupted.
        # seq_cst: see Ordering
        if not self.is_ended.load(memory_order_seq_cst):
            _end(self, new_error(
                StreamCancelledError,
                "a task that waited for the next element was cancelled, e.g. by wait_for(anext(iterator), seconds), "
                "and that cancels the stream; iterate again, and wait with asyncio.wait({task}, timeout=seconds), "
                "which leaves the task of anext(iterator) to go on" if self.is_wait_cancelled else
                "the stream was cancelled while it ran, e.g. by an interrupt of the thread that delivered; run it "
                "again",
            ))

    cdef void wake(self) noexcept:
        """Wake the consumer, which waits or is about to wait."""
        cdef object interrupt = None
        cdef int tries = 0
        cdef bint is_woken = False
        while not is_woken and tries < WAKE_TRIES and not self.is_deserted:
            tries += 1
            try:
                self.call_consumer()
                is_woken = True
            except Exception as error:
                self._desert(error)
            except BaseException as error:
                interrupt = error if interrupt is None else interrupt
        if not is_woken:
            self.is_waiting.store(1, memory_order_seq_cst)  # seq_cst: see Ordering
        if interrupt is not None and self.owner is not None:
            self.owner.fail_at(self, interrupt)

    cdef int call_consumer(self) except -1:
        return 0

    cdef void _desert(self, Exception error) noexcept:
        """Cancel: the event loop has ended, and with it the waiting task, so the elements will not be taken."""
        self.is_deserted = True
        cancel_upstream(self)
        drop_signal(
            self, "wake-up", error, "an async for loop, whose event loop was closed; its stream was cancelled"
        )

    # --- consumer ---------------------------------------------------------------------------------------------------

    cdef int begin_iteration(self, object prefetch, int64_t default_prefetch, object context) except -1:
        """Start the stream; if that fails, nothing of it is left running.

        The prefetch is decided when the tree exists: nothing is read ahead if the consumer's thread drains it.
        """
        try:
            initialize(self, context)
        except BaseException:
            cancel_from_outside(self)
            raise
        self.prefetch = (default_prefetch if _is_concurrent(self) else 1) if prefetch is None else prefetch
        self.replenish_at = self.prefetch - self.prefetch // 4
        self.consumed = self.prefetch  # requested by the first poll that finds nothing: no element is sent before it
        return 0

    cdef PyObject* poll(self) except? NULL:
        """Take an element if there is one; request more before it, so that the next one is on its way."""
        cdef PyObject* element = spsc_poll(self.ring.slots)
        if element is NULL and self.consumed:
            _replenish(self)
            element = spsc_poll(self.ring.slots)
        if element is not NULL:
            self.consumed += 1
            if self.prefetch > 1 and self.consumed >= self.replenish_at:
                try:
                    _replenish(self)
                except BaseException:
                    decref(element)
                    raise
        return element

    cdef bint has_news(self) noexcept:
        # seq_cst: see Ordering
        return spsc_peek(self.ring.slots) is not NULL or self.is_ended.load(memory_order_seq_cst)

    cdef bint wait_begins(self) noexcept:
        if self.has_news():
            return False
        # seq_cst: an exchange, so that the check of the ring stays after it; see Ordering
        self.is_waiting.exchange(1, memory_order_seq_cst)
        if not self.has_news():
            return True
        self.is_waiting.store(0, memory_order_relaxed)  # relaxed: a late wake is harmless
        return False

    cdef int abandon(self) except -1:
        """Cancel, because the consumer is destroyed: it does not wait any more, even if it had begun to."""
        self.is_waiting.store(0, memory_order_relaxed)  # relaxed: a late wake is harmless
        return cancel_from_outside(self)

    cdef int raise_end(self, object complete) except -1:
        """Raise the error of the stream once, or `complete` if it completed, in a form that no loop misinterprets."""
        failure = self.failure
        self.failure = None
        if failure is None:
            raise complete
        if isinstance(failure, (StopIteration, StopAsyncIteration)):  # it would end the loop like completion
            raise RuntimeError(f"the stream failed with {type(failure).__name__}; its cause says where") from failure
        raise failure


def two_tasks_wait() -> StateError:
    """Return the error of the second task that waits for a step of one iterator."""
    return StateError(
        "two tasks wait for the next element of one asynchronous iterator; give each task an iterator of its own, or "
        "let one of them pass the elements on"
    )


def two_threads_take() -> StateError:
    """Return the error of a call of next() while another one runs."""
    return StateError(
        "next() of an iterator was called while another call of it is running, in another thread or by a function of "
        "its own stream; give each thread an iterator of its own, or let one pass the elements on"
    )


cdef int _end(IteratorEnd end, object failure) noexcept:
    end.failure = failure
    end.is_ended.store(1, memory_order_seq_cst)  # seq_cst: see Ordering; releases `failure`
    # seq_cst: see Ordering
    if end.is_waiting.exchange(0, memory_order_seq_cst):
        end.wake()
    return CONSUMED


cdef int _replenish(IteratorEnd end) except -1:
    cdef int64_t consumed = end.consumed
    end.consumed = 0
    return request_upstream(end, consumed)


cdef bint _is_concurrent(Stage end):
    """Return whether another thread may deliver: there is a boundary or a publisher upstream."""
    cdef DemandOwner owner = end.owner
    while owner is not None:
        if owner.is_concurrent:
            return True
        for side in owner.side_inputs():
            if _is_concurrent(<Stage>side):
                return True
        owner = owner.owner
    return False
