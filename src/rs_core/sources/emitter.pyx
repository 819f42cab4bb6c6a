"""A source whose elements are pushed: a callback gets an emitter, which any thread may use.

Roles
    producer    any thread: emits into the bounded queue, ends, looks at the demand
    drainer     the holder of this owner's token: takes out what demand allows
    life cycle  the thread that starts the tree: calls the callback once, when the whole tree is open

Bound: `capacity` elements wait for demand; what becomes of one more is the overflow policy's business.

A producer that has to wait for room must not be the one that would make it: it raises where its thread drains this
subscription, further out included; where it is a thread of a scheduler that drains a part of it; where that scheduler's
time is virtual; where the callback runs in the thread that iterates, which requests nothing meanwhile; and where its
thread runs an event loop, and is the one that requests, or that iterates: the loop stands still meanwhile.

A task of an event loop awaits room instead: it stands in `task_waits`, tries, and sleeps. Who has made room, and who
closes the queue, wakes as many as there is room for; a task that goes away wakes the next, as its room may have been
meant for that. Ordering: entering the list, then the offer  ->  a poll, then the look at the list: both sides exchange
`task_waits_count` (acq_rel) in between, so one of both sees what the other wrote, as in sync/wait_queue.pyx.

Ordering: offer or closing (release), then setting MISSED by a CAS (seq_cst), pairs with the drainer's clearing of
MISSED (seq_cst), then poll (acquire): subscription.pyx. The end of the queue: overflow_queue.pyx. `disposer` and
`tasks` are guarded by a critical section.
"""

import time
from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED, EMIT_CANCELLED, EMIT_FULL, EMIT_OVERFLOWED, EMIT_TERMINATED, EMIT_TIMED_OUT, POLICY_BLOCK,
    OverflowQueue, emit_result,
    new_overflow_queue, overflow_cancel, overflow_clear, overflow_drop_all, overflow_end, overflow_is_closed,
    overflow_is_finished, overflow_offer, overflow_pending, overflow_poll, overflow_wait,
)
from rs_core.interp.signal_arguments cimport no_exception, null_element
from rs_core.stream.subscription cimport (
    LEAVE, NEW, TERMINAL, UNWANTED, DemandOwner, Stage, add_assembly_note, drop_signal, is_drained_here, release_failed,
)
from rs_core.ends.subscriber cimport describe

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.dropped import dropped
from rs_core.errors import ArgumentTypeError, StateError, WouldDeadlockError
from rs_core.sync.running_loops import running_loop
from rs_core.sync.task_wait import task_wait


