# Subclasses that use every member which docs/reference/c-interface.md promises of the classes of the core.

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core cimport (
    ACCEPTED,
    BaseSubscription,
    caught,
    CONSUMED,
    count,
    decref,
    DemandOwner,
    drop_signal,
    DROPPED,
    FORWARDED,
    incref,
    int_from_int64,
    LEAVE,
    memory_order_relaxed,
    Outcome,
    push,
    release_failed,
    REPLACED,
    request_number,
    request_upstream,
    Stage,
    STOPPED,
    TerminalResult,
)


cdef class Countdown(DemandOwner):
    """Sends n, n - 1, ..., 1; by `push`, or by hand and counted."""

    cdef int64_t left
    cdef bint by_hand
    cdef object released

    def __init__(self, int64_t n, by_hand=False, released=None):
        self.left = n
        self.by_hand = by_hand
        self.released = released

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* element
        cdef Outcome outcome
        while sent < n and self.left > 0:
            # relaxed: drain() looks again, with the order that the bits need
            if self.state.load(memory_order_relaxed) & LEAVE:
                break
            element = int_from_int64(self.left)
            if element is NULL:
                self.fail_at(self, caught())
                break
            self.left -= 1
            self.changed = True
            if self.by_hand:
                outcome = <Outcome>self.deliver(self.down, element)
                if not count(self):
                    break
            else:
                outcome = <Outcome>push(self, element)
            if outcome == ACCEPTED:
                sent += 1
        if self.left == 0 and not self.should_leave():
            self.finish(self.down, None)
        return sent

    cdef void release(self) noexcept:
        try:
            if self.released is not None:
                self.released()
        except BaseException as error:
            release_failed(self, "close", error, self.name)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.left)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.left = reader.read(int)
        return 0


cdef class Pairs(Stage):
    """Passes on pairs of neighbors; the last may lack its second. Drops None, and fails for what is no int."""

    cdef object first
    cdef object seen_error

    def __cinit__(self, *args, **kwargs):
        self.is_unit = False
        self.is_translating = True

    cdef int64_t translate(self, int64_t n) noexcept:
        return INT64_MAX if n > INT64_MAX // 2 else 2 * n

    cdef bint must_wait(self) noexcept:
        return False

    cdef int try_next(self, PyObject* element) noexcept:
        held = <object>element
        decref(element)
        if held is None:
            return self.drop()
        if not isinstance(held, int):
            self.owner.fail_at(self, TypeError(f"Pairs takes ints, got {held!r}"))
            return STOPPED
        if self.first is None:
            self.first = held
            return ACCEPTED
        pair, self.first = (self.first, held), None
        incref(<PyObject*>pair)
        return self.down.try_next(<PyObject*>pair)

    cdef int receive_complete(self) noexcept:
        cdef TerminalResult result = FORWARDED
        if self.first is not None:
            last, self.first = (self.first, None), None
            incref(<PyObject*>last)
            self.owner.deliver(self.down, <PyObject*>last)
            if self.owner.has_note():
                result = REPLACED
        return result

    cdef int receive_error(self, object error) noexcept:
        if isinstance(error, LookupError):
            drop_signal(self, "on_error", error, "Pairs")
            return CONSUMED
        return FORWARDED


cdef class Evens(Stage):
    """Drops odd numbers, directly where that is allowed; what is no int fails."""

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int64_t number
        try:
            number = <object>element
        except (TypeError, OverflowError) as error:
            decref(element)
            return self.owner.fail_at(self, error)
        if number % 2 == 0:
            return self.down.try_next(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()


cdef extern from "Python.h":
    PyObject* PyNumber_Negative(object number) noexcept


cdef class Negated(Stage):
    """Passes on negative numbers; what cannot be negated fails."""

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* result = PyNumber_Negative(<object>element)
        decref(element)
        if result is NULL:
            return self.callback_failed()
        return self.down.try_next(result)


cdef class Ticket(BaseSubscription):
    """Emits 1, at most three times, then completes."""

    def on_request(self, n):
        for _ in range(min(n, 3)):
            self.emit(1)
        self.complete()


def use_requests(Stage stage not None, n):
    """Request two elements as a number, then n as it is."""
    request_upstream(stage, 2)
    request_number(stage, n)
