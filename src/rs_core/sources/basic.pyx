"""Sources that the core drains: a range, an iterable, results of functions, empty, error, never."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr, small_int
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.calls cimport (
    call1, caught, close_iterator, decref, error_occurred, incref, is_generator, next_of, xdecref,
)
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport (
    ACCEPTED, BOUNCED, LEAVE, DemandOwner, Stage, add_assembly_note, count, new_error, push, release_failed,
)

from rs_core.errors import ArgumentTypeError, SourceUsedTwiceError, StateError

cdef extern from "interp/int_reuse.h":
    PyObject* int_again "rs_int_again"(PyObject** spare, int64_t value) noexcept
    PyObject* int_to_reuse "rs_int_to_reuse"(int64_t value) noexcept

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object n, int* overflow) except? -1
    ctypedef PyObject* (*iternextfunc)(PyObject*) noexcept
    int PyException_SetTraceback(object error, object traceback) except -1


def int64_range(start, stop, step, /):
    """Return the built-in's range for these arguments if RangeSource can count it, else None.

    Args:
        start: Its first integer, or its exclusive end if `stop` is None.
        stop: Its exclusive end.
        step: The distance between neighbors, not 0.

    Returns:
        A `range` whose bounds, step and distance of the bounds fit into 64 bits; None if they do not.

    Raises:
        TypeError: An argument is not an integer.
        ValueError: The step is 0.
    """
    cdef object values = range(0, start, step) if stop is None else range(start, stop, step)
    cdef int64_t low = 0
    cdef int64_t high = 0
    cdef int64_t distance = 0
    cdef int overflow = 0
    if small_int(start, &low) and (stop is None or small_int(stop, &high)) and small_int(step, &distance):
        return values
    low = PyLong_AsLongLongAndOverflow(values.start, &overflow)
    if not overflow:
        high = PyLong_AsLongLongAndOverflow(values.stop, &overflow)
    if not overflow:
        PyLong_AsLongLongAndOverflow(values.step, &overflow)
    # unsigned, so that the distance of any two integers fits
    if overflow or (<uint64_t>high - <uint64_t>low if high >= low else <uint64_t>low - <uint64_t>high) > INT64_MAX:
        return None
    return values


@cython.final
cdef class RangeSource(DemandOwner):
    """Send the integers of a range that fits into 64 bits.

    State: the next integer.
    """

    cdef object values
    cdef int64_t next_value, step
    cdef int64_t left  # how many remain

    def __init__(self, values):
        self.values = values
        self.next_value = values.start
        self.step = values.step
        self.left = len(values)

    cdef int64_t send(self, int64_t n) noexcept:
        cdef Stage down = self.down
        cdef int64_t value = self.next_value
        cdef int64_t step = self.step
        cdef int64_t sent = 0
        cdef int64_t block, todo
        cdef PyObject* element
        cdef PyObject* spare = NULL
        cdef int outcome
        while sent != n and self.left != 0:
            # Within a block neither the demand, nor the range, nor the elements until the next tick can be used up.
            block = min(n - sent, self.left, self.until_tick)
            todo = block
            if spare is NULL:  # once in a block: whoever has kept an element of it keeps others, too
                spare = int_to_reuse(value)
            # relaxed: drain() looks again, with the order that the bits need
            while todo != 0 and not self.state.load(memory_order_relaxed) & LEAVE:
                element = int_again(&spare, value)
                if element is NULL:
                    self.fail_at(self, caught())
                    break
                todo -= 1
                # unsigned: the integer after the last may not fit into 64 bits, and is not used
                value = <int64_t>(<uint64_t>value + <uint64_t>step)
                outcome = down.try_next(element)
                if outcome == BOUNCED:
                    outcome = self.run_trampoline()
                if outcome == ACCEPTED:
                    sent += 1
            self.changed = self.changed or block != todo
            self.next_value = value
            self.left -= block - todo
            self.until_tick -= block - todo
            if todo != 0 or (self.until_tick == 0 and not self.tick()):
                break
        xdecref(spare)
        if self.left == 0 and not self.should_leave():
            self.finish(down, None)
        return sent

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.next_value)
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef int64_t first = self.values.start
        cdef int64_t size = len(self.values)
        next_value = reader.read(int)
        self.left = reader.read_count(size)
        # unsigned: as in send()
        self.next_value = <int64_t>(<uint64_t>first + <uint64_t>(size - self.left) * <uint64_t>self.step)
        if next_value != self.next_value:
            raise StateError(
                f"the saved state stands before {safe_repr(next_value)} with {self.left} integers left, which is not a "
                f"position in {self.values}; load the state with the range that it was saved with"
            )
        return 0


@cython.final
cdef class OneShot:
    """The iterator of a description that can serve only one subscription, and whether it was used."""

    cdef readonly object iterator
    cdef bint is_taken

    def __init__(self, iterator):
        self.iterator = iterator

    cdef object take(self):
        with cython.critical_section(self):
            if self.is_taken:
                raise SourceUsedTwiceError(
                    f"§1.10: {self.iterator!r} is an iterator and was used by an earlier subscription; pass an "
                    f"iterable that can be read again, such as a list or a class with __iter__"
                )
            self.is_taken = True
        return self.iterator

    def __repr__(self) -> str:
        return repr(self.iterator)


@cython.final
cdef class IterableSource(DemandOwner):
    """Send the elements of an iterable; `next()` is called for demand only.

    Args:
        iterable: The iterable.
        skips: Whether a loaded source skips as many elements of a new iterator as were taken before; if not, the number
            is not saved.

    State: how many elements were taken.
    """

    cdef object iterable
    cdef object iterator      # None before the first demand and after release
    cdef int64_t position     # elements taken from the iterator
    cdef int64_t to_skip      # of those, how many a new iterator must still skip
    cdef bint skips           # after a recovery
    cdef bint is_owned        # created here, or a generator: closed on release
    cdef bint is_sized        # how many elements are left is known, so the end needs no further request
    cdef int64_t length       # of what is sized; a list may still change

    def __init__(self, iterable, skips=True):
        self.iterable = iterable
        self.skips = skips
        self.is_sized = type(iterable) in (list, tuple, range, str, bytes)
        self.length = _length_of(iterable) if self.is_sized else 0

    cdef bint _open_iterator(self) noexcept:
        try:
            if type(self.iterable) is OneShot:
                self.iterator = (<OneShot>self.iterable).take()
                self.is_owned = is_generator(self.iterator)
            else:
                self.iterator = iter(self.iterable)
                self.is_owned = self.iterator is not self.iterable
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True

    cdef bint _skip(self) noexcept:
        """Skip the elements taken before the state was saved; return False to leave, or if the stream ends."""
        try:
            while self.to_skip and not self.should_leave():
                next(self.iterator)
                self.to_skip -= 1
                count(self)
        except StopIteration:
            self.fail_at(self, new_error(
                StateError,
                f"the saved state stands after element {self.position}, but the iterable has only "
                f"{self.position - self.to_skip}; load the state with the source that it was saved with",
            ))
        except BaseException as error:
            self.fail_at(self, error)
        return not self.should_leave()

    cdef int64_t send(self, int64_t n) noexcept:
        cdef Stage down = self.down
        cdef int64_t sent = 0
        cdef int64_t taken = 0
        cdef PyObject* iterator
        cdef PyObject* element
        cdef int outcome
        if self.iterator is None:
            if n == 0 and not self.is_sized:
                return 0
            if not self._open_iterator():
                return 0
        if self.to_skip and not self._skip():
            return 0
        iterator = <PyObject*>self.iterator  # borrowed: only the holder of the token, this thread, releases it
        while sent != n:
            # relaxed: drain() looks again, with the order that the bits need
            if self.state.load(memory_order_relaxed) & LEAVE:
                break
            element = next_of(iterator)
            if element is NULL:
                self._exhausted(down)
                break
            taken += 1
            outcome = down.try_next(element)
            if outcome == BOUNCED:
                outcome = self.run_trampoline()
            if outcome == ACCEPTED:
                sent += 1
            self.until_tick -= 1
            if self.until_tick == 0 and not self.tick():
                break
        if taken:
            self.position += taken
            self.changed = True
        if self.is_sized and sent == n and self._is_empty() and not self.should_leave():
            self.finish(down, None)
        return sent

    cdef bint _is_empty(self) noexcept:
        """Whether nothing is left of what is sized."""
        return self.position >= (len(<list>self.iterable) if type(self.iterable) is list else self.length)

    cdef void _exhausted(self, Stage down) noexcept:
        if error_occurred() is NULL:
            self.finish(down, None)
            return
        error = caught()
        if isinstance(error, StopIteration):
            self.finish(down, None)
        else:
            self.fail_at(self, error)

    cdef void release(self) noexcept:
        iterator = self.iterator
        self.iterator = None
        self.iterable = None
        if iterator is None or not self.is_owned:
            return
        try:
            close_iterator(iterator)
        except BaseException as error:
            release_failed(self, "close", error, self.name)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.position if self.skips else 0)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.position = reader.read_count()
        self.to_skip = self.position
        if self.to_skip and not self.skips and not self.disposed_in_state:
            raise StateError(
                f"the saved state stands after element {self.position}, which is skipped only with recovery='skips'; "
                f"pass that to the source if it gives the same elements again, like the source that was saved"
            )
        return 0


cdef int64_t _length_of(object sized) except -1:
    try:
        return len(sized)
    except OverflowError:
        return INT64_MAX  # a range with more elements than fit into 64 bits


@cython.final
cdef class UnfoldSource(DemandOwner):
    """Send the elements that a function computes from a state, which it also replaces.

    Args:
        seed: The first state.
        step: Called with the current state; returns a tuple of an element and the next state, or None at the end.

    State: the current state.
    """

    cdef object present, step

    def __init__(self, seed, step):
        self.present = seed
        self.step = step

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* made
        # relaxed: drain() looks again, with the order that the bits need
        while sent != n and not self.state.load(memory_order_relaxed) & LEAVE:
            made = call1(<PyObject*>self.step, <PyObject*>self.present)
            if made is NULL:
                self.fail_at(self, caught())
                break
            result = <object>made
            decref(made)
            if result is None:
                self.finish(self.down, None)
                break
            if not isinstance(result, tuple) or len(<tuple>result) != 2:
                self.fail_at(self, new_error(
                    ArgumentTypeError,
                    f"generate(step) has to return a tuple (element, next state), or None at the end, and for the "
                    f"state {safe_repr(self.present)} returned {safe_repr(result)} ({type(result).__name__})",
                ))
                break
            self.present = (<tuple>result)[1]
            self.changed = True
            element = (<tuple>result)[0]
            incref(<PyObject*>element)
            sent += push(self, <PyObject*>element) == ACCEPTED
        return sent

    cdef void release(self) noexcept:
        self.step = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.present)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.present = reader.read()
        return 0


@cython.final
cdef class RepeatSource(DemandOwner):
    """Send a value again and again.

    Args:
        value: The element.
        times: How often; None means without end.

    State: how often it must still be sent.
    """

    cdef object value
    cdef int64_t times, left

    def __init__(self, value, times):
        self.value = value
        self.times = INT64_MAX if times is None else times
        self.left = self.times

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        value = self.value
        # relaxed: drain() looks again, with the order that the bits need
        while sent != n and self.left != 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            self.left -= 1
            self.changed = True
            incref(<PyObject*>value)
            sent += push(self, <PyObject*>value) == ACCEPTED
        if self.left == 0 and not self.should_leave():
            self.finish(self.down, None)
        return sent

    cdef void release(self) noexcept:
        self.value = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read_count(self.times)
        return 0


@cython.final
cdef class CallableSource(DemandOwner):
    """Send the result of a function, which is called at the first request.

    State: whether it was called.
    """

    cdef object function
    cdef bint is_called

    def __init__(self, function):
        self.function = function

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        if not self.is_called:
            if n == 0:
                return 0
            self.is_called = True
            self.changed = True
            try:
                result = self.function()
            except BaseException as error:
                self.fail_at(self, error)
                return 0
            incref(<PyObject*>result)
            sent = push(self, <PyObject*>result) == ACCEPTED
        if not self.should_leave():
            self.finish(self.down, None)
        return sent

    cdef void release(self) noexcept:
        self.function = None

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_called)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_called = reader.read(bool)
        return 0


@cython.final
cdef class DeferStage(Stage):
    """Pass on the elements of the stream that a function makes for this subscription; its nodes are part of the tree.

    Args:
        factory: Returns the description of the stream.
        failed: Returns the description of a stream that fails with an exception.
    """

    cdef object factory, failed

    def __init__(self, factory, failed):
        self.factory = factory
        self.failed = failed

    cdef int attach(self) except -1:
        try:
            self.source = <Description?>self.factory()
        except Exception as error:
            add_assembly_note(error, self)
            self.source = <Description?>self.failed(error)
        self.factory = None
        self.failed = None
        return Stage.attach(self)

    cdef int try_next(self, PyObject* element) noexcept:
        return self.down.try_next(element)


@cython.final
cdef class EmptySource(DemandOwner):
    """Complete without an element, with or without demand (§2.9); also used for `take(0)`, without its upstream."""

    cdef int attach(self) except -1:
        self.source = None  # for take(0), which never subscribes upstream
        return DemandOwner.attach(self)

    cdef int64_t send(self, int64_t n) noexcept:
        self.finish(self.down, None)
        return 0


@cython.final
cdef class GivenError:
    """The exception of a description, and its traceback when it was given.

    Every raise of an exception lengthens its traceback, and every subscription raises this one: so its original
    traceback is restored each time.
    """

    cdef readonly object error
    cdef object traceback

    def __init__(self, error):
        self.error = error
        self.traceback = error.__traceback__

    cdef object as_given(self):
        PyException_SetTraceback(self.error, self.traceback)
        return self.error

    def __reduce__(self):
        return GivenError, (self.error,)  # a traceback cannot be serialized

    def __repr__(self) -> str:
        return repr(self.error)


@cython.final
cdef class ErrorSource(DemandOwner):
    """Fail without an element, with or without demand (§2.10)."""

    cdef GivenError given

    def __init__(self, GivenError given not None):
        self.given = given

    cdef int64_t send(self, int64_t n) noexcept:
        self.finish(self.down, self.given.as_given())
        return 0

    cdef void release(self) noexcept:
        self.given = None


@cython.final
cdef class NeverSource(DemandOwner):
    """Send no signal until it is cancelled."""
