# The C interface: `from rs_core cimport Demand, SpscRing`. docs/reference/c-interface.md says what is promised of each
# name, and which modules an extension loads that imports it from here.

from rs_core.abi cimport BUILT_FOR_ABI
from rs_core.authors.async_subscriber cimport AsyncBaseSubscriber
from rs_core.authors.processor cimport BaseProcessor
from rs_core.authors.subscriber cimport BaseSubscriber
from rs_core.authors.subscription cimport BaseSubscription
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
from rs_core.emitter cimport SerializedEmitter, emitter_complete, emitter_emit, emitter_fail
from rs_core.interp.arguments cimport as_clamped_int64, as_count, safe_repr, small_int
from rs_core.interp.calls cimport (
    call1,
    call2,
    caught,
    decref,
    error_occurred,
    incref,
    int_from_int64,
    next_of,
    none_pointer,
    truth,
    xdecref,
)
from rs_core.interp.object_handoff cimport handoff_owned, handoff_reference, owned
from rs_core.interp.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc
from rs_core.queues.bounded_ring cimport BoundedRing, MAX_RING_CAPACITY_ELEMENTS, ring_capacity
from rs_core.queues.mpsc_ring cimport (
    MPSC_ACCEPTED,
    MPSC_BUSY,
    MPSC_CLOSED,
    MPSC_FULL,
    MpscRing,
    MpscSlots,
    mpsc_allocated_bytes,
    mpsc_capacity,
    mpsc_clear,
    mpsc_close,
    mpsc_evict,
    mpsc_free,
    mpsc_is_closed,
    mpsc_new,
    mpsc_offer,
    mpsc_peek,
    mpsc_poll,
    mpsc_size,
    mpsc_traverse,
)
from rs_core.queues.overflow_queue cimport (
    EMIT_ACCEPTED,
    EMIT_CANCELLED,
    EMIT_DROPPED,
    EMIT_OVERFLOWED,
    EMIT_TERMINATED,
    EMIT_TIMED_OUT,
    Emission,
)
from rs_core.queues.spsc_ring cimport (
    SpscRing,
    SpscSlots,
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
from rs_core.stream.subscription cimport (
    ACCEPTED,
    CONSUMED,
    DROPPED,
    DemandOwner,
    FORWARDED,
    LEAVE,
    Outcome,
    REPLACED,
    STOPPED,
    Stage,
    TerminalResult,
    count,
    drop_signal,
    push,
    release_failed,
    request_number,
    request_upstream,
)
from rs_core.sync.atomics cimport (
    atomic_int64,
    atomic_uint32,
    atomic_uint64,
    gil_int64,
    gil_uint32,
    gil_uint64,
    gil_word,
    memory_order,
    memory_order_acq_rel,
    memory_order_acquire,
    memory_order_relaxed,
    memory_order_release,
    memory_order_seq_cst,
)
from rs_core.sync.exclusive_use cimport ExclusiveUse, exclusive_enter, exclusive_leave
from rs_core.sync.parker cimport (
    PARK_INTERRUPTED,
    PARK_TIMED_OUT,
    PARK_WOKEN,
    Parker,
    park_interruptibly,
    parker_free,
    parker_new,
    parker_park,
    parker_unpark,
)
