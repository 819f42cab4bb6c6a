"""Operators that run one stream after the other: concat, switch_if_empty, repeat, retry, on_error_resume; and using.

Besides, those that pass on elements of their own between those of a stream, intersperse, or its elements again, cycle.

One downstream, a sequence of upstreams, which Reactor and RxJava call a subscription arbiter: what is requested and was
not delivered is requested of the input at hand, and of the next one when that has ended; never more (§1.1).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport decref, incref
from rs_core.stream.combine_stage cimport PORT_FORWARDS, CombineStage, InputPort
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport LEAVE, add_assembly_note, count, drop_signal, release_failed
from rs_core.sync.atomics cimport memory_order_relaxed

from rs_core.errors import CapacityError, StateError


@cython.final
cdef class SequenceStage(CombineStage):
    """Pass on the elements of an input, then those of the next one.

    Args:
        prefetch: How many elements may be requested of an input at a time.
        successor: Called at the end of an input with how many inputs had ended before, how many elements were passed on
            of it, and its error or None; returns the description of the next input, True for the one above again, None
            to end as that input did. Called again with the same arguments when a state is loaded.
        first: The description of the input before the one above, or of the first where there is none above.

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

    def __init__(self, int64_t prefetch, successor, Description first=None):
        CombineStage.__init__(self, (), prefetch)
        self.successor = successor
        self.first = first
        self.is_exact = True
        self.draw_mode = PORT_FORWARDS

    cdef int attach(self) except -1:
        if self.first is not None:
            self.sources = (self.first,)
        CombineStage.attach(self)
        self.above_waits = self.first is not None and self.up is not None
        self.active = <InputPort>self.ports[1 if self.above_waits else 0]
        return 0

    cdef int nothing_to_do(self) noexcept:
        return self.active is not None and self.remaining > self.active.owed and self.replenish(self.active)

    cdef int input_over(self, InputPort port) noexcept:
        cdef bint is_waiting
        if port is not self.active:
            return 0  # the one above, before its turn
        error = port.input_error
        count(self)  # inputs without an element, one after the other, take time, too
        try:
            following = self.successor(self.ended, self.passed, error)
            if following is None:
                return self.finish(self.down, error)
            is_waiting = self.above_waits and following is True
            port = self._next_input(following)
        except BaseException as trouble:
            if error is not None and trouble is not error and trouble.__context__ is None:
                trouble.__context__ = error
            return self.fail_at(self, trouble)
        self.ended += 1
        self.passed_before = self.passed
        self.passed = 0
        self.last_error = error
        self.active = port
        if not is_waiting:
            return self.start_input(port)
        return self.input_over(port) if port.is_over else 0

    cdef InputPort _next_input(self, following):
        """The port of what the successor returned: a new one, or that of the input above, which waits for its turn."""
        if following is not True:
            return self.add_input(<Description?>following, None)
        if not self.above_waits:
            return self.add_input(self.source, None)
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
            if not self.disposed_in_state:
                raise StateError(
                    f"{self!r} cannot load that no input is active, for it has not ended; load an older checkpoint"
                )
            self.active = None
            return 0
        if self.ended:
            # The first one is over, whatever its nodes do when they are started.
            self.active.is_over = True
            self.active.is_listed.store(1, memory_order_relaxed)  # relaxed: nothing flows; nobody lists it again
            following = self.successor(self.ended - 1, self.passed_before, self.last_error)
            if following is None:
                raise StateError(
                    f"{self!r} was saved in input {self.ended + 1}, and there is none; load the state with the streams "
                    f"that it was saved with"
                )
            self.active = self._next_input(following)
        self.load_port(self.active, reader)
        if self.above_waits:
            self.load_port(self.main(), reader)
        return 0


@cython.final
cdef class UsingStage(CombineStage):
    """Pass on the elements of a stream that works with a resource, and close the resource behind it.

    The stream is an input with an owner of demand of its own, so that it is torn down before the resource is closed.

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
        return self.remaining > self.main().owed and self.replenish(self.main())

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

    It goes out when the element behind it has come, so none stands at the end.

    Args:
        prefetch: How many elements may be requested at a time.
        separator: The element in between.

    State: what waits of the input, whether an element was passed on, and the element that waits behind the separator.
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
            self.pass_on(<PyObject*>self.separator)
            if self.remaining == 0 or self.should_leave():
                self.held = <object>element
                self.has_held = True
                decref(element)
                return 0
        self.has_passed = True
        self.pass_on(element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port = self.main()
        if not self.has_held:
            if self.remaining <= port.owed or not self.replenish(port):
                return False
            self.list_port(port)  # each element but the first takes demand for two: some may not have been accepted
            return True
        if self.remaining <= 0:
            return False
        held, self.held = self.held, None
        self.has_held = False
        self.changed = True
        incref(<PyObject*>held)
        self.pass_on(<PyObject*>held)
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
        self.pass_on(element)
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
            return self.remaining > port.owed and self.replenish(port)
        # relaxed: drain() looks again, with the order that the bits need
        while self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            element = <PyObject*>self.kept[self.position]
            incref(element)
            self.changed = True
            self.position += 1
            if self.position == len(self.kept):
                self.position = 0
                self.ended += 1
            self.pass_on(element)
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
