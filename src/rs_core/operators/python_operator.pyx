"""The base of operators that are written in Python.

Hooks of one operator never run at the same time or inside of each other: in the mode "per_element" the owner upstream
lets one thread at a time call them, in the mode "own" the stage's own token does, and what arrives meanwhile waits in
its queue until a hook takes it; what hooks emit waits in the output buffer until it is requested. What a hook emits
goes down after the hook has returned, so a chain of such operators needs a flat stack.

The first and the last hook are guarded by a word of their own, since `on_start` runs before there is a token: a stage
that is torn down while it runs, by itself or by another thread, has its `on_dispose` called after it, by the thread
that starts it.

Invariants, besides those of stream/queue_stage.pyx
    I4  No hook of the input, on_next or that of the end, runs while an emitted element waits in the output buffer. So a
        slow output makes elements wait as input, within `prefetch`, and `capacity` bounds what one such hook emits.
    I5  The drainer that empties the output buffer then looks at the queue, and an output buffer is emptied only where
        demand is served: what was held back is taken in by the drainer that serves the request.
    I6  A scheduled hook runs as a hook of the input does (I4), and the elements that wait when the drainer finds that
        its time has come are taken before it: so an element that came in time is never taken for a late one, and a
        source that always has more keeps no hook from running.
tests/interleavings/test_queue_stage_model.py explores them.
"""

from collections import deque
from types import GenericAlias

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint32_t

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call2, caught, decref, incref, int_from_int64, xdecref
from rs_core.interp.signal_arguments cimport no_exception
from rs_core.interp.type_slots cimport add_to_class
from rs_core.queues.spsc_ring cimport SpscRing, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.clock cimport NEVER, Clock, after, as_datetime, as_moment, as_span, checked_time
from rs_core.stream.queue_stage cimport QueueStage, read_error
from rs_core.stream.subscription cimport (
    ACCEPTED, FORWARDED, LEAVE, REPLACED, STOPPED, DemandOwner, add_assembly_note, count, drop_signal, note_element,
    push, release_failed,
)
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed

from rs_core.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from rs_core.interp.deferred_functions import hook_check, refuse_deferred

cdef extern from "Python.h":
    PyObject* PyObject_CallMethodNoArgs(object target, object name) noexcept
    PyObject* PyObject_CallMethodOneArg(object target, object name, object argument) noexcept


cdef class OutputBuffer:
    """What the hooks of an operator emitted, until it is requested, and the end after it; the drainer's."""

    cdef int require_open(self, object operator) except -1:
        if self.is_ending:
            raise StateError(f"§1.7: emit() of {operator!r} after complete() or fail(); emit first", rule="1.7")
        return 0

    cdef int put(self, object operator, object element) except -1:
        if len(self.elements) >= self.capacity:
            raise CapacityError(
                f"{operator!r} emitted {safe_repr(element)} while {self.capacity} elements wait for demand; emit fewer "
                f"in one hook, or raise the class attribute capacity"
            )
        self.elements.append(element)
        return 0

    cdef bint end(self, object error) noexcept:
        """Note the end, None for completion; False: there was one before, which counts."""
        if self.is_ending:
            return False
        self.is_ending = True
        self.error = error
        return True

    cdef PyObject* take(self) noexcept:
        """Return the next element (owned), which is requested; there is one."""
        leaving = self.elements.popleft()
        incref(<PyObject*>leaving)
        if self.notified != INT64_MAX:
            self.notified -= 1
        return <PyObject*>leaving

    cdef int64_t take_news(self, int64_t n) noexcept:
        """Return how much of a demand for n on_request does not know of, which it gets next; 0: nothing."""
        cdef int64_t fresh = n - self.notified
        if fresh <= 0:
            return 0
        self.notified = n
        return n if n == INT64_MAX else fresh


