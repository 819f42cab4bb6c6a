# Uses every function that the core exports below the stages; test_exported_names.py compares with the .pxd files.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.arguments cimport as_clamped_int64, as_count, shown, small_int
from rs_core.atomics cimport (
    atomic_int64,
    atomic_uint32,
    atomic_uint64,
    memory_order_acq_rel,
    memory_order_acquire,
    memory_order_relaxed,
    memory_order_release,
    memory_order_seq_cst,
)
from rs_core.demand cimport (
    Demand,
    as_demand,
    cancelled_demand,
    demand_add,
    demand_cancel,
    demand_take,
    demand_take_up_to,
    invalid_request,
    unbounded_demand,
)
from rs_core.object_handoff cimport handoff_owned, handoff_reference, owned
from rs_core.parker cimport (
    PARK_TIMED_OUT,
    PARK_WOKEN,
    Parker,
    park_interruptibly,
    parker_free,
    parker_new,
    parker_park,
    parker_unpark,
)
from rs_core.role cimport Role, role_enter, role_leave
from rs_core.spsc_ring cimport (
    MAX_RING_CAPACITY_ELEMENTS,
    SpscRing,
    SpscSlots,
    ring_capacity,
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


def use_arguments(n):
    return as_clamped_int64(n), as_count(n, "n", 0, 10), shown(n)


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


def use_public_ring(SpscRing ring not None, element):
    return spsc_offer(ring.slots, handoff_reference(<PyObject*>element)), MAX_RING_CAPACITY_ELEMENTS


def use_role():
    cdef Role role
    first, second = role_enter(role), role_enter(role)
    role_leave(role)
    return first, second, role_enter(role)


def use_parker():
    cdef Parker* parker = parker_new()
    parker_unpark(parker)
    raw = parker_park(parker, 0) == PARK_WOKEN, parker_park(parker, 0) == PARK_TIMED_OUT
    parker_unpark(parker)
    waited = park_interruptibly(parker, -1.0) == PARK_WOKEN, park_interruptibly(parker, 0.0) == PARK_TIMED_OUT
    parker_free(parker)
    return raw, waited
