"""Operators with one result for a whole stream: count, sum, min, reduce, to_list, any, first and the like.

A fold needs elements until its result is known: nearly always all of them. So the first request asks the upstream for
all that can be needed, and later ones for nothing. The result goes out

- with the element that decides it, which also cancels the upstream; it came for a request, so one element is wanted;
- else with the completion, which waits for the first request if there is a result and nobody has requested it yet. A
  completion that leaves no result is an error, which waits for nobody (§1.1 counts elements only).

Request-side fields: `requested`, and `needed`, how many elements the result can need; it is written before anything
flows. The element side only looks whether there was a request. Ordering: `requested` is set before the demand is added,
and read after MISSED was cleared, both seq_cst: the store-buffer pair of subscription.pyx.
"""

from cpython.object cimport Py_EQ, Py_GT, Py_LT, PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call1, call2, decref, error_occurred, incref, int_from_int64, truth
from rs_core.stream.subscription cimport ACCEPTED, FORWARDED, REPLACED, Stage, failed_for
from rs_core.sync.atomics cimport atomic_int64, memory_order_relaxed, memory_order_seq_cst

from rs_core.errors import ArgumentTypeError, CapacityError, EmptyStreamError, MoreThanOneElementError, StateError

cdef extern from "Python.h":
    int PyObject_RichCompareBool(object one, object other, int comparison) noexcept
    PyObject* PyNumber_Add(PyObject* one, PyObject* other) noexcept
    PyObject* PyNumber_TrueDivide(PyObject* one, PyObject* other) noexcept
    PyObject* PyObject_GetIter(PyObject* iterable) noexcept
    PyObject* PyIter_Next(PyObject* iterator) noexcept
    PyObject* PyList_New(Py_ssize_t size) noexcept
    int PyList_Append(PyObject* elements, object element) noexcept
    int PySet_Add(object elements, object element) noexcept
    PyObject* PyDict_GetItemWithError(object dictionary, object key) noexcept   # borrowed
    int PyDict_SetItem(object dictionary, object key, object value) noexcept
    void PyErr_SetObject(object kind, object value) noexcept


cdef class ResultStage(Stage):
    """Base of the folds: passes one element on, then completes."""

    cdef atomic_int64 requested
    cdef int64_t needed

    def __cinit__(self, *args, **kwargs):
        self.needed = INT64_MAX
        self.requested.store(0, memory_order_relaxed)
        self.is_translating = True
        self.is_unit = False

    # What folds override, besides try_next().

    cdef bint has_result(self) noexcept:
        """Whether there is a result if the upstream completes now."""
        return True

    cdef PyObject* result(self) noexcept:
        """Return the result at the completion (a new reference), or NULL with an exception set."""
        return NULL

    # What all of them do.

    cdef int64_t translate(self, int64_t n) noexcept:
        # seq_cst: see the ordering above
        return 0 if self.requested.exchange(1, memory_order_seq_cst) else self.needed

    cdef bint must_wait(self) noexcept:
        # seq_cst: see the ordering above
        return self.requested.load(memory_order_seq_cst) == 0 and self.has_result()

    cdef int receive_complete(self) noexcept:
        cdef PyObject* result
        if not self.has_result():
            _set_empty(self)
            self.callback_failed()
            return REPLACED
        result = self.result()
        if result is NULL:
            self.callback_failed()
            return REPLACED
        self.owner.deliver(self.down, result)
        return REPLACED if self.owner.has_note() else FORWARDED

    cdef int end_with(self, PyObject* result) noexcept:
        """Pass a result on that is known already, then cancel the upstream and complete; steals the result."""
        self.changed = True
        self.owner.finish(self.down, None)  # takes effect when this push has returned
        return self.down.try_next(result)

    cdef int step_failed(self, PyObject* element) noexcept:
        return failed_for(self, element)


cdef PyObject* _owned(object value) noexcept:
    incref(<PyObject*>value)
    return <PyObject*>value


cdef void _set_empty(ResultStage stage) noexcept:
    definition = stage.description.definition
    _set_error(EmptyStreamError(
        f"{definition.method}(): the stream completed without the element that was wanted; {definition.if_empty}"
    ))


cdef void _set_error(object error) noexcept:
    PyErr_SetObject(type(error), error)


# --- numbers ---------------------------------------------------------------------------------------------------------


