"""The stages of an asynchronous subscriber: a publisher source that a scheduler drains, and a stage that calls hooks.

Roles
    publisher   any thread, one signal at a time (§1.3): puts elements into the ring, records the end
    author      any thread: request, cancel
    drainer     the holder of the source's token, as a task of the scheduler: calls the hooks, and makes all calls of
                the publisher's subscription (§2.7)

The ring, the bound and the windows are those of the publisher source; the argument is in sources/publisher.pyx.

Invariants
    I1  A hook runs under the token, so hooks never overlap, also on a scheduler that runs tasks at the same time.
    I2  At most one task waits: the thread that takes the token schedules it (stream/subscription.pyx).
    I3  cancel() never tears down itself: it sets CANCELLED, and a turn does the rest, so hook_on_cancel also runs under
        the token, after every other hook. If there was no subscription yet, it opens the source for that turn.

Ordering: as in stream/subscription.pyx and sources/publisher.pyx. `variables` is written and read under the lock of the
source.
Progress: a signal, a request and a cancellation never wait for a hook, except if the scheduler refuses the task: then
the refused thread runs the last hook.
"""

import contextvars

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport memory_order_relaxed, memory_order_release
from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.interp.calls cimport decref
from rs_core.sources.publisher cimport PublisherSource
from rs_core.stream.subscription cimport (
    ACCEPTED, ALREADY_DONE, CANCELLED, COMPLETED, CONSUMED, DEFERRED, DRAIN_WAITS, TERMINAL, DemandOwner, Stage,
    drop_signal,
)

from rs_core.errors import ArgumentTypeError


@cython.final
cdef class HookSource(PublisherSource):
    """The source of an asynchronous subscriber: drained as a task of the scheduler."""

    cdef int use_scheduler(self, object scheduler) except -1:
        """Set the scheduler, before the first signal."""
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

    def discard(self, error) -> None:
        """End the stream with an error, unless it was cancelled; called by a scheduler that will not run the task."""
        if self.claim_drain():
            if not self._is_cancelled():
                self.fail_at(self, error)
            self.run_scheduled_drain(None)

    cdef int schedule_drain(self) except -1:
        if self.scheduler is None or not self._is_cancelled():
            return DemandOwner.schedule_drain(self)
        self.scheduled_drain.store(DRAIN_WAITS, memory_order_release)  # release: pairs with the CAS in claim_drain()
        try:
            self.scheduler.schedule(self)
        except BaseException as error:
            if not self.claim_drain():
                raise
            self.run_drain()
            if not isinstance(error, Exception):  # no caller waits for an error of the scheduler
                raise
        return 0

    cdef bint _is_cancelled(self) noexcept:
        return (self.state.load(memory_order_relaxed) & CANCELLED) != 0  # relaxed: a hint that saves a dropped error

    cdef int cancel_here(self) noexcept:
        # relaxed: a hint; _set() decides
        if self.state.load(memory_order_relaxed) & (TERMINAL | CANCELLED):
            return ALREADY_DONE
        try:
            self._set(CANCELLED)  # I3
            self.open()
        except Exception as error:  # the scheduler accepted the task, and raised nevertheless
            drop_signal(self, "cancel", error, self.label)
        except BaseException as interrupt:
            self.fatal = interrupt  # the turn ran here and is over
            return COMPLETED
        return DEFERRED

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t turn = min(n, self.prefetch)
        cdef int64_t sent
        if not self.has_begun and self.has_subscription() and not self._begin_hooks():
            return 0
        sent = PublisherSource.send(self, turn)
        if sent == turn and turn < n:
            self.mark_missed()  # the scheduler's other tasks run in between
        return sent

    cdef bint _begin_hooks(self) noexcept:
        """Call the first hook; return False if the stream ends."""
        cdef Stage end = self.down
        self.has_begun = True
        while end.down is not None:  # a checking stage may be in between
            end = end.down
        try:
            (<HookEnd>end).subscriber.tell_subscribed()
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True


@cython.final
cdef class HookEnd(Stage):
    """The last stage, which calls the hooks of a subscriber."""

    cdef int try_next(self, PyObject* element) noexcept:
        try:
            self.subscriber.tell_next(<object>element)
        except BaseException as error:  # not an Exception: those go to a hook
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
        return CONSUMED

    cdef void release(self) noexcept:
        cdef BaseSubscriber subscriber = self.subscriber
        self.subscriber = None
        try:
            subscriber.tell_cancelled()
        except BaseException as interrupt:
            self.owner.fail_at(self, interrupt)
