/* A bounded queue of object pointers from many producers to one consumer; producers may close it and evict from it.

   Roles        producers, any number of threads at once: offer, close, evict. The consumer, one thread at a time: poll,
                peek, clear. Any thread: size, capacity, is_closed. The collector: traverse.
   Requires     as spsc_ring.h: an attached thread state for a thread that moves objects that the collector tracks
                through a ring that it traverses. With a GIL no other thread then runs Python code, or the collector,
                between two steps of an operation here.
   Ownership    offer steals the caller's reference if it returns MPSC_ACCEPTED; poll and evict pass theirs to the
                caller; peek lends it until the next poll, and no thread may evict meanwhile. Only clear and free drop
                references.
   Invariants   I1  consumer_index <= producer_index <= consumer_index + capacity; both only grow. The highest bit of
                    the producer's word is CLOSED; it is set once, and no index is claimed after that.
                I2  A thread that moves an index by CAS from i to i + 1 has claimed position i, and only it accesses the
                    slot until it stores the slot's sequence.
                I3  The sequence of the slot of position i (i modulo the number of slots) is i: free for the producer
                    of i; i + 1: holds the element of i, which owns a reference; i + slots: free for the next round.
                I4  Elements of one producer leave in the order of its offers, because it claims one after the other.
   Ordering     P1  offer: sequence.store(i + 1, release)  ->  poll, peek, evict, traverse: sequence.load(acquire).
                    Otherwise the element is taken before it is stored.
                P2  poll, evict: sequence.store(i + slots, release)  ->  offer: sequence.load(acquire).
                    Otherwise the producer overwrites a slot that was not read yet.
                P3  close: producer_index.fetch_or(acq_rel)  ->  is_closed, is_idle, size: load(acquire).
                    A thread that sees the ring closed sees every position that was claimed before, and the earlier
                    writes of the closer. The result MPSC_CLOSED alone orders nothing.
                P4  poll, evict: consumer_index moves with release  ->  offer, is_idle, size, traverse: load(acquire).
                    Otherwise a full ring has free capacity while its slot seems taken (offer returns MPSC_BUSY though
                    no thread evicts), and size sees the consumer ahead of the producers.
                A producer's claim is relaxed: the sequence publishes the element, and for a thread that sees the
                consumer beyond a position, the claim of that position happened before, by P1 and P4.
                tests/interleavings/test_mpsc_ring_model.py explores the pairs and the claims, with each one weakened.
   Progress     poll, peek: wait-free. offer, evict: lock-free; a CAS fails only because another one succeeded. There is
                one window: a producer that is preempted between its claim and its publication (not possible with a GIL)
                hides the later elements from the consumer, and from evict, until it continues; it publishes before it
                notifies, so no thread that waits for a notification waits forever, and no thread spins.
   Overflow     63 bits of index are used up after 292 years at one element a nanosecond. A slot is claimed again only
   and reuse    after P2, and the sequence distinguishes the rounds, so there is no ABA.
   Source       Vyukov, "Bounded MPMC queue" (2010), for the sequence of each slot. Here the logical capacity may be any
                number, producers can close, and the sole consumer claims without a CAS unless producers evict. */
#ifndef RS_CORE_MPSC_RING_H
#define RS_CORE_MPSC_RING_H
#include <Python.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "sync/cache_line.h"

enum { MPSC_ACCEPTED, MPSC_FULL, MPSC_BUSY, MPSC_CLOSED };

static constexpr uint64_t MPSC_CLOSED_BIT = UINT64_C(1) << 63;

struct MpscSlot {
    std::atomic<uint64_t> sequence;
    PyObject *element;
};

struct MpscSlots {
    /* Written once. `block` is the address from the allocator: Python's allocators align only to 16 bytes. */
    void *block;
    uint64_t capacity;
    uint64_t mask;
    /* Producers write this line; the highest bit is CLOSED. */
    alignas(RS_CACHE_LINE_BYTES) std::atomic<uint64_t> producer_index;
    /* The consumer writes this line, and producers that evict. */
    alignas(RS_CACHE_LINE_BYTES) std::atomic<uint64_t> consumer_index;
};

static_assert(sizeof(MpscSlots) % RS_CACHE_LINE_BYTES == 0, "the slots start on their own cache line");

static inline MpscSlot *mpsc_slot(MpscSlots *ring, uint64_t position) {
    return reinterpret_cast<MpscSlot *>(ring + 1) + (position & ring->mask);
}

/* At least two: with one slot the sequences of "holds i" and "free for i + 1" would be the same number (I3). */
static inline uint64_t mpsc_slot_count(uint64_t capacity) {
    uint64_t count = 2;
    while (count < capacity) count <<= 1;
    return count;
}

static inline size_t mpsc_allocated_bytes(const MpscSlots *ring) {
    return RS_CACHE_LINE_BYTES + sizeof(MpscSlots) + static_cast<size_t>(ring->mask + 1) * sizeof(MpscSlot);
}

