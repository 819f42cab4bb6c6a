"""parallel: the same operators on several rails, each of which has a queue and may run in a thread of its own.

One stage hands the elements of its input out to the rails, one after the other, and joins what they send. A rail is a
side input of the stage: at its head a queue, which a task of a scheduler empties, then the operators, then a port.

Roles
    drainer   the holder of the stage's token: hands elements out, joins results, ends the rails
    rail      the holder of the token of a rail's head: takes elements out of its queue, runs the operators

Invariants, besides those of stream/combine_stage.pyx and of stream/queue_stage.pyx
    R1  Handed out to a rail and not yet out of its queue are at most its `prefetch` elements, so the queue never
        overflows: the drainer takes of `room` for each, and the rail gives back only what it has taken out.
    R2  An element for which no rail has room is handed out when one has: a rail gives room, then notifies the stage.
    R3  No thread has the token of the stage, in the list of its run, while it runs the operators of a rail that has a
        scheduler: it gives room after them, and leaves its turn after each element that made the stage ready. Else the
        others could neither get elements nor pass results on meanwhile.
    R4  In order: `order` has the rail of each element that was handed out and is not yet accounted for, the oldest
        first. Each of them brings one signal to the port of its rail, in the order of that rail: a result, a mark that
        there is none, or an error. The port of the oldest is the only one whose signals are accepted.

Ordering (write -> read that pairs with it)
    `room` (seq_cst), then notify()         ->  clear_missed (seq_cst), then `room`: a store-buffer pair, as that of the
                                                demand in stream/subscription.pyx; else R2 would not hold
    poll, then `room` (seq_cst)             ->  `room` (seq_cst), then offer: there is a free slot (R1)
    tests/interleavings/test_parallel_model.py explores them, with each step broken.

Progress: a rail never waits for another one; in order, what it has made waits, at most `prefetch` results.
Source: Reactor's ParallelFlux, whose source hands out in turn to the rails that have requested.
"""

from collections import deque

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport caught, decref, incref
from rs_core.operators.observe_on cimport ObserveOnStage
from rs_core.queues.spsc_ring cimport spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.subscription cimport (
    ACCEPTED, LEAVE, TERMINAL, UNWANTED, Stage, others_wait_here, push,
)
from rs_core.sync.atomics cimport gil_int64, memory_order_relaxed, memory_order_seq_cst

from rs_core.errors import StateError

cdef object _NO_RESULT = object()   # in the place of the result of an element that has none


cdef class ParallelStage(CombineStage)


