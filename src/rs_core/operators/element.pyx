"""Operators that look at one signal at a time: map, filter, handle, do, dematerialize, on_error_map and the like."""

from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call1, call2, caught, decref, incref, int_from_int64, truth
from rs_core.interp.signal_arguments cimport no_exception
from rs_core.sync.atomics cimport atomic_int64, memory_order_relaxed
from rs_core.stream.subscription cimport (
    DROPPED, FORWARDED, REPLACED, STOPPED, Stage, add_assembly_note, drop_signal, failed_for, note_element,
    release_failed,
)

from rs_core.errors import ArgumentTypeError, DemandExceededError, SignalAfterEndError

cdef extern from "Python.h":
    bint PyTuple_CheckExact(PyObject* element) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject* arguments) noexcept
    PyObject** PySequence_Fast_ITEMS(PyObject* arguments) noexcept   # borrowed
    PyObject* PyObject_Vectorcall(PyObject* function, PyObject** arguments, size_t count, PyObject* names) noexcept
    int PyObject_IsInstance(PyObject* element, object kind) noexcept
    void PyErr_SetObject(object kind, object value) noexcept


@cython.final
cdef class MapStage(Stage):
    """Pass on what a function returns for each element."""

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call1(<PyObject*>self.function, element)
        if result is NULL:
            return self.element_failed(element)
        decref(element)
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class StarMapStage(Stage):
    """Pass on what a function returns that is called with the parts of each element."""

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        cdef tuple parts
        if not PyTuple_CheckExact(element):
            try:
                parts = self._parts_of(<object>element)
            except BaseException as error:
                trouble = self.left_out(error, <object>element)
                if trouble is not None:
                    note_element(trouble, self, <object>element)
                decref(element)
                return self.drop() if trouble is None else self.owner.fail_at(self, trouble)
            decref(element)
            element = <PyObject*>parts
            incref(element)
        result = PyObject_Vectorcall(
            <PyObject*>self.function, PySequence_Fast_ITEMS(element), <size_t>PyTuple_GET_SIZE(element), NULL
        )
        if result is NULL:
            return self.element_failed(element)
        decref(element)
        return self.down.try_next(result)

    cdef tuple _parts_of(self, object element):
        try:
            return tuple(element)
        except TypeError:
            if hasattr(element, "__iter__"):
                raise
            raise ArgumentTypeError(
                f"starmap(function) needs elements with parts, such as tuples, got {safe_repr(element)} "
                f"({type(element).__name__}); use map(function) for a single argument"
            ) from None

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class MapNotNoneStage(Stage):
    """Pass on what a function returns for each element, where it is not None."""

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = call1(<PyObject*>self.function, element)
        if result is NULL:
            return failed_for(self, element)
        decref(element)
        if result is not <PyObject*>None:
            return self.down.try_next(result)
        decref(result)
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class FilterStage(Stage):
    """Pass on the elements for which a predicate is true."""

    cdef object predicate

    def __init__(self, predicate):
        self.predicate = predicate

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int keep = truth(call1(<PyObject*>self.predicate, element))
        if keep > 0:
            return self.down.try_next(element)
        if keep < 0:
            return self.element_failed(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.predicate = None


@cython.final
cdef class TypeStage(Stage):
    """Pass on the elements of a type, and drop the others or fail at the first of them.

    Args:
        kind: What `isinstance` takes.
        refusal: Called with it and an element of another type; returns the error for that. None: it is dropped.
    """

    cdef object kind, refusal

    def __init__(self, kind, refusal):
        self.kind = kind
        self.refusal = refusal

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* error
        cdef int is_one = PyObject_IsInstance(element, self.kind)
        if is_one > 0:
            return self.down.try_next(element)
        if is_one == 0 and self.refusal is not None:
            error = call2(<PyObject*>self.refusal, <PyObject*>self.kind, element)
            if error is not NULL:
                PyErr_SetObject(type(<object>error), <object>error)
                decref(error)
            is_one = -1
        if is_one < 0:
            return failed_for(self, element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()


@cython.final
cdef class HandleSink:
    """Where the function of `handle` sends what it makes of an element: one element at most, and then the end, or not.

    It is good for one call of the function: what is sent after it is refused.
    """

    cdef object element, error
    cdef bint is_open, has_element, has_ended

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `HandleSink[element_type]`, for annotations."""
        return GenericAlias(cls, element_type)

    def emit(self, element, /):
        """Pass an element on when the function has returned.

        Raises:
            DemandExceededError: The function has emitted one already.
            SignalAfterEndError: The function has ended the stream, or has returned.
        """
        with cython.critical_section(self):  # who kept the sink may use it in another thread
            self._require_open("emit")
            if self.has_element:
                raise DemandExceededError(
                    f"§1.1: handle(function) called emit({safe_repr(element)}) when it had emitted "
                    f"{safe_repr(self.element)} for the same element; use flat_map() to make several of one"
                )
            self.element = element
            self.has_element = True

    def complete(self):
        """Complete the stream when the function has returned, after what it has emitted.

        Raises:
            SignalAfterEndError: The function has ended the stream, or has returned.
        """
        with cython.critical_section(self):
            self._require_open("complete")
            self.has_ended = True

    def fail(self, error, /):
        """Fail with an exception when the function has returned, after what it has emitted.

        Raises:
            ArgumentTypeError: The argument is no Exception.
            SignalAfterEndError: The function has ended the stream, or has returned.
        """
        if not isinstance(error, Exception):
            raise no_exception(error)
        with cython.critical_section(self):
            self._require_open("fail")
            self.has_ended = True
            self.error = error

    cdef int _require_open(self, str method) except -1:
        if not self.is_open:
            raise SignalAfterEndError(
                f"§1.7: {method}() was called on the sink of handle(function) after the call of the function that it "
                f"was passed to; send before the function returns, or use map_async()"
            )
        if self.has_ended:
            raise SignalAfterEndError(
                f"§1.7: {method}() was called when handle(function) had ended the stream; end it with the last call"
            )
        return 0


@cython.final
cdef class HandleStage(Stage):
    """Call a function with each element and a sink, and pass on what it sends there."""

    cdef object function
    cdef HandleSink sink

    def __init__(self, function):
        self.function = function
        self.sink = HandleSink()

    cdef int try_next(self, PyObject* element) noexcept:
        cdef HandleSink sink = self.sink
        cdef PyObject* result
        cdef bint has_element, has_ended
        sink.is_open = True  # nobody else writes it
        result = call2(<PyObject*>self.function, element, <PyObject*>sink)
        with cython.critical_section(sink):  # pairs with those of its methods
            sink.is_open = False
            made, sink.element = sink.element, None
            error, sink.error = sink.error, None
            has_element, sink.has_element = sink.has_element, False
            has_ended, sink.has_ended = sink.has_ended, False
        if result is NULL:
            return failed_for(self, element)
        decref(result)
        if error is not None:
            note_element(error, self, <object>element)
        decref(element)
        if error is not None:
            self.owner.fail_at(self, error)  # takes effect when this push has returned
        elif has_ended:
            self.owner.finish(self.down, None)
        if has_element:
            incref(<PyObject*>made)
            return self.down.try_next(<PyObject*>made)
        if has_ended:
            return STOPPED
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class MapIndexedStage(Stage):
    """Pass on what a function returns for each element and its index, from 0.

    State: the next index.
    """

    cdef object function
    cdef int64_t index

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = _call_with(self.function, element, self.index)
        self.index += 1
        self.changed = True
        if result is NULL:
            return failed_for(self, element)
        decref(element)
        return self.down.try_next(result)

    cdef void release(self) noexcept:
        self.function = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.index)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.index = reader.read_count()
        return 0


@cython.final
cdef class FilterIndexedStage(Stage):
    """Pass on the elements for which a predicate of them and their index, from 0, is true.

    State: the next index.
    """

    cdef object predicate
    cdef int64_t index

    def __init__(self, predicate):
        self.predicate = predicate

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int keep = truth(_call_with(self.predicate, element, self.index))
        self.index += 1
        self.changed = True
        if keep > 0:
            return self.down.try_next(element)
        if keep < 0:
            return failed_for(self, element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.predicate = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.index)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.index = reader.read_count()
        return 0


cdef inline PyObject* _call_with(object function, PyObject* element, int64_t index) noexcept:
    cdef PyObject* number = int_from_int64(index)
    cdef PyObject* result
    if number is NULL:
        return NULL
    result = call2(<PyObject*>function, element, number)
    decref(number)
    return result


@cython.final
cdef class DoStage(Stage):
    """Call functions for what passes, in both directions, and pass it on unchanged.

    Those for the cancellation and the end are not called for a stream that had ended in the state that it was loaded
    from: they were, before that was saved.
    """

    cdef object next_function, error_function, complete_function
    cdef object subscribe_function, request_function, cancel_function, finally_function
    cdef bint has_ended   # by a signal from above, or by an exception of a function

    def __init__(
        self, on_next=None, on_error=None, on_complete=None, on_subscribe=None, on_request=None, on_cancel=None,
        on_finally=None,
    ):
        self.next_function = on_next
        self.error_function = on_error
        self.complete_function = on_complete
        self.subscribe_function = on_subscribe
        self.request_function = on_request
        self.cancel_function = on_cancel
        self.finally_function = on_finally
        self.is_translating = on_request is not None

    cdef int begin(self) except -1:
        if self.subscribe_function is not None:
            try:
                self.subscribe_function()
            except Exception as error:
                self._fail(error)
        return 0

    cdef int64_t translate(self, int64_t n) noexcept:
        with cython.critical_section(self):  # pairs with that in release(): else the function might be freed
            function = self.request_function
        if function is not None:
            try:
                function(n)
            except Exception as error:
                add_assembly_note(error, self)
                self.owner.refuse_request(error)  # any thread may request
                return 0
            except BaseException as interrupt:
                self.owner.fail_at(self, interrupt)
                return 0
        return n

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        if self.next_function is not None:
            result = call1(<PyObject*>self.next_function, element)
            if result is NULL:
                error = self.left_out(caught(), <object>element)
                if error is not None:
                    note_element(error, self, <object>element)
                decref(element)
                return self.drop() if error is None else self._fail(error)
            decref(result)
        return self.down.try_next(element)

    cdef int receive_complete(self) noexcept:
        self.has_ended = True
        if self.complete_function is not None:
            try:
                self.complete_function()
            except BaseException as error:
                self._fail(error)
                return REPLACED
        return FORWARDED

    cdef int receive_error(self, object error) noexcept:
        self.has_ended = True
        if self.error_function is not None:
            try:
                self.error_function(error)
            except BaseException as trouble:
                if trouble is not error:
                    drop_signal(self, "on_error", error, self.name)  # §1.7: one terminal signal only
                self._fail(trouble)
                return REPLACED
        return FORWARDED

    cdef int _fail(self, object error) noexcept:
        self.has_ended = True
        return self.owner.fail_at(self, error)

    cdef void release(self) noexcept:
        if not self.disposed_in_state:
            if not self.has_ended:
                self._call_at_release(self.cancel_function, "cancel")
            self._call_at_release(self.finally_function, "finally")
        self.next_function = None
        self.error_function = None
        self.complete_function = None
        self.subscribe_function = None
        self.cancel_function = None
        self.finally_function = None
        with cython.critical_section(self):  # pairs with that in translate()
            _function = self.request_function  # dropped outside of the section: it may run user code
            self.request_function = None

    cdef void _call_at_release(self, object function, str what) noexcept:
        if function is not None:
            try:
                function()
            except BaseException as error:
                release_failed(self, what, error, self.name)


@cython.final
cdef class PassedCount:
    """How many elements have passed: `add` is what `DoStage` calls with each of them; any thread may read `value`."""

    cdef atomic_int64 count

    def __cinit__(self):
        self.count.store(0, memory_order_relaxed)  # relaxed: nobody else has it yet

    def add(self, element, /) -> None:
        """Count an element; called by one thread at a time."""
        # relaxed: the only writer; readers want a recent number and nothing that belongs to it
        self.count.store(self.count.load(memory_order_relaxed) + 1, memory_order_relaxed)

    @property
    def value(self) -> int:
        """How many have passed so far."""
        return self.count.load(memory_order_relaxed)  # relaxed: as in add()


@cython.final
cdef class DematerializeStage(Stage):
    """Send the signals that the elements represent.

    Args:
        next_kind: The class of those that represent an element, which is their `element`.
        error_kind: The class of those that represent an error, which is their `error`.
        complete_kind: The class of those that represent the completion.
    """

    cdef type next_kind, error_kind, complete_kind

    def __init__(self, next_kind, error_kind, complete_kind):
        self.next_kind = next_kind
        self.error_kind = error_kind
        self.complete_kind = complete_kind

    cdef int try_next(self, PyObject* element) noexcept:
        signal = <object>element
        decref(element)
        try:
            if isinstance(signal, self.next_kind):
                value = signal.element
                incref(<PyObject*>value)
                return self.down.try_next(<PyObject*>value)
            self.changed = True
            if isinstance(signal, self.complete_kind):
                return self.owner.finish(self.down, None)
            if isinstance(signal, self.error_kind):
                return self.owner.finish(self.down, signal.error)
            raise ArgumentTypeError(
                f"dematerialize() needs notifications as materialize() makes them, got {safe_repr(signal)} "
                f"({type(signal).__name__}); map() makes OnNext(element) of an element"
            )
        except BaseException as error:
            return self.owner.fail_at(self, error)


@cython.final
cdef class MapErrorStage(Stage):
    """Signal the error that a function returns for that of the upstream.

    Args:
        function: Called with the error; returns an exception, or raises what is signalled then.
    """

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int try_next(self, PyObject* element) noexcept:
        return self.down.try_next(element)

    cdef int receive_error(self, object error) noexcept:
        try:
            mapped = self.function(error)
            if mapped is error:
                return FORWARDED
            raise mapped
        except BaseException as trouble:
            if trouble.__context__ is None and trouble is not error:
                trouble.__context__ = error
            self.owner.fail_at(self, trouble)
        return REPLACED

    cdef void release(self) noexcept:
        self.function = None


@cython.final
cdef class OnErrorContinueStage(Stage):
    """Take what functions of the operators above raise for an element, which is left out.

    Args:
        function: Called with the exception and the element.
    """

    cdef object function

    def __init__(self, function):
        self.function = function

    cdef int attach(self) except -1:
        Stage.attach(self)
        if self.up is not None:
            self.up.reporter = self
        return 0

    cdef int try_next(self, PyObject* element) noexcept:
        return self.down.try_next(element)

    cdef object report(self, Stage failed, object error, object element):
        if self.disposed:
            return error
        add_assembly_note(error, failed)
        try:
            self.function(error, element)
        except BaseException as trouble:
            return trouble
        return None
