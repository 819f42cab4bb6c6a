"""The base of subscribers whose hooks run on a scheduler (§2.2).

Roles
    publisher   any thread, one signal at a time (§1.3): puts elements into the ring, notes the end
    author      any thread: request, cancel
    drainer     the holder of the source's token, as a task of the scheduler: calls the hooks, and makes all calls of
                the publisher's subscription (§2.7)

A chain of two stages: a publisher source, whose head (publisher_source.pyx) holds the argument for the ring, the bound
and the windows, and an end that calls the hooks. The rules of the hooks themselves are those of BaseSubscriber.

Invariants
    I1  A hook runs under the token; so hooks never overlap, also on a scheduler that runs tasks at the same time.
    I2  One task waits at most: who takes the token schedules it (drain_task.pyx).
    I3  cancel() never tears down by itself: it sets CANCELLED, and a turn does the rest; so hook_on_cancel runs under
        the token too, behind every other hook. Before there was a subscription it opens the source, for that turn.

Ordering: as in drain.pyx and publisher_source.pyx. `variables` is written and read under the lock of the source.
Progress: a signal, a request and a cancellation never wait for a hook, except where the scheduler refuses the task:
then the thread that was refused runs the last hook.
"""

import contextvars
from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.arguments cimport as_count, shown
from rs_core.atomics cimport memory_order_relaxed, memory_order_release
from rs_core.base_subscriber cimport BaseSubscriber
from rs_core.calls cimport decref
from rs_core.drain cimport CANCELLED, TERMINAL
from rs_core.drain_task cimport DrainTask
from rs_core.failures cimport drop_signal
from rs_core.publisher_source cimport PublisherSource
from rs_core.spsc_ring cimport MAX_RING_CAPACITY_ELEMENTS
from rs_core.stage cimport ACCEPTED, LATE, MARKED, SWALLOWED, TORN_DOWN, Stage

from rs_core.errors import ArgumentTypeError, NullElementError


