/* Use by one thread at a time, such as that of a ring's consumer, checked where Python code could violate it.

   With the GIL uses cannot overlap, because no user code runs inside of one: entering always succeeds and costs
   nothing. On free-threaded builds a second thread is refused, so that a mistake in Python raises and does not corrupt
   memory.
   Ordering: leave is a release that pairs with the acquire of enter; so the use may move from thread to thread. */
#ifndef RS_CORE_EXCLUSIVE_USE_H
#define RS_CORE_EXCLUSIVE_USE_H
#include <Python.h>

#ifdef Py_GIL_DISABLED
#include <atomic>
#include <cstdint>

struct RsExclusiveUse {
    std::atomic<uint32_t> taken{0};
};
static inline bool rs_exclusive_enter(RsExclusiveUse &use) {
    /* acquire: pairs with the release in leave; what the thread before wrote is visible */
    return use.taken.exchange(1, std::memory_order_acquire) == 0;
}
/* release: pairs with the acquire in enter */
static inline void rs_exclusive_leave(RsExclusiveUse &use) { use.taken.store(0, std::memory_order_release); }
#else
struct RsExclusiveUse {};
static inline bool rs_exclusive_enter(RsExclusiveUse &) { return true; }
static inline void rs_exclusive_leave(RsExclusiveUse &) {}
#endif
#endif
