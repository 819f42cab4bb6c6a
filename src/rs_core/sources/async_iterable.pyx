"""A source whose elements come from an asynchronous iterable, read by a task of an event loop.

It is a publisher like any other (sources/publisher.pyx), but ours: None is an ordinary element of it.
"""

cimport cython

from rs_core.stream.subscription cimport drain_in_turns
from rs_core.sources.publisher cimport PublisherSource


@cython.final
cdef class AsyncSource(PublisherSource):
    """Send what a reader of an asynchronous iterable hands over.

    Args:
        reader: Has `subscribe(feed)`, which reads as much as is requested, one element after the other.
        prefetch: How many elements may be requested and not yet passed on.
    """

    cdef object new_input(self):
        return Feed(self)


@cython.final
cdef class Feed:
    """The subscriber that the reader sees; None may be an element."""

    cdef AsyncSource source
    cdef object __weakref__

    def __cinit__(self, AsyncSource source not None):
        self.source = source

    def drain_in_turns(self, turns) -> None:
        """Let the stream belong to the loop of the reader; before `on_subscribe`."""
        drain_in_turns(self.source, turns)

    def on_subscribe(self, subscription) -> None:
        self.source.accept_subscription(subscription)

    def on_next(self, element) -> None:
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        self.source.accept_end("on_complete", None)
