"""The base of operators that are written in Python.

Hooks of one operator never run at the same time or inside of each other: in the mode "per_element" the owner upstream
lets one thread at a time call them, in the mode "own" the stage's own token does, and what arrives meanwhile waits in
its queue (operators/own_demand_operator.pyx). What a hook emits goes down after the hook has returned, so a chain of
such operators needs a flat stack.

The first and the last hook are guarded by a word of their own, since `on_start` runs before there is a token: a stage
that is torn down while it runs, by itself or by another thread, has its `on_dispose` called behind it, by the thread
that starts it.
"""

from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, uint32_t

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.interp.calls cimport call2, caught, decref, incref, xdecref
from rs_core.operators.own_demand_operator cimport HOOK_ELEMENT, HOOK_NONE, HOOK_OTHER, HookedQueue
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.interp.signal_arguments cimport no_exception
from rs_core.stream.subscription cimport FORWARDED, REPLACED, STOPPED, DemandOwner, release_failed
from rs_core.interp.type_slots cimport add_to_class

from rs_core.interp.deferred_functions import hook_check
from rs_core.errors import ArgumentError, CapacityError, StateError


cdef class PythonStage(HookedQueue):
    """An operator written in Python: subclass it and define `on_next`.

    Class attributes that a subclass sets:
        name: The operator's id, in front of its saved state and in errors.
        version: Four integers, raised when the layout of its state changes.
        loadable_versions: Older versions that `load_fields` reads, too; by default none.
        demand: `"per_element"`: each element is answered by at most one `emit` in `on_next`; no emit means that the
            element is dropped and its demand given back. `"own"`: the operator asks for elements itself with
            `request_upstream(n)` and may emit any number in any hook.
        prefetch: In the mode "own", how many elements may be on their way or wait for `on_next`; the rest of what
            `request_upstream` asked for is requested as they are taken.
        capacity: In the mode "own", how many emitted elements may wait for demand; one more is a CapacityError. While
            one waits, `on_next`, `on_complete` and `on_error` are not called: so it bounds what one of them emits.

    Hooks, all optional but the first: `on_next(element)`, `on_complete()`, `on_error(error)`, `on_request(n)` ("own"),
    `on_start()`, `on_dispose()`, `save_fields(writer)`, `load_fields(reader, version)`. What they return means nothing.

    Demand: "per_element": as requested; "own": what `request_upstream` asks for; of that, elements wait as input while
        what was emitted before waits for demand.
    Errors: an exception of a hook cancels the upstream and becomes `on_error`; upstream's go to `on_error`, behind the
        elements that came before.
    State: what `save_fields` writes; in the mode "own" also the elements that wait as input and those emitted.
    Threads: hooks run in the thread that drains; `emit`, `complete`, `fail` and `request_upstream` only inside hooks.

    Example:
        >>> from reactivestreams import Stream
        >>> from rs_core.operators.python_stage import PythonStage
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

    def __cinit__(self, *args, **kwargs):
        cdef object kind = type(self)
        self.life.store(0, memory_order_relaxed)
        self.next_hook = kind.on_next
        if kind.demand == "per_element":
            self.is_owner = False
            self.is_translating = False
            return
        if kind.demand != "own":
            raise ArgumentError(f"{kind.__name__}.demand is {kind.demand!r}; set it to 'per_element' or 'own'")
        self.set_bounds(getattr(kind, "prefetch", 128), getattr(kind, "capacity", 1024))

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
        """Send an element down, once the hook has returned.

        Raises:
            StateError: No hook is running; or the mode is "per_element" and this element was answered already.
            CapacityError: The mode is "own" and as many elements wait for demand as `capacity` allows.
        """
        if self.in_hook == HOOK_NONE:
            raise StateError(f"emit() of {self!r} outside its hooks; call it in on_next, or write a publisher")
        self.keep_emitted(element)

    cdef int keep_emitted(self, object element) except -1:
        """Keep an element that a hook emitted until the hook has returned."""
        if self.is_ending:
            raise StateError(f"§1.7: emit() of {self!r} after complete() or fail(); emit first", rule="1.7")
        if self.is_owner:
            if len(self.outbox) >= self.capacity_elements:
                raise CapacityError(
                    f"{self!r} emitted {shown(element)} while {self.capacity_elements} elements wait for demand; emit "
                    f"fewer in one hook, or raise the class attribute capacity"
                )
            self.outbox.append(element)
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
        self.owed = INT64_MAX if n > INT64_MAX - self.owed else self.owed + n

    def mark_changed(self) -> None:
        """Tell that the operator's own state changed, so that the next checkpoint saves it."""
        self.changed = True

    cdef int end_with(self, object error) except -1:
        if self.in_hook == HOOK_NONE:
            raise StateError(f"complete() or fail() of {self!r} outside its hooks; call it in a hook")
        if not self.is_ending:
            self.is_ending = True
            self.end_error = error
            self.changed = True
        return 0

    # --- life cycle -------------------------------------------------------------------------------------------

    cdef int begin(self) except -1:
        cdef bint is_released = False
        failure = None
        # acq_rel: pairs with release(): of both one finds the other's bit
        if self.life.fetch_or(STARTING | STARTED, memory_order_acq_rel) & RELEASED:
            return 0
        self.in_hook = HOOK_OTHER
        try:
            self.on_start()
        except Exception as error:
            failure = error
        finally:
            self.in_hook = HOOK_NONE
            # acq_rel: as above
            is_released = (self.life.fetch_and(~<uint32_t>STARTING, memory_order_acq_rel) & RELEASED) != 0
            if is_released:
                self._let_go(True)
        if is_released:
            if failure is not None:
                release_failed(self, "on_start", failure, self.name)
        elif failure is not None:  # nobody drains yet: the note is read when the tree is opened
            (<DemandOwner>self if self.is_owner else self.owner).fail_at(self, failure)
        elif self.is_ending and not self.is_owner:
            self.owner.finish(self.down, self.end_error)
        return 0

    cdef int open(self) except -1:
        return QueueStage.open(self) if self.is_owner else 0

    cdef void release(self) noexcept:
        # acq_rel: as in begin()
        cdef uint32_t seen = self.life.fetch_or(RELEASED, memory_order_acq_rel)
        if not seen & STARTING:
            self._let_go((seen & STARTED) != 0)

    cdef void _let_go(self, bint was_started) noexcept:
        self.next_hook = None
        self._forget_answer()
        if self.is_owner:
            self.outbox.clear()
            QueueStage.release(self)
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
        decref(element)
        if result is NULL:
            error = caught()
            self._forget_answer()
            return self.owner.fail_at(self, error)
        decref(result)
        if self.is_ending:
            self.owner.finish(self.down, self.end_error)  # takes effect when this push has returned
            if self.answer is NULL:
                return STOPPED
        if self.answer is NULL:
            return self.drop()
        element = self.answer
        self.answer = NULL
        return self.down.try_next(element)

    cdef void _forget_answer(self) noexcept:
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
        if not self.tell_end(error):
            self.owner.fail_at(self, caught())
            return REPLACED
        if not self.is_ending or self.end_error is error:
            return FORWARDED
        self.owner.finish(self.down, self.end_error)
        return REPLACED

    # --- state --------------------------------------------------------------------------------------------------

    cdef int write_fields(self, object writer) except -1:
        if self.is_owner:
            self.save_waiting(writer)
        self.save_fields(writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        if self.is_owner:
            self.load_waiting(reader)
        self.load_fields(reader, version)
        return 0


add_to_class(PythonStage, "__init_subclass__", hook_check(
    PythonStage, "and await with map_async() in front of it or behind it"
))
