"""Reading a stream in an event loop of any kind: elements one by one, and a callback when there are new ones.

The consumer of iterator_end.pyx is Python code here, which knows how to wait in its loop.
"""

from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport decref
from rs_core.stream.description cimport Description
from rs_core.ends.iterator_end cimport IteratorEnd
from rs_core.stream.subscription cimport cancel_from_outside
from rs_core.sync.turns cimport LoopTurns


@cython.final
cdef class _NotifyingEnd(IteratorEnd):
    cdef object on_news

    cdef int call_consumer(self) except -1:
        self.on_news()
        return 0


@cython.final
cdef class ElementReader:
    """Take the elements of a stream one by one, with a callback when there are new ones.

    Dropping the reader cancels the stream; `close()` does it at once.

    Args:
        source: The description of the stream.
        on_news: Called once after each `must_wait()` that was True, by the thread that delivers. Its exception cancels
            the stream.
        prefetch: How many elements may be requested and not yet taken, from 1. None: 1 if the calling thread drains the
            stream, so that nothing is read ahead; `default_prefetch` if another thread delivers.
        default_prefetch: See `prefetch`.
        turns: The turns of the event loop whose task reads; None: nothing waits for the thread.
        context: The context of the operators, or None.

    Threads: one thread at a time.
    """

    cdef _NotifyingEnd end
    cdef bint is_open, has_waited   # has_waited: since the last element

    def __init__(
        self, Description source not None, on_news, prefetch=None, *, LoopTurns turns=None,
        int64_t default_prefetch=128, context=None
    ):
        self.end = _NotifyingEnd(source, default_prefetch if prefetch is None else prefetch)
        self.end.on_news = on_news
        self.end.turns = turns
        self.end.begin_iteration(prefetch, default_prefetch, context)
        self.is_open = True

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `ElementReader[element_type]`, for annotations."""
        return GenericAlias(cls, item)

    def take(self, nothing, /):
        """Take the next element.

        Args:
            nothing: The result if there is no element yet.

        Raises:
            StopAsyncIteration: The stream is complete, or was closed.
            StreamCancelledError: It was closed while the consumer waited.
            Exception: The error of the stream; for a StopIteration or StopAsyncIteration a RuntimeError caused by it.
        """
        cdef PyObject* element
        if not self.is_open:
            if not self.has_waited:
                raise StopAsyncIteration
            self.has_waited = False
            self.end.raise_end(StopAsyncIteration)
        try:
            element = self.end.poll()
            if element is NULL:
                if not self.end.has_news():
                    return nothing
                element = self.end.poll()
        except BaseException:  # an interrupt of a callback
            self.close()
            raise
        if element is not NULL:
            self.has_waited = False
            taken = <object>element
            decref(element)
            return taken
        self.is_open = self.has_waited = False
        self.end.raise_end(StopAsyncIteration)

    def must_wait(self) -> bool:
        """Return whether there is nothing to take; if so, `on_news` is called when there is an element or the end."""
        if not self.is_open or not self.end.wait_begins():
            return False
        self.has_waited = True
        return True

    def close(self) -> None:
        """Cancel the stream. Idempotent."""
        if self.is_open:
            self.is_open = False
            cancel_from_outside(self.end)

    def __del__(self):
        if self.is_open:
            self.is_open = False
            self.end.abandon()
