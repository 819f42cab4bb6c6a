# Uses every function that the core exports below the stages; test_exported_names.py compares with the .pxd files.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rs_core cimport (
    as_clamped_int64,
    as_count,
    as_demand,
    atomic_int64,
    atomic_uint32,
    atomic_uint64,
    BoundedRing,
    BUILT_FOR_ABI,
    call1,
    call2,
    cancelled_demand,
    caught,
    decref,
    Demand,
    demand_add,
    demand_cancel,
    demand_take,
    demand_take_up_to,
    Emission,
    EMIT_ACCEPTED,
    EMIT_CANCELLED,
    EMIT_DROPPED,
    EMIT_OVERFLOWED,
    EMIT_TERMINATED,
    EMIT_TIMED_OUT,
    emitter_complete,
    emitter_emit,
    emitter_fail,
    error_occurred,
    gil_int64,
    gil_uint32,
    gil_uint64,
    gil_word,
    handoff_owned,
    handoff_reference,
    incref,
    inquiry,
    int_from_int64,
    invalid_request,
    MAX_RING_CAPACITY_ELEMENTS,
    memory_order_acq_rel,
    memory_order_acquire,
    memory_order_relaxed,
    memory_order_release,
    memory_order_seq_cst,
    MPSC_ACCEPTED,
    mpsc_allocated_bytes,
    MPSC_BUSY,
    mpsc_capacity,
    mpsc_clear,
    mpsc_close,
    MPSC_CLOSED,
    mpsc_evict,
    mpsc_free,
    MPSC_FULL,
    mpsc_is_closed,
    mpsc_new,
    mpsc_offer,
    mpsc_peek,
    mpsc_poll,
    mpsc_size,
    mpsc_traverse,
    MpscRing,
    MpscSlots,
    next_of,
    none_pointer,
    owned,
    PARK_INTERRUPTED,
    park_interruptibly,
    PARK_TIMED_OUT,
    PARK_WOKEN,
    Parker,
    parker_free,
    parker_new,
    parker_park,
    parker_unpark,
    PyTypeObject,
    ring_capacity,
    ExclusiveUse,
    exclusive_enter,
    exclusive_leave,
    SerializedEmitter,
    safe_repr,
    small_int,
    spsc_allocated_bytes,
    spsc_capacity,
    spsc_clear,
    spsc_free,
    spsc_free_slots,
    spsc_new,
    spsc_offer,
    spsc_peek,
    spsc_poll,
    spsc_size,
    spsc_traverse,
    SpscRing,
    SpscSlots,
    traverseproc,
    truth,
    unbounded_demand,
    visitproc,
    xdecref,
)


def use_atomics():
    cdef atomic_int64 signed
    cdef atomic_uint32 narrow
    cdef atomic_uint64 wide
    signed.store(-1, memory_order_release)
    narrow.store(1, memory_order_relaxed)
    wide.store(2, memory_order_seq_cst)
    return (
        signed.load(memory_order_acquire),
        narrow.exchange(3, memory_order_acq_rel),
        wide.fetch_add(1, memory_order_relaxed),
        narrow.load(memory_order_relaxed),
    )


ctypedef gil_word[unsigned char] gil_byte


def use_gil_words():
    cdef gil_int64 signed
    cdef gil_uint32 narrow
    cdef gil_uint64 wide
    cdef gil_byte byte
    signed.store(1, memory_order_release)
    narrow.store(1, memory_order_relaxed)
    byte.store(255, memory_order_relaxed)
    wide.store(<uint64_t>1 << 63, memory_order_relaxed)
    demand_add(signed, 1)
    return (
        signed.load(memory_order_acquire),
        narrow.fetch_or(2, memory_order_relaxed),
        narrow.load(memory_order_relaxed),
        byte.exchange(1, memory_order_acq_rel),
        wide.load(memory_order_acquire),
    )


def use_abi():
    return BUILT_FOR_ABI


cdef object taken(PyObject* reference):
    """Turn an owned reference, or the exception that is set where there is none, into an object."""
    return owned(reference) if reference is not NULL else caught()


def use_calls(function, first, second):
    iterator = iter([first])
    return (
        taken(call1(<PyObject*>function, <PyObject*>first)),
        taken(call2(<PyObject*>function, <PyObject*>first, <PyObject*>second)),
        taken(int_from_int64(2**40)),
        taken(next_of(<PyObject*>iterator)),
        next_of(<PyObject*>iterator) is NULL and error_occurred() is NULL,
    )


def use_truth(function, argument):
    kept = truth(call1(<PyObject*>function, <PyObject*>argument))
    return kept, type(caught()) if kept < 0 else None


def use_references(element):
    cdef PyObject* reference = <PyObject*>element
    incref(reference)
    incref(reference)
    decref(reference)
    xdecref(reference)
    xdecref(NULL)
    return none_pointer is <PyObject*>None


def use_arguments(n):
    return as_clamped_int64(n), as_count(n, "n", 0, 10), safe_repr(n)


def use_small_int(n):
    cdef int64_t value = -7
    return small_int(n, &value), value


