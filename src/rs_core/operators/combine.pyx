"""Operators with a fixed number of inputs: merge, merge_sorted, zip, combine_latest, amb, take_until and the like."""

from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

cimport cython

from rs_core.interp.calls cimport caught, decref, incref, truth, xdecref
from rs_core.interp.tuple_filling cimport begin_spare, fill_with_owned, finish_spare, take_back_tuple
from rs_core.queues.spsc_ring cimport spsc_peek, spsc_poll, spsc_size
from rs_core.stream.combine_stage cimport PORT_FILLS, PORT_FORWARDS, PORT_PASSES, CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport (
    LEAVE, TURN_OVER, cancel_upstream, count, drop_signal, note_element, request_upstream, waits_here,
)
from rs_core.sync.atomics cimport memory_order_relaxed
from rs_core.sync.serial_word cimport set_relaxed

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object elements, Py_ssize_t index) noexcept   # borrowed

from heapq import heappop, heappush, heapreplace

from rs_core.errors import StateError


@cython.final
cdef class MergeStage(CombineStage):
    """Pass on the elements of all inputs as they come; complete when all have, fail when one does.

    State: what waits of each input, and whether it is over.
    """

    def __init__(self, sources, prefetch):
        CombineStage.__init__(self, sources, prefetch)
        self.draw_mode = PORT_FORWARDS


cdef inline PyObject* _take(CombineStage stage, InputPort port) noexcept:
    """Take the element that waits at a port."""
    port.outstanding -= 1
    stage.changed = True
    return spsc_poll(port.slots)


cdef inline PyObject* _take_if_there(CombineStage stage, InputPort port) noexcept:
    """Do so, or return NULL if the input is over."""
    return _take(stage, port) if not port.is_over else NULL


cdef class _HeadsStage(CombineStage):
    """A stage that takes elements only when it has seen the first that waits of each input."""

    def __init__(self, sources, prefetch):
        CombineStage.__init__(self, sources, prefetch)
        self.draw_mode = PORT_FILLS

    cdef bint accepts(self, InputPort port) noexcept:
        return False  # work() looks at all of them

    cdef bint has_element(self, InputPort port) noexcept:
        """Whether an element of an input waits; draws the input if not, and notes its end where none will come."""
        return not port.is_over and (spsc_peek(port.slots) is not NULL or self._look_for_more(port))

    cdef bint _look_for_more(self, InputPort port) noexcept:
        """Draw an input whose ring is empty; True: something came."""
        if self.replenish(port) and spsc_peek(port.slots) is not NULL:
            return True
        if not port.has_ended():
            return spsc_peek(port.slots) is not NULL
        port.is_over = True
        self.changed = True
        if port.input_error is not None:
            self.finish(self.down, port.input_error)
        return False


