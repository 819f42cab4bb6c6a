"""The base of processors that library authors write.

A processor is a chain of three stages: a source that the upstream signals, an operator that calls the hooks, and the
last stage, which signals the downstream. The argument is in their headers: sources/publisher.pyx, processor_stage.pyx
with python_operator.pyx, ends/subscriber.pyx.

Roles
    upstream    any thread, one signal at a time (§1.3)
    downstream  any thread: subscribes, requests, cancels

Invariants
    I1  Until a downstream subscribes, the chain is closed: no hook runs and nothing is requested. The upstream's
        subscription and its end wait in the source.
    I2  One subscriber is linked downstream: the thread whose exchange of `is_served` finds 0 links it.

Ordering: each subscribing thread exchanges `is_served` (acq_rel); everything else is ordered by the words of the
stages.
Progress: signals never wait. Of two threads with work for the hooks one does it all; the other only records its work.
"""

from types import GenericAlias

from rs_core.interp.arguments cimport as_count
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.queues.bounded_ring cimport MAX_RING_CAPACITY_ELEMENTS
from rs_core.authors.processor_stage cimport ProcessorStage
from rs_core.sources.publisher cimport PublisherSource
from rs_core.interp.signal_arguments cimport no_exception, null_element, null_error, null_subscription
from rs_core.ends.subscriber cimport check_subscriber, serve_subscriber
from rs_core.interp.type_slots cimport add_to_class

from rs_core.interp.deferred_functions import hook_check
from rs_core.errors import SourceUsedTwiceError
from rs_core.sources.basic import ErrorSource, GivenError


