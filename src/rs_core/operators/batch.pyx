"""Operators that join neighboring elements: buffer and what its name begins with, sliding, pairwise, split_when."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport call1, call2, caught, decref, incref, truth, xdecref
from rs_core.interp.tuple_filling cimport (
    begin_spare, begin_tuple, fill_place, fill_with_owned, finish_spare, finish_tuple, take_back_tuple,
)
from rs_core.queues.spsc_ring cimport spsc_poll
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.subscription cimport ACCEPTED, FORWARDED, REPLACED, Stage, count as count_tick, note_element
from rs_core.stream.description cimport Description
from rs_core.sync.atomics cimport atomic_int64, memory_order_relaxed, memory_order_seq_cst

from collections import deque

from rs_core.errors import CapacityError, StateError

cdef extern from "interp/list_filling.h":
    PyObject* list_again "rs_list_again"(PyObject** spare, Py_ssize_t room) noexcept   # NULL: an exception is set
    void take_back_list "rs_take_back_list"(PyObject** spare, PyObject* stolen_elements) noexcept
    int list_put "rs_list_put"(PyObject* elements, PyObject* stolen_element) noexcept
    bint list_put_inside "rs_list_put_inside"(PyObject* elements, PyObject* stolen, Py_ssize_t count) noexcept
    Py_ssize_t PyList_GET_SIZE(PyObject* elements) noexcept
    PyObject* PyList_GET_ITEM(PyObject* elements, Py_ssize_t index) noexcept           # borrowed
    void PyList_SET_ITEM(PyObject* elements, Py_ssize_t index, PyObject* stolen) noexcept

cdef enum:
    MOST_ROOM = 1024   # that a list is made with; a longer one grows


@cython.final
cdef class BufferStage(Stage):
    """Pass on lists of `count` neighboring elements that do not overlap; the last list may be shorter.

    Args:
        count: Elements in a list.
        skip: From the first element of a list to the first of the next one: `count` and more.

    State: the elements of the list that is being filled, and how many elements are still left out before it.

    Request-side field: `unrequested`, the elements that were loaded and for whose list no request came yet; the first
    request is for so many fewer. The element side only looks whether there are any. Ordering: it is cleared before
    the demand is added, and read after MISSED was cleared, all seq_cst: the store-buffer pair of subscription.pyx.
    """

    cdef list elements       # None between two lists
    cdef PyObject* spare     # see list_filling.h
    cdef Py_ssize_t count
    cdef int64_t gap, to_leave_out
    cdef atomic_int64 unrequested

    def __init__(self, Py_ssize_t count, int64_t skip):
        self.count = count
        self.gap = skip - count
        self.unrequested.store(0, memory_order_relaxed)
        self.is_translating = True
        self.is_unit = False

    @property
    def version(self) -> tuple:
        """The version of the state's layout; the one before it left nothing out."""
        return (1, 1, 0, 0)

    @property
    def loadable_versions(self) -> tuple:
        """The older versions of the state's layout that can be loaded, too."""
        return ((1, 0, 0, 0),)

    cdef int64_t translate(self, int64_t n) noexcept:
        cdef int64_t here = self.unrequested.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
        return INT64_MAX if n > INT64_MAX // self.count else n * self.count - here

    cdef bint must_wait(self) noexcept:
        return self.unrequested.load(memory_order_seq_cst) != 0  # seq_cst: see Ordering

    cdef int try_next(self, PyObject* element) noexcept:
        self.changed = True
        if list_put_inside(<PyObject*>self.elements, element, self.count):
            return ACCEPTED
        return self._begin_or_end(element)

    cdef int _begin_or_end(self, PyObject* element) noexcept:
        """Take the first element of a list, or the last one, or one for which the list has to grow."""
        cdef PyObject* elements = <PyObject*>self.elements
        cdef int outcome
        if self.elements is None:
            if self.to_leave_out:
                self.to_leave_out -= 1
                decref(element)
                return self.drop()
            elements = list_again(&self.spare, min(self.count, MOST_ROOM))
            if elements is NULL:
                decref(element)
                return self.callback_failed()
            self.elements = <list>elements
            decref(elements)
        if list_put(elements, element) < 0:
            return self.callback_failed()
        if PyList_GET_SIZE(elements) < self.count:
            return ACCEPTED
        self.to_leave_out = self.gap
        incref(elements)
        incref(elements)
        self.elements = None
        outcome = self.down.try_next(elements)
        take_back_list(&self.spare, elements)
        return outcome

    cdef int receive_complete(self) noexcept:
        # What is left fills a part of a list that was requested: its first element came for that demand.
        cdef list elements = self.elements
        if elements is not None:
            self.elements = None
            incref(<PyObject*>elements)
            self.owner.deliver(self.down, <PyObject*>elements)
            if self.owner.has_note():
                return REPLACED  # a stage below failed on this last list, or has had enough
        return FORWARDED

    cdef void release(self) noexcept:
        xdecref(self.spare)
        self.spare = NULL

    def __dealloc__(self):
        xdecref(self.spare)

    cdef int write_fields(self, object writer) except -1:
        writer.write([] if self.elements is None else list(self.elements))
        writer.write(self.to_leave_out)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef list elements = reader.read(list)
        if len(elements) >= self.count:
            raise StateError(
                f"{self!r} cannot load {len(elements)} elements into lists of {self.count}; "
                f"load the state with the count that it was saved with"
            )
        self.elements = elements or None
        self.to_leave_out = 0 if version == (1, 0, 0, 0) else reader.read_count(self.gap)
        self.unrequested.store(len(elements), memory_order_relaxed)  # relaxed: nothing flows before the start
        return 0


