"""The base of subscribers that library authors write.

Roles
    publisher  one thread at a time: the four signals
    caller     the thread that raised `calls` from 0: calls the subscription, for itself and for all later threads
    others     any thread: `request` and `cancel` write their wish and raise `calls`

Invariants
    I1  Calls of the subscription are serial (§2.7): there is one caller; it repeats until it has seen every raise.
    I2  Elements wanted before a raise are requested, unless there was a cancel or the end; `cancel` is called once.
        This holds also if a call raises: the caller continues, and raises that after its last call. An interrupt
        cancels.
    I3  There is one last hook: the end or cancel(), whichever moves `last_hook` from UNDECIDED, calls its hook.

Ordering (write -> read that pairs with it)
    `wanted`, `is_cancelled` or `is_ended`, then raising `calls` (acq_rel)  ->  lowering `calls` (acq_rel), then these
    tests/interleavings/test_serial_caller_model.py explores them, with each step or order broken.

Progress: `request` and `cancel` are wait-free except for the call of the subscription, which one of them makes.
"""

from types import GenericAlias

cimport cython
from libc.stdint cimport int64_t, uint32_t

from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from rs_core.demand cimport as_demand, demand_add, invalid_request
from rs_core.interp.signal_arguments cimport null_element, null_error, null_subscription
from rs_core.interp.type_slots cimport add_to_class

from rs_core.interp.deferred_functions import hook_check
from rs_core.dropped import dropped


