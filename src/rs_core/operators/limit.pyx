"""Operators that choose elements by those before: take, skip, take_while, distinct, take_last and the like."""

from cpython.object cimport Py_EQ, PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.sync.atomics cimport (
    gil_int64, gil_uint32, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call1, call2, decref, error_occurred, incref, truth
from rs_core.demand cimport demand_take_up_to
from rs_core.stream.subscription cimport (
    ACCEPTED, CONSUMED, DROPPED, LEAVE, STOPPED, TERMINAL, DemandOwner, Stage, drop_signal, failed_for, push,
    request_upstream,
)

from rs_core.errors import CapacityError, StateError

cdef extern from "Python.h":
    int PyObject_RichCompareBool(object one, object other, int comparison) noexcept
    int PyList_Append(object elements, object element) noexcept
    PyObject* PyList_GET_ITEM(object elements, Py_ssize_t index) noexcept   # borrowed
    void PyList_SET_ITEM(object elements, Py_ssize_t index, PyObject* element) noexcept   # steals, and drops nothing
    int PySet_Add(object elements, object element) noexcept
    int PySet_Discard(object elements, object element) noexcept
    void PyErr_SetObject(object kind, object value) noexcept


@cython.final
cdef class TakeStage(Stage):
    """Pass on the first elements, then cancel and complete.

    Request-side field: `allowance`, what may still be requested upstream. Element-side field: `left`, what may
    still be passed on. Neither side reads the other's (core design, D4).
    """

    cdef int64_t count, left
    cdef gil_int64 allowance

    def __init__(self, int64_t count):
        self.count = count
        self.left = count
        self.allowance.store(count, memory_order_relaxed)
        self.is_translating = True
        # An element dropped below must cost allowance again, so it may not be given back unseen.
        self.is_unit = False

    cdef int64_t translate(self, int64_t n) noexcept:
        return demand_take_up_to(self.allowance, n)

    cdef int try_next(self, PyObject* element) noexcept:
        self.changed = True
        self.left -= 1
        if self.left == 0:
            self.owner.finish(self.down, None)  # takes effect when this push has returned
        return self.down.try_next(element)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read_count(self.count)
        if self.left == 0 and not self.disposed_in_state:
            raise StateError(
                f"{self!r} cannot load that nothing is left to pass on, for it has not ended; load an older checkpoint"
            )
        self.allowance.store(self.left, memory_order_relaxed)
        return 0


@cython.final
cdef class SkipStage(Stage):
    """Drop the first elements and pass on the others."""

    cdef int64_t count, left

    def __init__(self, int64_t count):
        self.count = count
        self.left = count

    cdef int try_next(self, PyObject* element) noexcept:
        if self.left == 0:
            return self.down.try_next(element)
        self.changed = True
        self.left -= 1
        decref(element)
        return self.drop()

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read_count(self.count)
        return 0


@cython.final
cdef class TakeWhileStage(Stage):
    """Pass on elements up to the first for which the truth of a predicate changes, then cancel and complete.

    Args:
        predicate: Called with each element.
        passing: The truth of its result for the elements that pass.
        inclusive: Whether the one for which it is another passes, too.
    """

    cdef object predicate
    cdef bint passing, inclusive

    def __init__(self, predicate, bint passing, bint inclusive):
        self.predicate = predicate
        self.passing = passing
        self.inclusive = inclusive

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int answer = truth(call1(<PyObject*>self.predicate, element))
        if answer == self.passing:
            return self.down.try_next(element)
        if answer < 0:
            return failed_for(self, element)
        self.owner.finish(self.down, None)  # takes effect when this push has returned
        if self.inclusive:
            return self.down.try_next(element)
        decref(element)
        return STOPPED

    cdef void release(self) noexcept:
        self.predicate = None


@cython.final
cdef class SkipWhileStage(Stage):
    """Drop elements up to the first for which the truth of a predicate changes, and pass on that one and all others.

    Args:
        predicate: Called with each element until one passes.
        dropping: The truth of its result for the elements that are dropped.

    State: whether elements pass.
    """

    cdef object predicate
    cdef bint dropping, is_open

    def __init__(self, predicate, bint dropping):
        self.predicate = predicate
        self.dropping = dropping

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int answer
        if self.is_open:
            return self.down.try_next(element)
        answer = truth(call1(<PyObject*>self.predicate, element))
        if answer < 0:
            return failed_for(self, element)
        if answer == self.dropping:
            decref(element)
            return DROPPED if self.drops_directly else self.drop()
        self.is_open = True
        self.changed = True
        return self.down.try_next(element)

    cdef void release(self) noexcept:
        self.predicate = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_open)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_open = reader.read(bool)
        return 0