@cython.final
cdef class Windows:
    """Every `step`-th window of `size` neighbors.

    A window that overlaps the next one is not kept twice: what is kept are the latest elements, in a ring, of which
    each open window has all from its first one on.

    Args:
        size: Elements in a window.
        step: From the first element of a window to the first of the next one.
    """

    cdef Py_ssize_t size
    cdef int64_t step
    cdef list ring             # grows to `size` places
    cdef Py_ssize_t first      # place of the oldest element that is kept
    cdef Py_ssize_t kept
    cdef int64_t to_leave_out  # elements before the next window

    def __init__(self, Py_ssize_t size, int64_t step):
        self.size = size
        self.step = step
        self.ring = []

    cdef int add(self, PyObject* element) noexcept:
        """Take an element; 1: a window is full, 0: not yet, -1: an exception is set. Steals it."""
        cdef PyObject* ring = <PyObject*>self.ring
        cdef PyObject* before
        cdef Py_ssize_t place
        if self.to_leave_out:
            self.to_leave_out -= 1
            decref(element)
            return 0
        place = self._place(self.kept)
        if place == PyList_GET_SIZE(ring):
            if list_put(ring, element) < 0:
                return -1
        else:
            before = PyList_GET_ITEM(ring, place)
            PyList_SET_ITEM(ring, place, element)
            decref(before)
        self.kept += 1
        return self.kept == self.size

    cdef Py_ssize_t _place(self, Py_ssize_t index) noexcept:
        cdef Py_ssize_t place = self.first + index
        return place if place < self.size else place - self.size

    cdef void leave(self) noexcept:
        """Go on from the first open window to the next one."""
        if self.step < self.kept:
            self.first = self._place(<Py_ssize_t>self.step)
            self.kept -= <Py_ssize_t>self.step
        else:
            self.to_leave_out = max(0, self.step - self.size)
            self.first = 0
            self.kept = 0
            self.ring.clear()

    cdef tuple as_tuple(self):
        """The first open window."""
        cdef tuple window = begin_tuple(self.kept)
        cdef bint is_for_collector = False
        cdef Py_ssize_t index
        for index in range(self.kept):
            is_for_collector |= fill_place(
                window, index, <object>PyList_GET_ITEM(<PyObject*>self.ring, self._place(index))
            )
        finish_tuple(window, is_for_collector)
        return window

    cdef list as_list(self):
        """The first open window, whose last element need not have come."""
        cdef Py_ssize_t until_end = min(self.kept, self.size - self.first)
        cdef list window = self.ring[self.first : self.first + until_end]
        if until_end < self.kept:
            window += self.ring[: self.kept - until_end]
        return window

    cdef int write(self, object writer) except -1:
        writer.write(self.as_list())
        writer.write(self.to_leave_out)
        return 0

    cdef int read(self, object reader, object stage) except -1:
        cdef list kept = reader.read(list)
        if len(kept) >= self.size:
            raise StateError(
                f"{stage!r} cannot load {len(kept)} elements of windows of {self.size}; load the state with the size "
                f"that it was saved with"
            )
        self.ring = list(kept)
        self.first = 0
        self.kept = len(kept)
        self.to_leave_out = reader.read_count(max(0, self.step - self.size))
        return 0


