"""Operators that wait: delay, debounce, audit, throttle_latest, sample, timeout, buffer_timeout, rate_limit; and those
that look at the clock: throttle_first, timestamp, time_interval.

Each has the clock of its host (`Clock`). One alarm is set at most, and only while something waits for it, so nothing
runs in between. An alarm that rings notifies the operator, whose drainer looks at the time in `look()`.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport decref, incref
from rs_core.stream.clock cimport NEVER, Clock, after, as_datetime, as_moment, as_span, checked_time, read_moment
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport DROPPED, Stage, count, drop_signal, note_element
from rs_core.sync.atomics cimport memory_order_relaxed

from collections import deque
from datetime import timedelta

from rs_core.errors import StateError

cdef int64_t _MOST_REQUESTED = 256   # of the elements of a list at a time


cdef class TimedStage(CombineStage):
    """An operator that waits, with one input, of which `prefetch` elements are requested without demand below.

    Args:
        prefetch: As for CombineStage.
        find_scheduler: As for Clock; None: the operator has no clock.
    """

    cdef Clock clock
    cdef int64_t time   # the latest moment that was looked at

    def __init__(self, int64_t prefetch, find_scheduler):
        CombineStage.__init__(self, (), prefetch)
        self.clock = Clock(find_scheduler)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and on which scheduler it waits."""
        return self.clock.inspect(CombineStage.inspect(self))

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.main().is_free = True
        return 0

    cdef int begin(self) except -1:
        try:
            self.clock.at(self.context_of_host)
            self.time = self.clock.now()
        except Exception as error:
            self.fail_at(self, error)
        return CombineStage.begin(self)

    cdef bint has_come(self, int64_t due) except -1:
        """Return whether a moment has come; else have the operator notified then."""
        if due <= self.time:
            return True
        if self.clock.will_ring_by(due):
            return False  # without a look at the clock at each element
        self.time = self.clock.now()
        if due <= self.time:
            return True
        self.clock.wait_until(self, due)
        return False

    cdef int nothing_to_do(self) noexcept:
        try:
            self.clock.rang()
            return self.look()
        except BaseException as error:
            self.fail_at(self, error)
            return True

    cdef bint look(self) except -1:
        """Do what the time, or demand, allows; True: look again."""
        return False

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            self.take(<object>element)
        except BaseException as error:
            note_element(error, self, <object>element)
            self.fail_at(self, error)
        decref(element)
        return 0

    cdef int take(self, element) except -1:
        """Keep an element of the input."""
        return 0

    cdef int send_on(self, element) except -1:
        """Send an element down, which demand allows."""
        self.changed = True
        incref(<PyObject*>element)
        pass_on(self, <PyObject*>element)
        count(self)
        return 0

    cdef int ask_for_more(self) except -1:
        """Request what there is room for again."""
        if self.replenish(self.main()):
            self.list_port(self.main())
        return 0

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.clock.close(self)


@cython.final
cdef class DelayStage(TimedStage):
    """Pass on each element, and the completion, a time after it came.

    Args:
        prefetch: How many elements may wait and be requested together.
        delay: The time, a timedelta.
        find_scheduler: As for Clock.

    State: the elements that wait and when each goes on, when the end does, and what waits of the input.
    """

    cdef int64_t delay, end_due
    cdef object waiting   # a deque of the moment at which an element goes on, and the element

    def __init__(self, int64_t prefetch, delay, find_scheduler):
        TimedStage.__init__(self, prefetch, find_scheduler)
        self.delay = as_span(delay)
        self.end_due = NEVER
        self.waiting = deque()

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t waiting = len(self.waiting)
        cdef int64_t more = self.prefetch - port.outstanding - waiting
        return 0 if more < self.replenish_at and waiting else more

    cdef int take(self, element) except -1:
        self.waiting.append((after(self.clock.now(), self.delay), element))
        return 0

    cdef bint look(self) except -1:
        if self.waiting:
            if self.remaining == 0 or not self.has_come(self.waiting[0][0]):
                return False
            self.send_on(self.waiting.popleft()[1])
            self.ask_for_more()
            return True
        if self.end_due != NEVER and self.has_come(self.end_due):
            self.finish(self.down, self.main().input_error)
            return True
        return False

    cdef int input_over(self, InputPort port) noexcept:
        try:
            self.end_due = after(self.clock.now(), self.delay)
        except BaseException as error:
            self.fail_at(self, error)
        return 0

    cdef void release(self) noexcept:
        TimedStage.release(self)
        self.waiting = ()

    cdef int write_fields(self, object writer) except -1:
        writer.write([as_datetime(due) for due, _ in self.waiting])
        writer.write([element for _, element in self.waiting])
        writer.write(as_datetime(self.end_due))
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        dues, elements = reader.read(list), reader.read(list)
        if len(dues) != len(elements):
            raise StateError(
                f"{self!r} cannot load {len(elements)} elements with {len(dues)} times; load an older checkpoint"
            )
        self.waiting = deque([(as_moment(checked_time(self, due)), element) for due, element in zip(dues, elements)])
        if None in dues:
            raise StateError(f"{self!r} cannot load an element without a time; load an older checkpoint")
        self.end_due = read_moment(self, reader)
        return self.load_inputs(reader)