cdef class AsyncBaseSubscriber(BaseSubscriber):
    """A subscriber whose hooks run on a scheduler, so that its publisher is never held up.

    As `BaseSubscriber`: subclass it, define `hook_on_next(element)` and what else is needed. A signal only puts what it
    carries into a bounded queue and wakes a task of the scheduler, which calls the hooks, one at a time and in order.

    Args:
        scheduler: Has `schedule(task)`; runs the hooks. With an immediate one they run in the thread that signals or
            requests.

    Raises:
        ArgumentTypeError: The scheduler is missing, or has no `schedule`.

    Class attribute `prefetch`: how many elements may be requested of the publisher and not yet handed to the hook, from
    1 to 2**24, 256 by default. It is also the most that one task hands over before other tasks get their turn.

    Demand: what `request(n)` asks for, in windows of `prefetch` elements; above that, more is requested when three
        quarters were handed over.
    Errors: an exception of a hook cancels the subscription and goes to `hook_on_error`. So does a publisher that sends
        more than was requested (DemandExceededError) or signals at the same time (SignalOverlapError), and a scheduler
        that takes no task: then `hook_on_error` runs in the thread that found out, and `hook_on_subscribe` may not have
        run before it.
    State: none.
    Threads: signals, `request` and `cancel` by any. Hooks run as tasks of the scheduler, in a copy of the context
        variables of `on_subscribe`; `hook_on_cancel` too, as the last one.
    Rules: §1.1, §1.3, §2.1, §2.2, §2.3, §2.4, §2.5, §2.7, §2.8, §2.9, §2.10, §2.11, §2.12, §2.13.

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
        if _is_scheduler(scheduler):  # a subclass may forget super().__init__(), or mean something else by the name
            self.source.use_scheduler(scheduler)

    def __init__(self, *args, scheduler=None, **kwargs):
        if not _is_scheduler(scheduler):
            raise ArgumentTypeError(
                f"{type(self).__name__}(scheduler) needs a scheduler, got {shown(scheduler)} "
                f"({type(scheduler).__name__}); pass an object with schedule(task), such as a WorkerScheduler"
            )
        self.source.use_scheduler(scheduler)

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `AsyncBaseSubscriber[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    def on_subscribe(self, subscription) -> None:
        """Take the subscription; a second one is cancelled (§2.5). Never runs hooks."""
        if subscription is None:
            raise NullElementError(
                "§2.13: on_subscribe(None): a subscription is needed; pass an object with request and cancel"
            )
        self.source.accept_first_subscription(subscription)

    def on_next(self, element) -> None:
        """Keep an element for its hook. Never runs hooks."""
        if element is None:
            raise NullElementError("§2.13: on_next(None): None cannot be an element; send a value of your own for it")
        self.source.accept_element(element)

    def on_error(self, error) -> None:
        """Keep the error that ended the stream for its hook. Never runs hooks."""
        if error is None:
            raise NullElementError("§2.13: on_error(None): an exception is needed; pass what went wrong")
        self.source.accept_end("on_error", error)

    def on_complete(self) -> None:
        """Note that the stream is complete. Never runs hooks."""
        self.source.accept_end("on_complete", None)

    cdef int cancel_was_called(self) except -1:
        return 0  # I3: a turn tells the hook


cdef bint _is_scheduler(object scheduler) except -1:
    return callable(getattr(scheduler, "schedule", None))


@cython.final
cdef class HookSource(PublisherSource):
    """The source of an asynchronous subscriber: drained as a task of the scheduler."""

    cdef int use_scheduler(self, object scheduler) except -1:
        """Before anything flows."""
        self.has_scheduler = True
        self.scheduler = None if getattr(scheduler, "is_immediate", False) else scheduler
        return 0

    cdef int accept_first_subscription(self, object subscription) except -1:
        variables = contextvars.copy_context()
        with cython.critical_section(self):
            if self.variables is None:
                self.variables = variables
        if not self.has_scheduler:
            self.refuse_request(ArgumentTypeError(
                f"{self.label} has no scheduler; call super().__init__(scheduler=...) in its __init__"
            ))
        self.accept_subscription(subscription)
        return self.open()

    def execute(self, scheduler=None) -> bool:
        """Run as a task of the scheduler: call hooks, in a copy of the subscriber's context variables."""
        with cython.critical_section(self):
            variables = self.variables
        if variables is None:  # cancelled before there was a subscription
            return DrainTask.execute(self, scheduler)
        return variables.copy().run(DrainTask.execute, self, scheduler)

    def discard(self, error) -> None:
        """End the stream with an error, unless it was cancelled: what a scheduler calls for a task it will not run."""
        if self.claim_turn():
            if not self._is_cancelled():
                self.fail_at(self, error)
            self.run_turn()

    cdef int take_turn(self) except -1:
        if self.scheduler is None or not self._is_cancelled():
            return DrainTask.take_turn(self)
        self.is_scheduled.store(1, memory_order_release)  # release: pairs with the exchange in claim_turn()
        try:
            self.scheduler.schedule(self)
        except Exception:
            if self.claim_turn():
                return self.run_turn()  # nobody waits for an error of the scheduler
            raise
        return 0

    cdef bint _is_cancelled(self) noexcept:
        return (self.state.load(memory_order_relaxed) & CANCELLED) != 0  # relaxed: a hint that saves a dropped error

    cdef int cancel_here(self) noexcept:
        # relaxed: a hint; _set() decides
        if self.state.load(memory_order_relaxed) & (TERMINAL | CANCELLED):
            return LATE
        try:
            self._set(CANCELLED)  # I3
            self.open()
        except Exception as error:  # the scheduler has taken the task, and raised all the same
            drop_signal(self, "cancel", error, self.label)
        except BaseException as interrupt:
            self.fatal = interrupt  # the turn ran here and is over
            return TORN_DOWN
        return MARKED

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t turn = min(n, self.prefetch)
        cdef int64_t sent
        if not self.has_begun and self.has_subscription() and not self._begin_hooks():
            return 0
        sent = PublisherSource.send(self, turn)
        if sent == turn and turn < n:
            self.come_again()  # the scheduler's other tasks come in between
        return sent

    cdef bint _begin_hooks(self) noexcept:
        """Call the first hook; False: the stream ends."""
        self.has_begun = True
        try:
            (<HookEnd>self.down).subscriber.tell_subscribed()
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True


@cython.final
cdef class HookEnd(Stage):
    """The end that calls the hooks of a subscriber."""

    cdef int try_next(self, PyObject* element) noexcept:
        try:
            self.subscriber.tell_next(<object>element)
        except BaseException as error:  # no Exception: those go to a hook
            decref(element)
            return self.owner.fail_at(self, error)
        decref(element)
        return ACCEPTED

    cdef int receive_complete(self) noexcept:
        return self.tell_end(None)

    cdef int receive_error(self, object error) noexcept:
        return self.tell_end(error)

    cdef int tell_end(self, object error) noexcept:
        try:
            if error is None:
                self.subscriber.tell_complete()
            else:
                self.subscriber.tell_error(error)
        except BaseException as interrupt:
            self.owner.fail_at(self, interrupt)
        return SWALLOWED

    cdef void release(self) noexcept:
        cdef BaseSubscriber subscriber = self.subscriber
        self.subscriber = None
        try:
            subscriber.tell_cancelled()
        except BaseException as interrupt:
            self.owner.fail_at(self, interrupt)
