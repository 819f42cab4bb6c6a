"""A stage with a bounded queue between its input and its output.

The input side runs under the token of the owner upstream, the output side under the stage's own. They meet in an
SPSC ring and one word, so that a slow output never makes the input wait: nothing more is requested of it.

Roles
    input    the holder of the token upstream: offers to the ring, notes the end, gives notice
    drainer  the holder of this stage's token: polls, requests more, ends

Invariants
    I1  Requested upstream and not yet taken out are at most `prefetch` elements, so the ring never overflows: more
        is requested only after an element was taken out.
    I2  What lies in the ring, or its end, is seen by the present drainer or by who gave notice: notice is given
        after it, and a drainer that leaves with work left notes that for itself (`mark_missed`).
    I3  The end is signalled only when the input had ended before the ring was seen empty.

Ordering (write -> read that pairs with it)
    offer (release of the ring's index), MISSED by a CAS (seq_cst)  ->  clearing MISSED (seq_cst), poll (acquire)
    `input_error`, then `input_ended` (release)                     ->  `input_ended` (acquire), `input_error`
    elements, then `input_ended` (release)                          ->  `input_ended` (acquire), then peek (I3)
    tests/interleavings/test_queue_stage_model.py explores them, with each step or order broken.

Progress: the input never waits for the drainer, nor the drainer for the input; both sides are wait-free but for the
word (subscription.pyx).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport caught, decref, incref
from rs_core.queues.spsc_ring cimport (
    SpscRing, SpscSlots, spsc_capacity, spsc_offer, spsc_peek, spsc_poll, spsc_size, spsc_traverse,
)
from rs_core.stream.subscription cimport (
    ACCEPTED, CONSUMED, STOPPED, TERMINAL, DemandOwner, count, drop_signal, new_error, request_upstream,
)

from rs_core.errors import DemandExceededError

cdef extern from "Python.h":
    int PyList_Append(object elements, object element) noexcept


cdef class QueueStage(DemandOwner):
    """A stage that takes elements as they come and passes them on as they are requested.

    Args:
        prefetch: How many elements may be requested upstream and not yet passed on; 1 and more.
    """

    def __init__(self, prefetch):
        self.prefetch = prefetch
        self.replenish_at = self.prefetch - self.prefetch // 4
        self.queue = SpscRing(prefetch)
        self.slots = self.queue.slots

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what waits in its queue."""
        cdef dict facts = DemandOwner.inspect(self)
        cdef SpscRing queue = self.queue   # only a load, before the start, puts another one in its place
        if queue is None:  # an operator in Python that has none
            return facts
        facts["buffered"] = <int64_t>spsc_size(queue.slots)
        facts["capacity"] = facts["prefetch"] = self.prefetch
        # acquire: as in finish_if_ended(); the error was written before, and stays
        if self.input_ended.load(memory_order_acquire):
            facts["has_input_ended"] = True
            facts["error"] = self.input_error
        return facts

    # --- input side: the holder of the upstream token -----------------------------------------------------------

    cdef int try_next(self, PyObject* element) noexcept:
        # relaxed: a late element after the end is only swept up here; teardown empties the ring anyway
        if self.state.load(memory_order_relaxed) & TERMINAL:
            decref(element)
            return STOPPED
        if not spsc_offer(self.slots, element):
            decref(element)
            return _fail_as_full(self)
        return ACCEPTED if (<Notifies>_notify)(self) == 0 else self.callback_failed()

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
        self.input_ended.store(1, memory_order_release)  # release: pairs with the acquire in finish_if_ended()
        if (<Notifies>_notify)(self) == -1:
            self.callback_failed()
        return CONSUMED

    # --- output side: the holder of this stage's token -----------------------------------------------------------

    cdef int begin(self) except -1:
        cdef int64_t loaded = <int64_t>spsc_size(self.slots)
        if loaded < self.prefetch:
            request_upstream(self, self.prefetch - loaded)
        else:
            self.consumed = self.prefetch - loaded  # the surplus is not requested again
        return 0

    cdef PyObject* poll(self) noexcept:
        cdef PyObject* element = spsc_poll(self.slots)
        if element is not NULL:
            count(self)
            self.changed = True
            self.consumed += 1
            if self.consumed == self.replenish_at:
                self.consumed = 0
                self.ask(self.replenish_at)
        return element

    cdef bint finish_if_ended(self) noexcept:
        # acquire: pairs with the release in _end_input(); elements and error that came before the end are seen
        if self.input_ended.load(memory_order_acquire) and spsc_peek(self.slots) is NULL:
            self.on_input_end()
            return True
        return False

    cdef int on_input_end(self) noexcept:
        return self.finish(self.down, self.input_error)

    cdef void release(self) noexcept:
        cdef PyObject* element = spsc_poll(self.slots)
        while element is not NULL:
            decref(element)
            element = spsc_poll(self.slots)

    # --- state ------------------------------------------------------------------------------------------------

    cdef bint differs_from_saved(self) noexcept:
        # What comes only adds, and what is taken out is noted by the drainer: so nothing came if the numbers are those
        # that were saved. The input notes nothing, since it may run beside a save that has begun.
        # relaxed: a hint for a host, old the next moment
        return self.slots is not NULL and (
            <int64_t>spsc_size(self.slots) != self.saved_size
            or (self.input_ended.load(memory_order_relaxed) != 0) != self.saved_end
        )

    cdef int save_queue(self, object writer) except -1:
        # The end before the elements (I3): a publisher in another thread adds to both, and if its end is in the state,
        # all that came before it has to be. What comes after this line is no part of the state.
        # acquire: as in finish_if_ended()
        cdef bint has_ended = self.input_ended.load(memory_order_acquire) != 0
        error = self.input_error if has_ended else None
        self.saved_size = write_signals(writer, self.slots, has_ended, error)
        self.saved_end = has_ended
        return 0

    cdef int load_queue(self, object reader) except -1:
        self.queue = read_elements(reader, self.queue)
        self.slots = self.queue.slots
        ended = reader.read(bool)
        self.input_error = read_error(reader)
        self.input_ended.store(1 if ended else 0, memory_order_release)  # release: as in _end_input()
        self.saved_size = <int64_t>spsc_size(self.slots)
        self.saved_end = ended
        return 0