@cython.final
cdef class DistinctStage(Stage):
    """Pass on the elements whose key has not come before.

    Args:
        key_function: Returns the key of an element; None: the element is the key.
        max_keys: How many keys may be known.

    State: the keys that have come.
    """

    cdef object key_function
    cdef set seen
    cdef int64_t max_keys

    def __init__(self, key_function, int64_t max_keys):
        self.key_function = key_function
        self.max_keys = max_keys
        self.seen = set()

    cdef int try_next(self, PyObject* element) noexcept:
        cdef set seen = self.seen
        cdef Py_ssize_t known = len(seen)
        cdef PyObject* key = element
        cdef int failed
        if self.key_function is None:
            incref(key)
        else:
            key = call1(<PyObject*>self.key_function, element)
            if key is NULL:
                return failed_for(self, element)
        failed = PySet_Add(seen, <object>key)
        if not failed and len(seen) > self.max_keys:
            failed = PySet_Discard(seen, <object>key)
            if failed >= 0:
                failed = _set_too_many_keys(self.max_keys, <object>key)
        decref(key)
        if failed < 0:
            return failed_for(self, element)
        if len(seen) == known:
            decref(element)
            return DROPPED if self.drops_directly else self.drop()
        self.changed = True
        return self.down.try_next(element)

    cdef void release(self) noexcept:
        self.key_function = None
        self.seen = set()

    cdef int write_fields(self, object writer) except -1:
        writer.write(set(self.seen))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef set seen = reader.read(set)
        if len(seen) > self.max_keys:
            raise StateError(
                f"{self!r} cannot load {len(seen)} keys with max_keys={self.max_keys}; load the state with the bound "
                f"that it was saved with"
            )
        self.seen = seen
        return 0


cdef int _set_too_many_keys(int64_t max_keys, object key) noexcept:
    try:
        error = CapacityError(
            f"distinct(max_keys={max_keys}): {safe_repr(key)} would be key {max_keys + 1}; raise max_keys, use a "
            f"coarser key, or distinct_until_changed() where equal elements follow each other"
        )
    except BaseException as interrupt:  # of the key's __repr__, or of a signal handler
        error = interrupt
    PyErr_SetObject(type(error), error)
    return -1


@cython.final
cdef class DistinctUntilChangedStage(Stage):
    """Pass on the elements whose key differs from that of the one before.

    Args:
        key_function: Returns the key of an element; None: the element is the key.
        comparer: Called with the key before and the new one; returns whether they are the same. None: ==.

    State: the key of the last element that was passed on, and whether there is one.
    """

    cdef object key_function, comparer, key
    cdef bint has_key

    def __init__(self, key_function, comparer):
        self.key_function = key_function
        self.comparer = comparer

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* key = element
        cdef int is_same = 0
        if self.key_function is None:
            incref(key)
        else:
            key = call1(<PyObject*>self.key_function, element)
            if key is NULL:
                return failed_for(self, element)
        if self.has_key:
            if self.comparer is None:
                is_same = PyObject_RichCompareBool(self.key, <object>key, Py_EQ)
            else:
                is_same = truth(call2(<PyObject*>self.comparer, <PyObject*>self.key, key))
        if is_same == 0:
            self.key = <object>key
            self.has_key = True
            self.changed = True
            decref(key)
            return self.down.try_next(element)
        decref(key)
        if is_same < 0:
            return failed_for(self, element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.key_function = None
        self.comparer = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.key)
        writer.write(self.has_key)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.key = reader.read()
        self.has_key = reader.read(bool)
        return 0


@cython.final
cdef class _LastOnes:
    """The last elements that came, a fixed number of them at most; always used under one token at a time."""

    cdef list elements
    cdef Py_ssize_t count, oldest

    cdef PyObject* replace_oldest(self, PyObject* element) noexcept:
        """Take an element in, and return the one that leaves for it (owned); NULL: there was room.

        Steals the element; where there is no memory an exception is set.
        """
        cdef PyObject* leaving
        if len(self.elements) < self.count:
            PyList_Append(self.elements, <object>element)
            decref(element)
            return NULL
        leaving = PyList_GET_ITEM(self.elements, self.oldest)
        PyList_SET_ITEM(self.elements, self.oldest, element)
        self.oldest = self.oldest + 1 if self.oldest + 1 < self.count else 0
        return leaving

    cdef list in_order(self):
        return self.elements[self.oldest:] + self.elements[:self.oldest]

    cdef int restore(self, Stage stage, list elements) except -1:
        if len(elements) > self.count:
            raise StateError(
                f"{stage!r} cannot load {len(elements)} elements, for it holds {self.count}; load the state with the "
                f"count that it was saved with"
            )
        self.elements = elements
        self.oldest = 0
        return 0


cdef _LastOnes _last_ones(Py_ssize_t count):
    cdef _LastOnes last = _LastOnes()
    last.elements = []
    last.count = count
    return last


