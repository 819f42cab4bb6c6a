"""A source whose elements are pushed: a callback gets an emitter, which any thread may use.

Roles
    producer    any thread: emits into the bounded queue, ends, reads the demand
    drainer     the holder of this owner's token: takes out as many elements as demand allows
    life cycle  the thread that starts the tree: calls the callback once, when the whole tree is open

Bound: `capacity` elements wait for demand; the overflow policy decides about one more.

A producer that has to wait for free capacity must not be the thread that would free it. It raises if its thread drains
this subscription, also in an outer frame; if it is a thread of a scheduler that drains a part of it; if that
scheduler's time is virtual; if the callback runs in the thread that iterates, which requests nothing meanwhile; and if
its thread runs an event loop, and is the one that requests or iterates: the loop does not run meanwhile.

A task of an event loop awaits free capacity instead: it enters `task_waits`, tries, and sleeps. A thread that has freed
capacity or closed the queue wakes as many as there is capacity for; a leaving task wakes the next one, because its
wake-up may have been meant for that. Ordering: entering the list, then the offer  ->  a poll, then reading the list:
both sides exchange `task_waits_count` (acq_rel) in between, so at least one side sees the other's write, as in
sync/wait_queue.pyx.

Ordering: offer or closing (release), then setting MISSED by a CAS (seq_cst), pairs with the drainer's clearing of
MISSED (seq_cst), then poll (acquire): subscription.pyx. The end of the queue: overflow_queue.pyx. `disposer` and
`tasks` are guarded by a critical section.
"""

import time
from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED, EMIT_CANCELLED, EMIT_FULL, EMIT_OVERFLOWED, EMIT_TERMINATED, EMIT_TIMED_OUT, POLICY_BLOCK,
    OverflowQueue, emit_result,
    new_overflow_queue, overflow_cancel, overflow_clear, overflow_drop_all, overflow_end, overflow_is_closed,
    overflow_is_finished, overflow_is_idle, overflow_offer, overflow_pending, overflow_poll, overflow_wait,
)
from rs_core.interp.signal_arguments cimport no_exception, null_element
from rs_core.stream.subscription cimport (
    LEAVE, NEW, TERMINAL, UNWANTED, DemandOwner, Stage, add_assembly_note, drop_signal, is_drained_here,
    push_alone_past_queue, release_failed,
)
from rs_core.ends.subscriber cimport describe

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.dropped import dropped
from rs_core.errors import ArgumentTypeError, StateError, WouldDeadlockError
from rs_core.sync.running_loops import running_loop
from rs_core.sync.task_wait import task_wait