@cython.final
cdef class WindowStage(Stage):
    """Pass on tuples of `size` neighbors, of which each begins `step` elements after the one before it.

    Elements that complete no tuple give their demand back, so at the end nothing waits for demand.

    State: the elements of the tuples that are not complete, and how many elements are still left out before the next.
    """

    cdef Windows windows

    def __init__(self, Py_ssize_t size, int64_t step):
        self.windows = Windows(size, step)

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int is_full = self.windows.add(element)
        cdef tuple window
        self.changed = True
        if is_full <= 0:
            return self.drop() if is_full == 0 else self.callback_failed()
        try:
            window = self.windows.as_tuple()
        except BaseException as error:
            return self.owner.fail_at(self, error)
        self.windows.leave()
        incref(<PyObject*>window)
        return self.down.try_next(<PyObject*>window)

    cdef int write_fields(self, object writer) except -1:
        return self.windows.write(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        return self.windows.read(reader, self)


@cython.final
cdef class PairStage(Stage):
    """Pass on tuples of an element and the next one: what WindowStage does with a size of two, at half the cost.

    State: that of WindowStage.
    """

    cdef object before        # the element before; None if there was none
    cdef bint has_before
    cdef PyObject* spare      # see tuple_filling.h

    cdef int try_next(self, PyObject* element) noexcept:
        cdef PyObject* pair
        cdef bint is_for_collector
        cdef int outcome
        self.changed = True
        if not self.has_before:
            self.has_before = True
            self.before = <object>element
            decref(element)
            return self.drop()
        pair = begin_spare(&self.spare, 2)
        if pair is NULL:
            decref(element)
            return self.callback_failed()
        incref(<PyObject*>self.before)
        is_for_collector = fill_with_owned(pair, 0, <PyObject*>self.before)
        self.before = <object>element
        is_for_collector |= fill_with_owned(pair, 1, element)
        finish_spare(pair, is_for_collector)
        incref(pair)
        outcome = self.down.try_next(pair)
        take_back_tuple(&self.spare, pair)
        return outcome

    cdef int write_fields(self, object writer) except -1:
        writer.write([self.before] if self.has_before else [])
        writer.write(0)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef list kept = reader.read(list)
        if len(kept) > 1:
            raise StateError(
                f"{self!r} cannot load {len(kept)} elements, for it waits with the last one only; load an older "
                f"checkpoint"
            )
        self.has_before = len(kept) == 1
        self.before = kept[0] if kept else None
        reader.read_count(0)
        return 0

    def __dealloc__(self):
        xdecref(self.spare)


@cython.final
cdef class OverlapStage(CombineStage):
    """Pass on lists of `count` neighboring elements, a new one for each `skip` elements, fewer than `count`.

    Several lists are open at a time. When the upstream completes, those that have elements go out, each for a request
    of its own; that is why this is a stage with a queue, and BufferStage, which never has more than one, is none.

    Args:
        prefetch: How many elements may be requested at a time.
        count: Elements in a list.
        skip: From the first element of a list to the first of the next one.

    State: what waits of the input, and the elements of the lists that are not full.
    """

    cdef Windows windows
    cdef bint is_closing   # the upstream has completed, and lists are open

    def __init__(self, int64_t prefetch, Py_ssize_t count, int64_t skip):
        CombineStage.__init__(self, (), prefetch)
        self.windows = Windows(count, skip)
        self.is_exact = True

    @property
    def version(self) -> tuple:
        """The version of the state's layout; that of BufferStage, which has the same name, came before."""
        return (1, 1, 0, 0)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef int is_full = self.windows.add(element)
        if is_full < 0:
            return self.fail_at(self, caught())
        if is_full:
            self._pass_on_first()
        return 0

    cdef void _pass_on_first(self) noexcept:
        cdef list window
        try:
            window = self.windows.as_list()
        except BaseException as error:
            self.fail_at(self, error)
            return
        self.windows.leave()
        self.changed = True
        incref(<PyObject*>window)
        pass_on(self, <PyObject*>window)

    cdef int input_over(self, InputPort port) noexcept:
        self.is_closing = port.input_error is None and self.windows.kept > 0
        return 0 if self.is_closing else self.finish(self.down, port.input_error)

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port
        if not self.is_closing:
            port = self.main()
            return self.remaining > port.outstanding and self.replenish(port)
        if self.remaining <= 0:
            return False
        self._pass_on_first()
        count_tick(self)
        if self.windows.kept == 0 and not self.should_leave():
            self.finish(self.down, None)
        return True

    cdef int write_fields(self, object writer) except -1:
        self.windows.write(writer)
        return CombineStage.write_fields(self, writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.windows.read(reader, self)
        return CombineStage.read_fields(self, reader, version)


cdef class PredicateStage(CombineStage):
    """Pass on lists of neighbors, which a predicate ends.

    The last list goes out when the upstream has completed, for a request of its own.

    Args:
        prefetch: How many elements may be requested at a time.
        predicate: Says where a list ends.
        max_elements: The most elements of a list.

    State: what waits of the input, and the elements of the list that is being filled.
    """

    cdef object predicate
    cdef list elements     # empty between two lists
    cdef int64_t max_elements
    cdef bint is_closing   # the upstream has completed, and the last list waits for demand

    def __init__(self, int64_t prefetch, predicate, int64_t max_elements):
        CombineStage.__init__(self, (), prefetch)
        self.predicate = predicate
        self.max_elements = max_elements
        self.elements = []
        self.is_exact = True

    cdef bint _begin_list(self) noexcept:
        try:
            self.elements = []
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True

    cdef void _pass_on_list(self) noexcept:
        cdef list elements = self.elements
        if self._begin_list():
            self.changed = True
            incref(<PyObject*>elements)
            pass_on(self, <PyObject*>elements)

    cdef int _predicate_failed(self, PyObject* element) noexcept:
        error = caught()
        note_element(error, self, <object>element)
        decref(element)
        return self.fail_at(self, error)

    cdef int _fail_as_full(self, PyObject* element) noexcept:
        try:
            method = self.name.rpartition("/")[2]
            error = CapacityError(
                f"{method}(max_elements={self.max_elements}): {safe_repr(<object>element)} would be one element more "
                f"in a list; raise max_elements, or let the predicate end lists sooner"
            )
        except BaseException as interrupt:  # of the element's __repr__, or of a signal handler
            error = interrupt
        decref(element)
        return self.fail_at(self, error)

    cdef int input_over(self, InputPort port) noexcept:
        self.is_closing = port.input_error is None and bool(self.elements)
        return 0 if self.is_closing else self.finish(self.down, port.input_error)

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port
        if not self.is_closing:
            port = self.main()
            return self.remaining > port.outstanding and self.replenish(port)
        if self.remaining <= 0:
            return False
        self.is_closing = False
        self._pass_on_list()
        if not self.should_leave():
            self.finish(self.down, None)
        return True

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.predicate = None

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(list(self.elements))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        self.elements = _bounded_list(self, reader, self.max_elements)
        return 0


@cython.final
cdef class SplitStage(PredicateStage):
    """Begin a new list where a predicate of an element and the next one is true.

    Args: as for PredicateStage.

    State: as for PredicateStage.
    """

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef list elements = self.elements
        cdef Py_ssize_t size = PyList_GET_SIZE(<PyObject*>elements)
        cdef int is_end = 0
        if size:
            is_end = truth(
                call2(<PyObject*>self.predicate, PyList_GET_ITEM(<PyObject*>elements, size - 1), element)
            )
            if is_end < 0:
                return self._predicate_failed(element)
            if not is_end and size >= self.max_elements:
                return self._fail_as_full(element)
            if is_end and not self._begin_list():
                decref(element)
                return 0
        if list_put(<PyObject*>self.elements, element) < 0:
            return self.fail_at(self, caught())
        if is_end:
            incref(<PyObject*>elements)
            pass_on(self, <PyObject*>elements)
        return 0


@cython.final
cdef class MarkStage(PredicateStage):
    """End a list at the elements of which a predicate says so, at once.

    Args: as for PredicateStage, and
        is_dropped: Whether an element that ends a list, for which the predicate is false then, is in none; else it is
            the last of its list, and the predicate is true for it.

    State: as for PredicateStage.
    """

    cdef bint is_dropped

    def __init__(self, int64_t prefetch, predicate, int64_t max_elements, bint is_dropped):
        PredicateStage.__init__(self, prefetch, predicate, max_elements)
        self.is_dropped = is_dropped

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef int answer = truth(call1(<PyObject*>self.predicate, element))
        if answer < 0:
            return self._predicate_failed(element)
        if self.is_dropped and not answer:
            decref(element)
            if self.elements:
                self._pass_on_list()
            return 0
        if PyList_GET_SIZE(<PyObject*>self.elements) >= self.max_elements:
            return self._fail_as_full(element)
        if list_put(<PyObject*>self.elements, element) < 0:
            return self.fail_at(self, caught())
        if not self.is_dropped and answer:
            self._pass_on_list()
        return 0


@cython.final
cdef class BoundaryStage(CombineStage):
    """Pass on lists of the elements that came between two elements of the second input, the boundary.

    Without demand neither input is taken from; what came waits, within `prefetch`. So does this input where the list is
    full, until the boundary has an element.

    Args:
        boundary: The description of the second input.
        prefetch: As for CombineStage.
        max_elements: The most elements of a list.

    State: what waits of each input, whether it is over, and the elements of the list that is being filled.
    """

    cdef list elements
    cdef int64_t max_elements
    cdef bint is_closing   # an input has completed, and the last list waits for demand

    def __init__(self, Description boundary not None, int64_t prefetch, int64_t max_elements):
        CombineStage.__init__(self, (boundary,), prefetch)
        self.max_elements = max_elements
        self.elements = []

    cdef bint accepts(self, InputPort port) noexcept:
        return self.remaining > 0 and not self.is_closing and (
            port.index != 0 or PyList_GET_SIZE(<PyObject*>self.elements) < self.max_elements
        )

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port.index == 0:
            return self.fail_at(self, caught()) if list_put(<PyObject*>self.elements, element) < 0 else 0
        decref(element)
        self._pass_on_list()
        if not self.main().is_over:
            self.list_port(self.main())  # it may have waited because the list was full
        return 0

    cdef void _pass_on_list(self) noexcept:
        cdef list elements = self.elements
        try:
            self.elements = []
        except BaseException as error:
            self.fail_at(self, error)
            return
        self.changed = True
        incref(<PyObject*>elements)
        pass_on(self, <PyObject*>elements)

    cdef int input_over(self, InputPort port) noexcept:
        cdef InputPort main = self.main()
        cdef PyObject* element = NULL
        if port is not main and port.input_error is None:
            # What came before the end of the boundary belongs to the last list.
            while PyList_GET_SIZE(<PyObject*>self.elements) < self.max_elements:
                element = spsc_poll(main.slots)
                if element is NULL:
                    break
                main.outstanding -= 1
                self.take_in(main, element)
        if port.input_error is None and self.elements:
            self.is_closing = True
            return 0
        return self.finish(self.down, port.input_error)

    cdef int nothing_to_do(self) noexcept:
        if not self.is_closing or self.remaining <= 0:
            return False
        self._pass_on_list()
        if not self.should_leave():
            self.finish(self.down, None)
        return True

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(list(self.elements))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        self.elements = _bounded_list(self, reader, self.max_elements)
        return 0


@cython.final
cdef class ToggleStage(CombineStage):
    """Pass on lists of the elements that came from an element of the second input, the openings, on.

    Each list ends by the first signal of a stream that a function returns for that element. All inputs are taken from
    without demand, so that each list has what came in its time; until a list has ended that is not requested, and holds
    up everything. What comes while no list is open is dropped.

    Args:
        openings: The description of the second input.
        prefetch: As for CombineStage.
        closing: Called with each element of the openings.
        described: Returns the description of what `closing` returned, or raises.
        max_elements: The most elements of a list. Since all that are open get each element, the oldest is the longest.
        max_lists: The most lists that are open at a time.

    State: what waits of the inputs, and whether they are over; the lists that wait for demand; of each open list the
        elements, the element that opened it, and what waits of its stream. A loaded stage calls `closing` with these
        elements again.
    """

    cdef object closing, described
    cdef int64_t max_elements, max_lists
    cdef dict lists        # by the index of the port that ends it, in the order in which they were opened
    cdef object ended      # a deque of lists that wait for demand
    cdef bint is_closing   # nothing more comes; when all lists have gone out, the stream completes

    def __init__(
        self, Description openings not None, int64_t prefetch, closing, described, int64_t max_elements,
        int64_t max_lists,
    ):
        CombineStage.__init__(self, (openings,), prefetch)
        self.closing = closing
        self.described = described
        self.max_elements = max_elements
        self.max_lists = max_lists
        self.lists = {}
        self.ended = deque()

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        for port in self.ports.values():
            (<InputPort>port).is_free = True
        return 0

    cdef InputPort _input_for(self, opening):
        """Add the input that ends a list."""
        cdef InputPort port = self.add_port(<Description?>self.described(self.closing(opening), opening), opening)
        port.is_free = True
        return port

    cdef bint accepts(self, InputPort port) noexcept:
        return not self.ended and not self.is_closing and (port.index != 0 or not self._is_full())

    cdef bint _is_full(self) noexcept:
        for oldest in self.lists.values():
            return PyList_GET_SIZE(<PyObject*>oldest) >= self.max_elements
        return False

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            if port.index == 0:
                for each in self.lists.values():
                    (<list>each).append(<object>element)
            elif port.index == 1:
                self._open_list(<object>element)
            else:
                self.remove_port(port)
                self._end_list(port)
        except BaseException as error:
            if port.index <= 1:  # an element of the third and further inputs only ends a list
                note_element(error, self, <object>element)
            self.fail_at(self, error)
        decref(element)
        return 0

    cdef int _open_list(self, element) except -1:
        cdef InputPort port
        if <int64_t>len(self.lists) >= self.max_lists:
            raise CapacityError(
                f"buffer_toggle(max_lists={self.max_lists}): {safe_repr(element)} would open one list more; raise "
                f"max_lists, or let lists end sooner"
            )
        port = self._input_for(element)
        self.lists[port.index] = []
        self.start_port(port)
        if not port.is_over and not self.should_leave():
            self.see_end(port)  # it may have completed at once
        return 0

    cdef int _end_list(self, InputPort port) except -1:
        """Pass on the list that a port ends, or have it wait for demand."""
        elements = self.lists.pop(port.index, None)
        if elements is None:
            return 0  # it was the completion after the element
        if not self.lists and (<InputPort>self.ports[1]).is_over:
            self.is_closing = True
        self.ended.append(elements)
        self._pass_on_ended()
        return 0

    cdef bint _pass_on_ended(self) except -1:
        """Pass on the list that waits longest, if it is requested."""
        if not self.ended or self.remaining <= 0:
            return False
        elements = self.ended.popleft()
        self.changed = True
        incref(<PyObject*>elements)
        pass_on(self, <PyObject*>elements)
        if self.ended or self.should_leave():
            return True
        if self.is_closing and not self.lists:
            self.finish(self.down, None)
            return True
        # They may have waited for this list. In this order a list that is opened gets all that waited, and one that is
        # ended, too: in which order they came is not known any more.
        for port in sorted(self.ports.values(), key=_openings_first):
            if not (<InputPort>port).is_over:
                self.list_port(<InputPort>port)
        return True

    cdef bint see_end(self, InputPort port) noexcept:
        # What came of the others in front of it may wait for a list that is not requested.
        if self.ended and not self.is_closing and port.input_error is None:
            return False
        return CombineStage.see_end(self, port)

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        if self.is_closing:
            return 0
        try:
            if port.index > 1:
                self._end_list(port)
            elif port.index == 0 or not self.lists:
                self._close()
        except BaseException as error:
            self.fail_at(self, error)
        return 0

    cdef int _close(self) except -1:
        """End all lists, since no more elements come, or no list is open and none will be."""
        self.is_closing = True
        for index in list(self.lists):
            self.remove_port(<InputPort>self.ports[index])
        self.ended.extend(self.lists.values())
        self.lists = {}
        if not self.ended:
            self.finish(self.down, None)
        return 0

    cdef int nothing_to_do(self) noexcept:
        try:
            if self._pass_on_ended():
                count_tick(self)
                return True
            if self.is_closing and not self.ended:
                self.finish(self.down, None)  # loaded from a state that was saved while it was about to
                return True
        except BaseException as error:
            self.fail_at(self, error)
        return False

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.closing = None
        self.described = None
        self.lists = {}
        self.ended = deque()

    cdef int write_fields(self, object writer) except -1:
        cdef InputPort port
        self.require_inputs()
        writer.write(not self.disposed and not self.disposed_in_state)
        if self.disposed or self.disposed_in_state:
            return 0
        self.save_port(self.main(), writer)
        self.save_port(<InputPort>self.ports[1], writer)
        writer.write(self.is_closing)
        writer.write([list(elements) for elements in self.ended])
        writer.write(len(self.lists))
        for index, elements in self.lists.items():
            port = <InputPort>self.ports[index]
            writer.write(list(elements))
            writer.write(port.key)
            self.save_port(port, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef InputPort port
        if not reader.read(bool):
            return 0
        self.load_port(self.main(), reader)
        self.load_port(<InputPort>self.ports[1], reader)
        self.is_closing = reader.read(bool)
        for elements in reader.read(list):
            if not isinstance(elements, list) or len(elements) > self.max_elements:
                raise _too_long(self, elements, self.max_elements)
            self.ended.append(elements)
        for _ in range(reader.read_count(self.max_lists)):
            elements = _bounded_list(self, reader, self.max_elements)
            opening = reader.read()
            # Not what the state says, but what the program's function says of an element: no code from the state.
            port = self._input_for(opening)
            self.lists[port.index] = elements
            self.load_port(port, reader)
        if self.is_closing and self.lists:
            raise StateError(
                f"{self!r} cannot load {len(self.lists)} open lists after the last one; load an older checkpoint"
            )
        return 0


def _openings_first(InputPort port):
    return (port.index != 1, port.index)


cdef list _bounded_list(object stage, object reader, int64_t max_elements):
    """Read the list that a stage was filling."""
    cdef list elements = reader.read(list)
    if len(elements) > max_elements:
        raise _too_long(stage, elements, max_elements)
    return elements


cdef object _too_long(object stage, object elements, int64_t max_elements):
    size = f"{len(elements)} elements" if isinstance(elements, list) else safe_repr(elements)
    return StateError(
        f"{stage!r} cannot load {size} into lists of {max_elements}; load the state with the bound that it was saved "
        f"with"
    )