cdef class EmitterSource(DemandOwner):
    """Send what a callback, and whomever it hands its emitter to, emits.

    State: none. After recovery the callback is called anew, and what waited is lost: a host that saves the tree of a
    running stream has to allow that.
    """

    def __init__(self, callback, on_overflow, capacity, block_timeout_seconds):
        self.callback = callback
        self.queue = new_overflow_queue(capacity, on_overflow, block_timeout_seconds, "on_overflow")
        self.is_concurrent = True
        self.handed_down.store(0, memory_order_relaxed)
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
        # relaxed: who is cancelled from now on learns it from the emitter
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

    cdef int emit_at_once(self, object element) except -1:
        cdef int emission = EMIT_FULL
        cdef list evicted
        # relaxed: what comes meanwhile finds the queue closed, or is let go with it
        if self.state.load(memory_order_relaxed) & UNWANTED:
            return self._refusal()
        evicted = overflow_offer(self.queue, element, self.origin, &emission)
        try:
            if emission == EMIT_ACCEPTED or emission == EMIT_OVERFLOWED:
                self.notify()
        finally:
            # After the notification, so that what the hook emits comes after this element.
            if evicted is not None:
                overflow_drop_all(self.queue, evicted, self.origin)
        return emission

    cdef int _refusal(self) noexcept:
        if overflow_is_closed(self.queue) and not self.queue.is_cancelled:
            return EMIT_TERMINATED
        return EMIT_CANCELLED

    cdef int _require_others(self, object element) except -1:
        """Raise where this thread would wait for itself."""
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
                reason = f"the time of {scheduler!r}, which would make room, stands still meanwhile"
            elif hasattr(scheduler, "is_current") and scheduler.is_current():
                reason = f"this thread is the one in which {scheduler!r} would make room"
        if reason is None and self.is_iterated and self.scheduler is None and self._is_in_callback():
            reason = "the loop that takes elements out waits for the callback in this thread"
        remedy = "emit from another thread"
        if running_loop() is not None:
            remedy = "await emit_async(element), emit from another thread"
            if reason is None and self._is_requested_here():
                reason = "the event loop that runs in this thread is the one that takes elements out"
        if reason is not None:
            raise WouldDeadlockError(
                f"emit({shown(element)}) found {self.queue.capacity} elements waiting in {self.origin}, and {reason}: "
                f"it would wait for itself; {remedy}, raise capacity, or choose another on_overflow"
            )
        return 0

    cdef bint _is_requested_here(self) noexcept:
        """Whether this thread iterates, or has made the last request: others may never make one."""
        # The mark of a thread that has ended may be taken for this one: then a task is sent to emit_async in vain.
        return self.requesting_thread.is_mine() or self.is_iterated and self.subscribing_thread.is_mine()

    cdef int await_room(self, object waiter) except -1:
        """Have a task woken when there is room; it looks once more after that."""
        with cython.critical_section(self):
            if self.task_waits is None:
                self.task_waits = {}
            self.task_waits[waiter] = None
            # acq_rel: an exchange, the first half of the pair with wake_tasks()
            self.task_waits_count.fetch_add(1, memory_order_acq_rel)
        return 0

    cdef int leave_room_to_others(self, object waiter) except -1:
        """End what await_room() began; the room that this task was woken for may be another one's."""
        self._forget_task(waiter)
        return self.wake_tasks()

    cdef int _forget_task(self, object waiter) except -1:
        with cython.critical_section(self):
            if waiter in self.task_waits:
                del self.task_waits[waiter]
                self.task_waits_count.fetch_sub(1, memory_order_acq_rel)  # acq_rel: as in await_room()
        return 0

    cdef int wake_tasks(self) except -1:
        """Let as many tasks look again as there is room for, all where the queue is closed; runs their loops' code.

        Raises what is no Exception, when all were woken.
        """
        cdef object interrupt = None
        # acq_rel: an exchange, the second half of the pair with await_room()
        while self.task_waits_count.fetch_add(0, memory_order_acq_rel) != 0:
            has_gone = None
            for waiter in self._tasks_with_room():
                try:
                    waiter.wake()
                except Exception:  # its loop has ended, and with it the task; another one gets its place
                    has_gone = waiter
                    break
                except BaseException as error:
                    interrupt = error if interrupt is None else interrupt
                    waiter.wake()  # whether it was woken is not known; twice does no harm
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
        """Whether this thread runs the callback, and what was requested before has been sent."""
        # relaxed: a demand that is old means a wait
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
            sent += hand_down(self, element)
            # relaxed: a hint, so that tasks need not wait for the end of a long drain
            if self.task_waits_count.load(memory_order_relaxed):
                self._wake_tasks_or_fail()
        self.handed_down.store(0, memory_order_relaxed)  # relaxed: a hint; drain() takes `sent` from the demand next
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
            self.tasks = None  # they lead back to this stage
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
    """What the callback of `Stream.create` gets: it emits into one subscription.

    Any thread may call every method. Signals reach the subscriber one at a time, each thread's in its order, elements
    only as they are requested, and nothing after the end.

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
        """Emit an element: it is sent now, or waits for demand. Always runs user code: the stream's, or the hook.

        Args:
            element: Anything but None (§2.13).

        Returns:
            The EmitResult; after all results but ACCEPTED and DROPPED the element is still the caller's.

        Raises:
            NullElementError: The element is None.
            WouldDeadlockError: With the policy `block`: there is no room, and this thread would have to make it.
            BaseException: What the stream's functions or a signal handler raised and is no Exception.
        """
        if element is None:
            raise null_element("emit")
        return emit_result(self.source.emit(element))

    async def emit_async(self, element, /):
        """Emit an element as a task of asyncio or trio; with the policy `block` other tasks go on while it waits.

        A task that is cancelled while it waits has not emitted: the element is still the caller's. With the other
        policies nothing is awaited. Always runs user code: the stream's, or the hook.

        Args:
            element: Anything but None (§2.13).

        Returns:
            The EmitResult, as `emit` does; TIMED_OUT after `block_timeout_seconds`.

        Raises:
            NullElementError: The element is None.
            WrongEventLoopError: It would wait, and this thread runs no event loop.
            BaseException: What the stream's functions or a signal handler raised and is no Exception.
        """
        cdef EmitterSource source = self.source
        cdef int emission
        cdef double deadline, remaining
        if element is None:
            raise null_element("emit_async")
        emission = source.emit_at_once(element)
        if emission != EMIT_FULL:
            return emit_result(emission)
        wait = task_wait("emit_async(element)")
        deadline = <double>time.monotonic() + source.queue.block_timeout_seconds
        wait.arm()
        source.await_room(wait)
        try:
            while True:
                emission = source.emit_at_once(element)  # after await_room(), or after arm()
                if emission != EMIT_FULL:
                    return emit_result(emission)
                remaining = deadline - <double>time.monotonic()
                if remaining <= 0:
                    return emit_result(EMIT_TIMED_OUT)
                await wait.sleep(remaining)
                wait.arm()
        finally:
            source.leave_room_to_others(wait)

    def complete(self):
        """Complete, after what was accepted. Always runs user code: the stream's.

        Returns:
            True for the first terminal signal; False for every later one, and after a cancel (§1.7).
        """
        return source_end(self.source, None)

    def fail(self, error, /):
        """Fail with an exception, after what was accepted. Always runs user code: the stream's, or the hook.

        Args:
            error: An Exception; after the end, or a cancel, it goes to the hook for dropped signals.

        Returns:
            True for the first terminal signal; False for every later one, and after a cancel.

        Raises:
            ArgumentTypeError: The argument is no Exception.
        """
        if not isinstance(error, Exception):
            raise no_exception(error)
        return source_fail(self.source, error)

    def on_dispose(self, function, /):
        """Have a function called once, when the stream has ended or was cancelled. Runs user code if that is so now.

        Args:
            function: Called without arguments, in the thread that ends or cancels the stream; in this one, at once, if
                it is over already. What it raises then is raised here, else it goes to the hook for dropped signals.

        Raises:
            ArgumentTypeError: It cannot be called.
            StateError: One was registered before; let one function release everything.
        """
        cdef EmitterSource source = self.source
        cdef bint is_second, is_late
        if not callable(function):
            raise ArgumentTypeError(
                f"on_dispose(function) needs a callable, got {shown(function)} ({type(function).__name__}); "
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
                f"on_dispose({shown(function)}) is the second one of this emitter; register one function that "
                f"releases everything"
            )
        if is_late:
            function()

    @property
    def is_cancelled(self):
        """Whether elements are not wanted any more: the stream was cancelled, or has ended."""
        # relaxed: old the next moment
        return bool(self.source.state.load(memory_order_relaxed) & UNWANTED) or overflow_is_closed(self.source.queue)

    @property
    def demand(self):
        """How many elements are requested beyond those that wait; 2**63 - 1 means without limit.

        What another thread has just sent may still be counted as requested.
        """
        # relaxed: old the next moment
        cdef int64_t requested = self.source.demand_word.load(memory_order_relaxed)
        if requested == INT64_MAX:
            return requested
        # relaxed: as above
        requested -= self.source.handed_down.load(memory_order_relaxed)
        return max(0, requested - overflow_pending(self.source.queue))

    def __repr__(self):
        cdef OverflowQueue queue = self.source.queue
        return f"<StreamEmitter of {self.source.origin}: {overflow_pending(queue)} of {queue.capacity} elements wait>"
