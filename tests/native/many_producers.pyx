# Loops for several threads on the ring of many producers, without the GIL. Waiting threads give up their time slice.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, intptr_t

from rs_core.queues.mpsc_ring cimport (
    MPSC_ACCEPTED,
    MPSC_BUSY,
    MPSC_CLOSED,
    MPSC_FULL,
    MpscSlots,
    mpsc_capacity,
    mpsc_close,
    mpsc_evict,
    mpsc_free,
    mpsc_is_closed,
    mpsc_new,
    mpsc_offer,
    mpsc_peek,
    mpsc_poll,
    mpsc_size,
)

cdef extern from "<thread>" nogil:
    void yield_slice "std::this_thread::yield"() noexcept

# A number carries its producer in the upper half.
cdef int64_t SHIFT = 40


cdef class ManyProducerRing:
    """A ring of numbers in place of objects, so that no reference count and no collector is involved."""

    cdef MpscSlots* ring

    def __cinit__(self, int64_t capacity):
        self.ring = mpsc_new(capacity)

    def __dealloc__(self):
        while mpsc_poll(self.ring) is not NULL:  # what is left are no objects
            pass
        mpsc_free(self.ring)

    def produce(self, int64_t producer, int64_t count):
        """Offer 1, 2, ..., count, marked with the producer; return how many offers were made."""
        cdef int64_t number, offers = 0
        with nogil:
            for number in range(1, count + 1):
                offers += 1
                while mpsc_offer(self.ring, <PyObject*><intptr_t>(number | producer << SHIFT)) != MPSC_ACCEPTED:
                    offers += 1
                    yield_slice()
        return offers

    def produce_until_closed(self, int64_t producer, int64_t last):
        """Offer 1, 2, ... until the ring is closed; close it after this number (0: never).

        Return how many were accepted and how many answers were wrong: accepted after one that was refused as closed,
        or refused as closed by a ring that does not say that it is.
        """
        cdef int64_t number = 1, wrong = 0
        cdef int answer
        with nogil:
            while True:
                answer = mpsc_offer(self.ring, <PyObject*><intptr_t>(number | producer << SHIFT))
                if answer == MPSC_ACCEPTED:
                    number += 1
                    if number - 1 == last:
                        mpsc_close(self.ring)
                elif answer == MPSC_CLOSED:
                    if not mpsc_is_closed(self.ring):
                        wrong += 1
                    if mpsc_offer(self.ring, <PyObject*><intptr_t>number) != MPSC_CLOSED:
                        wrong += 1
                    break
                else:
                    wrong += answer == MPSC_BUSY  # nobody evicts
                    yield_slice()
        return number - 1, wrong

    def produce_evicting(self, int64_t producer, int64_t count):
        """Offer 1, 2, ..., count; where the ring is full, evict.

        Return how many were evicted, their sum, and how many offers were made.
        """
        cdef int64_t number, evicted = 0, total = 0, offers = 0
        cdef int answer
        cdef PyObject* oldest
        with nogil:
            for number in range(1, count + 1):
                while True:
                    offers += 1
                    answer = mpsc_offer(self.ring, <PyObject*><intptr_t>(number | producer << SHIFT))
                    if answer == MPSC_ACCEPTED:
                        break
                    if answer == MPSC_FULL:
                        oldest = mpsc_evict(self.ring)
                        if oldest is not NULL:
                            evicted += 1
                            total += <int64_t><intptr_t>oldest & ((<int64_t>1 << SHIFT) - 1)
                            continue
                    yield_slice()
        return evicted, total, offers

    def consume(self, int64_t producers, int64_t count):
        """Poll until each producer's last number came.

        Return how many came out of order or not as peek had shown them, and how many polls found nothing.
        """
        cdef int64_t last[8]
        cdef int64_t remaining = producers * count, wrong = 0, empty = 0, number, producer
        cdef PyObject* peeked
        for producer in range(8):
            last[producer] = 0
        with nogil:
            while remaining > 0:
                peeked = mpsc_peek(self.ring)
                if peeked is NULL:
                    empty += 1
                    yield_slice()
                    continue
                if mpsc_poll(self.ring) is not peeked:
                    wrong += 1
                number = <int64_t><intptr_t>peeked & ((<int64_t>1 << SHIFT) - 1)
                producer = <int64_t><intptr_t>peeked >> SHIFT
                if number != last[producer] + 1:
                    wrong += 1
                last[producer] = number
                remaining -= 1
        return wrong, empty

    def take(self, bint evicts):
        """Poll, or evict as it must be where producers evict, until the ring is closed and empty.

        Return how many came, their sum, and how many were out of order.
        """
        cdef int64_t last[8]
        cdef int64_t taken = 0, total = 0, wrong = 0, number, producer
        cdef bint is_last = False
        cdef PyObject* oldest
        for producer in range(8):
            last[producer] = 0
        with nogil:
            while True:
                oldest = mpsc_evict(self.ring) if evicts else mpsc_poll(self.ring)
                if oldest is NULL:
                    if is_last and mpsc_size(self.ring) == 0:
                        break
                    is_last = mpsc_is_closed(self.ring)
                    yield_slice()
                    continue
                number = <int64_t><intptr_t>oldest & ((<int64_t>1 << SHIFT) - 1)
                producer = <int64_t><intptr_t>oldest >> SHIFT
                if number <= last[producer]:
                    wrong += 1
                last[producer] = number
                taken += 1
                total += number
        return taken, total, wrong

    def close(self):
        return mpsc_close(self.ring)

    def observe(self, int64_t count):
        """Ask for the size count times; return how many answers were out of bounds."""
        cdef int64_t wrong = 0
        with nogil:
            for _ in range(count):
                if mpsc_size(self.ring) > mpsc_capacity(self.ring):
                    wrong += 1
        return wrong

    def push_and_pop(self, int64_t count, int64_t batch):
        """Offer and poll count numbers in this thread, a batch at a time."""
        cdef int64_t number = 0, in_batch
        with nogil:
            while number < count:
                for in_batch in range(batch):
                    mpsc_offer(self.ring, <PyObject*><intptr_t>(number + in_batch + 1))
                for _ in range(batch):
                    mpsc_poll(self.ring)
                number += batch
