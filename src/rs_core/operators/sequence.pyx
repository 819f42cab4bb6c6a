"""Operators that run one stream after the other: concat, then, repeat, retry, on_error_resume and others; and using.

Besides, those that pass on elements of their own between those of a stream, intersperse, or its elements again, cycle.

One downstream, a sequence of upstreams, which Reactor and RxJava call a subscription arbiter: what is requested and was
not delivered is requested of the input at hand, and of the next one when that has ended; never more (§1.1).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport caught, decref, incref, xdecref
from rs_core.stream.clock cimport Clock, as_moment
from rs_core.stream.combine_stage cimport PORT_FORWARDS, PORT_PASSES, CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport (
    ACCEPTED, LEAVE, DemandOwner, add_assembly_note, count, drain_in_turns, drop_signal, push, release_failed,
)
from rs_core.sync.atomics cimport memory_order_relaxed

cdef extern from "Python.h":
    PyObject* PyType_GenericAlloc(type kind, Py_ssize_t items) noexcept
    int PyObject_GenericSetAttr(object target, object name, object value) noexcept

from datetime import datetime
from enum import Enum
from sys import intern

from rs_core.errors import CapacityError, StateError


class Successor(Enum):
    """What follows an input if not a stream."""

    INPUT_ABOVE = "the input above, again or in its turn"
    END = "the end or the error of that input"


cdef object _INPUT_ABOVE = Successor.INPUT_ABOVE
cdef object _END = Successor.END


cdef class SequenceStage(CombineStage):
    """Pass on the elements of an input, then those of the next one.

    Args:
        prefetch: How many elements may be requested of an input at a time.
        successor: Called at the end of an input with how many inputs had ended before, how many elements were passed on
            of it, and its error or None; returns the description of the next input, or a `Successor`. Called again with
            the same arguments when a state is loaded.
        first: The description of the input before the one above, or of the first where there is none above.
        ignores_first: Whether the elements of the first input are dropped; they are requested without demand below.

    State: whether the one above has ended before its turn, how many inputs have ended, what ended the one before, how
        many elements of the present one were passed on, and what waits of it.
    """

    cdef object successor
    cdef Description first
    cdef InputPort active
    cdef int64_t ended
    cdef object last_error
    cdef int64_t passed_before
    cdef bint above_waits  # for the end of `first`
    cdef bint ignores_first

    def __init__(self, int64_t prefetch, successor, Description first=None, bint ignores_first=False):
        CombineStage.__init__(self, (), prefetch)
        self.successor = successor
        self.first = first
        self.ignores_first = ignores_first
        self.is_exact = True
        self.draw_mode = PORT_PASSES if ignores_first else PORT_FORWARDS

    cdef int attach(self) except -1:
        if self.first is not None:
            self.sources = (self.first,)
        CombineStage.attach(self)
        self.above_waits = self.first is not None and self.up is not None
        self.active = <InputPort>self.ports[1 if self.above_waits else 0]
        self.active.is_free = self.ignores_first
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port.is_free:
            decref(element)
            return 0
        pass_on(self, element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        return self.active is not None and self.remaining > self.active.outstanding and self.replenish(self.active)

    cdef int input_over(self, InputPort port) noexcept:
        if port is not self.active:
            return 0  # the one above, before its turn
        error = port.input_error
        count(self)  # inputs without an element, one after the other, take time, too
        try:
            following = self.find_successor(error)
            if following is _END:
                _retain(self, port)
                return self.finish(self.down, error)
            return self.begin_next(following, error)
        except BaseException as trouble:
            if error is not None and trouble is not error and trouble.__context__ is None:
                trouble.__context__ = error
            return self.fail_at(self, trouble)

    cdef object find_successor(self, error):
        return self.successor(self.ended, self.passed, error)

    cdef int begin_next(self, following, error) except -1:
        """Begin the input that follows one that ended with an error or None."""
        cdef bint is_waiting = self.above_waits and following is _INPUT_ABOVE
        cdef InputPort port = self._next_input(following)
        self.ended += 1
        self.draw_mode = PORT_FORWARDS
        self.passed_before = self.passed
        self.passed = 0
        self.last_error = error
        self.active = port
        if not is_waiting:
            return self.start_port(port)
        return self.input_over(port) if port.is_over else 0

    cdef InputPort _next_input(self, following):
        """The port of what the successor returned: a new one, or that of the input above, which waits for its turn."""
        if following is not _INPUT_ABOVE:
            return self.add_port(<Description?>following, None)
        if not self.above_waits:
            return self.add_port(self.source, None)
        self.above_waits = False
        return self.main()

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.successor = None
        self.active = None

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.ended)
        writer.write(self.passed_before)
        writer.write(self.last_error)
        writer.write(self.passed)
        writer.write(self.active is not None)
        if self.active is not None:
            self.save_port(self.active, writer)
            if self.above_waits:
                self.save_port(self.main(), writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.ended = reader.read_count()
        self.passed_before = reader.read_count()
        self.last_error = reader.read((Exception, type(None)))
        self.passed = reader.read_count()
        if not reader.read(bool):
            return self.require_disposed()
        if self.ended:
            self.leave_first()
            following = self.successor(self.ended - 1, self.passed_before, self.last_error)
            if following is _END:
                raise StateError(
                    f"{self!r} was saved in input {self.ended + 1}, and there is none; load the state with the streams "
                    f"that it was saved with"
                )
            self.active = self._next_input(following)
        self.load_port(self.active, reader)
        if self.above_waits:
            self.load_port(self.main(), reader)
        return 0

    cdef int require_disposed(self) except -1:
        """Have no active input, which a loaded state says."""
        if not self.disposed_in_state:
            raise StateError(
                f"{self!r} cannot load that no input is active, for it has not ended; load an older checkpoint"
            )
        self.active = None
        return 0

    cdef int leave_first(self) except -1:
        """Have the first input be over, whatever its nodes do when they are started."""
        self.active.is_over = True
        self.active.is_free = False
        self.draw_mode = PORT_FORWARDS
        self.active.is_listed.store(1, memory_order_relaxed)  # relaxed: nothing flows; nobody lists it again
        return 0


cdef void _retain(CombineStage stage, InputPort port) noexcept:
    """Keep an input whose end is that of the stage: a state that is saved before the end is sent has the input."""
    stage.ports[port.index] = port


@cython.final
cdef class MaterializeStage(SequenceStage):
    """Pass on an object for each element of the input above, then those of the next input as they are.

    Args:
        prefetch: As for SequenceStage.
        successor: As for SequenceStage.
        kind: The class of the objects, whose __init__ does no more than to set `field`; that is done without it.
        field: The attribute that is the element.

    State: that of SequenceStage.
    """

    cdef type kind
    cdef str field

    def __init__(self, int64_t prefetch, successor, type kind not None, str field not None):
        SequenceStage.__init__(self, prefetch, successor)
        self.kind = kind
        self.field = intern(field)
        self.draw_mode = PORT_PASSES

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef PyObject* made
        if self.ended:
            pass_on(self, element)
            return 0
        made = PyType_GenericAlloc(self.kind, 0)
        if made is NULL or PyObject_GenericSetAttr(<object>made, self.field, <object>element) < 0:
            xdecref(made)
            decref(element)
            return self.fail_at(self, caught())
        decref(element)
        pass_on(self, made)
        return 0


cdef class DelaySubscriptionStage(SequenceStage):
    """Run an input to its end, whose elements are dropped, and then make and begin the one above.

    Args:
        prefetch: As for SequenceStage.
        first: The description of the first input.

    State: that of SequenceStage.
    """

    def __init__(self, int64_t prefetch, Description first not None):
        SequenceStage.__init__(self, prefetch, _above_once, first=first, ignores_first=True)

    cdef int attach(self) except -1:
        source = self.source
        self.source = None  # else its nodes were made now
        SequenceStage.attach(self)
        self.source = source
        return 0

    cdef int64_t count_inputs(self) noexcept:
        return 1


def _above_once(ended, passed, error):
    return _END if ended or error is not None else _INPUT_ABOVE


@cython.final
cdef class SubscribeOnStage(DelaySubscriptionStage):
    """Make and begin the input above in the threads of a scheduler, which drains all of its owners and this one.

    Args:
        prefetch: As for SequenceStage.
        first: The description of an input without elements, which ends in these threads.
        scheduler: Runs the tasks that drain.
        context_on: Called with the host's context, or None, and the scheduler; returns the context of the input above.

    State: that of SequenceStage.
    """

    cdef object target
    cdef object context_on

    def __init__(self, int64_t prefetch, Description first not None, scheduler, context_on):
        DelaySubscriptionStage.__init__(self, prefetch, first)
        self.target = None if getattr(scheduler, "is_immediate", False) else scheduler
        self.context_on = context_on

    cdef int begin(self) except -1:
        if self.target is not None:
            self.drain_on(self.target)
            loop_turns = getattr(self.target, "loop_turns", None)
            if loop_turns is not None:
                drain_in_turns(self, loop_turns)
        return DelaySubscriptionStage.begin(self)

    cdef InputPort _next_input(self, following):
        if self.target is not None:
            self.context_of_host = self.context_on(self.context_of_host, self.target)
        return DelaySubscriptionStage._next_input(self, following)


@cython.final
cdef class RetryStage(SequenceStage):
    """Pass on the elements of the input above, and run it again when it fails, as a policy says, at once or later.

    Args:
        prefetch: As for SequenceStage.
        run: What decides, for this subscription alone: `decide(failed, passed, error, now)` returns the delay before
            the next attempt, a timedelta, or None for no further one; `needs_clock` says whether it looks at the time,
            and `start(now)` is called then at the start; `save()` returns a list of values, and `restore(values)`
            takes it.
        find_scheduler: Called with the host's scheduler, or None, where a clock is needed; returns the one to wait on.

    State: that of SequenceStage; the run's; when the next attempt begins, if one waits.
    """

    cdef object run
    cdef Clock clock
    cdef object waiting_error  # what the attempt ended with while the next one waits
    cdef object due            # when that begins; None: it does not wait

    def __init__(self, int64_t prefetch, run, find_scheduler):
        SequenceStage.__init__(self, prefetch, None)
        self.run = run
        self.clock = Clock(find_scheduler)

    @property
    def version(self) -> tuple:
        """The version of the state's layout; the one before it had neither a run nor a delay."""
        return (1, 1, 0, 0)

    @property
    def loadable_versions(self) -> tuple:
        """The older versions of the state's layout that can be loaded, too."""
        return ((1, 0, 0, 0),)

    cdef object now(self):
        return self.clock.at(self.context_of_host).now

    cdef int begin(self) except -1:
        try:
            if self.run.needs_clock:
                self.run.start(self.now())
            if self.due is not None:
                self._wait_until(self.due)
        except Exception as error:
            self.fail_at(self, error)
        return SequenceStage.begin(self)

    cdef int _wait_until(self, due) except -1:
        self.due = due
        self.clock.at(self.context_of_host)
        return self.clock.wait_until(self, as_moment(due))

    cdef int input_over(self, InputPort port) noexcept:
        if port is self.active and port.input_error is None:
            _retain(self, port)
            return self.finish(self.down, None)
        return SequenceStage.input_over(self, port)

    cdef object find_successor(self, error):
        now = self.now() if self.run.needs_clock else None
        delay = self.run.decide(self.ended + 1, self.passed, error, now)
        self.changed = True
        return _END if delay is None else delay

    cdef int begin_next(self, following, error) except -1:
        if not following:
            return SequenceStage.begin_next(self, _INPUT_ABOVE, error)
        self.waiting_error = error
        return self._wait_until(self.now() + following)

    cdef int nothing_to_do(self) noexcept:
        if self.due is None:
            return SequenceStage.nothing_to_do(self)
        try:
            if not self.clock.rang():
                return False
            if self.now() < self.due:
                return self._wait_until(self.due)
            self.due = None
            error = self.waiting_error
            self.waiting_error = None
            SequenceStage.begin_next(self, _INPUT_ABOVE, error)
        except BaseException as trouble:
            self.fail_at(self, trouble)
        return True

    cdef void release(self) noexcept:
        SequenceStage.release(self)
        self.run = None
        self.clock.close(self)

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.ended)
        writer.write(self.passed)
        writer.write(self.active is not None)
        if self.active is None:
            return 0
        writer.write(self.run.save())
        writer.write(self.due)
        writer.write(self.waiting_error)
        if self.waiting_error is None:
            self.save_port(self.active, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        if version < (1, 1, 0, 0):
            self.successor = _above_again  # whatever the policy would say now, this attempt was allowed
            return SequenceStage.read_fields(self, reader, version)
        self.ended = reader.read_count()
        self.passed = reader.read_count()
        if not reader.read(bool):
            self.require_disposed()
            return 0
        self.run.restore(reader.read(list))
        self.due = reader.read((datetime, type(None)))
        self.waiting_error = reader.read((Exception, type(None)))
        if (self.due is None) != (self.waiting_error is None) or (
            self.due is not None and self.due.utcoffset() is None
        ):
            raise StateError(
                f"{self!r} cannot load an attempt that waits until {self.due} after {self.waiting_error!r}; "
                f"load an older checkpoint"
            )
        if self.ended or self.waiting_error is not None:
            self.leave_first()
        if self.waiting_error is None:
            if self.ended:
                self.active = self._next_input(_INPUT_ABOVE)
            self.load_port(self.active, reader)
        return 0


def _above_again(ended, passed, error):
    return _INPUT_ABOVE


@cython.final
cdef class AgainWhenStage(CombineStage):
    """Pass on the elements of the input above, and run it again each time another stream says so.

    That stream, the control, is made by a function from a stream of what the runs ended with. One of its elements is
    requested at the end of each run.

    Args:
        prefetch: As for SequenceStage.
        control: Called at the first end with the class of streams and a `Feed`; returns the description of the control.
        is_after_errors: Whether a run that failed is followed by another one, and the feed gets the error; else one
            that completed is, and the feed gets how many elements were passed on.

    State: how many runs have ended, and how many elements of the present one were passed on; whether the control is
        waited for or over; what waits of it and of the present run.
    """

    cdef object control_function
    cdef bint is_after_errors
    cdef Feed feed
    cdef InputPort active, control
    cdef int64_t ended
    cdef bint is_waiting        # for an element of the control
    cdef bint is_control_over

    def __init__(self, int64_t prefetch, control, bint is_after_errors):
        CombineStage.__init__(self, (), prefetch)
        self.control_function = control
        self.is_after_errors = is_after_errors
        self.is_exact = True

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.active = self.main()
        return 0

    cdef bint accepts(self, InputPort port) noexcept:
        return self.is_waiting if port is self.control else self.remaining > 0

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        if port is self.control:
            return self.is_waiting - port.outstanding
        return CombineStage.wanted_of(self, port)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is not self.control:
            pass_on(self, element)
            return 0
        decref(element)
        self.is_waiting = False
        self.passed = 0
        try:
            self.active = self.add_port(self.source, None)
        except BaseException as error:
            return self.fail_at(self, error)
        return self.start_port(self.active)

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port = self.control if self.is_waiting else self.active
        return port is not None and not port.is_over and self.wanted_of(port) > 0 and self.replenish(port)

    cdef int input_over(self, InputPort port) noexcept:
        error = port.input_error
        if port is self.control:
            if error is not None or self.is_waiting:
                _retain(self, port)
                return self.finish(self.down, error)
            self.is_control_over = True
            return 0
        if port is not self.active:
            return 0
        if (error is not None) != self.is_after_errors or self.is_control_over:
            _retain(self, port)
            return self.finish(self.down, None if self.is_after_errors else error)
        count(self)  # as in SequenceStage
        self.ended += 1
        self.is_waiting = True
        try:
            if self.control is not None:
                self.feed.offer(error if self.is_after_errors else self.passed)
                return 0
            self._make_control()
            self.feed.offer(error if self.is_after_errors else self.passed)
            return self.start_port(self.control)
        except BaseException as trouble:
            if error is not None and trouble is not error and trouble.__context__ is None:
                trouble.__context__ = error
            return self.fail_at(self, trouble)

    cdef int _make_control(self) except -1:
        self.feed = Feed()
        self.control = self.add_port(<Description?>self.control_function(type(self.source), self.feed), None)
        return 0

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.control_function = None
        self.feed = None
        self.active = None
        self.control = None

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.ended)
        writer.write(self.passed)
        writer.write(self.is_waiting)
        writer.write(self.is_control_over)
        writer.write(self.active is not None)
        if self.active is not None:
            if self.control is not None and not self.is_control_over:
                self.save_port(self.control, writer)
            if not self.is_waiting:
                self.save_port(self.active, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.ended = reader.read_count()
        self.passed = reader.read_count()
        self.is_waiting = reader.read(bool)
        self.is_control_over = reader.read(bool)
        if not reader.read(bool):
            if not self.disposed_in_state:
                raise StateError(
                    f"{self!r} cannot load that no input is active, for it has not ended; load an older checkpoint"
                )
            self.active = None
            return 0
        if (self.is_waiting or self.is_control_over) and (not self.ended or self.is_waiting and self.is_control_over):
            raise StateError(
                f"{self!r} cannot load a control that is waited for or over after {self.ended} runs; load an older "
                f"checkpoint"
            )
        if self.ended:
            # The first run is over, whatever its nodes do when they are started.
            self.active.is_over = True
            self.active.is_listed.store(1, memory_order_relaxed)  # relaxed: nothing flows; nobody lists it again
            if not self.is_control_over:
                self._make_control()
                self.load_port(self.control, reader)
            if not self.is_waiting:
                self.active = self.add_port(self.source, None)
        if not self.is_waiting:
            self.load_port(self.active, reader)
        return 0


@cython.final
cdef class Feed:
    """What an AgainWhenStage gives to the source of its control: one value, the newest.

    Roles: the stage's drainer offers, the source's drainer takes; both under the critical section of the feed.
    """

    cdef FeedStage stage
    cdef object value
    cdef bint is_full

    cdef int offer(self, value) except -1:
        with cython.critical_section(self):
            _before, self.value = self.value, value
            self.is_full = True
        return 0 if self.stage is None else self.stage.notify()


@cython.final
cdef class FeedStage(DemandOwner):
    """The source of what the runs of an AgainWhenStage ended with.

    State: what was offered and not passed on.
    """

    cdef Feed feed

    def __init__(self, Feed feed not None):
        if feed.stage is not None:
            raise StateError(
                "the stream that retry_when() or repeat_when() gave its function was subscribed to twice; use it once"
            )
        self.feed = feed
        feed.stage = self

    cdef int64_t send(self, int64_t n) noexcept:
        cdef Feed feed = self.feed
        cdef bint was_full
        if n == 0 or feed is None:
            return 0
        with cython.critical_section(feed):
            was_full = feed.is_full
            value, feed.value = feed.value, None
            feed.is_full = False
        if not was_full:
            return 0
        self.changed = True
        incref(<PyObject*>value)
        return push(self, <PyObject*>value) == ACCEPTED

    cdef void release(self) noexcept:
        self.feed = None

    cdef bint differs_from_saved(self) noexcept:
        return self.feed is not None and self.feed.is_full

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.feed is not None and self.feed.is_full)
        writer.write(None if self.feed is None else self.feed.value)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.feed.is_full = reader.read(bool)
        self.feed.value = reader.read()
        return 0