cdef class BaseProcessor:
    """A processor whose hooks a library author writes: it implements both sides of the protocol.

    Subclass it, define `hook_on_next(element)` and emit the results of the element with `emit(x)`: none, one or many. A
    processor serves one upstream and one downstream, once; either may come first.

    Attributes:
        prefetch: How many elements may be requested from the upstream and not yet passed to `hook_on_next`, from 1 to
            2**24, 256 by default.
        capacity: How many elements one hook may emit, from 1 to 2**24, 1024 by default; one more raises CapacityError.

    Demand:
        Nothing is requested before the downstream has subscribed and requested. Then `prefetch` elements are requested,
        and more when three quarters of them were handled. An element is handled when there is demand and all elements
        emitted before have been sent.

    Errors:
        An exception of a hook cancels the upstream and is sent downstream, after the elements that were emitted before
        it. An error of the upstream goes to `hook_on_error`, after the elements before it; so does a violation of §1.1
        or §1.3. A second upstream is cancelled (§2.5); a second downstream gets `on_subscribe`, then `on_error`.

    State:
        None.

    Threads:
        Any thread may signal; hooks run one at a time, never inside each other, in the thread that signals or requests.
        `emit`, `complete` and `fail` only inside hooks.

    Rules:
        §1.1, §1.3, §1.7, §1.9, §1.11, §2.1, §2.5, §2.7, §2.12, §2.13, §3.3, §3.9, §4.1, §4.2.

    Example:
        >>> from reactivestreams import BaseProcessor, Stream
        >>> class Words(BaseProcessor):
        ...     def hook_on_next(self, element):
        ...         for word in element.split():
        ...             self.emit(word)
        >>> words = Words()
        >>> Stream.just("to be", "", "or not").subscribe(words)
        >>> Stream.from_publisher(words).to_list()
        ['to', 'be', 'or', 'not']
    """

    prefetch = 256
    capacity = 1024

    def __cinit__(self, *args, **kwargs):
        cdef object kind = type(self)
        cdef str label = kind.__name__
        prefetch = as_count(kind.prefetch, f"{label}.prefetch", 1, MAX_RING_CAPACITY_ELEMENTS)
        capacity = as_count(kind.capacity, f"{label}.capacity", 1, MAX_RING_CAPACITY_ELEMENTS)
        self.is_served.store(0, memory_order_relaxed)
        self.source = PublisherSource(None, prefetch)
        self.source.label = label
        self.stage = ProcessorStage(self.source, prefetch, capacity, label)

    def __init__(self, *args, **kwargs):
        pass  # everything is done above: a subclass may have any parameters and omit super().__init__()

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `BaseProcessor[element_type, result_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    # --- the subscriber's side: called by the upstream ----------------------------------------------------------------

    def on_subscribe(self, subscription) -> None:
        """Accept the subscription of the upstream; a second one is cancelled (§2.5). May run hooks."""
        if subscription is None:
            raise null_subscription()
        self.source.accept_subscription(subscription)
        self.stage.notify()  # the first hook is due, if there is a downstream

    def on_next(self, element) -> None:
        """Receive an element of the upstream. May run hooks."""
        if element is None:
            raise null_element("on_next")
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        """Receive the error of the upstream. May run hooks."""
        if error is None:
            raise null_error()
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        """Receive completion of the upstream. May run hooks."""
        self.source.accept_end("on_complete", None)

    # --- the publisher's side: called by the downstream ---------------------------------------------------------------

    def subscribe(self, subscriber) -> None:
        """Begin the subscription of the downstream: it always gets `on_subscribe` (§1.9). May run hooks.

        Raises:
            NullElementError: The subscriber is None.
            ArgumentTypeError: It lacks one of the four methods.
        """
        check_subscriber(subscriber, "subscribe")
        # acq_rel: only one of several threads links its subscriber (I2); pairs with itself
        if self.is_served.exchange(1, memory_order_acq_rel):
            serve_subscriber(ErrorSource(GivenError(SourceUsedTwiceError(
                f"§1.11: {type(self).__name__} has a subscriber, or had one, and serves only one; use a processor for "
                f"each subscriber",
                rule="1.11",
            ))), subscriber)
        else:
            self.stage.serve(self, subscriber)

    # --- overridden by the author -------------------------------------------------------------------------------------

    def hook_on_subscribe(self) -> None:
        """Start: runs before the other hooks, once, when there are an upstream and a downstream; may emit."""

    def hook_on_next(self, element) -> None:
        """Handle an element; emit its results."""
        raise NotImplementedError(f"{type(self).__name__} has to define hook_on_next(self, element)")

    def hook_on_error(self, error) -> None:
        """Handle the error of the upstream; by default it is sent downstream.

        To recover (§4.2), emit the last elements and call `complete()`. A hook that returns without `complete()` or
        `fail()` passes the error on.
        """

    def hook_on_complete(self) -> None:
        """Handle completion of the upstream; may emit the last elements. The processor then completes."""

    def hook_on_cancel(self) -> None:
        """Release resources: the processor was cancelled, or ended without complete() or fail()."""

    # --- called by the author -----------------------------------------------------------------------------------------

    def emit(self, element) -> None:
        """Send an element downstream, after earlier ones, as soon as the hook has returned and there is demand.

        Raises:
            NullElementError: The element is None.
            CapacityError: `capacity` elements already wait.
            StateError: No hook is running in this thread, or the processor has ended.
        """
        self.stage.emit_in_hook(element)

    def complete(self) -> None:
        """Complete after the emitted elements; the upstream is cancelled. Later calls do nothing (§1.7).

        Raises:
            StateError: No hook is running in this thread.
        """
        self.stage.end_in_hook("complete()", None)

    def fail(self, error) -> None:
        """Fail with an exception after the emitted elements; the upstream is cancelled. Later calls do nothing (§1.7).

        Raises:
            ArgumentTypeError: The argument is not an exception instance.
            StateError: No hook is running in this thread.
        """
        if not isinstance(error, Exception):
            raise no_exception(error)
        self.stage.end_in_hook("fail()", error)


add_to_class(BaseProcessor, "__init_subclass__", hook_check(
    BaseProcessor, "and await with map_async() before or after it"
))