# Whose -1 means that an exception is set, as in subscription.pyx: a drain of the queue ran here and met an interrupt.
ctypedef int (*Notifies)(QueueStage stage) noexcept


cdef inline int _notify(QueueStage stage) except -1:
    return stage.notify()


cdef int _fail_as_full(QueueStage stage) noexcept:
    return stage.owner.fail_at(stage, new_error(
        DemandExceededError,
        f"§1.1: {stage.name} got more than the {stage.prefetch} elements it had requested; the publisher above must "
        f"not send more than was requested",
    ))


cdef int64_t write_signals(object writer, SpscSlots* slots, bint has_ended, object error) except -1:
    """Write what waits in a ring, as its consumer, and the end after it; return how many elements wait."""
    cdef list elements = elements_in(slots)
    writer.write(elements)
    writer.write(has_ended)
    writer.write(error)
    return len(elements)


cdef list elements_in(SpscSlots* slots):
    """What waits in a ring; called by its consumer."""
    cdef list elements = []
    if spsc_traverse(slots, _append, <void*>elements):
        raise caught()
    return elements


cdef SpscRing read_elements(object reader, SpscRing ring):
    return ring_with(reader.read(list), ring)


cdef SpscRing ring_with(list elements, SpscRing ring):
    """Put what waited in a ring into this one, or into a larger one: more is legal, and becomes less."""
    if <uint64_t>len(elements) > spsc_capacity(ring.slots):
        ring = SpscRing(len(elements))
    for element in elements:
        incref(<PyObject*>element)
        spsc_offer(ring.slots, <PyObject*>element)
    return ring


cdef object read_error(object reader):
    return reader.read((Exception, type(None)))


cdef int _append(PyObject* element, void* elements) noexcept:
    return PyList_Append(<object>elements, <object>element)