@cython.final
cdef class RailStage(ObserveOnStage):
    """The head of a rail: hold the elements that were handed out to it, and pass them on in the threads of a scheduler.

    Args:
        scheduler: As for ObserveOnStage.
        prefetch: How many elements may wait.

    State: the queue, and the end of the input if that came after it.
    """

    cdef ParallelStage stage  # None: this rail has ended
    cdef ParallelStage held   # by who has saved this rail last, as often as the rail
    cdef InputPort port       # the end of the rail where the order is kept; else None
    cdef gil_int64 room       # how many elements may be handed out to it
    cdef int64_t taken        # out of the queue, for which room was not yet given; the drainer's

    def __init__(self, scheduler, prefetch):
        ObserveOnStage.__init__(self, scheduler, prefetch)
        self.room.store(0, memory_order_relaxed)  # relaxed: nothing flows before the start

    cdef int begin(self) except -1:
        cdef int64_t loaded = <int64_t>spsc_size(self.slots)
        ObserveOnStage.begin(self)
        # relaxed: nothing flows before the start
        self.room.store(self.prefetch - loaded if loaded < self.prefetch else 0, memory_order_relaxed)
        return 0

    cdef bint ask(self, int64_t n) noexcept:
        self.taken += n
        return True

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef int64_t turn = self.prefetch
        cdef PyObject* element
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if sent == n:
                self.finish_if_ended()
                break
            if turn == 0:
                self.mark_missed()
                break
            element = self.poll()
            if element is NULL:
                self.finish_if_ended()
                break
            turn -= 1
            if push(self, element) == ACCEPTED or self._push_mark():
                sent += 1
            if self.taken:
                self._give_room()
            if self.scheduler is not None and others_wait_here():
                self.mark_missed()  # R3
                break
        return sent

    cdef bint _push_mark(self) noexcept:
        """Send the mark of an element that has no result, where the order is kept, and it was not the last one."""
        # relaxed: this thread has set it
        if self.port is None or self.state.load(memory_order_relaxed) & UNWANTED:
            return False
        incref(<PyObject*>_NO_RESULT)
        self.port.try_next(<PyObject*>_NO_RESULT)
        return True

    cdef void _give_room(self) noexcept:
        self.room.fetch_add(self.taken, memory_order_seq_cst)  # seq_cst: see Ordering
        self.taken = 0
        try:
            self.stage.notify()
        except BaseException as error:
            self.fail_at(self, error)

    cdef void release(self) noexcept:
        ObserveOnStage.release(self)
        self.port = None
        self.held = None
        with cython.critical_section(self):  # pairs with that of quiesce()
            self.stage = None

    # --- the drainer of the stage ---------------------------------------------------------------------------------

    cdef bint has_ended(self) noexcept:
        return (self.state.load(memory_order_relaxed) & TERMINAL) != 0  # relaxed: a hint; it drops what comes later

    cdef int take(self, PyObject* element) noexcept:
        """Put an element into the queue, which has room; steals it. -1: the rail cannot be drained, see caught()."""
        self.room.fetch_sub(1, memory_order_relaxed)  # relaxed: only this thread takes of it
        if self.has_ended() or not spsc_offer(self.slots, element):
            decref(element)
            return 0
        return (<Notifies>_notify)(self)

    # --- who saves ------------------------------------------------------------------------------------------------

    cdef bint quiesce(self) except -1:
        cdef ParallelStage stage
        with cython.critical_section(self):  # pairs with that of release()
            stage = self.stage
        if stage is not None and not stage.hold():
            return False
        if ObserveOnStage.quiesce(self):
            self.held = stage
            return True
        if stage is not None:
            stage.release_hold()
        return False

    cdef int unquiesce(self) except -1:
        cdef ParallelStage stage = self.held
        try:
            ObserveOnStage.unquiesce(self)
        finally:
            if stage is not None:
                stage.release_hold()
        return 0


# Whose -1 means that an exception is set, as in stream/subscription.pyx.
ctypedef int (*Notifies)(RailStage rail) noexcept


cdef inline int _notify(RailStage rail) except -1:
    return rail.notify()


class _Rail:
    """The definition of the head of a rail."""

    id = "rx://operators/rail"
    method = "rail"
    stage = RailStage


