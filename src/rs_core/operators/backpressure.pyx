"""Operators that take elements which nobody has requested: what becomes of them has a name; and one that requests less.

Those that take all that comes: on_backpressure_buffer, _drop, _latest, _error and _reduce, which differ in how many
elements wait and in what becomes of one more. on_backpressure_batch, which puts what waits into one list, and requests
no more when that is full. And limit_weight, which does so when what waits is heavy enough. pause_while takes none: it
keeps back demand.

Demand is looked at when an element comes, not only when the drainer begins: a subscriber that requests the next element
in `on_next` has requested it before that is drawn.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport decref, incref
from rs_core.queues.spsc_ring cimport spsc_poll
from rs_core.stream.combine_stage cimport PORT_FORWARDS, PORT_PASSES, CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.queue_stage cimport read_error
from rs_core.stream.subscription cimport LEAVE, TURN_OVER, count, drop_signal, note_element, waits_here
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.sync.serial_word cimport set_relaxed

from collections import deque

from rs_core.errors import ArgumentError, CapacityError, StateError
from rs_core.queues.overflow_policy import OverflowPolicy

cdef enum Excess:   # what becomes of an element when too many wait
    FAILS = 0       # the stream does, after those that wait
    GIVES_WAY = 1   # it is dropped
    DISPLACES = 2   # the oldest that waits is dropped for it
    JOINS = 3       # a function makes one of it and the last that waits

cdef dict _EXCESS = {
    OverflowPolicy.ERROR: FAILS, OverflowPolicy.DROP_NEWEST: GIVES_WAY, OverflowPolicy.DROP_OLDEST: DISPLACES
}


cdef class UnrequestedStage(CombineStage):
    """An operator with one input, of which it takes elements that nobody below has requested.

    Args:
        prefetch: As for CombineStage.
    """

    cdef int64_t granted     # of the demand, in this call of send()
    cdef bint has_ended      # the input did, or was given up
    cdef object end_error

    def __init__(self, int64_t prefetch):
        CombineStage.__init__(self, (), prefetch)

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.main().is_free = True
        return 0

    cdef int64_t send(self, int64_t n) noexcept:
        self.granted = n
        self.remaining = n
        self.work()
        return self.granted - self.remaining

    cdef bint is_requested(self) noexcept:
        """Return whether an element is, also since this call of send() has begun."""
        if self.remaining > 0:
            return True
        # relaxed: what was requested in this thread is seen; other threads are waited for by nobody
        if self.demand_word.load(memory_order_relaxed) <= self.granted:
            return False
        self.granted += 1   # no more than what is needed, so that a turn does not grow
        self.remaining = 1
        return True

    cdef int send_on(self, object element) except -1:
        """Send an element that waited, which demand allows."""
        self.changed = True
        incref(<PyObject*>element)
        pass_on(self, <PyObject*>element)
        count(self)
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            self.take(<object>element)
        except BaseException as error:
            self.fail_at(self, error)
        decref(element)
        return 0

    cdef int take(self, object element) except -1:
        """Take an element of the input."""
        return 0

    cdef int nothing_to_do(self) noexcept:
        try:
            return self.look()
        except BaseException as error:
            self.fail_at(self, error)
            return True

    cdef bint look(self) except -1:
        """Do what demand allows; True: look again."""
        return False

    cdef int input_over(self, InputPort port) noexcept:
        self.has_ended = True
        self.end_error = port.input_error
        return 0


@cython.final
cdef class OverflowStage(UnrequestedStage):
    """Pass on elements as they are requested; some wait, and a policy decides about one more.

    Args:
        prefetch: As for UnrequestedStage.
        capacity: How many elements wait; 0 and more.
        on_overflow: An OverflowPolicy, but not BLOCK or LATEST; None: `function` decides.
        function: With a policy, called with each element that is dropped; None: the hook for dropped signals is.
            Without one, called with the last element that waits and one more; returns what waits instead.

    State: the elements that wait, whether there was one too many, and what waits of the input.
    """

    cdef int64_t capacity
    cdef Excess excess
    cdef object function
    cdef object waiting          # a deque
    cdef bint is_overflowed      # and the input is given up

    def __init__(self, int64_t prefetch, int64_t capacity, on_overflow, function):
        UnrequestedStage.__init__(self, prefetch)
        self.capacity = capacity
        self.excess = JOINS if on_overflow is None else _EXCESS[on_overflow]
        self.function = function
        self.waiting = deque()

    cdef int take(self, object element) except -1:
        cdef int64_t waiting = len(self.waiting)
        if self.is_overflowed:
            return 0
        if waiting and waiting >= self.capacity and self.is_requested():
            self.send_on(self.waiting.popleft())
            waiting -= 1
        if not waiting and self.is_requested():
            return self.send_now(element)
        if waiting < self.capacity:
            self.waiting.append(element)
        elif self.excess == JOINS:
            try:
                self.waiting[-1] = self.function(self.waiting[-1], element)
            except Exception as error:
                note_element(error, self, element)
                raise
        elif self.excess == DISPLACES:
            lost = self.waiting.popleft()
            self.waiting.append(element)
            self.drop_element(lost)
        elif self.excess == GIVES_WAY:
            self.drop_element(element)
        else:
            self.overflow(element)
        return 0

    cdef int send_now(self, object element) except -1:
        incref(<PyObject*>element)
        pass_on(self, <PyObject*>element)
        return 0

    cdef int drop_element(self, object element) except -1:
        if self.function is None:
            drop_signal(self, "on_next", element, self.name)
            return 0
        try:
            self.function(element)
        except Exception as error:
            note_element(error, self, element)
            raise
        return 0

    cdef int overflow(self, object element) except -1:
        error = CapacityError(
            f"{self.name} got {safe_repr(element)}, which nobody has requested, "
            + (f"while {self.capacity} elements wait; raise capacity, " if self.capacity else "and lets none wait; ")
            + "request more or earlier, or choose another on_backpressure, which drops, reduces or puts into lists"
        )
        if not self.waiting:
            raise error
        self.is_overflowed = self.has_ended = True
        self.end_error = error
        return 0

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        return 0 if self.is_overflowed else CombineStage.wanted_of(self, port)

    cdef bint look(self) except -1:
        if self.is_overflowed:
            self.remove_port(self.main())   # not inside take(): the input may be sending
        if self.waiting:
            if not self.is_requested():
                return False
            self.send_on(self.waiting.popleft())
            return True
        if self.has_ended:
            self.finish(self.down, self.end_error)
            return True
        return False

    cdef int input_over(self, InputPort port) noexcept:
        if self.is_overflowed:
            if port.input_error is not None:
                drop_signal(self, "on_error", port.input_error, self.name)
            return 0
        return UnrequestedStage.input_over(self, port)

    cdef int begin(self) except -1:
        if self.is_overflowed:
            self.main().outstanding = self.prefetch   # nothing is requested of it
        return CombineStage.begin(self)

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.waiting = ()

    cdef int write_fields(self, object writer) except -1:
        writer.write(list(self.waiting))
        writer.write(self.is_overflowed)
        if self.is_overflowed:
            writer.write(self.end_error)
            return 0
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.waiting = deque(reader.read(list))
        if len(self.waiting) > self.capacity:
            raise StateError(
                f"{self!r} cannot load {len(self.waiting)} elements that wait, and lets {self.capacity} wait; load the "
                f"state with the arguments that it was saved with"
            )
        self.is_overflowed = reader.read(bool)
        if not self.is_overflowed:
            return self.load_inputs(reader)
        self.has_ended = True
        self.end_error = read_error(reader)
        return 0


@cython.final
cdef class BatchStage(UnrequestedStage):
    """Pass on lists of all elements that came since the last one; request no more while one is full.

    Args:
        prefetch: As for UnrequestedStage; at most `limit`.
        limit: How many elements a list has at most; 1 and more.

    State: the elements that wait, and what waits of the input.
    """

    cdef int64_t limit
    cdef list elements

    def __init__(self, int64_t prefetch, int64_t limit):
        UnrequestedStage.__init__(self, prefetch)
        self.limit = limit
        self.elements = []

    cdef bint accepts(self, InputPort port) noexcept:
        return len(self.elements) < self.limit

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t room = self.limit - <int64_t>len(self.elements)
        cdef int64_t more = min(self.prefetch, room) - port.outstanding
        return 0 if more < self.replenish_at and more != room else more

    cdef int take(self, object element) except -1:
        self.elements.append(element)
        if self.is_requested():
            self.send_list()
        return 0

    cdef int send_list(self) except -1:
        elements, self.elements = self.elements, []
        incref(<PyObject*>elements)
        pass_on(self, <PyObject*>elements)
        return 0

    cdef bint look(self) except -1:
        if self.elements:
            if not self.is_requested():
                return False
            self.changed = True
            self.send_list()
            count(self)
            self.list_port(self.main())  # it is accepted again
            return True
        if self.has_ended:
            self.finish(self.down, self.end_error)
            return True
        return False

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.elements = []

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.elements)
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.elements = reader.read(list)
        if len(self.elements) > self.limit:
            raise StateError(
                f"{self!r} cannot load a list of {len(self.elements)} elements, and makes lists of {self.limit}; load "
                f"the state with the arguments that it was saved with"
            )
        return self.load_inputs(reader)


@cython.final
cdef class WeightStage(UnrequestedStage):
    """Pass on elements as they are requested; request another one while those that wait weigh less than a limit.

    Args:
        limit: The weight at which nothing more is requested; 1 and more.
        weigh: Called with each element; returns its weight, an integer of 1 and more. One above the limit counts as the
            limit.

    State: the elements that wait, their weights, and what waits of the input.
    """

    cdef int64_t limit
    cdef int64_t weight          # of all that wait
    cdef object weigh
    cdef object waiting          # a deque
    cdef object weights          # a deque, of the same elements

    def __init__(self, int64_t limit, weigh):
        UnrequestedStage.__init__(self, 1)  # of what is not there yet nobody knows the weight
        self.limit = limit
        self.weigh = weigh
        self.waiting = deque()
        self.weights = deque()

    def inspect(self) -> dict:
        """Return what `CombineStage.inspect` does, how many elements wait, and what they weigh."""
        cdef dict facts = CombineStage.inspect(self)
        facts["buffered"] += len(self.waiting)
        facts["weight"] = self.weight
        return facts

    cdef bint accepts(self, InputPort port) noexcept:
        return self.weight < self.limit

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        return CombineStage.wanted_of(self, port) if self.weight < self.limit else 0

    cdef int take(self, object element) except -1:
        try:
            weight = self.weigh(element)
        except Exception as error:
            note_element(error, self, element)
            raise
        if type(weight) is not int or weight < 1:
            raise ArgumentError(
                f"limit_weight(weigh) must return an integer of 1 or more, got {safe_repr(weight)} for "
                f"{safe_repr(element)}; return what the element weighs, such as its length in bytes, and at least 1"
            )
        if not self.waiting and self.is_requested():
            incref(<PyObject*>element)
            pass_on(self, <PyObject*>element)
            return 0
        weight = min(weight, self.limit)
        self.waiting.append(element)
        self.weights.append(weight)
        self.weight += weight
        return 0

    cdef bint look(self) except -1:
        if self.waiting:
            if not self.is_requested():
                return False
            self.weight -= self.weights.popleft()
            self.send_on(self.waiting.popleft())
            self.list_port(self.main())  # there may be room again
            return True
        if self.has_ended:
            self.finish(self.down, self.end_error)
            return True
        return False

    cdef int begin(self) except -1:
        cdef InputPort port = self.main()
        cdef int64_t outstanding = port.outstanding
        if self.weight >= self.limit:
            port.outstanding = self.prefetch   # nothing is requested of it
        CombineStage.begin(self)
        if self.weight >= self.limit:
            port.outstanding = outstanding
        return 0

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.weigh = None
        self.waiting = deque()
        self.weights = deque()
        self.weight = 0

    cdef int write_fields(self, object writer) except -1:
        writer.write(list(self.waiting))
        writer.write(list(self.weights))
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        elements = reader.read(list)
        weights = reader.read(list)
        if len(weights) != len(elements) or any(type(each) is not int or each < 1 for each in weights):
            raise StateError(
                f"{self!r} cannot load {len(elements)} elements with the weights {safe_repr(weights)}; load an older "
                f"checkpoint"
            )
        if sum(weights[:-1]) >= self.limit:
            raise StateError(
                f"{self!r} cannot load elements that weigh {sum(weights)}, and lets {self.limit} wait; load the state "
                f"with the arguments that it was saved with"
            )
        self.waiting = deque(elements)
        self.weights = deque([min(each, self.limit) for each in weights])
        self.weight = sum(self.weights)
        return self.load_inputs(reader)


@cython.final
cdef class PauseStage(CombineStage):
    """Pass on elements, and request none while the latest element of another input, the pauser, is true.

    What was requested before comes and passes: it was requested below, so nothing waits here. A pauser that waits in
    the list of the run of this thread goes first, once before each request.

    Args:
        ahead: How many elements may be requested of the input above and not yet taken, as far as they are requested.
        prefetch: As for CombineStage, of the pauser; at least `ahead`.
        pauser: The description of the pauser. If it completes, nothing is paused any more.

    State: whether it is paused, and what waits of both inputs.
    """

    cdef int64_t ahead
    cdef bint is_paused, has_yielded
    cdef InputPort pausable, pauser

    def __init__(self, int64_t ahead, int64_t prefetch, Description pauser not None):
        CombineStage.__init__(self, (pauser,), prefetch)
        self.ahead = ahead
        self.is_exact = True

    def inspect(self) -> dict:
        """Return what `CombineStage.inspect` does, and whether it is paused."""
        cdef dict facts = CombineStage.inspect(self)
        facts["is_paused"] = self.is_paused
        return facts

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.pausable = self.main()
        self.pauser = <InputPort>self.ports[1]
        self.pauser.is_free = True
        return 0

    cdef bint replenish(self, InputPort port) noexcept:
        if port is self.pauser:
            self.draw_mode = PORT_PASSES
            return CombineStage.replenish(self, port)
        self._hear()
        if self.is_paused or self._yields():
            return False
        self.has_yielded = False
        self.draw_mode = PORT_FORWARDS
        return CombineStage.replenish(self, port)

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t room, more
        if port is self.pauser:
            return CombineStage.wanted_of(self, port)
        room = self.ahead - port.outstanding
        more = min(self.remaining - port.outstanding, room)
        return 0 if more == room and more < self.ahead - self.ahead // 4 else more

    cdef void _hear(self) noexcept:
        """Take what the pauser has said: it may be listed behind the input above."""
        cdef PyObject* said = spsc_poll(self.pauser.slots)
        while said is not NULL:
            self.pauser.outstanding -= 1
            self.changed = True
            self.take_in(self.pauser, said)
            said = spsc_poll(self.pauser.slots)

    cdef bint _yields(self) noexcept:
        """Whether the stream is left, or the pauser runs first, which waits in the list."""
        # relaxed: drain() looks again, with the order that the bits need
        if self.state.load(memory_order_relaxed) & LEAVE:
            return True
        if self.has_yielded or not waits_here(self.pauser):
            return False
        self.has_yielded = True
        set_relaxed(self.state, TURN_OVER)
        return True

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is self.pausable:
            pass_on(self, element)
            return 0
        try:
            self.is_paused = bool(<object>element)
        except BaseException as error:
            note_element(error, self, <object>element)
            self.fail_at(self, error)
        decref(element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        return self.remaining > self.pausable.outstanding and self.replenish(self.pausable)

    cdef int input_over(self, InputPort port) noexcept:
        if port is self.pausable or port.input_error is not None:
            return self.finish(self.down, port.input_error)
        self.is_paused = False  # nobody could say so any more
        return 0

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.pausable = None
        self.pauser = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_paused)
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_paused = reader.read(bool)
        return self.load_inputs(reader)
