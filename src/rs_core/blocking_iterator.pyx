"""Blocking iteration: the elements of a stream in a for loop.

Roles
    producer    the holder of the upstream token: puts elements into the ring, notes the end
    consumer    the thread that iterates, one at a time: takes them out, requests more, waits

A consumer that finds nothing sets `is_waiting` and looks again before it parks; a producer that put something looks at
`is_waiting` after that. Ordering: both sides write, then read what the other wrote, all seq_cst (a store-buffer
pair); with less both could miss each other, and the consumer would sleep beside a full ring.
"""

from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.atomics cimport gil_uint32, memory_order_relaxed, memory_order_seq_cst
from rs_core.calls cimport decref
from rs_core.description cimport Description
from rs_core.lifecycle cimport initialize
from rs_core.object_handoff cimport handoff_owned
from rs_core.parker cimport Parker, park_interruptibly, parker_free, parker_new, parker_unpark
from rs_core.spsc_ring cimport SpscRing, spsc_offer, spsc_peek, spsc_poll
from rs_core.stage cimport ACCEPTED, SWALLOWED, Stage, cancel_from_outside, request_upstream

from rs_core.errors import StreamCancelledError


@cython.final
cdef class _IteratorEnd(Stage):
    cdef SpscRing ring
    cdef object failure
    cdef Parker* parker
    cdef gil_uint32 is_waiting, is_ended

    def __cinit__(self, Description source, int64_t prefetch):
        self.source = source
        self.is_pulled = True
        self.ring = SpscRing(prefetch)
        self.is_waiting.store(0, memory_order_relaxed)
        self.is_ended.store(0, memory_order_relaxed)
        self.parker = parker_new()
        if self.parker is NULL:
            raise MemoryError("no memory for a lock")

    cdef int try_next(self, PyObject* element) noexcept:
        spsc_offer(self.ring.slots, handoff_owned(element))  # never full: no more than its capacity is requested
        self._wake()
        return ACCEPTED

    cdef int receive_complete(self) noexcept:
        return self._end(None)

    cdef int receive_error(self, object error) noexcept:
        return self._end(error)

    cdef int _end(self, object failure) noexcept:
        self.failure = failure
        self.is_ended.store(1, memory_order_seq_cst)  # seq_cst: see Ordering; releases `failure`
        self._wake()
        return SWALLOWED

    cdef void release(self) noexcept:
        # Torn down without an end: closed by its reader, or a thread that delivered was interrupted.
        # seq_cst: see Ordering
        if not self.is_ended.load(memory_order_seq_cst):
            self._end(StreamCancelledError(
                "the stream was cancelled while it ran, e.g. by an interrupt of the thread that delivered; run it again"
            ))

    cdef void _wake(self) noexcept:
        # seq_cst: an exchange, so that it keeps its place behind the ring's release store; see Ordering
        if self.is_waiting.exchange(0, memory_order_seq_cst):
            parker_unpark(self.parker)

    cdef bint has_news(self) noexcept:
        # seq_cst: see Ordering
        return spsc_peek(self.ring.slots) is not NULL or self.is_ended.load(memory_order_seq_cst)

    def __dealloc__(self):
        if self.parker is not NULL:
            parker_free(self.parker)


@cython.final
cdef class BlockingIterator:
    """Iterate over the elements of a stream in the calling thread.

    Dropping the iterator, e.g. by leaving the loop early, cancels the stream; `close()` does it at once.

    Args:
        source: The description whose elements are wanted.
        prefetch: How many elements may be requested and not yet taken; 1 and more. None: 1 where the calling thread
            drains the stream, so that nothing is read ahead; `default_prefetch` where another thread delivers.
        default_prefetch: See `prefetch`.
        context: What the host provides to the operators, or None.

    Raises:
        Exception: `next()` raises what ended the stream; for a StopIteration a RuntimeError caused by it.

    Threads: one thread at a time.
    """

    cdef _IteratorEnd end
    cdef int64_t prefetch, replenish_at, consumed
    cdef bint is_open

    def __init__(self, Description source not None, prefetch=None, *, int64_t default_prefetch=128, context=None):
        self.end = _IteratorEnd(source, default_prefetch if prefetch is None else prefetch)
        self.is_open = True
        try:
            initialize(self.end, context)
        except BaseException:
            self.close()
            raise
        self.prefetch = (default_prefetch if _is_concurrent(self.end) else 1) if prefetch is None else prefetch
        self.replenish_at = self.prefetch - self.prefetch // 4
        self.consumed = self.prefetch  # requested by the first next(): nothing flows before it

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `BlockingIterator[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    def __iter__(self):
        return self

    def __next__(self):
        cdef PyObject* element
        if not self.is_open:
            raise StopIteration
        try:
            element = self._poll()
            if element is NULL:
                self._await_news()
                element = self._poll()
        except BaseException:  # an interrupt, of a callback or of the wait
            self.close()
            raise
        if element is not NULL:
            taken = <object>element
            decref(element)
            return taken
        self.is_open = False
        failure = self.end.failure
        if failure is not None:
            self.end.failure = None
            if isinstance(failure, StopIteration):  # would end the loop as if the stream were complete
                raise RuntimeError("the stream failed with StopIteration; its cause tells where") from failure
            raise failure
        raise StopIteration

    cdef PyObject* _poll(self) except? NULL:
        """Take an element if there is one; request more before it, so that the next one is on its way."""
        cdef PyObject* element = spsc_poll(self.end.ring.slots)
        if element is NULL and self.consumed:
            self._replenish()
            element = spsc_poll(self.end.ring.slots)
        if element is not NULL:
            self.consumed += 1
            if self.prefetch > 1 and self.consumed >= self.replenish_at:
                try:
                    self._replenish()
                except BaseException:
                    decref(element)
                    raise
        return element

    cdef int _replenish(self) except -1:
        cdef int64_t consumed = self.consumed
        self.consumed = 0
        return request_upstream(self.end, consumed)

    cdef int _await_news(self) except -1:
        cdef _IteratorEnd end = self.end
        while not end.has_news():
            # seq_cst: an exchange, so that the look at the ring stays behind it; see Ordering
            end.is_waiting.exchange(1, memory_order_seq_cst)
            if end.has_news():
                end.is_waiting.store(0, memory_order_relaxed)  # relaxed: a late unpark is a spare permit
                return 0
            park_interruptibly(end.parker, -1.0)
        return 0

    def close(self) -> None:
        """Cancel the stream; further `next()` calls raise StopIteration. Idempotent."""
        if self.is_open:
            self.is_open = False
            cancel_from_outside(self.end)

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __del__(self):
        if self.end is not None:
            self.close()


cdef bint _is_concurrent(Stage end):
    """Whether another thread may deliver: a boundary or a publisher stands above."""
    cdef Stage owner = end.owner
    while owner is not None:
        if owner.is_concurrent:
            return True
        owner = owner.owner
    return False
