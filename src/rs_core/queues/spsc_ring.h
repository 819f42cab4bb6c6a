/* A bounded queue of object pointers from one producer to one consumer.

   Roles        the producer, one thread at a time: offer. The consumer, one thread at a time: poll, peek, clear.
                Any thread: size, capacity. The collector: traverse. A role may move to another thread through anything
                that orders memory (a lock, the GIL, a token that is passed on by release and acquire).
   Requires     an attached thread state (the GIL, where there is one) for a thread that moves objects that the
                collector tracks through a ring that it traverses. Without one an element could leave the ring between
                two passes of a collection, be treated as garbage and be cleared while the consumer holds it.
   Ownership    offer steals the caller's reference if it returns true; poll passes it to the caller; peek lends it
                until the next poll. Only clear and free drop references.
   Invariants   I1  consumer_index <= producer_index <= consumer_index + capacity, as the two roles see them.
                I2  slots[i & mask] owns a reference exactly for consumer_index <= i < producer_index.
                I3  cached_consumer_index <= consumer_index and cached_producer_index <= producer_index: a cached copy
                    can only err towards "full" and "empty", and is refreshed before that is reported.
   Ordering     P1  offer: producer_index.store(release)  ->  poll, peek, traverse, size: load(acquire).
                    Otherwise an index is visible before its element, and the consumer takes an old pointer.
                P2  poll: consumer_index.store(release)  ->  offer, size: load(acquire).
                    Otherwise the producer overwrites a slot that the consumer has not read yet.
                Each role reads its own index relaxed: no other thread writes it.
                tests/interleavings/test_spsc_ring_model.py explores both pairs, with each half weakened.
   Progress     every operation is wait-free; clear and traverse are linear in the elements.
   Overflow     indices only grow: at one element a nanosecond 2^64 are used up after 584 years. An index is never
   and reuse    compared across a wrap, and slots are reused only after P2, so there is no ABA.
   Source       Lamport, "Specifying concurrent program modules" (1983), for the two indices; Lee, Bu and Chandranmenon,
                "A lock-free, cache-efficient shared ring buffer" (2009), for the private copies. Here the logical
                capacity may be any number; the slots follow the header in the same block. */
#ifndef RS_CORE_SPSC_RING_H
#define RS_CORE_SPSC_RING_H
#include <Python.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "sync/cache_line.h"

struct SpscSlots {
    /* Written once. `block` is the address from the allocator: Python's allocators align only to 16 bytes. */
    void *block;
    uint64_t capacity;
    uint64_t mask;
    /* The producer writes this line. */
    alignas(RS_CACHE_LINE_BYTES) std::atomic<uint64_t> producer_index;
    uint64_t cached_consumer_index;
    /* The consumer writes this line. */
    alignas(RS_CACHE_LINE_BYTES) std::atomic<uint64_t> consumer_index;
    uint64_t cached_producer_index;
};

static_assert(sizeof(SpscSlots) % RS_CACHE_LINE_BYTES == 0, "the slots start on their own cache line");

static inline PyObject **spsc_slots(SpscSlots *ring) { return reinterpret_cast<PyObject **>(ring + 1); }

static inline uint64_t spsc_slot_count(uint64_t capacity) {
    uint64_t count = 1;
    while (count < capacity) count <<= 1;
    return count;
}

static inline size_t spsc_allocated_bytes(const SpscSlots *ring) {
    return RS_CACHE_LINE_BYTES + sizeof(SpscSlots) + static_cast<size_t>(ring->mask + 1) * sizeof(PyObject *);
}

/* Make an empty ring for 1 <= capacity <= 2^24 elements; NULL if memory is short. Slots stay untouched until used. */
static inline SpscSlots *spsc_new(uint64_t capacity) {
    uint64_t count = spsc_slot_count(capacity);
    void *block =
        PyMem_RawMalloc(RS_CACHE_LINE_BYTES + sizeof(SpscSlots) + static_cast<size_t>(count) * sizeof(PyObject *));
    if (block == NULL) return NULL;
    uintptr_t aligned = (reinterpret_cast<uintptr_t>(block) + RS_CACHE_LINE_BYTES - 1) & ~(RS_CACHE_LINE_BYTES - 1);
    SpscSlots *ring = new (reinterpret_cast<void *>(aligned)) SpscSlots;
    ring->block = block;
    ring->capacity = capacity;
    ring->mask = count - 1;
    /* relaxed: sharing the ring with another thread publishes it */
    ring->producer_index.store(0, std::memory_order_relaxed);
    ring->consumer_index.store(0, std::memory_order_relaxed);
    ring->cached_consumer_index = 0;
    ring->cached_producer_index = 0;
    return ring;
}

