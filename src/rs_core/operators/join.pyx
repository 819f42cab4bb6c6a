"""The stage of operators that match the elements of two inputs."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport decref, incref
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport LEAVE, count as count_tick, note_element
from rs_core.sync.atomics cimport memory_order_relaxed

from collections import deque


@cython.final
cdef class JoinStage(CombineStage):
    """Pass on what a table makes of the elements of two inputs.

    No element is taken while results of an earlier one wait for demand. Where the table holds so many of an input that
    only the other one can make room, the elements of the first wait, within `prefetch`.

    Args:
        other: The description of the second input.
        prefetch: As for CombineStage.
        table: Holds elements, and belongs to this stage alone. `take(index, element)` and `close(index)` return the
            results of an element of an input, and of its end; `waiting` is the index of the input that has to wait, or
            -1. `write_to(writer)` and `read_from(reader)` write and read what it holds, `clear()` forgets it. After a
            load, `close()` may be called again. `held()` tells how many elements of each input it holds.

    State: what waits of each input, and whether it is over; what the table holds; the results that wait for demand.
    """

    cdef object table
    cdef object results        # a deque of those that wait for demand
    cdef int64_t waiting       # the index of the input that has to wait; -1: none

    def __init__(self, Description other not None, int64_t prefetch, table):
        CombineStage.__init__(self, (other,), prefetch)
        self.table = table
        self.results = deque()
        self.waiting = -1

    def inspect(self) -> dict:
        """Return what `CombineStage.inspect` does, and how many elements of each input the table holds."""
        cdef dict facts = CombineStage.inspect(self)
        facts["held"] = self.table.held()
        return facts

    cdef bint accepts(self, InputPort port) noexcept:
        return self.remaining > 0 and not self.results and port.index != self.waiting

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            self._offer(self.table.take(port.index, <object>element))
        except BaseException as error:
            note_element(error, self, <object>element)
            self.fail_at(self, error)
        decref(element)
        return 0

    cdef int _offer(self, results) except -1:
        """Pass on the results of an element or of an end, as far as they are requested; the others wait."""
        if results:
            self.results.extend(results)
            # relaxed: drain() looks again, with the order that the bits need
            while self.results and self.remaining > 0 and not self.state.load(memory_order_relaxed) & LEAVE:
                self._pass_on_first()
        if self.waiting != self.table.waiting:
            self.waiting = self.table.waiting
            self._list_ports()
        return 0

    cdef int _pass_on_first(self) except -1:
        result = self.results.popleft()
        self.changed = True
        incref(<PyObject*>result)
        pass_on(self, <PyObject*>result)
        return 0

    cdef void _list_ports(self) noexcept:
        """Look again at what was not accepted, and at ends that wait for results."""
        for port in list(self.ports.values()):
            if not (<InputPort>port).is_over:
                self.list_port(<InputPort>port)

    cdef bint see_end(self, InputPort port) noexcept:
        return False if self.results else CombineStage.see_end(self, port)  # it comes behind them

    cdef int input_over(self, InputPort port) noexcept:
        if port.input_error is not None:
            return self.finish(self.down, port.input_error)
        try:
            self._offer(self.table.close(port.index))
        except BaseException as error:
            return self.fail_at(self, error)
        return 0

    cdef int nothing_to_do(self) noexcept:
        if self.results:
            if self.remaining <= 0:
                return False
            try:
                self._pass_on_first()
            except BaseException as error:
                self.fail_at(self, error)
            count_tick(self)
            if not self.results:
                self._list_ports()
            return True
        if self.ports and self.count_live() == 0:
            self.finish(self.down, None)
        return False

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.results = deque()
        try:
            self.table.clear()
        except BaseException as error:
            self.fail_at(self, error)

    cdef int write_fields(self, object writer) except -1:
        CombineStage.write_fields(self, writer)
        writer.write(list(self.results))
        self.table.write_to(writer)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        CombineStage.read_fields(self, reader, version)
        self.results.extend(reader.read(list))
        self.table.read_from(reader)
        self.waiting = self.table.waiting
        return 0
