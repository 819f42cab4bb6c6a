"""Operators that run a stream for each element: flat_map, and what differs from it in order, number or choice."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.queues.spsc_ring cimport spsc_poll
from rs_core.interp.sequence_items cimport has_items, item_at, item_count
from rs_core.interp.calls cimport (
    call1, caught, close_iterator, decref, error_occurred, incref, is_generator, next_of,
)
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport (
    LEAVE, TURN_OVER, UNWANTED, count, note_element, release_failed, waits_here,
)
from rs_core.sync.serial_word cimport set_relaxed

from collections import deque
from operator import length_hint

from rs_core.errors import ArgumentTypeError, CapacityError, StateError

cdef object _NOTHING = object()   # what no program has: an iterator has nothing more, there is nothing to read

# Iterators that know how much is left without running user code.
cdef frozenset _SIZED = frozenset({type(iter([])), type(iter(())), type(iter(range(0))), type(iter(""))})


# The most frequent types, none of which is a user's class: nothing more is checked.
cdef frozenset _PLAIN = frozenset({list, tuple, range, str, bytes, dict, set, frozenset, type(_ for _ in ())})

# A source of one of these may be read here instead of run: nobody can see the difference.
cdef frozenset _READ_HERE = frozenset({list, tuple, range, str})


cdef enum:
    MAX_YIELDS = 100   # each owner of demand inside of a stream takes one or two


@cython.final
cdef class FlatMapStage(CombineStage):
    """Pass on the elements of what a function returns for each element: a stream, a publisher, an iterable.

    Iterables are read here, one after the other; streams run concurrently.

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
    cdef object element      # that is being expanded
    cdef bint is_expanding   # whether there is one
    cdef object reading      # an iterator of what the function returned for it, or that itself; None between elements
    cdef bint has_items      # that itself, a list or a tuple: it is read by index, from `passed_on` on
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
            pass_on(self, element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        if not self.is_expanding:
            return False
        if self.remaining > 0:
            self._expand()
            return not self.is_expanding
        self._look_for_end()
        return not self.is_expanding

    cdef bint see_end(self, InputPort port) noexcept:
        if self.keeps_order and port is not self.above and port.has_ended() and port is not self._first():
            if port.input_error is not None:
                return False  # it waits for the streams before it, as elements do; _go_on() lists it then
        return CombineStage.see_end(self, port)

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
            error = self.left_out(caught(), element)
            if error is not None:
                note_element(error, self, element)
                self.fail_at(self, error)
            return
        try:
            source = self._readable(<object>result)
            if source is not _NOTHING and (self.live == 0 or not self.keeps_order):
                self._begin_reading(source, element)
                self.element = element
                self.is_expanding = True
            else:
                port = self.add_port(<Description?>self.described(<object>result, element), element)
                self.live += 1
                self.start_port(port)
        except BaseException as error:
            note_element(error, self, element)
            self.fail_at(self, error)
        decref(result)
        if self.is_expanding:
            self._expand()

    cdef object _readable(self, object result):
        """Return what can be read here; _NOTHING: the elements come when the stream sends them."""
        cdef Description source
        if has_items(<PyObject*>result) or type(result) in _PLAIN:
            return result
        if isinstance(result, Description):
            source = <Description>result
            if source.upstream is None and getattr(source.definition, "is_read_by_iteration", False):
                iterable = source.parameters[0]
                return iterable if type(iterable) in _READ_HERE else _NOTHING
            return _NOTHING
        return _NOTHING if callable(getattr(result, "subscribe", None)) or hasattr(result, "__aiter__") else result

    cdef int _begin_reading(self, object iterable, object element) except -1:
        self.has_items = has_items(<PyObject*>iterable)
        self.reading = iterable if self.has_items else self._iterator_of(iterable, element)
        self.is_owned = self.reading is not iterable or is_generator(self.reading)
        return 0

    cdef object _iterator_of(self, object iterable, object element):
        try:
            return iter(iterable)
        except TypeError:
            if hasattr(iterable, "__iter__"):
                raise
            raise ArgumentTypeError(
                f"{self.name.rpartition('/')[2]}(function) needs an iterable or a stream for each element, but for "
                f"{safe_repr(element)} the function returned {safe_repr(iterable)} ({type(iterable).__name__}); return "
                f"a list, or () for nothing"
            ) from None

    cdef bint _open_again(self) noexcept:
        """Call the function for the element that was being expanded when the state was saved."""
        try:
            iterable = self._readable(self.function(self.element))
            if iterable is _NOTHING:
                raise StateError(
                    f"the saved state is inside an iterable for {safe_repr(self.element)}, but the function returned "
                    f"none now; it has to return equal elements again"
                )
            self._begin_reading(iterable, self.element)
        except BaseException as error:
            note_element(error, self, self.element)
            self.fail_at(self, error)
        return self.reading is not None

    cdef void _expand(self) noexcept:
        """Pass on elements of the iterable as far as demand allows."""
        if self.reading is None and not self._open_again():
            return
        if self.to_skip:
            self._skip()
        if self.has_items:
            self._pass_items()
        else:
            self._pass_of_iterator()
        if self.remaining == 0:
            self._look_for_end()

    cdef void _pass_items(self) noexcept:
        cdef PyObject* items = <PyObject*>self.reading  # borrowed: only the holder of the token, this thread, drops it
        # relaxed: drain() looks again, with the order that the bits need
        while self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            if self.passed_on >= item_count(items):
                self._end_reading()
                return
            self.passed_on += 1
            self.changed = True
            pass_on(self, item_at(items, <Py_ssize_t>self.passed_on - 1))
            if not count(self):
                break

    cdef void _pass_of_iterator(self) noexcept:
        cdef PyObject* part
        # relaxed: as in _pass_items()
        while self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
            part = next_of(<PyObject*>self.reading)
            if part is NULL:
                self._close_iterator()
                return
            self.passed_on += 1
            self.changed = True
            pass_on(self, part)
            if not count(self):
                break

    cdef void _skip(self) noexcept:
        """Pass the elements that were passed on before the state was saved."""
        if self.has_items:
            self.to_skip = max(0, self.passed_on - <int64_t>item_count(<PyObject*>self.reading))
        try:
            while self.to_skip and not self.should_leave():
                if self.has_items or next(self.reading, _NOTHING) is _NOTHING:
                    raise StateError(
                        f"the saved state is {self.passed_on} elements into {safe_repr(self.element)}, but "
                        f"the function returned only {self.passed_on - self.to_skip} for it; it has to return equal "
                        f"elements again"
                    )
                self.to_skip -= 1
                count(self)
        except BaseException as error:
            note_element(error, self, self.element)
            self.fail_at(self, error)

    cdef void _look_for_end(self) noexcept:
        """Without demand: end the iterable if nothing more can come, and that is known without user code."""
        if self.reading is None:
            return
        if self.has_items:
            if self.passed_on >= item_count(<PyObject*>self.reading) and not self.to_skip:
                self._end_reading()
        elif type(self.reading) in _SIZED and length_hint(self.reading) == 0:
            self._close_iterator()

    cdef void _close_iterator(self) noexcept:
        error = caught() if error_occurred() is not NULL else None
        if error is None or isinstance(error, StopIteration):
            self._end_reading()
            return
        note_element(error, self, self.element)
        self._forget_element()
        self.changed = True
        self.fail_at(self, error)

    cdef void _end_reading(self) noexcept:
        self._forget_element()
        self.changed = True
        self._go_on()

    cdef void _forget_element(self) noexcept:
        self.reading = None
        self.element = None
        self.is_expanding = False
        self.passed_on = 0

    cdef void release(self) noexcept:
        self.function = None
        self.described = None
        if self.reading is not None and self.is_owned:
            try:
                close_iterator(self.reading)
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
            port = self.add_port(<Description?>self.described(self.function(element), element), element)
            self.live += 1
            self.load_port(port, reader, True)
        return 0


@cython.final
cdef class SwitchMapStage(CombineStage):
    """Pass on the elements of what a function returns for each element, of one of these streams at a time.

    Args:
        function: Called with each element for which a stream is run.
        prefetch: As for CombineStage, also for the input above.
        keeps_running: What an element means that comes while a stream runs: it is dropped, or else its stream takes
            the place of the one that runs.
        on_drop: Called with each element that is dropped, or None.
        described: Returns the description of what the function returned, or raises.

    State: how many elements were dropped; what waits of the input above; the element whose stream runs, and what waits
        of that. A loaded stage calls the function again with this element.
    """

    cdef object function, described, on_drop
    cdef bint keeps_running
    cdef int yields                 # how often the stream that runs went first
    cdef InputPort above, active
    cdef readonly int64_t dropped   # how many elements were

    def __init__(self, function, prefetch, keeps_running, on_drop, described):
        CombineStage.__init__(self, (), prefetch)
        self.function = function
        self.keeps_running = keeps_running
        self.on_drop = on_drop
        self.described = described
        self.is_exact = True

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.above = self.main()
        self.above.is_free = True
        return 0

    cdef bint accepts(self, InputPort port) noexcept:
        if port is not self.above:
            return self.remaining > 0
        if self.active is None or self.yields == MAX_YIELDS or self.remaining == 0 or not waits_here(self.active):
            return True
        # What the stream that was begun has at hand comes before the next element, which may cancel it.
        self.yields += 1
        self.list_port(port)
        set_relaxed(self.state, TURN_OVER)
        return False

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is not self.above:
            pass_on(self, element)
            return 0
        if self.active is not None:
            self._pass_what_waits()
        if self._is_unwanted():
            pass
        elif self.active is None:
            self._begin_with(<object>element)
        elif self.keeps_running:
            self._drop_element(<object>element)
        else:
            port = self.active
            self.active = None
            self.remove_port(port)
            if not self._is_unwanted():
                self._begin_with(<object>element)
        decref(element)
        return 0

    cdef void _pass_what_waits(self) noexcept:
        """Pass on what the stream that runs has sent already, as far as it was requested, and see whether it has ended.

        While the input above is drawn nobody else looks.
        """
        cdef InputPort port = self.active
        cdef PyObject* element
        while self.remaining > 0 and not self._is_unwanted():
            element = spsc_poll(port.slots)
            if element is NULL:
                break
            port.outstanding -= 1
            pass_on(self, element)
        self.see_end(port)

    cdef bint _is_unwanted(self) noexcept:
        return (self.state.load(memory_order_relaxed) & UNWANTED) != 0  # relaxed: as in should_leave()

    cdef void _begin_with(self, object element) noexcept:
        try:
            self.active = self.add_port(<Description?>self.described(self.function(element), element), element)
        except BaseException as error:
            note_element(error, self, element)
            self.fail_at(self, error)
            return
        self.yields = 0
        self.start_port(self.active)

    cdef void _drop_element(self, object element) noexcept:
        self.dropped += 1
        if self.on_drop is not None:
            try:
                self.on_drop(element)
            except BaseException as error:
                note_element(error, self, element)
                self.fail_at(self, error)

    cdef int nothing_to_do(self) noexcept:
        return self.active is not None and self.remaining > self.active.outstanding and self.replenish(self.active)

    cdef int input_over(self, InputPort port) noexcept:
        if port is self.active:
            self.active = None
        if port.input_error is not None:
            self.finish(self.down, port.input_error)
        elif self.active is None and self.above.is_over:
            self.finish(self.down, None)
        return 0

    cdef void release(self) noexcept:
        self.function = None
        self.described = None
        self.on_drop = None
        CombineStage.release(self)
        self.above = None
        self.active = None

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.dropped)
        writer.write(self.above is not None and not self.disposed_in_state)
        if self.above is None or self.disposed_in_state:
            return 0
        self.save_port(self.above, writer)
        writer.write(self.active is not None)
        if self.active is not None:
            writer.write(self.active.key)
            self.save_port(self.active, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.dropped = reader.read_count()
        if not reader.read(bool):
            return 0
        self.load_port(self.above, reader)
        if reader.read(bool):
            element = reader.read()
            # As in FlatMapStage: no code comes from the state.
            self.active = self.add_port(<Description?>self.described(self.function(element), element), element)
            self.load_port(self.active, reader)
        return 0


@cython.final
cdef class ExpandStage(CombineStage):
    """Pass on each element, and those of what a function returns for it, for each of these again, and so on.

    Args:
        function: Called with each element, in the order in which they were passed on.
        prefetch: As for CombineStage, also for the input above.
        concurrency: How many streams that the function returned may run at the same time.
        max_waiting: How many elements may wait for a call of the function.
        described: Returns the description of what the function returned, or raises.

    State: the elements that wait for a call; what waits of the input above; the elements whose streams run, and what
        waits of each. A loaded stage calls the function again with these elements.
    """

    cdef object function, described
    cdef int64_t concurrency, max_waiting
    cdef int64_t live      # streams that run
    cdef InputPort above
    cdef object waiting    # elements that were passed on, in order

    def __init__(self, function, prefetch, concurrency, max_waiting, described):
        CombineStage.__init__(self, (), prefetch)
        self.function = function
        self.concurrency = concurrency
        self.max_waiting = max_waiting
        self.described = described
        self.waiting = deque()

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.above = self.main()
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if <int64_t>len(self.waiting) == self.max_waiting:
            self.fail_at(self, CapacityError(
                f"expand(max_waiting) allows {self.max_waiting} elements that wait for a call of the function, and one "
                f"more came; let the function return less, or pass a higher max_waiting"
            ))
            decref(element)
            return 0
        self.waiting.append(<object>element)
        pass_on(self, element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        if self.remaining <= 0 or self.live == self.concurrency or not self.waiting:
            return False
        element = self.waiting.popleft()
        try:
            port = self.add_port(<Description?>self.described(self.function(element), element), element)
        except BaseException as error:
            note_element(error, self, element)
            self.fail_at(self, error)
            return False
        self.live += 1
        self.changed = True
        self.start_port(port)
        return True

    cdef int input_over(self, InputPort port) noexcept:
        if port is not self.above:
            self.live -= 1
        if port.input_error is not None:
            self.finish(self.down, port.input_error)
        elif self.above.is_over and self.live == 0 and not self.waiting:
            self.finish(self.down, None)
        return 0

    cdef void release(self) noexcept:
        self.function = None
        self.described = None
        self.waiting = deque()
        CombineStage.release(self)
        self.above = None

    cdef int write_fields(self, object writer) except -1:
        cdef InputPort port
        self.require_inputs()
        writer.write(self.above is not None and not self.disposed_in_state)
        if self.above is None or self.disposed_in_state:
            return 0
        writer.write(list(self.waiting))
        self.save_port(self.above, writer)
        writer.write(self.live)
        for each in list(self.ports.values()):
            port = <InputPort>each
            if port.index:
                writer.write(port.key)
                self.save_port(port, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef InputPort port
        if not reader.read(bool):
            return 0
        self.waiting = deque(reader.read(list))
        if <int64_t>len(self.waiting) > self.max_waiting:
            raise StateError(
                f"{self!r} cannot load {len(self.waiting)} elements that wait, more than its max_waiting of "
                f"{self.max_waiting}; load the state with the bound that it was saved with"
            )
        self.load_port(self.above, reader)
        for _ in range(reader.read_count()):
            element = reader.read()
            # As in FlatMapStage: no code comes from the state.
            port = self.add_port(<Description?>self.described(self.function(element), element), element)
            self.live += 1
            self.load_port(port, reader)
        return 0


@cython.final
cdef class DelayUntilStage(CombineStage):
    """Pass on each element when the stream that a function returns for it has completed, one after the other.

    Args:
        function: Called with each element, when the one before was passed on and there is demand.
        prefetch: As for CombineStage, also for the input above.
        described: Returns the description of what the function returned, or raises.

    State: the element that is delayed, and what waits of its stream and of the input above. A loaded stage calls the
        function again with this element.
    """

    cdef object function, described
    cdef object element              # that is delayed
    cdef bint is_delayed             # whether there is one
    cdef InputPort above, running    # running: the stream of the element; None: it has completed, or there is none

    def __init__(self, function, prefetch, described):
        CombineStage.__init__(self, (), prefetch)
        self.function = function
        self.described = described

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.above = self.main()
        return 0

    cdef bint accepts(self, InputPort port) noexcept:
        return port is not self.above or (self.remaining > 0 and not self.is_delayed)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is self.above:
            self._delay(<object>element)
        decref(element)
        return 0

    cdef void _delay(self, object element) noexcept:
        cdef InputPort port
        cdef PyObject* result = call1(<PyObject*>self.function, <PyObject*>element)
        if result is NULL:
            error = caught()
            note_element(error, self, element)
            self.fail_at(self, error)
            return
        if type(<object>result) in _READ_HERE:  # it would complete at once
            incref(<PyObject*>element)
            pass_on(self, <PyObject*>element)
        else:
            try:
                port = self._add(<object>result, element)
                self.element = element
                self.is_delayed = True
                self.running = port
                self.start_port(port)
                self.see_end(port)  # before what else there is of the input above
            except BaseException as error:
                note_element(error, self, element)
                self.fail_at(self, error)
        decref(result)

    cdef InputPort _add(self, object result, object element):
        cdef InputPort port = self.add_port(<Description?>self.described(result, element), None)
        port.is_free = True
        return port

    cdef int nothing_to_do(self) noexcept:
        if not self.is_delayed or self.running is not None or self.remaining == 0:
            return False
        self._pass_element()
        return True

    cdef void _pass_element(self) noexcept:
        element, self.element = self.element, None
        self.is_delayed = False
        self.changed = True
        incref(<PyObject*>element)
        pass_on(self, <PyObject*>element)
        count(self)
        if self.above is None:
            return
        if self.above.is_over:
            self.finish(self.down, self.above.input_error)
        else:
            self.list_port(self.above)

    cdef int input_over(self, InputPort port) noexcept:
        if port is self.running:
            self.running = None
            if port.input_error is not None:
                return self.finish(self.down, port.input_error)
            if self.remaining > 0:
                self._pass_element()
        elif port is self.above and not self.is_delayed:
            self.finish(self.down, port.input_error)
        return 0

    cdef void release(self) noexcept:
        self.function = None
        self.described = None
        self.element = None
        self.is_delayed = False
        CombineStage.release(self)
        self.above = None
        self.running = None

    cdef int write_fields(self, object writer) except -1:
        self.require_inputs()
        writer.write(self.above is not None and not self.disposed_in_state)
        if self.above is None or self.disposed_in_state:
            return 0
        self.save_port(self.above, writer)
        writer.write(self.is_delayed)
        writer.write(self.element)
        writer.write(self.running is not None)
        if self.running is not None:
            self.save_port(self.running, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef bint is_running
        if not reader.read(bool):
            return 0
        self.load_port(self.above, reader)
        self.is_delayed = reader.read(bool)
        self.element = reader.read()
        is_running = reader.read(bool)
        if (is_running or self.element is not None) and not self.is_delayed:
            raise StateError(
                f"{self!r} cannot load {safe_repr(self.element)} as the element of a stream that "
                f"{'runs' if is_running else 'does not run'} and delays none; load an older checkpoint"
            )
        if is_running:
            # As in FlatMapStage: no code comes from the state.
            self.running = self._add(self.function(self.element), self.element)
            self.load_port(self.running, reader)
        return 0