@cython.final
cdef class ScheduledHooks:
    """The hooks of an operator that run at a time, and the clock by which they do; the drainer's.

    Args:
        names: Those of the methods.
    """

    def __init__(self, tuple names):
        self.names = names
        self.clock = Clock(None)
        self.due = {}
        self.running = NEVER

    cdef str checked_name(self, object operator, str call, object hook):
        """Return the name of a hook that may be scheduled."""
        name = getattr(hook, "__name__", None)
        if name in self.names and getattr(hook, "__self__", None) is operator and getattr(operator, name) == hook:
            return name
        raise ArgumentError(
            f"{call}(hook) of {operator!r} needs one of its own methods that scheduled_hooks names, which are "
            f"{', '.join(self.names)}, got {safe_repr(hook)}; pass self.{self.names[0]}, or add the name"
        )

    cdef bint have_come(self, PythonStage operator) except -1:
        """Return whether the time of a hook has come; else have the operator notified then."""
        if self.clock.rang():
            self.look_again = True
        if not self.look_again:
            return False
        if min(self.due.values()) <= self.clock.now():
            return True
        self.clock.wait_until(operator, min(self.due.values()))
        self.look_again = self.is_counted = False
        return False

    cdef str take(self, DemandOwner operator):
        """Return the hook whose time has come first, which waits no longer."""
        cdef str name = min(self.due, key=self.due.__getitem__)
        self.running = self.due.pop(name)
        self.is_counted = False
        if not self.due:
            self.clock.stop()
        return name

    cdef int64_t moment_after(self, object delay) except? -1:
        """Return the moment a delay from now; in a scheduled hook from its own moment, so that nothing drifts."""
        cdef int64_t now = self.clock.now()
        cdef int64_t span = as_span(delay)
        if self.running != NEVER and after(self.running, span) > now:
            return after(self.running, span)
        return after(now, span)

    cdef int stop(self) except -1:
        """Schedule nothing any more."""
        self.due.clear()
        self.elements_ahead = 0
        self.is_counted = False
        self.clock.stop()
        return 0


