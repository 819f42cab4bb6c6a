# Loops for two and more threads that run at the same time, without the GIL. Waiting threads give up their time slice.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, intptr_t

from rs_core.sync.atomics cimport atomic_int64, memory_order_relaxed
from rs_core.demand cimport demand_add, demand_cancel, demand_take, demand_take_up_to
from rs_core.sync.parker cimport Parker, parker_free, parker_new, parker_park, parker_unpark
from rs_core.queues.spsc_ring cimport SpscSlots, spsc_capacity, spsc_free, spsc_new, spsc_offer, spsc_peek, spsc_poll
from rs_core.queues.spsc_ring cimport spsc_size

cdef extern from "<thread>" nogil:
    void yield_slice "std::this_thread::yield"() noexcept


cdef class NumberRing:
    """A ring of numbers in place of objects, so that no reference count and no collector is involved."""

    cdef SpscSlots* ring

    def __cinit__(self, int64_t capacity):
        self.ring = spsc_new(capacity)

    def __dealloc__(self):
        while spsc_poll(self.ring) is not NULL:  # what is left are no objects
            pass
        spsc_free(self.ring)

    def produce(self, int64_t count):
        """Offer 1, 2, ..., count; return how many offers found the ring full."""
        cdef int64_t number, refused = 0
        with nogil:
            for number in range(1, count + 1):
                while not spsc_offer(self.ring, <PyObject*><intptr_t>number):
                    refused += 1
                    yield_slice()
        return refused

    def consume(self, int64_t count):
        """Poll count numbers.

        Return how many were not the next one, or not the one that peek had shown, and how many looks found nothing.
        """
        cdef int64_t expected, wrong = 0, empty = 0
        cdef PyObject* peeked
        with nogil:
            for expected in range(1, count + 1):
                peeked = spsc_peek(self.ring)
                while peeked is NULL:
                    empty += 1
                    yield_slice()
                    peeked = spsc_peek(self.ring)
                if spsc_poll(self.ring) is not peeked or <intptr_t>peeked != expected:
                    wrong += 1
        return wrong, empty

    def observe(self, int64_t count):
        """Ask for the size count times; return how many answers were out of bounds."""
        cdef int64_t wrong = 0
        with nogil:
            for _ in range(count):
                if spsc_size(self.ring) > spsc_capacity(self.ring):
                    wrong += 1
        return wrong

    def push_and_pop(self, int64_t count, int64_t batch):
        """Offer and poll count numbers in this thread, a batch at a time."""
        cdef int64_t number = 0, in_batch
        with nogil:
            while number < count:
                for in_batch in range(batch):
                    spsc_offer(self.ring, <PyObject*><intptr_t>(number + in_batch + 1))
                for _ in range(batch):
                    spsc_poll(self.ring)
                number += batch


cdef class NumberDemand:
    """A demand that threads add to and take from without the GIL."""

    cdef atomic_int64 demand

    def __cinit__(self, int64_t start=0):
        self.demand.store(start, memory_order_relaxed)

    @property
    def value(self):
        return self.demand.load(memory_order_relaxed)

    def add(self, int64_t count, int64_t n):
        """Add n, count times; return how often the demand was 0 before."""
        cdef int64_t from_zero = 0
        with nogil:
            for _ in range(count):
                if demand_add(self.demand, n) == 0:
                    from_zero += 1
        return from_zero

    def take_up_to(self, int64_t total, int64_t n):
        """Take up to n at a time until there were total; return the most that came at once."""
        cdef int64_t taken = 0, got, most = 0
        with nogil:
            while taken < total:
                got = demand_take_up_to(self.demand, n)
                taken += got
                if got > most:
                    most = got
                if got == 0:
                    yield_slice()
        return most

    def take_what_is_seen(self, int64_t total):
        """Take what the demand is, again and again, until there were total.

        Return the least that was left after a take, and how often that was 0.
        """
        cdef int64_t taken = 0, seen, least = 0, left, to_zero = 0
        with nogil:
            while taken < total:
                seen = self.demand.load(memory_order_relaxed)
                if seen == 0:
                    yield_slice()
                    continue
                left = demand_take(self.demand, seen)
                taken += seen
                to_zero += left == 0
                if left < least:
                    least = left
        return least, to_zero

    def cancel(self):
        return demand_cancel(self.demand)


cdef class Ball:
    """Two threads wake each other in turn."""

    cdef Parker* first
    cdef Parker* second
    cdef atomic_int64 throws

    def __cinit__(self):
        self.first = parker_new()
        self.second = parker_new()
        self.throws.store(0, memory_order_relaxed)

    def __dealloc__(self):
        parker_free(self.first)
        parker_free(self.second)

    def play(self, int64_t rounds, bint starts):
        """Throw and wait, rounds times; return how many throws there were when the last one was caught."""
        cdef Parker* mine = self.first if starts else self.second
        cdef Parker* other = self.second if starts else self.first
        cdef int64_t seen = 0
        with nogil:
            for _ in range(rounds):
                if not starts:
                    parker_park(mine, -1)
                # relaxed: the parkers order it
                seen = self.throws.fetch_add(1, memory_order_relaxed) + 1
                parker_unpark(other)
                if starts:
                    parker_park(mine, -1)
        return seen
