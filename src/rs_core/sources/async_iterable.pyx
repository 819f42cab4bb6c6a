"""A source whose elements come from an asynchronous iterable, read by a task of an event loop.

It is a publisher source (sources/publisher.pyx) whose reader belongs to this project, so None is an ordinary element.
"""

cimport cython

from rs_core.stream.subscription cimport drain_in_turns
from rs_core.sources.publisher cimport PublisherSource


@cython.final
cdef class AsyncSource(PublisherSource):
    """Send the elements of a reader of an asynchronous iterable.

    Args:
        reader: The reader; its `subscribe(feed)` reads the requested elements, one after the other.
        prefetch: How many elements may be requested and not yet passed on.
    """

    cdef object new_input(self):
        return Feed(self)


@cython.final
cdef class Feed:
    """The subscriber of the reader; None may be an element."""

    cdef AsyncSource source
    cdef object __weakref__

    def __cinit__(self, AsyncSource source not None):
        self.source = source

    def drain_in_turns(self, turns) -> None:
        """Bind the stream to the loop of the reader; called before `on_subscribe`."""
        drain_in_turns(self.source, turns)

    def on_subscribe(self, subscription) -> None:
        self.source.accept_subscription(subscription)

    def on_next(self, element) -> None:
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        self.source.accept_end("on_complete", None)