cdef class PythonStage(QueueStage):
    """An operator written in Python: subclass it and define `on_next`.

    Class attributes that a subclass sets:
        name: The operator's id, in front of its saved state and in errors.
        version: Four integers, raised when the layout of its state changes.
        loadable_versions: Older versions that `load_fields` reads, too; by default none.
        demand: `"per_element"`: each element is answered by at most one `emit` in `on_next`; no emit means that the
            element is dropped and its demand given back. `"own"`: the operator asks for elements itself with
            `request_upstream(n)` and may emit any number in any hook.
        prefetch: In the mode "own", how many elements may be on their way or wait for `on_next`; the rest of what
            `request_upstream` asks is requested as they are taken.
        capacity: In the mode "own", how many emitted elements may wait for demand; one more is a CapacityError. While
            one waits, `on_next`, `on_complete` and `on_error` are not called: so it bounds what one of them emits.
        scheduled_hooks: In the mode "own", the names of the methods that `schedule` may run after a time.
        saves_schedule: Whether the state says when they are due; with False, `on_start` schedules them anew.

    Hooks, all optional but the first: `on_next(element)`, `on_complete()`, `on_error(error)`, `on_request(n)` ("own"),
    `on_start()`, `on_dispose()`, `save_fields(writer)`, `load_fields(reader, version)`. What they return means nothing.

    Demand: "per_element": as requested; "own": what `request_upstream` asks for; of that, elements wait as input while
        what was emitted before waits for demand.
    Errors: an exception of a hook cancels the upstream and becomes `on_error` below, after what was emitted before;
        upstream's go to the hook `on_error`, after the elements that came before.
    State: what `save_fields` writes; in the mode "own" also the elements that wait as input and those emitted, and
        when each scheduled hook is due.
    Threads: hooks run in the thread that drains, which may be one of the scheduler where a hook is scheduled; `emit`,
        `complete`, `fail`, `request_upstream`, `schedule` and `unschedule` only inside hooks.

    Example:
        >>> from reactivestreams import Stream
        >>> from rs_core.operators.python_operator import PythonStage
        >>> class TakeEvery(PythonStage):
        ...     name = "example/take_every"
        ...     def __init__(self, count):
        ...         self.count, self.seen = count, 0
        ...     def on_next(self, element):
        ...         self.seen += 1
        ...         if self.seen % self.count == 0:
        ...             self.emit(element)
        >>> Stream.range(7).lift(TakeEvery, 3).to_list()
        [2, 5]
    """

    demand = "per_element"
    scheduled_hooks = ()
    saves_schedule = True

    def __cinit__(self, *args, **kwargs):
        cdef object kind = type(self)
        self.life.store(0, memory_order_relaxed)
        self.next_hook = kind.on_next
        self.output = OutputBuffer()
        if kind.demand == "per_element":
            self.is_owner = False
            self.is_translating = False
            return
        if kind.demand != "own":
            raise ArgumentError(f"{kind.__name__}.demand is {kind.demand!r}; set it to 'per_element' or 'own'")
        self.set_bounds(getattr(kind, "prefetch", 128), getattr(kind, "capacity", 1024))
        if kind.scheduled_hooks:
            self.scheduled = ScheduledHooks(tuple(kind.scheduled_hooks))
            self.scheduled.is_saved = kind.saves_schedule

    def __init__(self, *args, **kwargs):
        pass  # replaces that of QueueStage: a subclass may take any parameters and forget super().__init__()

    cdef int set_bounds(self, int64_t prefetch, int64_t capacity) except -1:
        """Make the queue of the mode "own"; before anything flows."""
        self.prefetch = prefetch
        self.queue = SpscRing(prefetch)
        self.slots = self.queue.slots
        self.output.capacity = capacity
        self.output.elements = deque()
        return 0

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what it has emitted that is not passed on."""
        cdef dict facts = QueueStage.inspect(self)
        elements = self.output.elements   # set before anything flows
        if elements is not None:
            facts["buffered"] += len(elements)
            facts["capacity"] = self.prefetch + self.output.capacity
        return facts

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `PythonStage[element_type, result_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    # --- hooks ------------------------------------------------------------------------------------------------

    def on_next(self, element) -> None:
        """Take an element; emit what follows from it."""
        raise NotImplementedError(f"{type(self).__name__} has to define on_next(self, element)")

    def on_complete(self) -> None:
        """Take notice that the upstream has completed; by default the operator completes too."""
        self.complete()

    def on_error(self, error) -> None:
        """Take notice that the upstream has failed; by default the operator fails with the same error."""
        self.fail(error)

    def on_request(self, n) -> None:
        """Take notice that n more elements may be emitted (mode "own"); 2**63 - 1 means any number."""

    def on_start(self) -> None:
        """Prepare; runs once before anything flows."""

    def on_dispose(self) -> None:
        """Clean up; runs once when the stream has ended, for whatever reason, if `on_start` was called."""

    def save_fields(self, writer) -> None:
        """Write the operator's own state."""

    def load_fields(self, reader, version) -> None:
        """Read what `save_fields` wrote."""

    # --- what hooks call --------------------------------------------------------------------------------------

    def emit(self, element) -> None:
        """Send an element down, once the hook has returned or raised.

        Raises:
            StateError: No hook is running; or the mode is "per_element" and this element was answered already.
            CapacityError: The mode is "own" and as many elements wait for demand as `capacity` allows.
        """
        if self.in_hook == HOOK_NONE:
            raise StateError(f"emit() of {self!r} outside its hooks; call it in on_next, or write a publisher")
        self.keep_emitted(element)

    cdef int keep_emitted(self, object element) except -1:
        """Keep an element that a hook emitted until the hook has returned."""
        self.output.require_open(self)
        if self.is_owner:
            self.output.put(self, element)
            self.changed = True
        elif self.in_hook != HOOK_ELEMENT:
            raise StateError(f"§1.1: {self!r} has no demand to emit outside on_next; set demand = 'own'", rule="1.1")
        elif self.answer is not NULL:
            raise StateError(
                f"§1.1: {self!r} emitted twice for one element; set demand = 'own' to emit any number", rule="1.1"
            )
        else:
            incref(<PyObject*>element)
            self.answer = <PyObject*>element
        return 0

    def complete(self) -> None:
        """Complete, after what was emitted; the upstream is cancelled."""
        self.end_with(None)

    def fail(self, error) -> None:
        """Fail with an exception, after what was emitted; the upstream is cancelled."""
        if not isinstance(error, Exception):
            raise no_exception(error)
        self.end_with(error)

    def request_upstream(self, n) -> None:
        """Ask for n more elements (mode "own").

        Raises:
            StateError: No hook is running, or the mode is "per_element".
            ArgumentError: n is not positive.
        """
        if self.in_hook == HOOK_NONE or not self.is_owner:
            raise StateError(f"request_upstream() of {self!r}: only in hooks, and with demand = 'own'")
        if n <= 0:
            raise ArgumentError(f"request_upstream(n) needs n > 0, got {n}; request a positive count")
        self.unrequested = INT64_MAX if n > INT64_MAX - self.unrequested else self.unrequested + n

    def schedule(self, delay, hook) -> None:
        """Run a method of this operator after a time, once (mode "own").

        The time is that of the host's scheduler; without a host, of the event loop that runs where the stream is
        subscribed to, or of a thread of the process. Elements that came before are taken first, and the hook waits
        while what was emitted before waits for demand. After the end of the stream it is not run.

        Args:
            delay: The time from now, in seconds or as a timedelta, 0 or more. In a scheduled hook it is counted from
                the time of that hook, unless it would be over then: so a hook that schedules itself does not drift.
            hook: A method without parameters that `scheduled_hooks` names. If it waits already, this time counts; but
                in `on_start` the time counts that was loaded.

        Raises:
            StateError: No hook is running; or the operator has no `scheduled_hooks`, or was not put into a stream.
            ArgumentError: The delay is negative or too long, or the hook is another function.
            ArgumentTypeError: The delay is no time.
        """
        cdef ScheduledHooks scheduled = self._require_scheduled("schedule")
        cdef str name = scheduled.checked_name(self, "schedule", hook)
        delay = scheduled.as_duration(delay, operator=f"{self!r}.schedule", name="delay")
        if self.output.is_ending or (scheduled.is_loaded and name in scheduled.due):
            return
        due = scheduled.moment_after(delay)
        scheduled.due.pop(name, None)  # of two at the same time the one that was scheduled first runs first
        scheduled.due[name] = due
        scheduled.look_again = True
        self.changed = True

    def unschedule(self, hook) -> None:
        """Do not run a scheduled hook; nothing happens if it does not wait.

        Args:
            hook: As for `schedule`.

        Raises:
            StateError: As for `schedule`.
            ArgumentError: As for `schedule`.
        """
        cdef ScheduledHooks scheduled = self._require_scheduled("unschedule")
        cdef str name = scheduled.checked_name(self, "unschedule", hook)
        if scheduled.due.pop(name, None) is not None:
            self.changed = True
            if not scheduled.due:
                scheduled.stop()

    cdef ScheduledHooks _require_scheduled(self, str call):
        """Return the scheduled hooks, which a hook may change."""
        if self.in_hook == HOOK_NONE:
            raise StateError(f"{call}() of {self!r} outside its hooks; call it in a hook")
        if self.scheduled is None:
            raise StateError(
                f"{call}() of {self!r}, whose class has no scheduled_hooks; set demand = 'own', and scheduled_hooks "
                f"to the names of the methods that are run after a time"
            )
        if self.scheduled.as_duration is None:
            raise StateError(f"{call}() of {self!r}, which has no clock; put it into a stream with lift()")
        return self.scheduled

    def _give_clock(self, find_scheduler, as_duration) -> None:
        """Give a new operator what its scheduled hooks need; called by `lift`.

        Args:
            find_scheduler: As for `Clock`.
            as_duration: `reactivestreams.durations.checked_duration`.
        """
        if self.scheduled is not None:
            self.scheduled.clock.find_scheduler = find_scheduler
            self.scheduled.as_duration = as_duration

    def mark_changed(self) -> None:
        """Tell that the operator's own state changed, so that the next checkpoint saves it."""
        self.changed = True

    cdef int end_with(self, object error) except -1:
        if self.in_hook == HOOK_NONE:
            raise StateError(f"complete() or fail() of {self!r} outside its hooks; call it in a hook")
        if self.output.end(error):
            self.changed = True
            if self.scheduled is not None:
                self.scheduled.stop()
        return 0

    # --- life cycle -------------------------------------------------------------------------------------------

    cdef int begin(self) except -1:
        cdef bint is_released = False
        failure = None
        if not begin_first_hook(self.life):
            return 0
        self.in_hook = HOOK_OTHER
        try:
            if self.scheduled is not None and self.scheduled.as_duration is not None:
                self.scheduled.clock.at(self.context_of_host)
            self.on_start()
        except Exception as error:
            failure = error
        finally:
            self.in_hook = HOOK_NONE
            if self.scheduled is not None:
                self.scheduled.is_loaded = False
            is_released = end_first_hook(self.life)
            if is_released:
                self._dispose_operator(True)
        if is_released:
            if failure is not None:
                release_failed(self, "on_start", failure, self.name)
        elif failure is not None:  # nobody drains yet: the note is read when the tree is opened
            if self.is_owner:
                self.fail_in_hook(failure)
            else:
                self.owner.fail_at(self, failure)
        elif self.output.is_ending and not self.is_owner:
            self.owner.finish(self.down, self.output.error)
        return 0

    cdef int open(self) except -1:
        return QueueStage.open(self) if self.is_owner else 0

    cdef void release(self) noexcept:
        cdef uint32_t seen = begin_last_hook(self.life)
        if not seen & STARTING:
            self._dispose_operator((seen & STARTED) != 0)

    cdef void _dispose_operator(self, bint was_started) noexcept:
        self.next_hook = None
        self._drop_answer()
        if self.is_owner:
            self.output.elements.clear()
            QueueStage.release(self)
            if self.scheduled is not None:
                self.scheduled.due.clear()
                self.scheduled.clock.close(self)
        if not was_started:
            return
        try:
            self.on_dispose()
        except BaseException as error:
            release_failed(self, "on_dispose", error, self.name)

    # --- the mode "per_element": under the token of the owner upstream -------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        if self.is_owner:
            return QueueStage.try_next(self, element)
        self.changed = True
        self.in_hook = HOOK_ELEMENT
        result = call2(<PyObject*>self.next_hook, <PyObject*>self, element)
        self.in_hook = HOOK_NONE
        if result is NULL:
            error = caught()
            if not isinstance(error, Exception):
                self._drop_answer()
            note_element(error, self, <object>element)
            decref(element)
            self.owner.fail_at(self, error)  # takes effect when this push has returned
            if self.answer is NULL:
                return STOPPED
        else:
            decref(result)
            decref(element)
            if self.output.is_ending:
                self.owner.finish(self.down, self.output.error)  # as above
                if self.answer is NULL:
                    return STOPPED
            if self.answer is NULL:
                return self.drop()
        element = self.answer
        self.answer = NULL
        return self.down.try_next(element)

    cdef void _drop_answer(self) noexcept:
        cdef PyObject* answer = self.answer
        self.answer = NULL
        xdecref(answer)

    cdef int receive_complete(self) noexcept:
        if self.is_owner:
            return QueueStage.receive_complete(self)
        return self._pass_end(None)

    cdef int receive_error(self, object error) noexcept:
        if self.is_owner:
            return QueueStage.receive_error(self, error)
        return self._pass_end(error)

    cdef int _pass_end(self, object error) noexcept:
        if not self.report_end(error):
            self.owner.fail_at(self, caught())
            return REPLACED
        if not self.output.is_ending or self.output.error is error:
            return FORWARDED
        self.owner.finish(self.down, self.output.error)
        return REPLACED

    # --- the mode "own": under this stage's token -------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        if not self._notify_demand(n):
            return 0
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if self.output.elements:
                if sent == n:
                    break  # I4
                self.changed = True
                if push(self, self.output.take()) == ACCEPTED:
                    sent += 1
                elif not self._notify_demand(n - sent):  # dropped below: its demand is there again
                    break
                continue
            if self.output.is_ending:
                self.finish(self.down, self.output.error)
                break
            if self.scheduled is not None and self.scheduled.due and self._run_due_hook():
                continue
            element = NULL
            if sent != n or not self.waits_for_demand:
                element = spsc_poll(self.slots)
            if element is not NULL:
                if not self._take_in(element):
                    break
            elif not self._end_of_input():
                break
        return sent

    cdef bint _notify_demand(self, int64_t n) noexcept:
        """Call on_request with demand that is new; False: the stream ends."""
        cdef int64_t fresh
        cdef PyObject* number
        cdef PyObject* result = NULL
        if self.output.is_ending:
            return self._request_more()
        fresh = self.output.take_news(n)
        if fresh == 0:
            return self._request_more()
        self.in_hook = HOOK_OTHER
        number = int_from_int64(fresh)
        if number is not NULL:
            result = PyObject_CallMethodOneArg(self, "on_request", <object>number)
            decref(number)
        self.in_hook = HOOK_NONE
        if result is NULL:
            return self.fail_in_hook(caught())
        decref(result)
        return self._request_more()

    cdef bint _take_in(self, PyObject* element) noexcept:
        """Hand an element to on_next; False: the stream ends."""
        cdef PyObject* result
        count(self)
        self.changed = True
        self.requested -= 1
        if self.scheduled is not None and self.scheduled.elements_ahead > 0:
            self.scheduled.elements_ahead -= 1
        self.in_hook = HOOK_ELEMENT
        result = call2(<PyObject*>self.next_hook, <PyObject*>self, element)
        self.in_hook = HOOK_NONE
        if result is NULL:
            error = caught()
            note_element(error, self, <object>element)
            decref(element)
            return self.fail_in_hook(error)
        decref(element)
        decref(result)
        return self._request_more()

    cdef bint _run_due_hook(self) noexcept:
        """Run a hook whose time has come; False: none is to run now."""
        cdef ScheduledHooks scheduled = self.scheduled
        cdef PyObject* result
        cdef str name
        if scheduled.elements_ahead > 0:
            return False
        try:
            if not scheduled.have_come(self):
                return False
            if not scheduled.is_counted:
                scheduled.is_counted = True
                scheduled.elements_ahead = <int64_t>spsc_size(self.slots)
                if scheduled.elements_ahead > 0:  # I6
                    return False
            name = scheduled.take(self)
        except BaseException as error:
            self.fail_in_hook(error)
            return True
        self.changed = True
        self.in_hook = HOOK_OTHER
        result = PyObject_CallMethodNoArgs(self, name)
        self.in_hook = HOOK_NONE
        scheduled.running = NEVER
        if result is NULL:
            self.fail_in_hook(caught())
            return True
        decref(result)
        self._request_more()
        count(self)  # one that schedules itself at once does not keep the thread
        return True

    cdef bint _end_of_input(self) noexcept:
        """Tell the operator once that its input has ended; False: there is nothing more to do."""
        # acquire: pairs with the release in QueueStage; the elements that came before the end are seen
        cdef bint has_ended = self.input_ended.load(memory_order_acquire) != 0
        if self.end_was_reported or not has_ended or spsc_peek(self.slots) is not NULL:
            return False
        self.end_was_reported = True
        return self.report_end(self.input_error) or self.fail_in_hook(caught())

    cdef bint fail_in_hook(self, object error) noexcept:
        """Fail with what a hook raised, after what was emitted before; False: at once."""
        if not self.output.elements or not isinstance(error, Exception):
            self.fail_at(self, error)
            return False
        add_assembly_note(error, self)
        if self.output.error is not None:  # fail() was called before, and its error goes down
            drop_signal(self, "on_error", error, self.name)
            return True
        self.changed = self.output.is_ending = self.output.was_raised = True
        self.output.error = error
        if self.scheduled is not None:
            self.scheduled.stop()
        return True

    cdef bint _request_more(self) noexcept:
        """Request what the operator wants, as far as the queue has room for it; False: the stream ends."""
        cdef int64_t more = min(self.unrequested, self.prefetch - self.requested)
        if more <= 0 or self.end_was_reported:
            return True
        self.requested += more
        if self.unrequested != INT64_MAX:
            self.unrequested -= more
        return self.ask(more)

    # --- both modes -----------------------------------------------------------------------------------------------

    cdef bint report_end(self, object error) noexcept:
        """Call the hook for the end of the upstream; False: an exception is set."""
        cdef PyObject* result
        self.changed = True
        self.in_hook = HOOK_OTHER
        if error is None:
            result = PyObject_CallMethodNoArgs(self, "on_complete")
        else:
            result = PyObject_CallMethodOneArg(self, "on_error", error)
        self.in_hook = HOOK_NONE
        xdecref(result)
        return result is not NULL

    # --- state --------------------------------------------------------------------------------------------------

    cdef int write_fields(self, object writer) except -1:
        if self.is_owner:
            self.save_waiting(writer)
        if self.scheduled is not None and self.scheduled.is_saved:
            writer.write({name: as_datetime(due) for name, due in self.scheduled.due.items()})
        self.save_fields(writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        if self.is_owner:
            self.load_waiting(reader)
        if self.scheduled is not None and self.scheduled.is_saved:
            self._load_scheduled(reader)
        self.load_fields(reader, version)
        return 0

    cdef int _load_scheduled(self, object reader) except -1:
        cdef dict due = {}
        for name, time in reader.read(dict).items():
            if name not in self.scheduled.names or checked_time(self, time) is None:
                raise StateError(
                    f"{self!r} cannot load the hook {safe_repr(name)} that is due at {time!r}, and schedules "
                    f"{', '.join(self.scheduled.names)}; load the state with the class that it was saved with"
                )
            due[name] = as_moment(time)
        self.scheduled.due = due
        self.scheduled.look_again = self.scheduled.is_loaded = True
        return 0

    cdef int save_waiting(self, object writer) except -1:
        """Write what waits on both sides of the hooks."""
        self.save_queue(writer)
        writer.write(list(self.output.elements))
        writer.write(self.unrequested)
        writer.write(self.end_was_reported)
        writer.write(self.output.is_ending)
        writer.write(self.output.error)
        return 0

    cdef int load_waiting(self, object reader) except -1:
        """Read what save_waiting() wrote."""
        self.load_queue(reader)
        self.output.elements = deque(reader.read(list))
        self.unrequested = reader.read_count()
        self.end_was_reported = reader.read(bool)
        self.output.is_ending = reader.read(bool)
        self.output.error = read_error(reader)
        self.requested = len(self.queue)
        return 0


_REMEDY = "and await with map_async() before or after it"

_refuse_deferred_hooks = hook_check(PythonStage, _REMEDY).__func__


@classmethod
def _check_subclass(cls, /, **keywords):
    """Refuse hooks that would run nothing, and scheduled hooks that cannot be run, when a subclass is created."""
    _refuse_deferred_hooks(cls, **keywords)
    names = cls.scheduled_hooks
    if not isinstance(names, tuple):
        raise ArgumentTypeError(
            f"{cls.__qualname__}.scheduled_hooks needs a tuple of names of methods, got {names!r} "
            f"({type(names).__name__}); write it such as ('flush',)"
        )
    for name in names:
        if not isinstance(name, str) or hasattr(PythonStage, name) or not callable(getattr(cls, name, None)):
            raise ArgumentError(
                f"{cls.__qualname__}.scheduled_hooks needs names of methods that the class defines besides the hooks "
                f"of its base, got {name!r}; define a method for it"
            )
        refuse_deferred(getattr(cls, name), f"{cls.__qualname__}.{name}", _REMEDY)
    if names and cls.demand != "own":
        raise ArgumentError(
            f"{cls.__qualname__} has scheduled_hooks, but no demand for what they emit; set demand = 'own'"
        )


add_to_class(PythonStage, "__init_subclass__", _check_subclass)