@cython.final
cdef class SkipLastStage(Stage):
    """Pass on each element when `count` others have come after it; count is 1 or more.

    State: the elements that are held, in their order.
    """

    cdef _LastOnes held

    def __init__(self, Py_ssize_t count):
        self.held = _last_ones(count)

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* leaving = self.held.replace_oldest(element)
        self.changed = True
        if leaving is not NULL:
            return self.down.try_next(leaving)
        if error_occurred() is not NULL:
            return self.callback_failed()
        return DROPPED if self.drops_directly else self.drop()

    cdef void release(self) noexcept:
        self.held.elements = []
        self.held.oldest = 0

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.held.in_order())
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        return self.held.restore(self, reader.read(list))


@cython.final
cdef class TakeLastStage(DemandOwner):
    """Pass on the last `count` elements once the upstream has completed; count is 1 or more.

    The input side, which has the token upstream, fills `last` and notes the end; from then on `last` is the drainer's.
    Ordering: what lies in `last` and `input_error`, then `input_ended` (release) -> `input_ended` (acquire), then both.

    State: the elements that are held, in their order, and the end of the input.
    """

    cdef _LastOnes last
    cdef gil_uint32 input_ended
    cdef object input_error
    cdef bint has_requested
    cdef bint is_reversed    # `last`, so that the next element to send is at its end

    def __init__(self, Py_ssize_t count):
        self.last = _last_ones(count)
        self.input_ended.store(0, memory_order_relaxed)

    # --- input side: the holder of the upstream token -----------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* leaving
        # relaxed: a late element is only swept up here
        if self.state.load(memory_order_relaxed) & TERMINAL:
            decref(element)
            return STOPPED
        leaving = self.last.replace_oldest(element)
        self.changed = True
        if leaving is not NULL:
            decref(leaving)
        elif error_occurred() is not NULL:
            return self.callback_failed()
        return ACCEPTED

    cdef int receive_complete(self) noexcept:
        return self._end_input(None)

    cdef int receive_error(self, object error) noexcept:
        return self._end_input(error)

    cdef int _end_input(self, object error) noexcept:
        # relaxed: as in try_next()
        if self.state.load(memory_order_relaxed) & TERMINAL:
            if error is not None:
                drop_signal(self, "on_error", error, self.name)
            return CONSUMED
        self.input_error = error
        self.changed = True
        self.input_ended.store(1, memory_order_release)  # release: see Ordering
        if (<Notifies>_notify)(self) == -1:
            self.callback_failed()
        return CONSUMED

    # --- output side: the holder of this stage's token -----------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef list last
        if not self.input_ended.load(memory_order_acquire):  # acquire: see Ordering
            if n > 0 and not self.has_requested:
                self.has_requested = True
                self.ask(INT64_MAX)
            return 0
        try:
            last = self._turned()
        except BaseException as error:
            self.fail_at(self, error)
            return 0
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if self.input_error is not None or not last:
                self.finish(self.down, self.input_error)
                break
            if sent == n:
                break
            element = last.pop()
            incref(<PyObject*>element)
            self.changed = True
            if push(self, <PyObject*>element) == ACCEPTED:
                sent += 1
        return sent

    cdef list _turned(self):
        if not self.is_reversed:
            last = self.last.in_order()
            last.reverse()
            self.last.elements = last
            self.last.oldest = 0
            self.is_reversed = True
        return self.last.elements

    cdef int write_fields(self, object writer) except -1:
        # acquire: as in send()
        cdef bint has_ended = self.input_ended.load(memory_order_acquire) != 0
        elements = self.last.in_order()
        if self.is_reversed:
            elements.reverse()
        writer.write(elements)
        writer.write(has_ended)
        writer.write(self.input_error if has_ended else None)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.last.restore(self, reader.read(list))
        has_ended = reader.read(bool)
        self.input_error = reader.read((Exception, type(None)))
        self.input_ended.store(1 if has_ended else 0, memory_order_relaxed)  # relaxed: nothing flows before the start
        return 0


# Whose -1 means that an exception is set, as in subscription.pyx.
ctypedef int (*Notifies)(TakeLastStage stage) noexcept


cdef inline int _notify(TakeLastStage stage) except -1:
    return stage.notify()


@cython.final
cdef class IgnoreStage(Stage):
    """Drop all elements and pass on the end: the upstream sends without limit, whatever is requested."""

    def __cinit__(self, *args, **kwargs):
        self.is_translating = True
        self.is_unit = False

    cdef int begin(self) except -1:
        return request_upstream(self, INT64_MAX)

    cdef int64_t translate(self, int64_t n) noexcept:
        return 0

    cdef int try_next(self, PyObject* element) noexcept:
        decref(element)
        return ACCEPTED