@cython.final
cdef class CountStage(ResultStage):
    """Count the elements.

    State: the count.
    """

    cdef int64_t count

    cdef int try_next(self, PyObject* element) noexcept:
        decref(element)
        self.count += 1
        self.changed = True
        return ACCEPTED

    cdef PyObject* result(self) noexcept:
        return int_from_int64(self.count)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.count)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.count = reader.read_count()
        return 0


@cython.final
cdef class SumStage(ResultStage):
    """Add the elements up.

    State: the sum.
    """

    cdef object total

    def __init__(self, start):
        self.total = start

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* total = PyNumber_Add(<PyObject*>self.total, element)
        if total is NULL:
            return self.step_failed(element)
        decref(element)
        self.total = <object>total
        decref(total)
        self.changed = True
        return ACCEPTED

    cdef PyObject* result(self) noexcept:
        return _owned(self.total)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.total)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.total = reader.read()
        return 0


@cython.final
cdef class AverageStage(ResultStage):
    """Divide the sum of the elements by their number.

    State: the number of elements, and their sum.
    """

    cdef object total, default
    cdef int64_t count
    cdef bint has_default

    def __init__(self, bint has_default, default):
        self.total = 0
        self.has_default = has_default
        self.default = default

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* total = PyNumber_Add(<PyObject*>self.total, element)
        if total is NULL:
            return self.step_failed(element)
        decref(element)
        self.total = <object>total
        decref(total)
        self.count += 1
        self.changed = True
        return ACCEPTED

    cdef bint has_result(self) noexcept:
        return self.count > 0 or self.has_default

    cdef PyObject* result(self) noexcept:
        cdef PyObject* count
        cdef PyObject* quotient
        if self.count == 0:
            return _owned(self.default)
        count = int_from_int64(self.count)
        if count is NULL:
            return NULL
        quotient = PyNumber_TrueDivide(<PyObject*>self.total, count)
        decref(count)
        return quotient

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.count)
        writer.write(self.total)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.count = reader.read_count()
        self.total = reader.read()
        return 0


# --- one value carried on --------------------------------------------------------------------------------------------


@cython.final
cdef class ExtremeStage(ResultStage):
    """Find the least or the greatest element, the first of those that are equal.

    State: whether there was an element, the one found so far, and what the function of the key returned for it.
    """

    cdef object key_function, element, key, default
    cdef bint is_empty, has_default
    cdef int comparison

    def __init__(self, bint is_greatest, key_function, bint has_default, default):
        self.comparison = Py_GT if is_greatest else Py_LT
        self.key_function = key_function
        self.is_empty = True
        self.has_default = has_default
        self.default = default

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int is_better = 1
        cdef PyObject* key = element
        if self.key_function is not None:
            key = call1(<PyObject*>self.key_function, element)
            if key is NULL:
                return self.step_failed(element)
        else:
            incref(key)
        if not self.is_empty:
            is_better = PyObject_RichCompareBool(<object>key, self.key, self.comparison)
        if is_better > 0:
            self.is_empty = False
            self.element = <object>element
            self.key = <object>key
            self.changed = True
        decref(key)
        if is_better < 0:
            return self.step_failed(element)
        decref(element)
        return ACCEPTED

    cdef bint has_result(self) noexcept:
        return not self.is_empty or self.has_default

    cdef PyObject* result(self) noexcept:
        return _owned(self.default if self.is_empty else self.element)

    cdef void release(self) noexcept:
        self.key_function = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_empty)
        writer.write(self.element)
        writer.write(self.key)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_empty = reader.read(bool)
        self.element = reader.read()
        self.key = reader.read()
        return 0


@cython.final
cdef class ReduceStage(ResultStage):
    """Fold the elements into an accumulator, which is the seed at first, or the first element where there is none.

    State: whether there is an accumulator, and the accumulator.
    """

    cdef object function, accumulator
    cdef bint is_empty

    def __init__(self, function, bint has_seed, seed):
        self.function = function
        self.is_empty = not has_seed
        self.accumulator = seed

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result
        self.changed = True
        if self.is_empty:
            self.is_empty = False
            self.accumulator = <object>element
            decref(element)
            return ACCEPTED
        result = call2(<PyObject*>self.function, <PyObject*>self.accumulator, element)
        if result is NULL:
            return self.step_failed(element)
        decref(element)
        self.accumulator = <object>result
        decref(result)
        return ACCEPTED

    cdef bint has_result(self) noexcept:
        return not self.is_empty

    cdef PyObject* result(self) noexcept:
        return _owned(self.accumulator)

    cdef void release(self) noexcept:
        self.function = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_empty)
        writer.write(self.accumulator)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_empty = reader.read(bool)
        self.accumulator = reader.read()
        return 0


