"""The base of publishers that library authors write."""

from types import GenericAlias

cimport cython

from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.authors.subscription cimport BaseSubscription
from rs_core.stream.subscription cimport DemandOwner
from rs_core.ends.subscriber cimport check_subscriber, serve_subscriber
from rs_core.interp.type_slots cimport add_to_class

from rs_core.interp.deferred_functions import hook_check
from rs_core.sources.basic import ErrorSource, GivenError, IterableSource, OneShot


cdef class BasePublisher:
    """A publisher whose subscriptions a library author makes: it implements null checks, rejection and order.

    Subclass it and override one of two methods: `create_subscription(subscriber)`, which returns a `BaseSubscription`
    or any other Subscription, or `generate(demand)`, which yields the elements.

    Demand: that of the subscriber; with `generate`, the generator runs to its next element only on demand.
    Errors: an exception of either method reaches the subscriber by `on_subscribe`, then `on_error` (§1.9).
    State: none.
    Threads: any thread may call `subscribe`; with `generate`, elements are made in the thread that requests them.
    Rules: §1.1, §1.3, §1.4, §1.5, §1.7, §1.9, §1.11, §3.9.

    Example:
        >>> from rs_core.authors.base_classes import BasePublisher
        >>> from reactivestreams import Stream
        >>> class Squares(BasePublisher):
        ...     def generate(self, demand):
        ...         for number in range(4):
        ...             yield number * number
        >>> Stream.from_publisher(Squares()).to_list()
        [0, 1, 4, 9]
    """

    cdef object __weakref__

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `BasePublisher[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    def subscribe(self, subscriber) -> None:
        """Begin a subscription: the subscriber always gets `on_subscribe` (§1.9).

        Raises:
            NullElementError: The subscriber is None.
            ArgumentTypeError: It lacks one of the four methods.
        """
        check_subscriber(subscriber, "subscribe")
        try:
            subscription = self.create_subscription(subscriber)
        except Exception as error:
            serve_subscriber(ErrorSource(GivenError(error)), subscriber)
            return
        if isinstance(subscription, BaseSubscription):
            subscription.start()
        elif isinstance(subscription, _Generated):
            (<_Generated>subscription).start()
        else:
            subscriber.on_subscribe(subscription)

    def create_subscription(self, subscriber):
        """Return the subscription of a subscriber; by default one that runs `generate`."""
        return _Generated(self, subscriber)

    def generate(self, demand):
        """Yield the elements of one subscription.

        Args:
            demand: A `DemandView` with the number of elements that are requested and not yet yielded.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has to define generate(demand) or create_subscription(subscriber)"
        )


@cython.final
cdef class DemandView:
    """A view of the demand that is not yet fulfilled, for a generator that fetches in batches.

    Threads: any.
    """

    cdef DemandOwner source

    @property
    def value(self) -> int:
        """The demand; 2**63 - 1 means without limit. It is reduced after each burst.

        It is 0 while `generate` itself runs, if that is not a generator: nothing can have been requested yet.
        """
        if self.source is None:
            return 0
        return self.source.demand_word.load(memory_order_relaxed)  # relaxed: immediately outdated

    def __repr__(self) -> str:
        return f"DemandView({self.value})"


@cython.final
cdef class _Generated:
    """A subscription to the elements of `generate`."""

    cdef BasePublisher publisher
    cdef object subscriber

    def __init__(self, publisher, subscriber):
        self.publisher = publisher
        self.subscriber = subscriber

    cdef int start(self) except -1:
        cdef DemandView view = DemandView.__new__(DemandView)
        try:
            elements = iter(self.publisher.generate(view))
        except Exception as error:
            return serve_subscriber(ErrorSource(GivenError(error)), self.subscriber)
        source = IterableSource(OneShot(elements))
        view.source = source
        return serve_subscriber(source, self.subscriber)


add_to_class(BasePublisher, "__init_subclass__", hook_check(
    BasePublisher, "or make the stream with Stream.from_async_iterable()", generators=("generate",)
))