cdef class EmitterSource(DemandOwner):
    """Send the elements that a callback, or any holder of its emitter, emits.

    State: none. After recovery the callback is called again, and waiting elements are lost: a host that saves the tree
    of a running stream must allow that.
    """

    def __init__(self, callback, on_overflow, capacity, block_timeout_seconds):
        self.callback = callback
        self.queue = new_overflow_queue(capacity, on_overflow, block_timeout_seconds, "on_overflow")
        self.is_concurrent = self.is_forwarding = True
        self.sent_unaccounted.store(0, memory_order_relaxed)
        self.task_waits_count.store(0, memory_order_relaxed)

    # --- life cycle -----------------------------------------------------------------------------------------------

    cdef int attach(self) except -1:
        cdef Stage stage = self.down
        cdef Stage root = self
        cdef list tasks = [self]
        while stage is not None:
            if isinstance(stage, DemandOwner):
                tasks.append(stage)
            root = stage
            stage = stage.down
        self.tasks = tasks
        self.is_iterated = root.is_pulled
        self.subscribing_thread.enter()
        self.requesting_thread.enter()
        return DemandOwner.attach(self)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, what waits in its queue, and whether it ended."""
        cdef dict facts = DemandOwner.inspect(self)
        facts["buffered"] = overflow_pending(self.queue)
        facts["capacity"] = self.queue.capacity
        facts["has_input_ended"] = overflow_is_closed(self.queue)
        return facts

    cdef int add_demand(self, int64_t n) except -1:
        if self.queue.policy == POLICY_BLOCK:
            self.requesting_thread.enter()
        return DemandOwner.add_demand(self, n)

    cdef int begin(self) except -1:
        self.origin = describe(self.description)
        return 0

    cdef int open(self) except -1:
        # relaxed: only this thread clears NEW
        cdef bint is_first = (self.state.load(memory_order_relaxed) & NEW) != 0
        DemandOwner.open(self)
        # relaxed: after this the emitter reports a cancellation
        if is_first and not self.state.load(memory_order_relaxed) & TERMINAL:
            self._call_back()
        return 0

    cdef int _call_back(self) except -1:
        callback = self.callback
        self.callback = None
        self.callback_thread.enter()
        try:
            callback(StreamEmitter(self))
        except Exception as error:
            add_assembly_note(error, self)
            source_fail(self, error)
        finally:
            self.callback_thread.leave()
        return 0

    # --- producers --------------------------------------------------------------------------------------------------

    cdef int emit(self, object element) except -1:
        cdef int emission = self.emit_at_once(element)
        if emission == EMIT_FULL:
            self._require_others(element)
            emission = overflow_wait(self.queue, element)
            if emission == EMIT_ACCEPTED:
                self.notify()
        return emission

    @cython.final
    cdef int emit_past_queue(self, object element) except -1:
        """Send an element in this thread if there is demand, nothing waits before it, and nobody drains."""
        # relaxed: a hint; who has the token looks at it again
        if self.demand_word.load(memory_order_relaxed) == 0 or not overflow_is_idle(self.queue):
            return EMIT_FULL
        return EMIT_ACCEPTED if push_alone_past_queue(self, <PyObject*>element) else EMIT_FULL

    cdef int emit_at_once(self, object element) except -1:
        cdef int emission = EMIT_FULL
        cdef list evicted
        # relaxed: later elements find the queue closed, or are released with it
        if self.state.load(memory_order_relaxed) & UNWANTED:
            return self._refusal()
        evicted = overflow_offer(self.queue, element, self.origin, &emission)
        try:
            if emission == EMIT_ACCEPTED or emission == EMIT_OVERFLOWED:
                self.notify()
        finally:
            # After the notification, so that elements that the hook emits follow this one.
            if evicted is not None:
                overflow_drop_all(self.queue, evicted, self.origin)
        return emission

    cdef int _refusal(self) noexcept:
        if overflow_is_closed(self.queue) and not self.queue.is_cancelled:
            return EMIT_TERMINATED
        return EMIT_CANCELLED

    cdef int _require_others(self, object element) except -1:
        """Raise if this thread would wait for itself."""
        cdef str reason = None
        cdef DemandOwner task
        cdef list tasks
        if is_drained_here(self):
            reason = "this thread is running the stream"
        with cython.critical_section(self):
            tasks = self.tasks
        for task in tasks or ():
            scheduler = task.scheduler
            if scheduler is None or reason is not None:
                continue
            if getattr(scheduler, "is_virtual_time", False):
                reason = f"the time of {scheduler!r}, which would free capacity, stands still meanwhile"
            elif hasattr(scheduler, "is_current") and scheduler.is_current():
                reason = f"this is the thread in which {scheduler!r} would free capacity"
        if reason is None and self.is_iterated and self.scheduler is None and self._is_in_callback():
            reason = "the loop that takes elements out waits for the callback in this thread"
        remedy = "emit from another thread"
        if running_loop() is not None:
            remedy = "await emit_async(element), emit from another thread"
            if reason is None and self._is_requested_here():
                reason = "the event loop that runs in this thread is the one that takes elements out"
        if reason is not None:
            raise WouldDeadlockError(
                f"emit({safe_repr(element)}) found {self.queue.capacity} elements waiting in {self.origin}, and "
                f"{reason}: it would wait for itself; {remedy}, raise capacity, or choose another on_overflow"
            )
        return 0

    cdef bint _is_requested_here(self) noexcept:
        """Return whether this thread iterates, or made the last request: other threads may never request."""
        # The mark of an ended thread may look like this one's: then emit_async is recommended without need.
        return self.requesting_thread.is_mine() or self.is_iterated and self.subscribing_thread.is_mine()

    cdef int await_capacity(self, object waiter) except -1:
        """Register a task, which is woken when there is capacity; it checks again after this call."""
        with cython.critical_section(self):
            if self.task_waits is None:
                self.task_waits = {}
            self.task_waits[waiter] = None
            # acq_rel: an exchange, the first half of the pair with wake_tasks()
            self.task_waits_count.fetch_add(1, memory_order_acq_rel)
        return 0

    cdef int leave_capacity_to_others(self, object waiter) except -1:
        """Undo await_capacity(); the wake-up of this task may have been meant for another one."""
        self._forget_task(waiter)
        return self.wake_tasks()

    cdef int _forget_task(self, object waiter) except -1:
        with cython.critical_section(self):
            if waiter in self.task_waits:
                del self.task_waits[waiter]
                self.task_waits_count.fetch_sub(1, memory_order_acq_rel)  # acq_rel: as in await_capacity()
        return 0

    cdef int wake_tasks(self) except -1:
        """Wake as many tasks as there is capacity for, or all if the queue is closed; runs their loops' code.

        Raises a BaseException that is not an Exception, after all were woken.
        """
        cdef object interrupt = None
        # acq_rel: an exchange, the second half of the pair with await_capacity()
        while self.task_waits_count.fetch_add(0, memory_order_acq_rel) != 0:
            has_gone = None
            for waiter in self._tasks_with_room():
                try:
                    waiter.wake()
                except Exception:  # its loop has ended, and with it the task; another one is woken
                    has_gone = waiter
                    break
                except BaseException as error:
                    interrupt = error if interrupt is None else interrupt
                    waiter.wake()  # it is unknown whether it was woken; twice is harmless
            if has_gone is None:
                break
            self._forget_task(has_gone)
        if interrupt is not None:
            raise interrupt
        return 0

    cdef list _tasks_with_room(self):
        cdef int64_t count = max(0, self.queue.capacity - overflow_pending(self.queue))
        cdef list waiters
        with cython.critical_section(self):
            waiters = list(self.task_waits)
        return waiters if overflow_is_closed(self.queue) else waiters[:count]

    cdef bint _is_in_callback(self) noexcept:
        """Return whether this thread runs the callback, and the earlier demand was fulfilled."""
        # relaxed: an outdated demand means a wait
        return self.callback_thread.is_mine() and self.demand_word.load(memory_order_relaxed) == 0

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            element = overflow_poll(self.queue) if sent != n else NULL
            if element is NULL:
                if overflow_is_finished(self.queue):
                    error = self.queue.end_error
                    self.queue.end_error = None
                    self.finish(self.down, error)
                break
            sent += push_counted(self, element)
            # relaxed: a hint, so that tasks need not wait for the end of a long drain
            if self.task_waits_count.load(memory_order_relaxed):
                self._wake_tasks_or_fail()
        self.sent_unaccounted.store(0, memory_order_relaxed)  # relaxed: a hint; drain() subtracts `sent` next
        if self.queue.policy == POLICY_BLOCK:
            self._wake_tasks_or_fail()
        return sent

    cdef void _wake_tasks_or_fail(self) noexcept:
        try:
            self.wake_tasks()
        except BaseException as error:
            self.fail_at(self, error)

    cdef void release(self) noexcept:
        error = overflow_cancel(self.queue)
        with cython.critical_section(self):
            self.is_released = True
            self.tasks = None  # they refer to this stage
            disposer = self.disposer
            self.disposer = None
        overflow_clear(self.queue)
        self._wake_tasks_or_fail()
        if error is not None:
            drop_signal(self, "on_error", error, self.origin)
        if disposer is not None:
            try:
                disposer()
            except BaseException as trouble:
                release_failed(self, "on_dispose", trouble, self.origin)


cdef bint source_end(EmitterSource source, object error) except -1:
    cdef bint is_first = overflow_end(source.queue, error)
    if is_first:
        try:
            source.notify()
        finally:
            source.wake_tasks()
    return is_first


cdef bint source_fail(EmitterSource source, object error) except -1:
    cdef bint is_first = source_end(source, error)
    if not is_first:
        dropped("on_error", error, origin=source.origin)
    return is_first


@cython.final
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class StreamEmitter:
    """The argument of the callback of `Stream.create`: it emits into one subscription.

    Any thread may call any method. Signals reach the subscriber one at a time, in order for each thread, elements only
    on demand, and nothing after the end.

    Rules:
        §1.1, §1.3, §1.7, §2.13.

    Example:
        >>> from reactivestreams import Stream
        >>> def three(emitter):
        ...     for number in range(3):
        ...         emitter.emit(number)
        ...     emitter.complete()
        >>> Stream.create(three, on_overflow="error").to_list()
        [0, 1, 2]
    """

    cdef EmitterSource source
    cdef object __weakref__

    def __cinit__(self, EmitterSource source not None):
        self.source = source

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `StreamEmitter[element_type]`, for annotations."""
        return GenericAlias(cls, element_type)

    def emit(self, element, /):
        """Emit an element: it is sent now, or waits for demand. Always runs user code: that of the stream, or the hook.

        Args:
            element: Any object except None (§2.13).

        Returns:
            The EmitResult; unless it is ACCEPTED or DROPPED the caller still owns the element.

        Raises:
            NullElementError: The element is None.
            WouldDeadlockError: With the policy `block`: the queue is full, and only this thread could free capacity.
            BaseException: An interrupt, such as KeyboardInterrupt, of the stream's functions or a signal handler.
        """
        cdef EmitterSource source = self.source
        cdef int emission
        if element is None:
            raise null_element("emit")
        emission = source.emit_past_queue(element)
        return emit_result(source.emit(element) if emission == EMIT_FULL else emission)

    async def emit_async(self, element, /):
        """Emit an element in a task of asyncio or trio; with the policy `block` other tasks run while it waits.

        A task that is cancelled while it waits has not emitted: the caller still owns the element. With the other
        policies nothing is awaited. Always runs user code: that of the stream, or the hook.

        Args:
            element: Any object except None (§2.13).

        Returns:
            The EmitResult, as for `emit`; TIMED_OUT after `block_timeout_seconds`.

        Raises:
            NullElementError: The element is None.
            WrongEventLoopError: The call would wait, and this thread runs no event loop.
            BaseException: An interrupt, such as KeyboardInterrupt, of the stream's functions or a signal handler.
        """
        cdef EmitterSource source = self.source
        cdef int emission
        cdef double deadline, remaining
        if element is None:
            raise null_element("emit_async")
        emission = source.emit_past_queue(element)
        if emission == EMIT_FULL:
            emission = source.emit_at_once(element)
        if emission != EMIT_FULL:
            return emit_result(emission)
        wait = task_wait("emit_async(element)")
        deadline = <double>time.monotonic() + source.queue.block_timeout_seconds
        wait.arm()
        source.await_capacity(wait)
        try:
            while True:
                emission = source.emit_at_once(element)  # after await_capacity(), or after arm()
                if emission != EMIT_FULL:
                    return emit_result(emission)
                remaining = deadline - <double>time.monotonic()
                if remaining <= 0:
                    return emit_result(EMIT_TIMED_OUT)
                await wait.sleep(remaining)
                wait.arm()
        finally:
            source.leave_capacity_to_others(wait)

    def complete(self):
        """Complete after the accepted elements. Always runs user code: that of the stream.

        Returns:
            True for the first terminal signal; False for every later one, and after a cancel (§1.7).
        """
        return source_end(self.source, None)

    def fail(self, error, /):
        """Fail with an exception after the accepted elements. Always runs user code: that of the stream, or the hook.

        Args:
            error: An Exception; after the end, or a cancel, it goes to the hook for dropped signals.

        Returns:
            True for the first terminal signal; False for every later one, and after a cancel.

        Raises:
            ArgumentTypeError: The argument is not an Exception.
        """
        if not isinstance(error, Exception):
            raise no_exception(error)
        return source_fail(self.source, error)

    def on_dispose(self, function, /):
        """Register a function to call once, when the stream ends or is cancelled. Runs user code if it is over now.

        Args:
            function: Called without arguments, in the thread that ends or cancels the stream; if it is already over,
                immediately in this thread, and then its exception is raised here. Otherwise its exception goes to the
                hook for dropped signals.

        Raises:
            ArgumentTypeError: The function cannot be called.
            StateError: A function was registered before; let one function release everything.
        """
        cdef EmitterSource source = self.source
        cdef bint is_second, is_late
        if not callable(function):
            raise ArgumentTypeError(
                f"on_dispose(function) needs a callable, got {safe_repr(function)} ({type(function).__name__}); "
                f"pass a function without parameters"
            )
        refuse_deferred(function, "on_dispose(function)", "pass a plain one, which may start a task in its event loop")
        with cython.critical_section(source):
            is_second = source.has_disposer
            is_late = source.is_released
            source.has_disposer = True
            if not is_second and not is_late:
                source.disposer = function
        if is_second:
            raise StateError(
                f"on_dispose({safe_repr(function)}) is the second one of this emitter; register one function that "
                f"releases everything"
            )
        if is_late:
            function()

    @property
    def is_cancelled(self):
        """Whether no more elements are accepted: the stream was cancelled, or has ended."""
        # relaxed: immediately outdated
        return bool(self.source.state.load(memory_order_relaxed) & UNWANTED) or overflow_is_closed(self.source.queue)

    @property
    def demand(self):
        """The demand minus the waiting elements; 2**63 - 1 means without limit.

        An element that another thread has just sent may still be counted.
        """
        # relaxed: immediately outdated
        cdef int64_t requested = self.source.demand_word.load(memory_order_relaxed)
        if requested == INT64_MAX:
            return requested
        # relaxed: as above
        requested -= self.source.sent_unaccounted.load(memory_order_relaxed)
        return max(0, requested - overflow_pending(self.source.queue))

    def __repr__(self):
        cdef OverflowQueue queue = self.source.queue
        return f"<StreamEmitter of {self.source.origin}: {overflow_pending(queue)} of {queue.capacity} elements wait>"