/* Producer: steal the element and return true, or return false if the ring is full. */
static inline bool spsc_offer(SpscSlots *ring, PyObject *element) {
    uint64_t index = ring->producer_index.load(std::memory_order_relaxed); /* relaxed: its own index */
    if (index - ring->cached_consumer_index >= ring->capacity) {
        /* acquire: pairs with the release in poll (P2); otherwise the element overwrites one that is not read yet */
        ring->cached_consumer_index = ring->consumer_index.load(std::memory_order_acquire);
        if (index - ring->cached_consumer_index >= ring->capacity) return false;
    }
    spsc_slots(ring)[index & ring->mask] = element;
    /* release: pairs with the acquire in poll (P1); otherwise an index is visible before its element */
    ring->producer_index.store(index + 1, std::memory_order_release);
    return true;
}

/* Producer: how many offers will succeed at least, in any case. */
static inline uint64_t spsc_free_slots(SpscSlots *ring) {
    /* acquire: pairs with the release in poll (P2), for the offers that rely on the result */
    ring->cached_consumer_index = ring->consumer_index.load(std::memory_order_acquire);
    /* relaxed: its own index */
    return ring->capacity - (ring->producer_index.load(std::memory_order_relaxed) - ring->cached_consumer_index);
}

/* Consumer: whether there is an element at this index, its own. */
static inline bool spsc_has(SpscSlots *ring, uint64_t index) {
    if (index != ring->cached_producer_index) return true;
    /* acquire: pairs with the release in offer (P1); otherwise the slot is read before its element is stored */
    ring->cached_producer_index = ring->producer_index.load(std::memory_order_acquire);
    return index != ring->cached_producer_index;
}

/* Consumer: lend the next element, or return NULL if the ring is empty. */
static inline PyObject *spsc_peek(SpscSlots *ring) {
    uint64_t index = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: its own index */
    return spsc_has(ring, index) ? spsc_slots(ring)[index & ring->mask] : NULL;
}

/* Consumer: pass the next element to the caller, or return NULL if the ring is empty. */
static inline PyObject *spsc_poll(SpscSlots *ring) {
    uint64_t index = ring->consumer_index.load(std::memory_order_relaxed); /* relaxed: its own index */
    if (!spsc_has(ring, index)) return NULL;
    PyObject *element = spsc_slots(ring)[index & ring->mask];
    /* release: pairs with the acquire in offer (P2); otherwise the slot is reused before it was read */
    ring->consumer_index.store(index + 1, std::memory_order_release);
    return element;
}

/* Any thread: the number of elements at some moment during the call; exact for a role while the other one rests. */
static inline uint64_t spsc_size(const SpscSlots *ring) {
    /* acquire, in this order: the producer's index is read later, so it is not below the consumer's (I1) */
    uint64_t first = ring->consumer_index.load(std::memory_order_acquire);
    /* acquire: a counted element can be read (P1) */
    uint64_t size = ring->producer_index.load(std::memory_order_acquire) - first;
    return size < ring->capacity ? size : ring->capacity; /* both sides may have moved between the two loads */
}

static inline uint64_t spsc_capacity(const SpscSlots *ring) { return ring->capacity; }

/* The collector: visit each element. Its caller holds the GIL or has stopped the other threads (Roles). */
static inline int spsc_traverse(SpscSlots *ring, visitproc visit, void *argument) {
    uint64_t index = ring->consumer_index.load(std::memory_order_acquire); /* acquire: P2, from the consumer's thread */
    uint64_t end = ring->producer_index.load(std::memory_order_acquire);   /* acquire: P1, from the producer's thread */
    for (; index != end; ++index) {
        int stop = visit(spsc_slots(ring)[index & ring->mask], argument);
        if (stop) return stop;
    }
    return 0;
}

/* Consumer: drop the current elements. Runs user code (finalizers), each time after the element was removed. Elements
   that a finalizer offers stay: the number is fixed first, so the loop always ends. */
static inline void spsc_clear(SpscSlots *ring) {
    for (uint64_t remaining = spsc_size(ring); remaining > 0; --remaining) {
        PyObject *element = spsc_poll(ring);
        if (element == NULL) return; /* a finalizer has polled */
        Py_DECREF(element);
    }
}

/* Drop the remaining elements and free the ring; no thread and no finalizer can reach it any more. Runs user code
   (finalizers). */
static inline void spsc_free(SpscSlots *ring) {
    for (PyObject *element = spsc_poll(ring); element != NULL; element = spsc_poll(ring)) Py_DECREF(element);
    PyMem_RawFree(ring->block);
}

#endif
