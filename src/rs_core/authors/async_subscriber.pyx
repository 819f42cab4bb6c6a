"""The base of subscribers whose hooks run on a scheduler (§2.2).

It uses a chain of two stages; the argument is in their header (authors/async_subscriber_stages.pyx). The rules of the
hooks themselves are those of BaseSubscriber.
"""

from types import GenericAlias

from rs_core.interp.arguments cimport as_count, safe_repr
from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.queues.bounded_ring cimport MAX_RING_CAPACITY_ELEMENTS
from rs_core.authors.async_subscriber_stages cimport HookEnd, HookSource
from rs_core.interp.signal_arguments cimport null_element, null_error, null_subscription

from rs_core.errors import ArgumentTypeError


cdef class AsyncBaseSubscriber(BaseSubscriber):
    """A subscriber whose hooks run on a scheduler, so that they never block its publisher.

    Like `BaseSubscriber`: subclass it, define `hook_on_next(element)` and other hooks as needed. A signal only puts its
    argument into a bounded queue and wakes a task of the scheduler, which calls the hooks, one at a time and in order.

    Args:
        scheduler: The scheduler of the hooks, with `schedule(task)`. With an immediate one they run in the thread that
            signals or requests.

    Raises:
        ArgumentTypeError: The scheduler is missing, or has no `schedule`.

    Class attribute `prefetch`: how many elements may be requested from the publisher and not yet passed to the hook,
    from 1 to 2**24, 256 by default. It is also the maximum that one task passes on before other tasks run.

    Demand:
        The counts of `request(n)`, in windows of `prefetch` elements; the rest is requested when three quarters were
        passed to the hook.

    Errors:
        An exception of a hook cancels the subscription and goes to `hook_on_error`. So does a publisher that sends
        more than was requested (DemandExceededError) or signals at the same time (SignalOverlapError), and a scheduler
        that refuses a task: then `hook_on_error` runs in the thread that noticed it, and `hook_on_subscribe` may not
        have run before it.

    State:
        None.

    Threads:
        Any thread may signal, `request` and `cancel`. Hooks run as tasks of the scheduler, in a copy of the context
        variables of `on_subscribe`; this includes `hook_on_cancel`, which runs last.

    Rules:
        §1.1, §1.3, §2.1, §2.2, §2.3, §2.4, §2.5, §2.7, §2.8, §2.9, §2.10, §2.11, §2.12, §2.13.

    Example:
        >>> from reactivestreams import AsyncBaseSubscriber, Stream
        >>> from reactivestreams.schedulers import WorkerScheduler
        >>> import threading
        >>> class Summing(AsyncBaseSubscriber):
        ...     def __init__(self, scheduler):
        ...         super().__init__(scheduler=scheduler)
        ...         self.total, self.ended = 0, threading.Event()
        ...     def hook_on_next(self, element):
        ...         self.total += element
        ...     def hook_on_complete(self):
        ...         self.ended.set()
        >>> with WorkerScheduler(name="example") as worker:
        ...     summing = Summing(worker)
        ...     Stream.range(1_000).subscribe(summing)
        ...     summing.ended.wait(timeout=10)
        True
        >>> summing.total
        499500
    """

    prefetch = 256

    def __cinit__(self, *args, scheduler=None, **kwargs):
        cdef object kind = type(self)
        cdef str label = kind.__name__
        cdef HookEnd end = HookEnd()
        self.source = HookSource(None, as_count(kind.prefetch, f"{label}.prefetch", 1, MAX_RING_CAPACITY_ELEMENTS))
        self.source.label = label
        self.source.down = end
        self.source.attach()
        end.subscriber = self
        self.subscription = self.source
        if _is_scheduler(scheduler):  # a subclass may omit super().__init__(), or use the name for something else
            self.source.use_scheduler(scheduler)

    def __init__(self, *args, scheduler=None, **kwargs):
        if not _is_scheduler(scheduler):
            raise ArgumentTypeError(
                f"{type(self).__name__}(scheduler) needs a scheduler, got {safe_repr(scheduler)} "
                f"({type(scheduler).__name__}); pass an object with schedule(task), such as a WorkerScheduler"
            )
        self.source.use_scheduler(scheduler)

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `AsyncBaseSubscriber[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    def on_subscribe(self, subscription) -> None:
        """Accept the subscription; a second one is cancelled (§2.5). Never runs hooks."""
        if subscription is None:
            raise null_subscription()
        self.source.accept_first_subscription(subscription)

    def on_next(self, element) -> None:
        """Store an element for its hook. Never runs hooks."""
        if element is None:
            raise null_element("on_next")
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        """Store the error that ended the stream for its hook. Never runs hooks."""
        if error is None:
            raise null_error()
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        """Record that the stream is complete. Never runs hooks."""
        self.source.accept_end("on_complete", None)

    cdef int cancel_was_called(self) except -1:
        return 0  # I3: a turn calls the hook


cdef bint _is_scheduler(object scheduler) except -1:
    return callable(getattr(scheduler, "schedule", None))