/* Make an empty ring for 1 <= capacity <= 2^24 elements; NULL if memory is short. */
static inline MpscSlots *mpsc_new(uint64_t capacity) {
    uint64_t count = mpsc_slot_count(capacity);
    void *block =
        PyMem_RawMalloc(RS_CACHE_LINE_BYTES + sizeof(MpscSlots) + static_cast<size_t>(count) * sizeof(MpscSlot));
    if (block == NULL) return NULL;
    uintptr_t aligned = (reinterpret_cast<uintptr_t>(block) + RS_CACHE_LINE_BYTES - 1) & ~(RS_CACHE_LINE_BYTES - 1);
    MpscSlots *ring = new (reinterpret_cast<void *>(aligned)) MpscSlots;
    ring->block = block;
    ring->capacity = capacity;
    ring->mask = count - 1;
    /* relaxed: sharing the ring with another thread publishes it */
    ring->producer_index.store(0, std::memory_order_relaxed);
    ring->consumer_index.store(0, std::memory_order_relaxed);
    for (uint64_t position = 0; position < count; ++position) {
        MpscSlot *slot = new (mpsc_slot(ring, position)) MpscSlot;
        slot->sequence.store(position, std::memory_order_relaxed); /* relaxed: as above */
        slot->element = NULL;
    }
    return ring;
}

/* Producers: whether the capacity has room for the element of this position. If not, the ring was full when the
   consumer's index was read, although the position may be old: the producers' index was not below it. If the position
   is older than the consumer's index, the difference is below 0. */
static inline bool mpsc_has_room(const MpscSlots *ring, uint64_t position) {
    /* acquire: pairs with the release in poll and evict (P4), for a caller that reads the sequence after this */
    uint64_t taken = ring->consumer_index.load(std::memory_order_acquire);
    return static_cast<int64_t>(position - taken) < static_cast<int64_t>(ring->capacity);
}

/* Producers: steal the element (MPSC_ACCEPTED), or leave it to the caller: MPSC_FULL, MPSC_CLOSED, or MPSC_BUSY if an
   evicting thread has claimed the slot's old element and has not read it yet (not possible with a GIL). */
static inline int mpsc_offer(MpscSlots *ring, PyObject *element) {
    uint64_t position = ring->producer_index.load(std::memory_order_relaxed); /* relaxed: the CAS checks it */
    for (;;) {
        if (position & MPSC_CLOSED_BIT) return MPSC_CLOSED;
        MpscSlot *slot = mpsc_slot(ring, position);
        /* acquire: pairs with the release in poll and evict (P2); else an element is overwritten before it is read */
        int64_t ahead = static_cast<int64_t>(slot->sequence.load(std::memory_order_acquire) - position);
        if (ahead == 0) {
            if (!mpsc_has_room(ring, position)) return MPSC_FULL;
            /* relaxed: a claim alone (I2), the sequence below publishes; also fails if the ring was closed */
            if (ring->producer_index.compare_exchange_weak(
                    position, position + 1, std::memory_order_relaxed, std::memory_order_relaxed)) {
                slot->element = element;
                /* release: pairs with the acquire in poll (P1); else the slot is read before its element is stored */
                slot->sequence.store(position + 1, std::memory_order_release);
                return MPSC_ACCEPTED;
            }
        } else if (ahead < 0) {
            if (!mpsc_has_room(ring, position)) return MPSC_FULL;
            /* The consumer frees the slot before it moves its index, so it may have done so since; an evicting thread
               moves the index first.
               acquire: pairs with the release in poll and evict (P2); else the next round may see the slot as before */
            if (static_cast<int64_t>(slot->sequence.load(std::memory_order_acquire) - position) < 0) return MPSC_BUSY;
        } else {
            position = ring->producer_index.load(std::memory_order_relaxed); /* relaxed: another producer was faster */
        }
    }
}

/* Producers: accept no more elements from any thread; return whether this call closed the ring. */
static inline bool mpsc_close(MpscSlots *ring) {
    /* acq_rel: release pairs with the acquire in is_closed (P3); a second closer acquires the writes of the first */
    return (ring->producer_index.fetch_or(MPSC_CLOSED_BIT, std::memory_order_acq_rel) & MPSC_CLOSED_BIT) == 0;
}

/* Any thread: whether the ring accepts no more elements. */
static inline bool mpsc_is_closed(const MpscSlots *ring) {
    /* acquire: pairs with the release in close (P3) */
    return (ring->producer_index.load(std::memory_order_acquire) & MPSC_CLOSED_BIT) != 0;
}

/* Free a slot that was read at this position. */
static inline void mpsc_free_slot(MpscSlots *ring, MpscSlot *slot, uint64_t position) {
    /* release: pairs with the acquire in offer (P2); otherwise the slot is written before it was read */
    slot->sequence.store(position + ring->mask + 1, std::memory_order_release);
}