cdef class LatestStage(TimedStage):
    """Pass on the latest element, at times that the operator says; what is due and not requested gives way to the next.

    State: the latest element, if it was not due yet; that which was due, if it was not requested; whether the input has
        completed; and what waits of it.
    """

    cdef object latest, ready
    cdef bint has_latest, has_ready, has_completed

    cdef int take(self, element) except -1:
        self.latest = element
        self.has_latest = True
        self.changed = True
        return 0

    cdef int make_ready(self) except -1:
        """Let the latest element go as soon as it is requested."""
        if self.has_latest:
            self.ready, self.latest = self.latest, None
            self.has_ready, self.has_latest = True, False
            self.changed = True
        return 0

    cdef bint send_ready(self) except -1:
        """Send what is due and requested, and the end after the last; True: look again."""
        if self.has_ready:
            if self.remaining == 0:
                return False
            element, self.ready = self.ready, None
            self.has_ready = False
            self.send_on(element)
            return True
        if self.has_completed and not self.has_latest:
            self.finish(self.down, None)
            return True
        return False

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        self.has_completed = True
        try:
            self.completed()
        except BaseException as error:
            self.fail_at(self, error)
        return 0

    cdef int completed(self) except -1:
        """Do what completion of the input means for the latest element: it goes out."""
        if self.has_ready and self.has_latest:
            return 0  # that which was due goes first
        return self.make_ready()

    cdef bint look(self) except -1:
        cdef bint again = self.send_ready()
        if not self.has_ready and self.has_completed and self.has_latest:
            self.make_ready()
            return True
        return again

    cdef void release(self) noexcept:
        TimedStage.release(self)
        self.latest = self.ready = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.has_latest)
        writer.write(self.latest)
        writer.write(self.has_ready)
        writer.write(self.ready)
        writer.write(self.has_completed)
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.has_latest = reader.read(bool)
        self.latest = reader.read()
        self.has_ready = reader.read(bool)
        self.ready = reader.read()
        self.has_completed = reader.read(bool)
        return self.load_inputs(reader)


cdef enum Window:      # when the time begins after which the latest element goes on
    DEBOUNCES = 0      # with each element again
    AUDITS = 1         # with the first element after one went on
    THROTTLES = 2      # when one went on; the first goes on at once


