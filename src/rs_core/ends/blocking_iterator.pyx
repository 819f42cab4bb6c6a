"""Blocking iteration: the elements of a stream in a for loop.

The consumer of iterator_end.pyx is a thread here, which parks while there is no element.
"""

from os import getpid
from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.sync.atomics cimport gil_uint32, memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport decref
from rs_core.stream.description cimport Description
from rs_core.ends.iterator_end cimport IteratorEnd
from rs_core.ends.loop_refusal cimport refuse_own_loop
from rs_core.sync.parker cimport Parker, park_interruptibly, parker_free, parker_new, parker_unpark
from rs_core.stream.subscription cimport cancel_from_outside

from rs_core.errors import StateError
from rs_core.ends.iterator_end import two_threads_take


@cython.final
cdef class _ParkingEnd(IteratorEnd):
    cdef Parker* parker

    def __cinit__(self, *args):
        self.parker = parker_new()
        if self.parker is NULL:
            raise MemoryError("no memory for a lock")

    cdef void wake(self) noexcept:
        parker_unpark(self.parker)

    def __dealloc__(self):
        if self.parker is not NULL:
            parker_free(self.parker)


@cython.final
cdef class BlockingIterator:
    """Iterate over the elements of a stream in the calling thread.

    Dropping the iterator, e.g. by leaving the loop early, cancels the stream; `close()` does it at once.

    Args:
        source: The description of the stream.
        prefetch: How many elements may be requested and not yet taken, from 1. None: 1 if the calling thread drains the
            stream, so that nothing is read ahead; `default_prefetch` if another thread delivers.
        default_prefetch: See `prefetch`.
        context: The context of the operators, or None.

    Raises:
        Exception: `next()` raises the error of the stream; for a StopIteration or StopAsyncIteration a
            RuntimeError caused by it.
        StateError: `next()` was called while another call of it is running, in another thread or in an outer frame of
            this one; or it would wait, in a child of `os.fork`, for a thread of the parent.
        RunningEventLoopError: `next()` would wait for the event loop that runs in this thread; the stream is cancelled.

    Threads: one thread at a time; any thread may call `close()`.
    """

    cdef _ParkingEnd end
    cdef bint is_open
    cdef object process         # the process that made it
    cdef gil_uint32 is_taking   # a call of next() is running: there is one consumer

    def __init__(self, Description source not None, prefetch=None, *, int64_t default_prefetch=128, context=None):
        self.is_taking.store(0, memory_order_relaxed)
        self.process = getpid()
        self.end = _ParkingEnd(source, default_prefetch if prefetch is None else prefetch)
        self.end.begin_iteration(prefetch, default_prefetch, context)
        self.is_open = True

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
        # acquire: pairs with the release below; each call sees the consumer's fields of the previous one
        if self.is_taking.exchange(1, memory_order_acquire):
            raise two_threads_take()
        try:
            element = self.end.poll()
            if element is NULL:
                while self.end.wait_begins():
                    if getpid() != self.process:
                        raise StateError(
                            "the iterator was made in the process that this one was forked from, and the thread that "
                            "delivers its elements exists only there; iterate over the stream again in this process"
                        )
                    refuse_own_loop(self.end, "iterate")
                    park_interruptibly(self.end.parker, -1.0)
                element = self.end.poll()
        except BaseException:  # an interrupt, of a callback or of the wait
            self.close()
            raise
        finally:
            self.is_taking.store(0, memory_order_release)  # release: pairs with the acquire above
        if element is not NULL:
            taken = <object>element
            decref(element)
            return taken
        self.is_open = False
        self.end.raise_end(StopIteration)

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
        if self.is_open:
            self.is_open = False
            self.end.abandon()