@cython.final
cdef class UsingStage(CombineStage):
    """Pass on the elements of a stream that works with a resource, then close the resource.

    The stream is an input with its own owner of demand, so that it is torn down before the resource is closed.

    Args:
        prefetch: How many elements may be requested of the stream at a time.
        resource: Has `open()`, which returns the description of the stream, and `close(error)`, which is called once
            where `open` had something to close, with what ended the stream or None, and returns whether that error is
            no error.
        failed: Returns the description of a stream that fails with an exception.

    State: what waits of the stream.
    """

    cdef object resource, failed

    def __init__(self, int64_t prefetch, resource, failed):
        CombineStage.__init__(self, (), prefetch)
        self.resource = resource
        self.failed = failed
        self.is_exact = True
        self.draw_mode = PORT_FORWARDS

    cdef int attach(self) except -1:
        try:
            source = <Description?>self.resource.open()
        except Exception as error:
            add_assembly_note(error, self)
            source = <Description?>self.failed(error)
        self.failed = None
        self.sources = (source,)
        return CombineStage.attach(self)

    cdef int nothing_to_do(self) noexcept:
        return self.remaining > self.main().outstanding and self.replenish(self.main())

    cdef int input_over(self, InputPort port) noexcept:
        error = port.input_error
        resource, self.resource = self.resource, None
        try:
            if resource.close(error):
                error = None
        except BaseException as trouble:
            if error is None or not isinstance(trouble, Exception):
                return self.fail_at(self, trouble)
            if trouble is not error:
                drop_signal(self, "close", trouble, self.name)
        return self.finish(self.down, error)

    cdef void release(self) noexcept:
        CombineStage.release(self)
        resource, self.resource = self.resource, None
        if resource is not None:
            try:
                resource.close(None)
            except BaseException as error:
                release_failed(self, "close", error, self.name)