cdef class ZipStage(_HeadsStage):
    """Pass on tuples of the n-th elements of all inputs.

    An element of the last input that is drawn while those of all others wait goes down with them at once.

    Args:
        sources: As for CombineStage.
        prefetch: As for CombineStage.
        goes_on: Whether it goes on when an input is over, until all are.
        filling: What replaces the elements of those that are over.

    State: what waits of each input, and whether it is over.
    """

    cdef bint goes_on
    cdef object filling
    cdef list in_order             # the ports, each always there
    cdef int64_t ready             # while the last one is drawn: how many elements wait of each other one
    cdef bint has_combined         # since _are_ready() began
    cdef PyObject* spare           # see tuple_filling.h

    def __init__(self, sources, prefetch, goes_on=False, filling=None):
        _HeadsStage.__init__(self, sources, prefetch)
        self.goes_on = goes_on
        self.filling = filling

    cdef int attach(self) except -1:
        _HeadsStage.attach(self)
        self.in_order = list(self.ports.values())
        return 0

    cdef int work(self) noexcept:
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if self._are_ready() and self.remaining != 0:
                self._combine_all()
            elif not self.has_combined:
                break
        return 0

    cdef void _combine_all(self) noexcept:
        """Combine as often as there are elements of all inputs, and as is requested."""
        cdef InputPort port
        cdef int64_t count_ready = self.remaining
        for each in self.in_order:
            port = <InputPort>each
            if not port.is_over:
                count_ready = min(count_ready, <int64_t>spsc_size(port.slots))
        # relaxed: as in work()
        while count_ready and not self.state.load(memory_order_relaxed) & LEAVE:
            count_ready -= 1
            self.combine(_take_if_there(self, <InputPort>self.in_order[-1]))
            count(self)

    cdef bint _are_ready(self) noexcept:
        """Whether a tuple can be made; requests what is missing, and notes the end where it will not come."""
        cdef InputPort port
        cdef bint are_ready = True
        cdef bint has_element
        cdef int64_t live = 0
        cdef int64_t least = INT64_MAX
        cdef Py_ssize_t to_look_at = len(self.in_order)
        self.has_combined = False
        for each in self.in_order:
            port = <InputPort>each
            to_look_at -= 1
            if to_look_at == 0 and are_ready:
                self.ready = least
                self.draw_mode = PORT_PASSES
            has_element = self.has_element(port)
            self.ready = 0
            self.draw_mode = PORT_FILLS
            if self.should_leave():
                return False
            if port.is_over and not self.goes_on:
                self.finish(self.down, None)
                return False
            if not port.is_over:
                live += 1
                least = min(least, <int64_t>spsc_size(port.slots))
            are_ready = are_ready and (has_element or port.is_over)
        if live == 0:
            self.finish(self.down, None)
            return False
        return are_ready

    cdef bint accepts(self, InputPort port) noexcept:
        return self.ready > 0 and self.remaining > 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        self.ready -= 1
        self.has_combined = True
        self.combine(element)
        return 0

    cdef void combine(self, PyObject* last) noexcept:
        """Pass on an element of each input: that of the last is given, or NULL where it is over."""
        cdef PyObject* together = begin_spare(&self.spare, len(self.in_order))
        if together is NULL:
            xdecref(last)
            self.fail_at(self, caught())
            return
        incref(together)
        self._fill(together, last)
        pass_on(self, together)
        take_back_tuple(&self.spare, together)

    cdef void _fill(self, PyObject* together, PyObject* last) noexcept:
        cdef PyObject* element
        cdef Py_ssize_t place
        cdef Py_ssize_t last_place = len(self.in_order) - 1
        cdef bint is_for_collector = False
        for place in range(last_place + 1):
            element = last
            if place < last_place:
                element = _take_if_there(self, <InputPort>PyList_GET_ITEM(self.in_order, place))
            if element is NULL:
                element = <PyObject*>self.filling
                incref(element)
            is_for_collector |= fill_with_owned(together, place, element)
        finish_spare(together, is_for_collector)

    cdef void release(self) noexcept:
        _HeadsStage.release(self)
        self.in_order = []

    def __dealloc__(self):
        xdecref(self.spare)


@cython.final
cdef class CompressStage(ZipStage):
    """Pass on the elements of the first input for which the second has a true element.

    State: as for ZipStage.
    """

    cdef void combine(self, PyObject* last) noexcept:
        cdef PyObject* element = _take(self, <InputPort>self.in_order[0])
        cdef int is_selected = truth(last)
        if is_selected > 0:
            pass_on(self, element)
            return
        decref(element)
        if is_selected < 0:
            self.fail_at(self, caught())


