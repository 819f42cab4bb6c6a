"""Operators that run one stream after the other: concat, switch_if_empty, repeat, retry, on_error_resume; and using.

One downstream, a sequence of upstreams, which Reactor and RxJava call a subscription arbiter: what is requested and was
not delivered is requested of the input at hand, and of the next one when that has ended; never more (§1.1).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.stream.combine_stage cimport CombineStage, InputPort
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport add_assembly_note, count, drop_signal, release_failed
from rs_core.sync.atomics cimport memory_order_relaxed

from rs_core.errors import StateError


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
    cdef int64_t ended, passed
    cdef object last_error
    cdef int64_t passed_before
    cdef bint above_waits  # for the end of `first`

    def __init__(self, int64_t prefetch, successor, Description first=None):
        CombineStage.__init__(self, (), prefetch)
        self.successor = successor
        self.first = first
        self.is_exact = True

    cdef int attach(self) except -1:
        if self.first is not None:
            self.sources = (self.first,)
        CombineStage.attach(self)
        self.above_waits = self.first is not None and self.up is not None
        self.active = <InputPort>self.ports[1 if self.above_waits else 0]
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        self.passed += 1
        self.pass_on(element)
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