@cython.final
cdef class CollectStage(ResultStage):
    """Put the elements into a container that functions make, fill and finish.

    State: whether there is a container, and the container.
    """

    cdef object supplier, accumulator, finisher, container
    cdef bint is_made

    def __init__(self, supplier, accumulator, finisher):
        self.supplier = supplier
        self.accumulator = accumulator
        self.finisher = finisher

    cdef bint _make(self) noexcept:
        """Make the container if there is none yet; False: an exception is set."""
        cdef object container
        if self.is_made:
            return True
        try:
            container = self.supplier()
        except BaseException as error:
            _set_error(error)
            return False
        self.container = container
        self.is_made = True
        self.changed = True
        return True

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* returned
        if not self._make():
            return self.step_failed(element)
        returned = call2(<PyObject*>self.accumulator, <PyObject*>self.container, element)
        if returned is NULL:
            return self.step_failed(element)
        self.changed = True
        if <object>returned is not None and returned is not <PyObject*>self.container:
            _set_lost_container(self.accumulator, <object>returned)
            decref(returned)
            return self.step_failed(element)
        decref(returned)
        decref(element)
        return ACCEPTED

    cdef PyObject* result(self) noexcept:
        if not self._make():
            return NULL
        if self.finisher is None:
            return _owned(self.container)
        return call1(<PyObject*>self.finisher, <PyObject*>self.container)

    cdef void release(self) noexcept:
        self.supplier = None
        self.accumulator = None
        self.finisher = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_made)
        writer.write(self.container)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_made = reader.read(bool)
        self.container = reader.read()
        return 0


cdef void _set_lost_container(object accumulator, object returned) noexcept:
    try:
        error = ArgumentTypeError(
            f"collect(collector): the accumulator {safe_repr(accumulator)} returned {safe_repr(returned)}, which would "
            f"be lost; let it change the container and return nothing, or use reduce(function, seed)"
        )
    except BaseException as interrupt:  # of somebody's __repr__, or of a signal handler
        error = interrupt
    _set_error(error)


# --- collections -----------------------------------------------------------------------------------------------------


cdef class _CollectionStage(ResultStage):
    """Base of the folds into a list, set or dict of at most `max_elements`; 0: without a bound.

    State: the collection.
    """

    cdef object collection
    cdef int64_t max_elements

    cdef bint has_room(self, Py_ssize_t size) noexcept:
        """Whether one more may come; False: an exception is set."""
        if self.max_elements == 0 or size < self.max_elements:
            return True
        _set_error(CapacityError(
            f"{self.description.definition.method}(max_elements={self.max_elements}): one more element came than that; "
            f"raise max_elements, or put take({self.max_elements}) before it"
        ))
        return False

    cdef PyObject* result(self) noexcept:
        # What goes out is the receiver's: a save after the end must not see what the receiver does with it.
        cdef PyObject* result = _owned(self.collection)
        self.collection = type(self.collection)()
        return result

    cdef int write_fields(self, object writer) except -1:
        writer.write(type(self.collection)(self.collection))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        collection = reader.read(type(self.collection))
        if self.max_elements and len(collection) > self.max_elements:
            raise StateError(
                f"{self!r} cannot load {len(collection)} elements with max_elements={self.max_elements}; load the "
                f"state with the bound that it was saved with"
            )
        self.collection = collection
        return 0


@cython.final
cdef class ListStage(_CollectionStage):
    """Collect the elements in a list."""

    def __init__(self, int64_t max_elements):
        self.collection = []
        self.max_elements = max_elements

    cdef int try_next(self, PyObject* element) noexcept:
        cdef list elements = <list>self.collection
        if (
            self.max_elements and not self.has_room(len(elements))
            or PyList_Append(<PyObject*>elements, <object>element) < 0
        ):
            return self.step_failed(element)
        decref(element)
        self.changed = True
        return ACCEPTED


@cython.final
cdef class SetStage(_CollectionStage):
    """Collect the elements in a set."""

    def __init__(self, int64_t max_elements):
        self.collection = set()
        self.max_elements = max_elements

    cdef int try_next(self, PyObject* element) noexcept:
        cdef set elements = <set>self.collection
        if PySet_Add(elements, <object>element) < 0:
            return self.step_failed(element)
        self.changed = True
        if self.max_elements and len(elements) > self.max_elements and not self.has_room(len(elements)):
            return self.step_failed(element)
        decref(element)
        return ACCEPTED