@cython.final
cdef class MergeSortedStage(_HeadsStage):
    """Pass on the elements of all inputs, each time the least of those that come next.

    Args:
        sources: As for CombineStage.
        prefetch: As for CombineStage.
        key: Called with each element; returns what is compared in its place. None: the elements themselves.

    State: what waits of each input, and whether it is over. The key of an element that waits is computed again.
    """

    cdef object key
    cdef list heads       # a heap of (key, index of the input), of the first elements that wait
    cdef list headless    # ports whose first element is not in it

    def __init__(self, sources, prefetch, key=None):
        _HeadsStage.__init__(self, sources, prefetch)
        self.key = key
        self.heads = []

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.headless = list(self.ports.values())
        return 0

    cdef int work(self) noexcept:
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if (self.headless and not self._add_heads()) or self.remaining == 0:
                break
            try:
                self._pass_least()
            except BaseException as error:  # keys that cannot be compared
                self.fail_at(self, error)
            if not count(self):
                break
        return 0

    cdef bint _add_heads(self) noexcept:
        """Bring the first element of each input into the heap; False: one has not come, or nothing comes any more."""
        cdef InputPort port
        cdef list ports = self.headless
        self.headless = []
        for each in ports:
            port = <InputPort>each
            if self.should_leave():
                self.headless.append(port)
            elif self.has_element(port):
                try:
                    heappush(self.heads, (self._key_of(port), port.index))
                except BaseException as error:
                    note_element(error, self, <object>spsc_peek(port.slots))
                    self.fail_at(self, error)
            elif not port.is_over:
                self.headless.append(port)
        if not self.headless and not self.heads and not self.should_leave():
            self.finish(self.down, None)
        return not self.headless and not self.should_leave()

    cdef object _key_of(self, InputPort port):
        element = <object>spsc_peek(port.slots)
        return element if self.key is None else self.key(element)

    cdef int _pass_least(self) except -1:
        """Pass on the least element, and bring the next one of its input into the heap if it is there."""
        cdef InputPort port = <InputPort>self.ports[self.heads[0][1]]
        cdef PyObject* element = _take(self, port)
        try:
            if spsc_peek(port.slots) is not NULL:
                try:
                    heapreplace(self.heads, (self._key_of(port), port.index))
                except Exception as error:
                    note_element(error, self, <object>spsc_peek(port.slots))
                    raise
            else:
                heappop(self.heads)
                self.headless.append(port)
        finally:
            pass_on(self, element)
        return 0

    cdef void release(self) noexcept:
        self.key = None
        self.heads = []
        self.headless = []
        CombineStage.release(self)


@cython.final
cdef class LatestStage(CombineStage):
    """Pass on tuples of the latest elements of all inputs.

    Args:
        sources: As for CombineStage.
        prefetch: As for CombineStage.
        leads: Whether only elements of the first input bring a tuple, and its end the end.
        waits: Whether only the end of all inputs brings a tuple, of their last elements.

    State: what waits of each input, whether it is over, and the latest element of each.
    """

    cdef bint leads, waits
    cdef list latest       # by index; those of inputs that had none are missing in `known`
    cdef list known
    cdef int64_t missing   # inputs that had no element

    def __init__(self, sources, prefetch, leads=False, waits=False):
        CombineStage.__init__(self, sources, prefetch)
        self.leads = leads
        self.waits = waits

    cdef int attach(self) except -1:
        cdef InputPort port
        self.missing = self.count_inputs()
        self.latest = [None] * self.missing
        self.known = [False] * self.missing
        CombineStage.attach(self)
        for each in self.ports.values():
            port = <InputPort>each
            port.is_free = self.waits or (self.leads and port.index != 0)
        return 0

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef Py_ssize_t index = port.index
        self.latest[index] = <object>element
        decref(element)
        if not self.known[index]:
            self.known[index] = True
            self.missing -= 1
        if not (self.missing or self.waits or (self.leads and index != 0)):
            self._pass_latest()
        return 0

    cdef void _pass_latest(self) noexcept:
        cdef tuple together = tuple(self.latest)
        incref(<PyObject*>together)
        pass_on(self, <PyObject*>together)

    cdef int nothing_to_do(self) noexcept:
        if not self.waits or self.missing or self.remaining == 0 or self.count_live():
            return False
        self._pass_latest()
        self.finish(self.down, None)
        return True

    cdef int input_over(self, InputPort port) noexcept:
        cdef bint is_last = not self.known[port.index] or (self.leads and port.index == 0)
        if self.waits and port.input_error is None:
            is_last = self.missing != 0 and self.count_live() == 0
            return self.finish(self.down, None) if is_last else 0
        if port.input_error is None and is_last:
            return self.finish(self.down, None)  # no tuple can come any more
        return CombineStage.input_over(self, port)

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(list(self.known))
        writer.write(list(self.latest))
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        known = reader.read(list)
        latest = reader.read(list)
        if len(known) != len(self.ports) or len(latest) != len(known) or any(type(each) is not bool for each in known):
            raise StateError(
                f"{self!r} cannot load the latest elements of {len(known)} inputs, for it has {len(self.ports)}; load "
                f"the state with the streams that it was saved with"
            )
        self.known = known
        self.latest = latest
        self.missing = known.count(False)
        return 0


