/* A one-token parker: one thread waits until any other thread wakes it.

   Roles        the parked thread, one at a time: park. Any thread: unpark.
   Invariants   I1  the lock is released (its semaphore counts 1) only by the unpark that turned `permit` from 0 to 1.
                I2  the lock is acquired only by park, which then turns `permit` back to 0.
                So the semaphore never exceeds 1.
   Ordering     unpark: permit.exchange(acq_rel)  ->  park: permit.exchange(acq_rel): what a thread wrote before unpark
                is visible after the park that it ended, also if several unparks were combined into one permit. An
                unpark before park makes that park return immediately: nothing is lost between a check of the condition
                and the park. A permit may be left over from an unpark that no park waited for, so park may return
                early: its caller checks its condition again. Both sides exchange a flag that says "I am about to park":
                the second one then sees the earlier writes of the first. A plain store in its place needs a full fence
                before the second check. tests/interleavings/test_parker_model.py explores it, and the protocol around
                it.
   Progress     unpark: lock-free as far as the operating system's semaphore is. park waits by design.
   Source       one permit as in POSIX binary semaphores and Java's LockSupport; the lock is CPython's, since it is
                portable, timed and woken by signals, and needs no C++ library at run time. */
#ifndef RS_CORE_PARKER_H
#define RS_CORE_PARKER_H
#include <Python.h>

#include <atomic>
#include <cstdint>
#include <new>

enum RsParkOutcome { RS_PARK_WOKEN = 0, RS_PARK_TIMED_OUT = 1, RS_PARK_INTERRUPTED = 2 };

struct Parker {
    PyThread_type_lock lock; /* acquired, except between an unpark and the end of the park that it wakes */
    std::atomic<uint32_t> permit;
};

/* NULL: out of memory. */
static inline Parker *parker_new(void) {
    void *block = PyMem_RawMalloc(sizeof(Parker));
    if (block == NULL) return NULL;
    Parker *parker = new (block) Parker;
    parker->permit.store(0, std::memory_order_relaxed); /* relaxed: no other thread knows it yet */
    parker->lock = PyThread_allocate_lock();
    if (parker->lock == NULL) {
        PyMem_RawFree(block);
        return NULL;
    }
    PyThread_acquire_lock(parker->lock, NOWAIT_LOCK); /* a new lock is free */
    return parker;
}

/* No thread is parked and none will unpark any more. */
static inline void parker_free(Parker *parker) {
    if (parker->permit.load(std::memory_order_acquire) == 0) /* acquire: pairs with the release of the last unpark */
        PyThread_release_lock(parker->lock);                 /* some systems cannot free a held lock */
    PyThread_free_lock(parker->lock);
    PyMem_RawFree(parker);
}

static inline void parker_unpark(Parker *parker) {
    /* release: pairs with the acquire in park; else the woken thread may not see the reason of the wake-up */
    if (parker->permit.exchange(1, std::memory_order_acq_rel) == 0) PyThread_release_lock(parker->lock); /* I1 */
}

/* Wait for a permit and use it up; timeout_us < 0 waits forever. Call it without the GIL (with a detached thread
   state). On Windows no signal interrupts it. */
static inline int parker_park(Parker *parker, int64_t timeout_us) {
    PY_TIMEOUT_T limit_us = timeout_us < 0 ? -1 : (PY_TIMEOUT_T)timeout_us;
    if (timeout_us > PY_TIMEOUT_MAX) limit_us = PY_TIMEOUT_MAX; /* CPython ends the process for larger values */
    switch (PyThread_acquire_lock_timed(parker->lock, limit_us, 1)) {
    case PY_LOCK_ACQUIRED:
        /* acquire: pairs with the release of every unpark since the last park (I2). An exchange, not a store: an
           unpark that found the permit still there did not release the lock, and must be seen here. */
        parker->permit.exchange(0, std::memory_order_acq_rel);
        return RS_PARK_WOKEN;
    case PY_LOCK_INTR:
        return RS_PARK_INTERRUPTED;
    default:
        return RS_PARK_TIMED_OUT;
    }
}
#endif