@cython.final
cdef class IntersperseStage(CombineStage):
    """Pass on an element of its own between two elements.

    It goes out when the element after it has come, so none is sent last.

    Args:
        prefetch: How many elements may be requested at a time.
        separator: The element in between.

    State: what waits of the input, whether an element was passed on, and the element that waits after the separator.
    """

    cdef object separator, held
    cdef bint has_passed, has_held

    def __init__(self, int64_t prefetch, separator):
        CombineStage.__init__(self, (), prefetch)
        self.separator = separator
        self.is_exact = True

    cdef bint accepts(self, InputPort port) noexcept:
        return self.remaining > 0 and not self.has_held

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if self.has_passed:
            incref(<PyObject*>self.separator)
            pass_on(self, <PyObject*>self.separator)
            if self.remaining == 0 or self.should_leave():
                self.held = <object>element
                self.has_held = True
                decref(element)
                return 0
        self.has_passed = True
        pass_on(self, element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port = self.main()
        if not self.has_held:
            if self.remaining <= port.outstanding or not self.replenish(port):
                return False
            self.list_port(port)  # each element but the first takes demand for two: some may not have been accepted
            return True
        if self.remaining <= 0:
            return False
        held, self.held = self.held, None
        self.has_held = False
        self.changed = True
        incref(<PyObject*>held)
        pass_on(self, <PyObject*>held)
        if self.should_leave():
            return False
        if port.is_over:
            self.finish(self.down, port.input_error)
        else:
            self.list_port(port)  # what it brought meanwhile was not accepted
        return True

    cdef int input_over(self, InputPort port) noexcept:
        return 0 if self.has_held else self.finish(self.down, port.input_error)

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.held = None
        self.has_held = False

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(self.has_passed)
        writer.write(self.has_held)
        writer.write(self.held)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        self.has_passed = reader.read(bool)
        self.has_held = reader.read(bool)
        self.held = reader.read()
        return 0


@cython.final
cdef class CycleStage(CombineStage):
    """Pass on the elements and keep them; when they are over, pass on what was kept, again and again.

    Args:
        prefetch: How many elements may be requested at a time.
        times: How often each element goes out; 0: until the stream is cancelled.
        max_elements: How many elements may be kept; 0: any number.

    State: what waits of the input, the elements that were kept, how often they went out, and how many of them since.
    """

    cdef list kept
    cdef int64_t times, max_elements, ended, position

    def __init__(self, int64_t prefetch, int64_t times, int64_t max_elements):
        CombineStage.__init__(self, (), prefetch)
        self.times = times
        self.max_elements = max_elements
        self.kept = []
        self.is_exact = True

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if self.times != 1:
            try:
                if self.max_elements and len(self.kept) >= self.max_elements:
                    raise CapacityError(
                        f"cycle(max_elements={self.max_elements}): one more element came than that; raise "
                        f"max_elements, or put take({self.max_elements}) before it"
                    )
                self.kept.append(<object>element)
            except BaseException as error:
                decref(element)
                return self.fail_at(self, error)
        pass_on(self, element)
        return 0

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None or not self.kept:
            return self.finish(self.down, port.input_error)
        if self.ended == 0:  # else its state was loaded
            self.ended = 1
            self.changed = True
        return 0

    cdef int nothing_to_do(self) noexcept:
        cdef PyObject* element
        cdef InputPort port
        if self.ended == 0:
            port = self.main()
            return self.remaining > port.outstanding and self.replenish(port)
        # relaxed: drain() looks again, with the order that the bits need
        while self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            element = <PyObject*>self.kept[self.position]
            incref(element)
            self.changed = True
            self.position += 1
            if self.position == len(self.kept):
                self.position = 0
                self.ended += 1
            pass_on(self, element)
            if self.ended == self.times and not self.should_leave():
                self.finish(self.down, None)
            count(self)
        return False

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.kept = []
        self.position = 0

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(list(self.kept))
        writer.write(self.ended)
        writer.write(self.position)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef list kept
        CombineStage.read_fields(self, reader, version)
        kept = reader.read(list)
        ended = reader.read_count()
        position = reader.read_count()
        if self.max_elements and len(kept) > self.max_elements:
            raise StateError(
                f"{self!r} cannot keep the {len(kept)} elements that were saved, for max_elements is "
                f"{self.max_elements}; load the state with the bound that it was saved with"
            )
        if not self.disposed_in_state and (
            (self.times and ended >= self.times) or (position and (ended == 0 or position >= len(kept)))
            or (ended and not kept)
        ):
            raise StateError(
                f"{self!r} cannot load that {ended} rounds and {position} of {len(kept)} elements went out; load the "
                f"state with the number of rounds that it was saved with"
            )
        self.kept = kept
        self.ended = ended
        self.position = position
        return 0
