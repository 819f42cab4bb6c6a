"""Operators that run a stream for each element: flat_map, and what differs from it in order or number."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.interp.calls cimport call1, caught, close_iterator, decref, error_occurred, is_generator, next_of
from rs_core.stream.combine_stage cimport CombineStage, InputPort
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport LEAVE, count, release_failed

from operator import length_hint

from rs_core.errors import ArgumentTypeError, StateError

cdef object _NOTHING = object()   # what no program has: an iterator has nothing more, there is nothing to read

# Iterators that tell how much is left without running user code.
cdef frozenset _SIZED = frozenset({type(iter([])), type(iter(())), type(iter(range(0))), type(iter(""))})


# Types that are looked at no further: no class of a user, and by far the most frequent.
cdef frozenset _PLAIN = frozenset({list, tuple, range, str, bytes, dict, set, frozenset, type(_ for _ in ())})

# Of these a source can be read here as well as run: nothing tells both apart.
cdef frozenset _READ_HERE = frozenset({list, tuple, range, str})


@cython.final
cdef class FlatMapStage(CombineStage):
    """Pass on the elements of what a function returns for each element: a stream, a publisher, an iterable.

    Iterables are read here, one after the other; streams run beside each other.

    Args:
        function: Called with each element.
        prefetch: As for CombineStage, also for the input above.
        concurrency: How many streams may run at the same time.
        keeps_order: Whether the elements of a stream come after all those of the streams before it.
        described: Returns the description of what is no iterable, or raises.

    State: what waits of the input above; the element whose iterable is being read and how many of its elements were
        passed on; the elements whose streams run, and what waits of each. A loaded stage calls the function again with
        these elements, so the function has to return equal ones again.
    """

    cdef object function, described
    cdef int64_t concurrency
    cdef bint keeps_order
    cdef int64_t live        # streams that run
    cdef InputPort above
    cdef object iterator     # of the element that is being expanded; None between elements
    cdef object element      # that element
    cdef bint is_expanding   # whether there is one
    cdef bint is_owned       # the iterator was made here, or is a generator: closed on release
    cdef int64_t passed_on   # how many of its elements went down
    cdef int64_t to_skip     # of those, how many a fresh iterator has yet to pass

    def __init__(self, function, prefetch, concurrency, keeps_order, described):
        CombineStage.__init__(self, (), prefetch)
        self.function = function
        self.concurrency = concurrency
        self.keeps_order = keeps_order
        self.described = described

    @property
    def version(self) -> tuple:
        """The version of the state's layout; the one before it had no streams that run."""
        return (1, 1, 0, 0)

    @property
    def loadable_versions(self) -> tuple:
        """The older versions of the state's layout that can be loaded, too."""
        return ((1, 0, 0, 0),)

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.above = self.main()
        return 0

    cdef bint accepts(self, InputPort port) noexcept:
        if self.remaining <= 0:
            return False
        if port is self.above:
            return not self.is_expanding and self.live < self.concurrency
        return not self.keeps_order or port is self._first()

    cdef InputPort _first(self):
        """The stream that runs longest."""
        for port in self.ports.values():
            if port is not self.above:
                return <InputPort>port
        return None

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is self.above:
            self._begin_with(<object>element)
            decref(element)
        else:
            self.pass_on(element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        if not self.is_expanding:
            return False
        if self.remaining > 0:
            self._expand()
            return not self.is_expanding
        self._look_for_end()
        return not self.is_expanding

    cdef int input_over(self, InputPort port) noexcept:
        if port is not self.above:
            self.live -= 1
            if port.input_error is not None:
                return self.finish(self.down, port.input_error)
        self._go_on()
        return 0

    cdef void _go_on(self) noexcept:
        """After the end of a stream or an iterable: there is room for the next one, or nothing more can come."""
        cdef InputPort following
        if not self.above.is_over:
            self.list_port(self.above)
        elif not self.is_expanding and (
            self.live == 0 or (self.above.input_error is not None and not self.keeps_order)
        ):
            self.finish(self.down, self.above.input_error)
            return
        if self.keeps_order and self.live:
            following = self._first()
            if following is not None:
                self.list_port(following)

    cdef void _begin_with(self, object element) noexcept:
        """Call the function, and read what it returns or run it."""
        cdef PyObject* result = call1(<PyObject*>self.function, <PyObject*>element)
        cdef InputPort port
        if result is NULL:
            self.fail_at(self, caught())
            return
        try:
            source = self._readable(<object>result)
            if source is not _NOTHING and (self.live == 0 or not self.keeps_order):
                self.iterator = self._iterator_of(source, element)
                self.is_owned = self.iterator is not source or is_generator(self.iterator)
                self.element = element
                self.is_expanding = True
            else:
                port = self.add_input(<Description?>self.described(<object>result, element), element)
                self.live += 1
                self.start_input(port)
        except BaseException as error:
            self.fail_at(self, error)
        decref(result)
        if self.is_expanding:
            self._expand()

    cdef object _readable(self, object result):
        """Return what can be read here; _NOTHING: what comes, comes when it likes."""
        cdef Description source
        if type(result) in _PLAIN:
            return result
        if isinstance(result, Description):
            source = <Description>result
            if source.upstream is None and getattr(source.definition, "is_read_by_iteration", False):
                iterable = source.parameters[0]
                return iterable if type(iterable) in _READ_HERE else _NOTHING
            return _NOTHING
        return _NOTHING if callable(getattr(result, "subscribe", None)) or hasattr(result, "__aiter__") else result

    cdef object _iterator_of(self, object iterable, object element):
        try:
            return iter(iterable)
        except TypeError:
            if hasattr(iterable, "__iter__"):
                raise
            raise ArgumentTypeError(
                f"{self.name.rpartition('/')[2]}(function) needs an iterable or a stream for each element, but for "
                f"{shown(element)} the function returned {shown(iterable)} ({type(iterable).__name__}); return a list, "
                f"or () for nothing"
            ) from None

    cdef bint _open_again(self) noexcept:
        """Call the function for the element that was being expanded when the state was saved."""
        try:
            iterable = self._readable(self.function(self.element))
            if iterable is _NOTHING:
                raise StateError(
                    f"the saved state stands in an iterable for {shown(self.element)}, but the function returned none "
                    f"now; it has to return equal elements again"
                )
            self.iterator = self._iterator_of(iterable, self.element)
            self.is_owned = self.iterator is not iterable or is_generator(self.iterator)
        except BaseException as error:
            self.fail_at(self, error)
        return self.iterator is not None

    cdef void _expand(self) noexcept:
        """Pass on elements of the iterable as far as demand allows."""
        cdef PyObject* part
        if self.iterator is None and not self._open_again():
            return
        if self.to_skip:
            self._skip()
        # relaxed: drain() looks again, with the order that the bits need
        while self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            part = next_of(<PyObject*>self.iterator)
            if part is NULL:
                self._close_iterator()
                return
            self.passed_on += 1
            self.changed = True
            self.pass_on(part)
            if not count(self):
                break
        if self.remaining == 0:
            self._look_for_end()

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
        """Without demand: end the iterable if nothing more can come; asks only those that know it by themselves."""
        if self.iterator is not None and type(self.iterator) in _SIZED and length_hint(self.iterator) == 0:
            self._close_iterator()

    cdef void _close_iterator(self) noexcept:
        error = caught() if error_occurred() is not NULL else None
        self._forget_element()
        self.changed = True
        if error is None or isinstance(error, StopIteration):
            self._go_on()
        else:
            self.fail_at(self, error)

    cdef void _forget_element(self) noexcept:
        self.iterator = None
        self.element = None
        self.is_expanding = False
        self.passed_on = 0

    cdef void release(self) noexcept:
        self.function = None
        self.described = None
        if self.iterator is not None and self.is_owned:
            try:
                close_iterator(self.iterator)
            except BaseException as error:
                release_failed(self, "close", error, self.name)
        self._forget_element()
        CombineStage.release(self)
        self.above = None

    cdef int write_fields(self, object writer) except -1:
        cdef InputPort port
        self.require_inputs()
        writer.write(self.is_expanding)
        writer.write(self.element)
        writer.write(self.passed_on)
        writer.write(not self.disposed and not self.disposed_in_state)
        if self.disposed or self.disposed_in_state:
            return 0
        self.save_port(self.main(), writer)
        writer.write(self.live)
        for each in list(self.ports.values()):
            port = <InputPort>each
            if port.index:
                writer.write(port.key)
                self.save_port(port, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef InputPort port
        self.is_expanding = reader.read(bool)
        self.element = reader.read()
        self.passed_on = reader.read_count()
        self.to_skip = self.passed_on
        if not self.is_expanding and (self.passed_on or self.element is not None):
            raise StateError(
                f"{self!r} cannot load {self.passed_on} elements that were passed on of an element that it has not "
                f"begun with; load an older checkpoint"
            )
        if version < (1, 1, 0, 0):
            return self.load_port(self.above, reader, False)
        if not reader.read(bool):
            return 0
        self.load_port(self.above, reader, True)
        for _ in range(reader.read_count()):
            element = reader.read()
            # Not what the state says, but what the program's function says of an element: no code comes from the state.
            port = self.add_input(<Description?>self.described(self.function(element), element), element)
            self.live += 1
            self.load_port(port, reader, True)
        return 0