@cython.final
cdef class ParallelStage(CombineStage):
    """Hand elements out to rails in turn, and pass on what they send.

    Args:
        rails: How many.
        operators: What each rail does: tuples of definition, parameters and assembly.
        scheduler: Runs the rails; None: whoever drains this stage does.
        prefetch: As for CombineStage, also for the input above.
        rail_prefetch: How many elements may wait in the queue of a rail.
        keeps_order: Whether results go on in the order of their elements. The operators then have at most one for each,
            and none of them is an owner of demand.

    State: what waits of the input above and of each rail, which rail is next, and in order the rail of each element.
    """

    cdef list rails          # RailStage
    cdef list rail_ports     # InputPort, of the same
    cdef InputPort above
    cdef Py_ssize_t next_rail
    cdef bint keeps_order
    cdef object order        # deque of places in `rails`
    cdef object end_error    # with which rails have ended because the input has

    def __init__(
        self, Py_ssize_t rails, tuple operators not None, scheduler, int64_t prefetch, int64_t rail_prefetch,
        bint keeps_order,
    ):
        cdef Description rail = Description(_Rail, (scheduler, rail_prefetch))
        for definition, parameters, assembly in operators:
            rail = rail.derive(definition, parameters, assembly)
        CombineStage.__init__(self, (rail,) * rails, prefetch)
        self.is_concurrent = scheduler is not None
        self.keeps_order = keeps_order
        self.rails = []
        self.rail_ports = []
        self.order = deque()

    cdef int attach(self) except -1:
        cdef InputPort port
        cdef Stage head
        CombineStage.attach(self)
        self.above = self.main()
        self.above.is_free = True
        for each in self.side_inputs():
            port = <InputPort>each
            head = port.up
            while head.up is not None:
                head = head.up
            (<RailStage?>head).stage = self
            (<RailStage>head).port = port if self.keeps_order else None
            self.rails.append(head)
            self.rail_ports.append(port)
        return 0

    cdef int begin(self) except -1:
        CombineStage.begin(self)
        self._know_error()
        if self.keeps_order:
            self._check_order()
        return 0

    cdef int _know_error(self) except -1:
        """Let rails that were loaded with the error of the input have it, and not one that looks alike."""
        cdef RailStage rail
        cdef InputPort port
        error = self.above.input_error
        if error is None:
            return 0
        for place in range(len(self.rails)):
            rail = <RailStage>self.rails[place]
            port = <InputPort>self.rail_ports[place]
            if _look_alike(rail.input_error, error):
                rail.input_error = error
            if _look_alike(port.input_error, error):
                port.input_error = error
        return 0

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef RailStage _free_rail(self):
        """The next rail that has room; None: an element has to wait."""
        cdef RailStage rail
        cdef Py_ssize_t count = len(self.rails)
        cdef Py_ssize_t _tried
        for _tried in range(count):
            rail = <RailStage>self.rails[self.next_rail]
            # seq_cst: see Ordering
            if rail.room.load(memory_order_seq_cst) > 0 and not rail.has_ended():
                return rail
            self.next_rail = (self.next_rail + 1) % count
        return None

    cdef InputPort _oldest(self):
        """The port at which the signal for the oldest element arrives; None: there is none."""
        cdef InputPort port
        while self.order:
            port = <InputPort>self.rail_ports[self.order[0]]
            if not port.is_over:
                return port
            self.order.popleft()  # it has ended without this one
        return None

    cdef bint accepts(self, InputPort port) noexcept:
        if port is self.above:
            return self._free_rail() is not None
        return self.remaining > 0 and (not self.keeps_order or port is self._oldest())

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        if port is self.above:
            self._hand_out(element)
        elif not self.keeps_order:
            pass_on(self, element)
        else:
            self.order.popleft()
            if element is <PyObject*>_NO_RESULT:
                decref(element)
            else:
                pass_on(self, element)
            self._list_oldest()
        return 0

    cdef void _hand_out(self, PyObject* element) noexcept:
        cdef RailStage rail = self._free_rail()
        cdef Py_ssize_t place = self.next_rail
        self.next_rail = (place + 1) % len(self.rails)
        if self.keeps_order:
            self.order.append(place)
        if rail.take(element) == -1:
            self.fail_at(self, caught())  # nobody will drain this rail

    cdef void _list_oldest(self) noexcept:
        """Look at the port whose turn it is; after the last element at all, whose ends may have waited."""
        cdef InputPort port = self._oldest()
        if port is not None:
            self.list_port(port)
        elif self.above is not None and self.above.is_over:
            for each in self.rail_ports:
                if not (<InputPort>each).is_over:
                    self.list_port(<InputPort>each)

    cdef bint see_end(self, InputPort port) noexcept:
        cdef InputPort oldest
        if self.keeps_order and port is not self.above and port.has_ended() and port.input_error is not None:
            oldest = self._oldest()
            if oldest is not None and oldest is not port:
                return False  # it waits for the results of older elements, as results do
        return CombineStage.see_end(self, port)

    cdef int input_over(self, InputPort port) noexcept:
        cdef RailStage rail
        cdef Py_ssize_t place
        if port is self.above:
            for place in range(len(self.rails)):
                rail = <RailStage>self.rails[place]
                if not (<InputPort>self.rail_ports[place]).is_over and not rail.has_ended():
                    rail._end_input(port.input_error)
            return 0
        if port.input_error is not None:
            if not self.above.is_over or port.input_error is not self.above.input_error:
                return self.finish(self.down, port.input_error)
            self.end_error = port.input_error  # of the input: what other rails have comes before it
        for each in self.rail_ports:
            if not (<InputPort>each).is_over:
                if self.keeps_order:
                    self._list_oldest()
                return 0
        return self.finish(self.down, self.end_error)

    cdef int nothing_to_do(self) noexcept:
        if self.above.is_over or spsc_peek(self.above.slots) is NULL or self._free_rail() is None:
            return False
        self.list_port(self.above)
        return True

    cdef void release(self) noexcept:
        CombineStage.release(self)
        self.rails = []
        self.rail_ports = []
        self.order.clear()
        self.above = None
        self.end_error = None

    # --- who saves --------------------------------------------------------------------------------------------------

    cdef int write_fields(self, object writer) except -1:
        if self.keeps_order:
            self._sweep()
        CombineStage.write_fields(self, writer)
        writer.write(self.next_rail)
        writer.write(list(self.order))
        return 0

    cdef int _sweep(self) except -1:
        """Take out the marks of elements without a result, which are no values that can be saved."""
        cdef InputPort port
        cdef PyObject* element
        cdef list kept = []
        cdef dict has_result = {}
        cdef int64_t _waiting
        for place, each in enumerate(self.rail_ports):
            port = <InputPort>each
            has_result[place] = deque()
            for _waiting in range(<int64_t>spsc_size(port.slots)):
                element = spsc_poll(port.slots)
                has_result[place].append(element is not <PyObject*>_NO_RESULT)
                if element is not <PyObject*>_NO_RESULT:
                    spsc_offer(port.slots, element)  # whoever saves has both tokens
                else:
                    decref(element)
                    port.outstanding -= 1
        for place in self.order:
            if not has_result[place] or has_result[place].popleft():
                kept.append(place)
        if len(kept) != len(self.order):
            self.order = deque(kept)
            for each in self.rail_ports:
                if not (<InputPort>each).is_over:
                    self.list_port(<InputPort>each)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef Py_ssize_t count = len(self.rails)
        CombineStage.read_fields(self, reader, version)
        place = reader.read(int)
        order = reader.read(list)
        if not 0 <= place < count or any([type(each) is not int or not 0 <= each < count for each in order]):
            raise StateError(
                f"{self!r} has {count} rails and cannot load a state in which rail {place} is next and {order} are the "
                f"rails of elements; load the state with as many rails as it was saved with"
            )
        self.next_rail = place
        self.order = deque(order)
        return 0

    cdef int _check_order(self) except -1:
        """Compare the order that was loaded with what waits in the rails, which were loaded, too."""
        cdef RailStage rail
        cdef InputPort port
        for place in range(len(self.rails)):
            rail = <RailStage>self.rails[place]
            port = <InputPort>self.rail_ports[place]
            waiting = spsc_size(rail.slots) + spsc_size(port.slots)
            if not rail.is_disposed and self.order.count(place) != waiting:
                self.fail_at(self, StateError(
                    f"{self!r} cannot go on: {waiting} elements wait in rail {place}, and the saved order has "
                    f"{self.order.count(place)} of it; load an older checkpoint"
                ))
        return 0


cdef bint _look_alike(object error, object other) except -1:
    return type(error) is type(other) and error.args == other.args


def keeps_places(Stage stage not None) -> bool:
    """Tell whether an operator has at most one result for an element, in the call in which that comes."""
    return stage.is_unit and not stage.is_owner