cdef class BaseSubscriber:
    """A subscriber whose hooks a library author writes: it implements the protocol.

    Subclass it and define `hook_on_next(element)` and other hooks as needed. By default everything is requested
    immediately; define `hook_on_subscribe` to request with `request(n)`. This class follows rules 2.3, 2.4, 2.5, 2.7,
    2.8, 2.12 and 2.13. Leaving a `with` or `async with` block of a subscriber cancels it.

    Demand: the counts of `request(n)`.
    Errors: an exception of a hook cancels the subscription and goes to `hook_on_error`. An exception of the
        subscription, which §3.15 and §3.16 forbid, is raised by the `request` or `cancel` that called it; an interrupt,
        such as KeyboardInterrupt, also cancels.
    State: none.
    Threads: signals arrive in the publisher's threads; any thread may call `request` and `cancel`.
    Rules: §2.1, §2.3, §2.4, §2.5, §2.7, §2.8, §2.9, §2.10, §2.12, §2.13.

    Example:
        >>> from rs_core.authors.base_classes import BaseSubscriber
        >>> from reactivestreams import Stream
        >>> class TwoAtMost(BaseSubscriber):
        ...     def hook_on_subscribe(self):
        ...         self.request(2)
        ...     def hook_on_next(self, element):
        ...         print(element)
        >>> Stream.range(9).subscribe(TwoAtMost())
        0
        1
    """

    def __cinit__(self, *args, **kwargs):
        self.wanted.store(0, memory_order_relaxed)
        self.calls.store(0, memory_order_relaxed)
        self.is_cancelled_word.store(0, memory_order_relaxed)
        self.is_ended.store(0, memory_order_relaxed)
        self.last_hook.store(UNDECIDED, memory_order_relaxed)

    def __init__(self, *args, **kwargs):
        pass

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `BaseSubscriber[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    # --- the four signals -----------------------------------------------------------------------------------------

    def on_subscribe(self, subscription) -> None:
        """Accept the subscription; a second one is cancelled (§2.5)."""
        if subscription is None:
            raise null_subscription()
        with cython.critical_section(self):
            is_second = self.has_subscribed
            self.has_subscribed = True
            if not is_second:
                self.subscription = subscription
        if is_second:
            subscription.cancel()
            return
        self.tell_subscribed()

    def on_next(self, element) -> None:
        """Receive an element; after cancel() it is ignored (§2.8)."""
        if element is None:
            raise null_element("on_next")
        self.tell_next(element)

    def on_error(self, error) -> None:
        """Receive the error of the stream."""
        if error is None:
            raise null_error()
        self.tell_error(error)

    def on_complete(self) -> None:
        """Receive completion of the stream."""
        self.tell_complete()

    # --- what the author overrides ---------------------------------------------------------------------------------

    def hook_on_subscribe(self) -> None:
        """Start: by default request everything."""
        self.request(2**63 - 1)

    def hook_on_next(self, element) -> None:
        """Handle an element."""
        raise NotImplementedError(f"{type(self).__name__} has to define hook_on_next(self, element)")

    def hook_on_error(self, error) -> None:
        """Handle the error of the stream; by default it goes to the hook for dropped signals."""
        dropped("on_error", error, origin=type(self).__name__)

    def hook_on_complete(self) -> None:
        """Handle completion of the stream."""

    def hook_on_cancel(self) -> None:
        """Handle the cancellation by this subscriber."""

    # --- what the author calls -------------------------------------------------------------------------------------

    @property
    def is_cancelled(self) -> bool:
        """Whether this subscriber has cancelled."""
        return bool(self.is_cancelled_word.load(memory_order_relaxed))  # relaxed: immediately outdated

    def request(self, n) -> None:
        """Request n more elements; before there is a subscription, requests add up.

        Raises:
            InvalidRequestError: n is not positive.
            InvalidRequestTypeError: n is not an integer.
        """
        cdef int64_t demand = as_demand(n)
        if demand <= 0:
            raise invalid_request(n)
        demand_add(self.wanted, demand)
        self._call()

    def cancel(self) -> None:
        """Cancel the subscription; idempotent."""
        if self._mark_cancelled():
            self._call()
            self.cancel_was_called()

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        self.cancel()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception) -> None:
        self.cancel()

    # --- from signals to hooks ----------------------------------------------------------------------------------------

    cdef int tell_subscribed(self) except -1:
        try:
            self.hook_on_subscribe()
        except Exception as error:
            self._hook_failed(error)
        return self._call()

    cdef int tell_next(self, object element) except -1:
        # relaxed: an element on its way may still be seen (§2.8)
        if self.is_cancelled_word.load(memory_order_relaxed) or self.is_ended.load(memory_order_relaxed):
            return 0
        try:
            self.hook_on_next(element)
        except Exception as error:
            self._hook_failed(error)
        return 0

    cdef int tell_error(self, object error) except -1:
        if self._end():
            return self._call_error_hook(error)
        dropped("on_error", error, origin=type(self).__name__)
        return 0

    cdef int tell_complete(self) except -1:
        if self._end():
            try:
                self.hook_on_complete()
            except Exception as error:
                dropped("on_complete", error, origin=type(self).__name__)
        return 0

    cdef int tell_cancelled(self) except -1:
        # acquire: pairs with the CAS in _decide()
        if self.last_hook.load(memory_order_acquire) == CANCEL_HOOK:
            try:
                self.hook_on_cancel()
            except Exception as error:
                dropped("on_cancel", error, origin=type(self).__name__)
        return 0

    cdef int cancel_was_called(self) except -1:
        return self.tell_cancelled()

    # --- the serial caller of the subscription ---------------------------------------------------------------------

    cdef int _call(self) except -1:
        """Request the wanted elements from the subscription, unless another thread is the caller and will do so.

        An exception of the subscription is raised after the requests of other threads, which have returned meanwhile.
        """
        cdef uint32_t missed = 1
        cdef bint has_cancelled = False
        # acq_rel: see Ordering
        if self.calls.fetch_add(1, memory_order_acq_rel) != 0:
            return 0
        raised = None
        while missed:
            try:
                self._call_once()
            except BaseException as error:  # §3.15, §3.16 forbid it, but it may be an interrupt
                raised = self._first_of(raised, error)
                # A publisher that sends inside `request` would continue with the demand from before the interrupt.
                if not isinstance(raised, Exception) and self._mark_cancelled():
                    has_cancelled = True
                    self.calls.fetch_add(1, memory_order_relaxed)  # relaxed: this thread's note to itself
            # acq_rel: see Ordering
            missed = self.calls.fetch_sub(missed, memory_order_acq_rel) - missed
        try:
            if has_cancelled:
                self.cancel_was_called()
        finally:
            if raised is not None:
                raise raised
        return 0

    cdef object _first_of(self, object first, object error):
        """Return which of two errors to raise, preferably an interrupt; the other goes to the hook."""
        if first is None:
            return error
        if isinstance(first, Exception) and not isinstance(error, Exception):
            first, error = error, first
        try:
            dropped("request", error, origin=type(self).__name__)
        except BaseException as interrupt:
            if isinstance(first, Exception):
                first = interrupt
        return first

    cdef int _call_once(self) except -1:
        cdef int64_t wanted
        with cython.critical_section(self):  # on_subscribe() may store it now, and calls this again afterwards
            subscription = self.subscription
        if subscription is None:
            return 0
        # acquire: pairs with the exchange in _end(); §2.4: no calls after the end
        if self.is_ended.load(memory_order_acquire):
            self.subscription = None
        elif self.is_cancelled_word.load(memory_order_acquire):  # acquire: pairs with the exchange in _mark_cancelled()
            self.subscription = None
            subscription.cancel()
        else:
            wanted = self.wanted.exchange(0, memory_order_acq_rel)  # acq_rel: takes everything that was added
            if wanted:
                subscription.request(wanted)
        return 0

    cdef bint _end(self) except -1:
        """Record the end of the stream; return False if it was already over, so that the hook must not be called."""
        # acq_rel: only one terminal signal counts (§1.7); release pairs with the acquire in _call()
        if self.is_ended.exchange(1, memory_order_acq_rel):
            return False
        is_first = self._decide(END_HOOK)
        self.has_subscribed = True
        self._call()  # releases the subscription
        return is_first

    cdef bint _mark_cancelled(self) noexcept:
        """Record the cancellation; return False if it was already recorded."""
        # acq_rel: only one of several callers calls the hook; pairs with itself
        if self.is_cancelled_word.exchange(1, memory_order_acq_rel):
            return False
        self._decide(CANCEL_HOOK)
        return True

    cdef bint _decide(self, LastHook hook) noexcept:
        """Decide which hook is the last one; return False if that was already decided."""
        cdef uint32_t seen = UNDECIDED
        # acq_rel: either the end or cancel() is first; pairs with itself. relaxed: nothing is read after a failure
        return self.last_hook.compare_exchange_strong(seen, hook, memory_order_acq_rel, memory_order_relaxed)

    cdef int _hook_failed(self, object error) except -1:
        """§2.13: a failing subscriber cancels; only its own hook is called."""
        self.cancel()
        return self._call_error_hook(error)

    cdef int _call_error_hook(self, object error) except -1:
        try:
            self.hook_on_error(error)
        except Exception as trouble:
            dropped("on_error", trouble, origin=type(self).__name__)
        return 0


add_to_class(BaseSubscriber, "__init_subclass__", hook_check(BaseSubscriber, "or end a stream with for_each_async()"))
