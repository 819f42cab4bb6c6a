"""Operators that turn one element into several: flat_map over iterables."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.calls cimport call1, caught, close_iterator, decref, error_occurred, is_generator, next_of
from rs_core.stream.description cimport Description
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, count, push, release_failed

from operator import length_hint

from rs_core.errors import ArgumentTypeError, StateError

cdef object _NOTHING = object()   # where an iterator has nothing more

# Iterators that tell how much is left without running user code.
cdef frozenset _SIZED = frozenset({type(iter([])), type(iter(())), type(iter(range(0))), type(iter(""))})


# Types that are looked at no further: no class of a user, and by far the most frequent.
cdef frozenset _PLAIN = frozenset({list, tuple, range, str, bytes, dict, set, frozenset, type(_ for _ in ())})


cdef str _kind_of_stream(object candidate):
    """Return what keeps an object from being read here: its elements come when they like. None: nothing does."""
    if type(candidate) in _PLAIN:
        return None
    if isinstance(candidate, Description):
        return "a stream"
    if callable(getattr(candidate, "subscribe", None)):
        return "a publisher"
    return "an asynchronous iterable" if hasattr(candidate, "__aiter__") else None


@cython.final
cdef class FlatMapStage(QueueStage):
    """Pass on the elements of the iterable that a function returns for each element.

    State: the queue; the element whose iterable is being read and how many of its elements were passed on. A loaded
    stage calls the function again and skips as many, so the function has to return equal elements again.
    """

    cdef object function
    cdef object iterator     # of the element that is being expanded; None between elements
    cdef object element      # that element
    cdef bint is_expanding   # whether there is one
    cdef bint is_owned       # the iterator was made here, or is a generator: closed on release
    cdef int64_t passed_on   # how many of its elements went down
    cdef int64_t to_skip     # of those, how many a fresh iterator has yet to pass

    def __init__(self, function, prefetch):
        QueueStage.__init__(self, prefetch)
        self.function = function

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* part
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if sent == n:
                self._look_for_end()
                break
            if self.iterator is None:
                if not self._open_next():
                    break
                continue
            if self.to_skip:
                self._skip()
                continue
            part = next_of(<PyObject*>self.iterator)
            if part is NULL:
                if not self._close_iterator():
                    break
                continue
            self.passed_on += 1
            self.changed = True
            if push(self, part) == ACCEPTED:
                sent += 1
        return sent

    cdef bint _open_next(self) noexcept:
        """Begin with the next element; False: there is none, or the stream ends."""
        cdef PyObject* element = NULL
        cdef PyObject* iterable
        if not self.is_expanding:
            element = self.poll()
            if element is NULL:
                self.finish_if_ended()
                return False
            self.element = <object>element
            self.is_expanding = True
            decref(element)
        iterable = call1(<PyObject*>self.function, <PyObject*>self.element)
        if iterable is NULL:
            self.fail_at(self, caught())
            return False
        try:
            self.iterator = self._iterator_of(<object>iterable)
            self.is_owned = <PyObject*>self.iterator is not iterable or is_generator(self.iterator)
        except BaseException as error:
            self.fail_at(self, error)
        decref(iterable)
        return self.iterator is not None

    cdef object _iterator_of(self, object iterable):
        cdef str kind = _kind_of_stream(iterable)
        if kind is not None:
            raise ArgumentTypeError(
                f"flat_map(function) needs an iterable for each element, but for {shown(self.element)} the function "
                f"returned {shown(iterable)} ({type(iterable).__name__}), {kind}, which this thread would have to wait "
                f"for; return a list or a generator, such as stream.to_list() of a stream that ends"
            )
        try:
            return iter(iterable)
        except TypeError:
            if hasattr(iterable, "__iter__"):
                raise
            raise ArgumentTypeError(
                f"flat_map(function) needs an iterable for each element, but for {shown(self.element)} the function "
                f"returned {shown(iterable)} ({type(iterable).__name__}); return a list, or () for nothing"
            ) from None

    cdef void _skip(self) noexcept:
        """Pass the elements that were passed on before the state was saved."""
        try:
            while self.to_skip and not self.should_leave():
                if next(self.iterator, _NOTHING) is _NOTHING:
                    raise StateError(
                        f"the saved state stands behind {self.passed_on} elements of {shown(self.element)}, but the "
                        f"function returned only {self.passed_on - self.to_skip} for it; it has to return equal "
                        f"elements again"
                    )
                self.to_skip -= 1
                count(self)
        except BaseException as error:
            self.fail_at(self, error)

    cdef void _look_for_end(self) noexcept:
        """Without demand: end, if nothing more can come; asks only iterators that know it without running code."""
        if self.iterator is not None:
            if type(self.iterator) not in _SIZED or length_hint(self.iterator) != 0:
                return
            self._close_iterator()
        if not self.is_expanding:
            self.finish_if_ended()

    cdef bint _close_iterator(self) noexcept:
        error = caught() if error_occurred() is not NULL else None
        self._forget_element()
        self.changed = True
        if error is None or isinstance(error, StopIteration):
            return True
        self.fail_at(self, error)
        return False

    cdef void _forget_element(self) noexcept:
        self.iterator = None
        self.element = None
        self.is_expanding = False
        self.passed_on = 0

    cdef void release(self) noexcept:
        self.function = None
        if self.iterator is not None and self.is_owned:
            try:
                close_iterator(self.iterator)
            except BaseException as error:
                release_failed(self, "close", error, self.name)
        self._forget_element()
        QueueStage.release(self)

    cdef int write_fields(self, object writer) except -1:
        writer.write(self.is_expanding)
        writer.write(self.element)
        writer.write(self.passed_on)
        return self.save_queue(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.is_expanding = reader.read(bool)
        self.element = reader.read()
        self.passed_on = reader.read_count()
        self.to_skip = self.passed_on
        if not self.is_expanding and (self.passed_on or self.element is not None):
            raise StateError(
                f"{self!r} cannot load {self.passed_on} elements that were passed on of an element that it has not "
                f"begun with; load an older checkpoint"
            )
        return self.load_queue(reader)