@cython.final
cdef class WindowedStage(LatestStage):
    """Pass on the latest element when a time is over.

    Args:
        prefetch: As for TimedStage.
        span: The time, a timedelta.
        window: When it begins: "debounce", "audit" or "throttle".
        find_scheduler: As for Clock.

    State: that of LatestStage; when the time is over.
    """

    cdef int64_t span, due
    cdef Window window

    def __init__(self, int64_t prefetch, span, str window, find_scheduler):
        TimedStage.__init__(self, prefetch, find_scheduler)
        self.span = as_span(span)
        self.due = NEVER
        self.window = {"debounce": DEBOUNCES, "audit": AUDITS, "throttle": THROTTLES}[window]

    cdef int take(self, element) except -1:
        LatestStage.take(self, element)
        if self.window == DEBOUNCES or self.due == NEVER:
            self.time = self.clock.now()
            self.due = after(self.time, self.span)
            if self.window == THROTTLES:
                self.make_ready()
        elif self.window == THROTTLES and self.has_come(self.due):
            self.due = after(self.clock.now(), self.span)
            self.make_ready()
        return 0

    cdef bint look(self) except -1:
        if self.has_latest and not self.has_completed and self.has_come(self.due):
            self.due = after(self.due, self.span) if self.window == THROTTLES else NEVER
            self.make_ready()
        return LatestStage.look(self)

    cdef int write_fields(self, object writer) except -1:
        writer.write(as_datetime(self.due))
        return LatestStage.write_fields(self, writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.due = read_moment(self, reader)
        LatestStage.read_fields(self, reader, version)
        if self.has_latest and self.due == NEVER:
            raise StateError(f"{self!r} cannot load an element without its time; load an older checkpoint")
        return 0


@cython.final
cdef class SampleStage(LatestStage):
    """Pass on the latest element whenever another input, the sampler, has an element, and when the sampler completes.

    Args:
        prefetch: As for TimedStage.
        sampler: The description of the sampler.

    State: that of LatestStage, whose input is two of them.
    """

    cdef InputPort sampler

    def __init__(self, int64_t prefetch, Description sampler not None):
        TimedStage.__init__(self, prefetch, None)
        self.sources = (sampler,)

    cdef int attach(self) except -1:
        TimedStage.attach(self)
        self.sampler = <InputPort>self.ports[1]
        self.sampler.is_free = True
        return 0

    cdef int begin(self) except -1:
        return CombineStage.begin(self)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is not self.sampler:
            return LatestStage.take_in(self, port, element)
        decref(element)
        return self._sample()

    cdef int _sample(self) noexcept:
        try:
            self.make_ready()
            if self.has_completed and not self.has_ready:
                self.finish(self.down, None)
        except BaseException as error:
            self.fail_at(self, error)
        return 0

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        if port is self.sampler:
            return self._sample()
        self.has_completed = True
        return self._sample() if self.sampler.is_over else 0

    cdef bint look(self) except -1:
        if self.has_ready and self.remaining > 0:
            self.send_ready()
            if self.has_completed and not self.has_latest:
                self.finish(self.down, None)
            return True
        return False

    cdef void release(self) noexcept:
        LatestStage.release(self)
        self.sampler = None


# What completes at once, of which nobody sees that it is not run.
cdef frozenset _OVER_AT_ONCE = frozenset({list, tuple, range, str})


@cython.final
cdef class DebounceByStage(LatestStage):
    """Pass on the latest element when the stream that a function returns for it has an element, or completes.

    Args:
        prefetch: As for TimedStage.
        function: Called with each element.
        described: Returns the description of what the function returned, or raises.

    State: that of LatestStage; the stream of the latest element. A loaded stage calls the function again with this.
    """

    cdef object function, described
    cdef InputPort running   # the stream of the latest element; None: none runs
    cdef InputPort left      # one that had an element, to be cancelled

    def __init__(self, int64_t prefetch, function, described):
        TimedStage.__init__(self, prefetch, None)
        self.function = function
        self.described = described

    cdef int begin(self) except -1:
        return CombineStage.begin(self)

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        if port.index == 0:
            return LatestStage.wanted_of(self, port)
        return 1 - port.outstanding if port is self.running else 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port.index == 0:
            return LatestStage.take_in(self, port, element)
        decref(element)
        if port is self.running:
            self.left = port   # it is being drawn, perhaps
            self._pass_latest()
        return 0

    cdef int take(self, element) except -1:
        cdef InputPort port
        self._leave_streams()
        LatestStage.take(self, element)
        result = self.function(element)
        if type(result) in _OVER_AT_ONCE:
            self._pass_latest()
            return 0
        self.running = port = self._add(result, element)
        self.start_port(port)
        if port is self.running:
            self.see_end(port)  # before what else there is of the input above
        return 0

    cdef InputPort _add(self, object result, object element):
        cdef InputPort port = self.add_port(<Description?>self.described(result, element), None)
        port.is_free = True
        return port

    cdef void _leave_streams(self) noexcept:
        cdef InputPort running = self.running
        cdef InputPort left = self.left
        self.running = self.left = None
        if running is not None:
            self.remove_port(running)
        if left is not None:
            self.remove_port(left)

    cdef void _pass_latest(self) noexcept:
        self.running = None
        try:
            self.make_ready()
            self.send_ready()
        except BaseException as error:
            self.fail_at(self, error)

    cdef bint look(self) except -1:
        cdef InputPort left = self.left
        if left is not None:
            self.left = None
            self.remove_port(left)
        return LatestStage.look(self)

    cdef int input_over(self, InputPort port) noexcept:
        if port.index == 0:
            self._leave_streams()
            return LatestStage.input_over(self, port)
        if port is self.left:
            self.left = None
            if port.input_error is not None:
                drop_signal(self, "on_error", port.input_error, self.name)
        elif port is self.running:
            if port.input_error is not None:
                return self.finish(self.down, port.input_error)
            self._pass_latest()
        return 0

    cdef void release(self) noexcept:
        LatestStage.release(self)
        self.function = None
        self.described = None
        self.running = None
        self.left = None

    cdef int save_inputs(self, object writer) except -1:
        cdef bint is_live
        self.require_inputs()
        is_live = not (self.disposed or self.disposed_in_state)
        writer.write(is_live)
        if is_live:
            self.save_port(self.main(), writer)
            writer.write(self.running is not None)
            if self.running is not None:
                self.save_port(self.running, writer)
        return 0

    cdef int load_inputs(self, object reader) except -1:
        cdef bint is_running
        if not reader.read(bool):
            return 0
        self.load_port(self.main(), reader)
        is_running = reader.read(bool)
        if is_running != (self.has_latest and not self.has_completed):
            raise StateError(
                f"{self!r} cannot load {'a' if is_running else 'no'} stream that runs for the latest element "
                f"{safe_repr(self.latest)}; load an older checkpoint"
            )
        if is_running:
            # Not what the state says, but what the program's function says of an element.
            self.running = self._add(self.function(self.latest), self.latest)
            self.load_port(self.running, reader)
        return 0


@cython.final
cdef class TimeoutStage(TimedStage):
    """Pass on elements, and fail or go on with another stream when a requested one does not come in time.

    Args:
        prefetch: How many elements may be requested at a time.
        first: How long the first element may take, a timedelta; None: as long as it likes.
        between: How long each other one may take; None: as long as it likes.
        fallback: The description of the stream that follows then; None: the stream fails.
        find_scheduler: As for Clock.
        error: Called with this operator; returns the error of a stream that fails.

    State: whether an element came, whether the fallback runs, and what waits of the input or of the fallback.
    """

    cdef object first, between, error
    cdef Description fallback
    cdef int64_t due            # when the element has to be there that is requested; NEVER: none is
    cdef bint has_come_once, is_replaced
    cdef InputPort active

    def __init__(self, int64_t prefetch, first, between, Description fallback, find_scheduler, error):
        TimedStage.__init__(self, prefetch, find_scheduler)
        self.first = first
        self.between = between
        self.fallback = fallback
        self.error = error
        self.due = NEVER
        self.is_exact = True

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.active = self.main()
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        self.due = NEVER
        self.has_come_once = True
        pass_on(self, element)
        return 0

    cdef bint look(self) except -1:
        if self.remaining > self.active.outstanding and self.replenish(self.active):
            return True
        limit = None if self.is_replaced else self.between if self.has_come_once else self.first
        if self.remaining == 0 or limit is None or self.active.is_over:
            self.due = NEVER
            return False
        if self.due == NEVER:
            self.time = self.clock.now()
            self.due = after(self.time, as_span(limit))
        if not self.has_come(self.due):
            return False
        if self.fallback is None:
            raise self.error(self.name, limit)
        self.is_replaced = True
        self.changed = True
        self.clock.stop()
        self.remove_port(self.active)
        self.active = self.add_port(self.fallback, None)
        self.start_port(self.active)
        return True

    cdef int input_over(self, InputPort port) noexcept:
        return self.finish(self.down, port.input_error) if port is self.active else 0

    cdef void release(self) noexcept:
        TimedStage.release(self)
        self.active = None

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.has_come_once)
        writer.write(self.is_replaced)
        if self.active is not None and not self.disposed and not self.disposed_in_state:
            self.save_port(self.active, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef InputPort above = self.active
        self.has_come_once = reader.read(bool)
        self.is_replaced = reader.read(bool)
        if self.disposed_in_state:
            return 0
        if self.is_replaced:
            if self.fallback is None:
                raise StateError(
                    f"{self!r} was saved while its fallback ran, and has none; load the state with the streams that it "
                    f"was saved with"
                )
            above.is_over = True
            # relaxed: nothing flows before the start; nobody lists it again
            above.is_listed.store(1, memory_order_relaxed)
            self.active = self.add_port(self.fallback, None)
        self.load_port(self.active, reader)
        return 0


@cython.final
cdef class BufferTimeoutStage(TimedStage):
    """Pass on lists of elements, when they are full or a time after their first element came.

    Args:
        size: How many elements a full list has.
        span: The time, a timedelta.
        find_scheduler: As for Clock.

    State: the elements of the list that is not passed on, when it is due, and what waits of the input.
    """

    cdef int64_t size, span, due
    cdef list elements
    cdef bint has_completed

    def __init__(self, int64_t size, span, find_scheduler):
        TimedStage.__init__(self, min(size, _MOST_REQUESTED), find_scheduler)
        self.size = size
        self.span = as_span(span)
        self.due = NEVER
        self.elements = []

    cdef bint accepts(self, InputPort port) noexcept:
        return len(self.elements) < self.size

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t room = self.size - <int64_t>len(self.elements)
        cdef int64_t more = min(self.prefetch, room) - port.outstanding
        return 0 if more < self.replenish_at and more != room else more

    cdef int take(self, element) except -1:
        if not self.elements:
            self.due = after(self.clock.now(), self.span)
        self.elements.append(element)
        return 0

    cdef bint look(self) except -1:
        if not self.elements:
            if self.has_completed:
                self.finish(self.down, None)
            return self.has_completed
        if self.remaining == 0:
            return False
        if len(self.elements) < self.size and not self.has_completed and not self.has_come(self.due):
            return False
        elements, self.elements = self.elements, []
        self.due = NEVER
        self.send_on(elements)
        self.list_port(self.main())  # it is accepted again, or its error seen
        return True

    cdef bint see_end(self, InputPort port) noexcept:
        # An error comes after a list that was full before it. A list that is not full is given up.
        if len(self.elements) >= self.size and not port.is_over and port.has_ended() and port.input_error is not None:
            return False
        return TimedStage.see_end(self, port)

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        self.has_completed = True
        return 0

    cdef void release(self) noexcept:
        TimedStage.release(self)
        self.elements = []
        self.due = NEVER

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.elements)
        writer.write(as_datetime(self.due))
        writer.write(self.has_completed)
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.elements = reader.read(list)
        self.due = read_moment(self, reader)
        self.has_completed = reader.read(bool)
        if bool(self.elements) != (self.due != NEVER) or len(self.elements) > self.size:
            raise StateError(
                f"{self!r} cannot load a list of {len(self.elements)} elements that is due at {as_datetime(self.due)}; "
                f"load an older checkpoint"
            )
        return self.load_inputs(reader)