@cython.final
cdef class DictStage(_CollectionStage):
    """Collect the elements in a dict by their key: the last one of each key, or the list of all of them."""

    cdef object key_function, value_function
    cdef bint is_lookup
    cdef int64_t count   # of elements in the lists

    def __init__(self, key_function, value_function, bint is_lookup, int64_t max_elements):
        self.key_function = key_function
        self.value_function = value_function
        self.is_lookup = is_lookup
        self.max_elements = max_elements
        self.collection = {}

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int outcome = -1
        cdef PyObject* value = element
        cdef PyObject* key = call1(<PyObject*>self.key_function, element)
        if key is NULL:
            return self.step_failed(element)
        if self.value_function is not None:
            value = call1(<PyObject*>self.value_function, element)
        else:
            incref(value)
        if value is not NULL:
            if self.is_lookup:
                outcome = self._append(<object>key, <object>value)
            else:
                outcome = self._put(<object>key, <object>value)
            decref(value)
        decref(key)
        self.changed = True
        if outcome != 0:
            return self.step_failed(element)
        decref(element)
        return ACCEPTED

    cdef int _put(self, object key, object value) noexcept:
        if PyDict_SetItem(self.collection, key, value) < 0:
            return -1
        if self.max_elements and len(<dict>self.collection) > self.max_elements:
            self.has_room(len(<dict>self.collection))
            return -1
        return 0

    cdef int _append(self, object key, object value) noexcept:
        cdef int outcome
        cdef PyObject* values
        if self.max_elements and not self.has_room(self.count):
            return -1
        values = PyDict_GetItemWithError(self.collection, key)
        if values is NULL:
            if error_occurred() is not NULL:
                return -1
            values = PyList_New(0)
            if values is NULL:
                return -1
            outcome = PyDict_SetItem(self.collection, key, <object>values)
        else:
            incref(values)
            outcome = 0
        if outcome == 0:
            outcome = PyList_Append(values, value)
            self.count += 1
        decref(values)
        return outcome

    cdef void release(self) noexcept:
        self.key_function = None
        self.value_function = None

    cdef int write_fields(self, object writer) except -1:
        collection = <dict>self.collection
        writer.write({key: list(values) for key, values in collection.items()} if self.is_lookup else dict(collection))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        _CollectionStage.read_fields(self, reader, version)
        if not self.is_lookup:
            return 0
        self.count = 0
        for values in (<dict>self.collection).values():
            if type(values) is not list:
                raise StateError(
                    f"{self!r} cannot load {safe_repr(values)} as the list of a key's elements; load an older "
                    f"checkpoint"
                )
            self.count += len(values)
        if self.max_elements and self.count > self.max_elements:
            raise StateError(
                f"{self!r} cannot load {self.count} elements with max_elements={self.max_elements}; load the state "
                f"with the bound that it was saved with"
            )
        return 0


# --- answers ---------------------------------------------------------------------------------------------------------


@cython.final
cdef class MatchStage(ResultStage):
    """Say whether an element is there for which a predicate is true or false, or that equals a value, or any at all.

    State: none; while elements come, the answer is open.

    Args:
        how: "predicate", "equals", or "any" for each element.
        argument: The predicate or the value.
        stops_at: The truth of an element that decides.
        answer: What is passed on then; without such an element it is the opposite.
    """

    cdef object argument
    cdef bint is_predicate, is_equality, stops_at, answer

    def __init__(self, str how, argument, bint stops_at, bint answer):
        self.is_predicate = how == "predicate"
        self.is_equality = how == "equals"
        self.argument = argument
        self.stops_at = stops_at
        self.answer = answer
        if how == "any":
            self.needed = 1

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* returned
        cdef int is_true = 1
        if self.is_predicate:
            returned = call1(<PyObject*>self.argument, element)
            is_true = -1 if returned is NULL else truth(returned)
        elif self.is_equality:
            is_true = PyObject_RichCompareBool(<object>element, self.argument, Py_EQ)
        if is_true < 0:
            return self.step_failed(element)
        decref(element)
        if is_true != self.stops_at:
            return ACCEPTED
        return self.end_with(_owned(self.answer))

    cdef PyObject* result(self) noexcept:
        return _owned(not self.answer)

    cdef void release(self) noexcept:
        self.argument = None