/* Consumer, while no thread evicts: pass the next element to the caller; NULL: nothing is published at its position. */
static inline PyObject *mpsc_poll(MpscSlots *ring) {
    uint64_t position = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: its own index */
    MpscSlot *slot = mpsc_slot(ring, position);
    /* acquire: pairs with the release in offer (P1); otherwise the element is taken before it is stored */
    if (slot->sequence.load(std::memory_order_acquire) != position + 1) return NULL;
    PyObject *element = slot->element;
    mpsc_free_slot(ring, slot, position);
    /* release: pairs with the acquire in offer (P4); so free capacity means a free slot */
    ring->consumer_index.store(position + 1, std::memory_order_release);
    return element;
}

/* Any thread: take the oldest element out; NULL: nothing is published at that position. For rings whose producers
   evict, it is also the consumer's poll. */
static inline PyObject *mpsc_evict(MpscSlots *ring) {
    uint64_t position = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: the CAS checks it */
    for (;;) {
        MpscSlot *slot = mpsc_slot(ring, position);
        /* acquire: pairs with the release in offer (P1); otherwise the element is taken before it is stored */
        int64_t ahead = static_cast<int64_t>(slot->sequence.load(std::memory_order_acquire) - (position + 1));
        if (ahead < 0) return NULL;
        if (ahead > 0) {
            position = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: another thread took it */
            continue;
        }
        /* release: pairs with the acquire in size (P4), so that the producer's claim is seen before this one; the
           sequence publishes the element here and the free slot back */
        if (ring->consumer_index.compare_exchange_weak(
                position, position + 1, std::memory_order_release, std::memory_order_relaxed)) {
            PyObject *element = slot->element;
            mpsc_free_slot(ring, slot, position);
            return element;
        }
    }
}

/* Consumer, while no thread evicts: lend the next element; NULL as in poll. */
static inline PyObject *mpsc_peek(MpscSlots *ring) {
    uint64_t position = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: its own index */
    MpscSlot *slot = mpsc_slot(ring, position);
    /* acquire: pairs with the release in offer (P1) */
    return slot->sequence.load(std::memory_order_acquire) == position + 1 ? slot->element : NULL;
}

/* Any thread: the number of claimed positions at some moment during the call; exact while no other thread uses it. */
static inline uint64_t mpsc_size(const MpscSlots *ring) {
    /* acquire (P4), in this order: the producers' index is read later, so it is not below the consumer's (I1) */
    uint64_t first = ring->consumer_index.load(std::memory_order_acquire);
    /* acquire: P3 */
    uint64_t size = (ring->producer_index.load(std::memory_order_acquire) & ~MPSC_CLOSED_BIT) - first;
    return size < ring->capacity ? size : ring->capacity; /* both sides may have moved between the two loads */
}

/* Any thread: whether the ring is open and no position was claimed, at some moment during the call. */
static inline bool mpsc_is_idle(const MpscSlots *ring) {
    uint64_t first = ring->consumer_index.load(std::memory_order_acquire); /* acquire: as in size */
    return ring->producer_index.load(std::memory_order_acquire) == first;  /* acquire: P3; closed, it has a bit more */
}

static inline uint64_t mpsc_capacity(const MpscSlots *ring) { return ring->capacity; }

/* The collector: visit each element. Its caller holds the GIL or has stopped the other threads (Requires). */
static inline int mpsc_traverse(MpscSlots *ring, visitproc visit, void *argument) {
    uint64_t position = ring->consumer_index.load(std::memory_order_acquire); /* acquire: P4 */
    /* acquire: from a producer's thread */
    uint64_t end = ring->producer_index.load(std::memory_order_acquire) & ~MPSC_CLOSED_BIT;
    for (; position != end; ++position) {
        MpscSlot *slot = mpsc_slot(ring, position);
        if (slot->sequence.load(std::memory_order_acquire) != position + 1) continue; /* acquire: P1; not stored yet */
        int stop = visit(slot->element, argument);
        if (stop) return stop;
    }
    return 0;
}

/* Consumer: drop the current elements. Runs user code (finalizers), each time after the element was removed. Elements
   that a finalizer offers stay: the number is fixed first, so the loop always ends. */
static inline void mpsc_clear(MpscSlots *ring) {
    for (uint64_t remaining = mpsc_size(ring); remaining > 0; --remaining) {
        PyObject *element = mpsc_evict(ring);
        if (element == NULL) return; /* a finalizer has polled */
        Py_DECREF(element);
    }
}

/* Drop the remaining elements and free the ring; no thread and no finalizer can reach it any more. Runs user code
   (finalizers). */
static inline void mpsc_free(MpscSlots *ring) {
    for (PyObject *element = mpsc_evict(ring); element != NULL; element = mpsc_evict(ring)) Py_DECREF(element);
    PyMem_RawFree(ring->block);
}

#endif