@cython.final
cdef class RateLimitStage(TimedStage):
    """Request an element when a token is there for it, of which a time brings some.

    The bucket is filled evenly. It is counted in parts, of which a token has as many as the time has microseconds, and
    of which a microsecond brings as many as the time brings tokens: so nothing is rounded.

    At most as many elements are requested as there are tokens, and each takes one when it passes: so none has to wait
    here, and elements that come late and together are no more than the bucket holds.

    The clock is read once for all elements that pass together, after them: the bucket is filled up to that time before
    their tokens are taken. So it never holds more than if it was filled before each of them, and less by what comes in
    while they pass, if it was full.

    Args:
        tokens: How many the time brings.
        span: The time, a timedelta.
        burst: How many the bucket holds. It is full at the start.
        find_scheduler: As for Clock.

    State: the parts in the bucket and when they were, and what waits of the input.
    """

    cdef object tokens, cost, full   # integers of any size
    cdef object level
    cdef int64_t filled_at           # NEVER before the start
    cdef int64_t taken               # tokens that are to be taken from `level`

    def __init__(self, tokens, span, burst, find_scheduler):
        TimedStage.__init__(self, min(burst, _MOST_REQUESTED), find_scheduler)
        self.tokens = tokens
        self.cost = as_span(span)
        self.full = self.level = burst * self.cost
        self.filled_at = NEVER
        self.is_exact = True

    cdef int attach(self) except -1:
        return CombineStage.attach(self)   # its input is not free

    cdef int begin(self) except -1:
        TimedStage.begin(self)
        if self.filled_at == NEVER:
            self.filled_at = self.time
        return 0

    cdef int fill(self) except -1:
        """Bring the bucket up to date, then take tokens. A clock that was set back brings nothing, and counts on."""
        self.time = self.clock.now()
        if self.time > self.filled_at and self.level < self.full:
            self.level = min(self.full, self.level + (self.time - self.filled_at) * self.tokens)
        self.level -= self.taken * self.cost
        self.taken = 0
        self.filled_at = self.time
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        self.taken += 1
        pass_on(self, element)
        return 0

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t tokens = max(0, min(self.level // self.cost - self.taken, self.prefetch))
        return min(self.remaining, tokens) - port.outstanding

    cdef bint look(self) except -1:
        cdef InputPort port = self.main()
        if self.taken:  # at once, also without demand: else what comes until the next look would be lost
            self.fill()
        if self.remaining <= port.outstanding or port.is_over or port.outstanding >= self.prefetch:
            return False
        missing = self.cost * (port.outstanding + 1) - self.level
        if missing > 0:
            self.fill()
            missing = self.cost * (port.outstanding + 1) - self.level
        if missing > 0:
            # No longer than a token may take: it may ring earlier, and the bucket is looked at again.
            self.clock.wait_until(self, after(self.filled_at, min(-(-missing // self.tokens), self.cost)))
            return False
        return self.replenish(port)

    cdef int write_fields(self, object writer) except -1:
        if self.taken and self.clock.scheduler is not None:
            self.fill()
        writer.write(self.level)
        writer.write(as_datetime(self.filled_at))
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.level = reader.read(int)
        self.filled_at = read_moment(self, reader)
        if self.level > self.full:
            raise StateError(
                f"{self!r} cannot load a bucket of {self.level} parts, and holds {self.full}; load the state with the "
                f"arguments that it was saved with"
            )
        return self.load_inputs(reader)


# --- those that look at the clock and do not wait --------------------------------------------------------------------


@cython.final
cdef class ThrottleFirstStage(Stage):
    """Pass on an element and drop those that come within a time after it.

    Args:
        span: The time, a timedelta.
        find_scheduler: As for Clock.

    State: until when elements are dropped.
    """

    cdef Clock clock
    cdef int64_t span, until

    def __init__(self, span, find_scheduler):
        self.clock = Clock(find_scheduler)
        self.span = as_span(span)
        self.until = NEVER

    cdef int begin(self) except -1:
        _open(self, self.clock)
        return 0

    cdef int try_next(self, PyObject* element) noexcept:
        cdef bint passes = False
        cdef int64_t now
        try:
            now = self.clock.now()
            if now >= self.until:
                self.until = after(now, self.span)
                self.changed = passes = True
        except BaseException as error:
            decref(element)
            return self.owner.fail_at(self, error)
        if passes:
            return self.down.try_next(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.clock.close(None)

    cdef int write_fields(self, object writer) except -1:
        writer.write(as_datetime(self.until))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.until = read_moment(self, reader)
        return 0


@cython.final
cdef class TimestampStage(Stage):
    """Pass on tuples of the time and the element; or of the time since the one before, and the element.

    Args:
        is_interval: Whether it is the time since the one before, for the first one since the start.
        find_scheduler: As for Clock.

    State: when the last element came.
    """

    cdef Clock clock
    cdef bint is_interval
    cdef int64_t last

    def __init__(self, bint is_interval, find_scheduler):
        self.clock = Clock(find_scheduler)
        self.is_interval = is_interval
        self.last = NEVER

    cdef int begin(self) except -1:
        _open(self, self.clock)
        if self.last == NEVER and self.clock.scheduler is not None:
            self.last = self.clock.now()
        return 0

    cdef int try_next(self, PyObject* element) noexcept:
        cdef tuple stamped
        cdef int64_t now
        try:
            now = self.clock.now()
            if self.is_interval:
                stamped = (timedelta(microseconds=now - self.last), <object>element)
                self.last = now
                self.changed = True
            else:
                stamped = (as_datetime(now), <object>element)
        except BaseException as error:
            decref(element)
            return self.owner.fail_at(self, error)
        decref(element)
        incref(<PyObject*>stamped)
        return self.down.try_next(<PyObject*>stamped)

    cdef void release(self) noexcept:
        self.clock.close(None)

    cdef int write_fields(self, object writer) except -1:
        writer.write(as_datetime(self.last) if self.is_interval else None)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.last = read_moment(self, reader)
        return 0


cdef int _open(Stage stage, Clock clock) except -1:
    """Look for the scheduler at the start of an operator that owns no demand."""
    if stage.owner is None:
        raise StateError(f"{stage!r} belongs to no stream; stages are made by subscribing to one")
    try:
        clock.at(stage.context_of_host)
    except Exception as error:
        stage.owner.fail_at(stage, error)
    return 0