@cython.final
cdef class EqualStage(ResultStage):
    """Say whether the elements are those of an iterable, in their order.

    State: how many have been equal.
    """

    cdef object iterable, iterator
    cdef int64_t count

    def __init__(self, iterable):
        self.iterable = iterable

    cdef PyObject* _expected(self) noexcept:
        """Return the next element of the iterable (a new reference); NULL: there is none, or an exception is set."""
        cdef PyObject* found
        cdef int64_t _number
        if self.iterator is None:
            found = PyObject_GetIter(<PyObject*>self.iterable)
            if found is NULL:
                return NULL
            self.iterator = <object>found
            decref(found)
            for _number in range(self.count):  # those that were equal before the state was saved
                found = PyIter_Next(<PyObject*>self.iterator)
                if found is NULL:
                    return NULL
                decref(found)
        return PyIter_Next(<PyObject*>self.iterator)

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int is_equal
        cdef PyObject* expected = self._expected()
        if expected is NULL:
            if error_occurred() is not NULL:
                return self.step_failed(element)
            decref(element)
            return self.end_with(_owned(False))
        is_equal = PyObject_RichCompareBool(<object>element, <object>expected, Py_EQ)
        decref(expected)
        if is_equal < 0:
            return self.step_failed(element)
        decref(element)
        if not is_equal:
            return self.end_with(_owned(False))
        self.count += 1
        self.changed = True
        return ACCEPTED

    cdef PyObject* result(self) noexcept:
        cdef PyObject* expected = self._expected()
        if expected is NULL:
            if error_occurred() is not NULL:
                return NULL
            return _owned(True)
        decref(expected)
        return _owned(False)

    cdef void release(self) noexcept:
        self.iterator = None
        self.iterable = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.count)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.count = reader.read_count()
        return 0


# --- one of the elements ---------------------------------------------------------------------------------------------


@cython.final
cdef class ElementAtStage(ResultStage):
    """Pass on the element at a position, counted from 0, or a default where there are fewer.

    State: how many elements came before it.
    """

    cdef object default
    cdef bint has_default
    cdef int64_t position, passed

    def __init__(self, int64_t position, bint has_default, default):
        self.position = position
        self.has_default = has_default
        self.default = default
        self.needed = position + 1

    cdef int try_next(self, PyObject* element) noexcept:
        if self.passed == self.position:
            return self.end_with(element)
        decref(element)
        self.passed += 1
        self.changed = True
        return ACCEPTED

    cdef bint has_result(self) noexcept:
        return self.has_default

    cdef PyObject* result(self) noexcept:
        return _owned(self.default)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.passed)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.passed = reader.read_count(self.position)
        self.needed = self.position + 1 - self.passed
        return 0


@cython.final
cdef class LastStage(ResultStage):
    """Pass on the last element, or a default where there is none; or the only one, and fail where there are more.

    State: whether there was an element, and the last one.
    """

    cdef object element, default
    cdef bint is_empty, is_single, has_default

    def __init__(self, bint is_single, bint has_default, default):
        self.is_empty = True
        self.is_single = is_single
        self.has_default = has_default
        self.default = default
        if is_single:
            self.needed = 2  # the second one is one too many

    cdef int try_next(self, PyObject* element) noexcept:
        if self.is_single and not self.is_empty:
            _set_more_than_one(self, self.element, <object>element)
            return self.step_failed(element)
        self.is_empty = False
        self.element = <object>element
        decref(element)
        self.changed = True
        return ACCEPTED

    cdef bint has_result(self) noexcept:
        return not self.is_empty or self.has_default

    cdef PyObject* result(self) noexcept:
        return _owned(self.default if self.is_empty else self.element)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_empty)
        writer.write(self.element)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_empty = reader.read(bool)
        self.element = reader.read()
        if self.is_single and not self.is_empty:
            self.needed = 1
        return 0


cdef void _set_more_than_one(ResultStage stage, object first, object second) noexcept:
    try:
        error = MoreThanOneElementError(
            f"{stage.description.definition.method}(): the stream has more than one element, {safe_repr(first)} and "
            f"then {safe_repr(second)}; use first() if only the first one matters"
        )
    except BaseException as interrupt:  # of an element's __repr__, or of a signal handler
        error = interrupt
    _set_error(error)