def use_demand(n):
    cdef atomic_int64 demand
    cdef Demand public = Demand()
    demand.store(0, memory_order_relaxed)
    before = demand_add(demand, as_demand(n)), demand_add(public.value_word, 1)
    taken = demand_take(demand, 1), demand_take_up_to(demand, 1), public.value
    cancelled = demand_cancel(demand), demand_cancel(demand), demand.load(memory_order_relaxed) == cancelled_demand()
    return before, taken, cancelled, unbounded_demand(), str(invalid_request(0))


cdef int count(PyObject* element, void* argument) noexcept:
    (<int*>argument)[0] += 1
    return 0


def use_ring(capacity, first, second):
    cdef SpscSlots* ring = spsc_new(ring_capacity(capacity))
    cdef int visited = 0
    spsc_offer(ring, handoff_reference(<PyObject*>first))
    spsc_offer(ring, handoff_owned(handoff_reference(<PyObject*>second)))
    spsc_traverse(ring, count, &visited)
    state = visited, spsc_size(ring), spsc_free_slots(ring), spsc_capacity(ring), spsc_allocated_bytes(ring) > 0
    peeked = <object>spsc_peek(ring) is first
    polled = owned(spsc_poll(ring)) is first
    spsc_clear(ring)
    cleared = spsc_poll(ring) is NULL
    spsc_offer(ring, handoff_reference(<PyObject*>first))
    spsc_free(ring)
    return state, peeked, polled, cleared


def use_shared_ring(capacity, first, second):
    cdef MpscSlots* ring = mpsc_new(ring_capacity(capacity))
    cdef int visited = 0
    offers = [mpsc_offer(ring, handoff_reference(<PyObject*>each)) for each in (first, second)]
    mpsc_traverse(ring, count, &visited)
    state = visited, mpsc_size(ring), mpsc_capacity(ring), mpsc_allocated_bytes(ring) > 0
    peeked = <object>mpsc_peek(ring) is first
    polled = owned(mpsc_poll(ring)) is first
    evicted = owned(mpsc_evict(ring)) is second
    while True:
        offers.append(mpsc_offer(ring, handoff_reference(<PyObject*>first)))
        if offers[-1] != MPSC_ACCEPTED:
            decref(<PyObject*>first)
            break
    mpsc_clear(ring)
    closed = mpsc_is_closed(ring), mpsc_close(ring), mpsc_close(ring), mpsc_is_closed(ring), mpsc_poll(ring) is NULL
    offers.append(mpsc_offer(ring, <PyObject*>first))
    mpsc_free(ring)
    names = {MPSC_ACCEPTED: "accepted", MPSC_FULL: "full", MPSC_BUSY: "busy", MPSC_CLOSED: "closed"}
    return state, peeked, polled, evicted, closed, [names[offer] for offer in offers]


cdef int traverse_nothing(PyObject* self, visitproc visit, void* argument) noexcept:
    return 0


cdef int clear_nothing(PyObject* self) noexcept:
    return 0


cdef class Slotted:
    cdef object attribute   # makes the type one that the collector knows


def use_type_slots():
    """Replace both slots of a type, look at them, and put the old ones back."""
    cdef PyTypeObject* kind = <PyTypeObject*>Slotted
    cdef traverseproc traverse = kind.tp_traverse
    cdef inquiry clear = kind.tp_clear
    kind.tp_traverse = traverse_nothing
    kind.tp_clear = clear_nothing
    replaced = kind.tp_traverse is not traverse and kind.tp_clear is not clear
    kind.tp_traverse = traverse
    kind.tp_clear = clear
    return replaced


def use_public_mpsc_ring(MpscRing ring not None, element):
    return mpsc_offer(ring.slots, handoff_reference(<PyObject*>element)) == MPSC_ACCEPTED, isinstance(ring, BoundedRing)


def use_public_ring(SpscRing ring not None, element):
    return spsc_offer(ring.slots, handoff_reference(<PyObject*>element)), MAX_RING_CAPACITY_ELEMENTS


def use_role():
    cdef ExclusiveUse role
    first, second = exclusive_enter(role), exclusive_enter(role)
    exclusive_leave(role)
    return first, second, exclusive_enter(role)


def use_parker():
    cdef Parker* parker = parker_new()
    parker_unpark(parker)
    raw = parker_park(parker, 0) == PARK_WOKEN, parker_park(parker, 0) == PARK_TIMED_OUT
    parker_unpark(parker)
    waited = park_interruptibly(parker, -1.0) == PARK_WOKEN, park_interruptibly(parker, 0.0) == PARK_TIMED_OUT
    parker_free(parker)
    return raw, waited, PARK_INTERRUPTED not in (PARK_WOKEN, PARK_TIMED_OUT)


def use_emitter(subscriber):
    cdef SerializedEmitter emitter = SerializedEmitter(subscriber)
    cdef Emission emitted = <Emission>emitter_emit(emitter, "element")
    ended = emitter_complete(emitter), emitter_fail(emitter, ValueError("late"))
    cdef Emission late = <Emission>emitter_emit(emitter, "late")
    names = {
        EMIT_ACCEPTED: "accepted",
        EMIT_DROPPED: "dropped",
        EMIT_OVERFLOWED: "overflowed",
        EMIT_TIMED_OUT: "timed_out",
        EMIT_TERMINATED: "terminated",
        EMIT_CANCELLED: "cancelled",
    }
    return names[emitted], ended, names[late]
