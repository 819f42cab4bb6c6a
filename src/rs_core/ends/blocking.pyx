"""Blocking terminal operations: they collect elements, call a function, or return elements one by one.

The calling thread drains the stream itself if no other thread does. If another thread delivers, it waits on a parker;
Ctrl-C wakes it, cancels the stream and is raised. It does not wait for an event loop that runs in the same thread
(loop_refusal.pyx).

Ordering: `outcome` and `failure` are written before the exchange to ENDED (release) and read after ENDED was seen
(acquire).
"""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint32_t

cimport cython

from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from rs_core.interp.calls cimport call1, call2, caught, decref
from rs_core.stream.description cimport Description
from rs_core.stream.lifecycle cimport initialize
from rs_core.ends.loop_refusal cimport refuse_own_loop
from rs_core.sync.parker cimport PARK_WOKEN, park_interruptibly, parker_free, parker_new, parker_unpark
from rs_core.stream.subscription cimport (
    ACCEPTED, CONSUMED, STOPPED, Stage, cancel_upstream, mark_awaited, new_error, request_upstream,
)

from rs_core.errors import ArgumentError, StateError, StreamCancelledError

cdef extern from "Python.h":
    int PyList_Append(object elements, object element) noexcept

cdef class BlockingEnd(Stage):
    """The base of the terminal operations that block their caller until the stream has ended."""

    def __cinit__(self, *args, **kwargs):
        mark_awaited(self)
        self.prefetch = INT64_MAX
        self.replenish_at = INT64_MAX
        self.until_request = INT64_MAX
        self.end.store(RUNNING, memory_order_relaxed)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and whether its caller waits."""
        cdef dict facts = Stage.inspect(self)
        facts["operator"] = self.method
        # relaxed: as for all that is inspected
        if self.end.load(memory_order_relaxed) == WAITING:
            facts["waiting_for"] = "end"
        return facts

    cdef void limit(self, int64_t prefetch):
        self.prefetch = prefetch
        self.replenish_at = prefetch - prefetch // 4
        self.until_request = self.replenish_at

    cdef int begin(self) except -1:
        return request_upstream(self, self.prefetch)

    cdef int replenish(self) noexcept:
        self.until_request = self.replenish_at
        request_upstream(self, self.replenish_at)  # only adds: this thread drains the owner
        return ACCEPTED

    cdef int receive_complete(self) noexcept:
        self.signal_end()
        return CONSUMED

    cdef int receive_error(self, object error) noexcept:
        self.failure = error
        self.signal_end()
        return CONSUMED

    cdef int stop(self, object failure) noexcept:
        """End early, with or without a failure: the stream is cancelled."""
        self.failure = failure
        cancel_upstream(self)
        self.signal_end()
        return STOPPED

    cdef int callback_failed(self) noexcept:
        return self.stop(caught())

    cdef void signal_end(self) noexcept:
        # acq_rel: release publishes outcome and failure, acquire sees the parker of a waiting caller
        if self.end.exchange(ENDED, memory_order_acq_rel) == WAITING:
            parker_unpark(self.parker)

    cdef void release(self) noexcept:
        # Torn down without a terminal signal: a delivering thread was interrupted. The caller must not wait forever.
        # acquire: pairs with the release in signal_end()
        if self.end.load(memory_order_acquire) != ENDED:
            self.failure = new_error(
                StreamCancelledError,
                "the stream was cancelled while it ran, e.g. by an interrupt of the thread that delivered; run it "
                "again",
            )
            self.signal_end()

    def wait(self, context=None, *, timeout_seconds=None):
        """Run the stream to its end and return the result, or raise its error.

        Args:
            context: What the host provides to the operators, or None.
            timeout_seconds: The maximum time to wait for other threads; None means without limit.

        Raises:
            TimeoutError: The stream did not end in time; it was cancelled.
            RunningEventLoopError: It would wait for the event loop that runs in this thread; it was cancelled.
            ArgumentError: The timeout is negative or not a number.
            StateError: The operation was not created by a stream.
        """
        cdef double limit = -1.0 if timeout_seconds is None else _checked_timeout(timeout_seconds)
        if self.source is None and self.up is None:
            raise StateError(f"{self!r} belongs to no stream; call a terminal operation of a stream")
        try:
            initialize(self, context)
            self._await_end(limit)
        except BaseException:
            cancel_upstream(self)
            raise
        if self.failure is not None:
            failure = self.failure
            self.failure = None
            raise failure
        return self.result()

    cdef int _await_end(self, double timeout_seconds) except -1:
        cdef uint32_t seen = RUNNING
        # acquire: pairs with the release in signal_end()
        if self.end.load(memory_order_acquire) == ENDED:
            return 0
        refuse_own_loop(self, self.method)
        if self.parker is NULL:
            self.parker = parker_new()
            if self.parker is NULL:
                raise MemoryError("no memory for a lock")
        # acq_rel: release publishes the parker to signal_end(); acquire sees the result if the end came first
        if not self.end.compare_exchange_strong(seen, WAITING, memory_order_acq_rel, memory_order_acquire):
            return 0
        if park_interruptibly(self.parker, timeout_seconds) != PARK_WOKEN:
            from rs_core.inspection.stalls import note_stalls  # needed by few programs

            error = TimeoutError(f"the stream did not end within {timeout_seconds} seconds and was cancelled")
            note_stalls(error, self)  # now: what is cancelled waits for nothing any more
            raise error
        return 0

    cdef object result(self):
        return self.outcome

    def __dealloc__(self):
        if self.parker is not NULL:
            parker_free(self.parker)  # the thread that unparked had a reference to this stage until it was done


cdef double _checked_timeout(object timeout_seconds) except? -1:
    cdef double seconds = timeout_seconds
    if not seconds >= 0:  # not a number is refused too
        raise ArgumentError(
            f"timeout_seconds needs a number of seconds from 0, got {timeout_seconds!r}; "
            f"pass None to wait without limit"
        )
    return seconds


@cython.final
cdef class RunEnd(BlockingEnd):
    """Discard every element."""

    def __init__(self, Description source, prefetch=None):
        self.method = "run"
        self.source = source
        if prefetch is not None:
            self.limit(prefetch)

    cdef int try_next(self, PyObject* element) noexcept:
        decref(element)
        return taken(self)


@cython.final
cdef class ForEachEnd(BlockingEnd):
    """Call a function with every element."""

    cdef object function

    def __init__(self, Description source, function, prefetch=None):
        self.method = "for_each"
        self.source = source
        self.function = function
        if prefetch is not None:
            self.limit(prefetch)

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call1(<PyObject*>self.function, element)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        decref(result)
        return taken(self)

    cdef void release(self) noexcept:
        self.function = None
        BlockingEnd.release(self)


@cython.final
cdef class ListEnd(BlockingEnd):
    """Collect the elements in a list."""

    def __init__(self, Description source):
        self.method = "to_list"
        self.source = source
        self.outcome = []

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int failed = PyList_Append(self.outcome, <object>element)
        decref(element)
        return self.callback_failed() if failed else ACCEPTED


@cython.final
cdef class FirstEnd(BlockingEnd):
    """Take the first element, then cancel."""

    cdef readonly bint is_empty

    def __init__(self, Description source, str method="first"):
        self.method = method
        self.source = source
        self.prefetch = 1
        self.is_empty = True

    cdef int try_next(self, PyObject* element) noexcept:
        self.outcome = <object>element
        self.is_empty = False
        decref(element)
        return self.stop(None)


@cython.final
cdef class ReduceEnd(BlockingEnd):
    """Fold the elements into one value."""

    cdef object function

    def __init__(self, Description source, function, seed):
        self.method = "reduce"
        self.source = source
        self.function = function
        self.outcome = seed

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call2(<PyObject*>self.function, <PyObject*>self.outcome, element)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        self.outcome = <object>result
        decref(result)
        return ACCEPTED

    cdef void release(self) noexcept:
        self.function = None
        BlockingEnd.release(self)