@cython.final
cdef class AmbStage(CombineStage):
    """Pass on the elements of the input that signals first, and cancel the others.

    State: which input has won, and what waits of it; before that, what waits of each.
    """

    cdef int64_t winner   # its index; -1: none has signalled

    def __init__(self, sources, prefetch):
        CombineStage.__init__(self, sources, prefetch)
        self.is_exact = True
        self.winner = -1

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if self.winner == -1:
            self.winner = port.index
            for other in list(self.ports.values()):
                if other is not port:
                    self.remove_port(<InputPort>other)
        pass_on(self, element)
        return 0

    cdef int nothing_to_do(self) noexcept:
        cdef InputPort port
        cdef bint was_drawn = False
        for each in list(self.ports.values()):
            port = <InputPort>each
            if self.winner in (-1, port.index) and self.remaining > port.outstanding:
                was_drawn |= self.replenish(port)
                # relaxed: work() takes what is listed. The end of an input, too, comes before what the next one brings.
                if self.should_leave() or self.arrived.load(memory_order_relaxed):
                    break
        return was_drawn

    cdef int input_over(self, InputPort port) noexcept:
        return self.finish(self.down, port.input_error) if self.winner in (-1, port.index) else 0

    cdef int write_fields(self, object writer) except -1:
        cdef InputPort port
        self.require_inputs()
        writer.write(self.winner)
        if not self.disposed and not self.disposed_in_state:
            for each in list(self.ports.values()):
                port = <InputPort>each
                if self.winner in (-1, port.index):
                    self.save_port(port, writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef InputPort port
        winner = reader.read(int)
        if not -1 <= winner < len(self.ports):
            raise StateError(
                f"{self!r} was saved when input {winner} had signalled first, and has {len(self.ports)}; load the "
                f"state with the streams that it was saved with"
            )
        self.winner = winner
        if self.disposed_in_state:
            return 0
        for each in list(self.ports.values()):
            port = <InputPort>each
            if winner in (-1, port.index):
                self.load_port(port, reader)
            else:
                # relaxed: nothing flows before the start; nobody lists it, and nothing is requested of it
                port.is_over = True
                port.is_listed.store(1, memory_order_relaxed)
                port.input_ended.store(1, memory_order_relaxed)
        return 0


@cython.final
cdef class GateStage(CombineStage):
    """Pass on the elements of the input above until another input, the trigger, sends one, or from then on.

    A trigger that completes without an element never fires. As long as it may fire, elements are requested one by one,
    and what a callback of this stream makes the trigger send counts at once: where it waits in the list of the run of
    this thread, this stage lets it go first, once before each element is requested and once before it passes.

    Args:
        trigger: The description of the trigger, of which one element is requested.
        prefetch: How many elements may be requested of the input above at a time, once the trigger is over.
        opens: Whether elements pass from then on; False: until then.

    State: what waits of both inputs, whether they are over, and whether the trigger has fired.
    """

    cdef bint opens, has_fired, has_yielded
    cdef InputPort trigger, gated
    cdef int64_t full_prefetch

    def __init__(self, Description trigger not None, int64_t prefetch, bint opens):
        CombineStage.__init__(self, (trigger,), prefetch)
        self.full_prefetch = prefetch
        self.opens = opens
        self.is_exact = True

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.replenish_at = self.prefetch = 1
        self.gated = self.main()
        self.trigger = <InputPort>self.ports[1]
        self.trigger.is_free = True
        return 0

    cdef int begin(self) except -1:
        CombineStage.begin(self)
        if self.has_fired:  # in the state that was loaded
            self._fire()
        # relaxed: loaded by this thread
        elif self.trigger.outstanding == 0 and not self.trigger.input_ended.load(memory_order_relaxed):
            self.trigger.outstanding = 1
            request_upstream(self.trigger, 1)
        return 0

    cdef bint replenish(self, InputPort port) noexcept:
        # relaxed: this thread has set it
        if port is not self.gated or self._yields() or self.state.load(memory_order_relaxed) & TURN_OVER:
            return False
        self.has_yielded = False
        return CombineStage.replenish(self, port)

    cdef int nothing_to_do(self) noexcept:
        return self.remaining > self.gated.outstanding and self.replenish(self.gated)

    cdef bint accepts(self, InputPort port) noexcept:
        if port is self.trigger:
            return True
        if self.remaining == 0:
            return False
        if self._yields():
            self.list_port(port)
            return False
        return True

    cdef bint _yields(self) noexcept:
        """Whether the trigger runs first, which waits in the list."""
        if self.prefetch > 1 or self.has_yielded or not waits_here(self.trigger):
            return False
        self.has_yielded = True
        set_relaxed(self.state, TURN_OVER)
        return True

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef PyObject* signal
        self.has_yielded = False
        if port is self.trigger:
            decref(element)
            self._fire()
            return 0
        if self.prefetch == 1:
            signal = spsc_poll(self.trigger.slots)  # what runs above may have made it send
            if signal is not NULL:
                decref(signal)
                self.trigger.outstanding -= 1
                self._fire()
        if self.has_fired == self.opens:
            pass_on(self, element)
        else:
            decref(element)
        if port.mode == PORT_PASSES and self.prefetch == 1 and self._is_quiet():
            self._request_while_drawing()
        return 0

    cdef bint _is_quiet(self) noexcept:
        """Whether nothing is to be done before the next element is requested: no signal waits, and nobody leaves."""
        # relaxed: what is listed after this line is notified, too, and seen after the next element
        return (
            self.remaining > 0 and self.listed_first is NULL and not self.arrived.load(memory_order_relaxed)
            and not self.state.load(memory_order_relaxed) & LEAVE and not waits_here(self.trigger)
        )

    cdef void _request_while_drawing(self) noexcept:
        """Request the next element as nothing_to_do() does, but so that draw() goes on, which takes fewer steps."""
        if self.gated.outstanding == 0:
            self.gated.outstanding = 1
            try:
                request_upstream(self.gated, 1)  # only adds: this thread has the token of the owner above
            except BaseException as error:
                self.fail_at(self, error)

    cdef void _fire(self) noexcept:
        self.has_fired = True
        self.changed = True
        self._settle_trigger()
        if self.opens:
            cancel_upstream(self.trigger)
        else:
            self.finish(self.down, None)

    cdef void _settle_trigger(self) noexcept:
        """It cannot fire any more, so elements may be requested ahead."""
        self.prefetch = self.full_prefetch
        self.replenish_at = self.prefetch - self.prefetch // 4

    cdef int input_over(self, InputPort port) noexcept:
        error = port.input_error
        if port is self.gated or (error is not None and not self.has_fired):
            return self.finish(self.down, error)
        self._settle_trigger()
        if error is not None:
            drop_signal(self, "on_error", error, self.name)
        return 0

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.trigger = None
        self.gated = None

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(self.has_fired)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        self.has_fired = reader.read(bool)
        return 0
