/* A role for one thread at a time, such as the consumer of a ring, checked where Python code could violate it.

   With the GIL roles cannot overlap, because no user code runs inside a role: entering always succeeds and costs
   nothing. On free-threaded builds a second thread is refused, so that a mistake in Python raises and does not corrupt
   memory.
   Ordering: leave is a release that pairs with the acquire of enter; so a role may also move from thread to thread. */
#ifndef RS_CORE_ROLE_H
#define RS_CORE_ROLE_H
#include <Python.h>

#ifdef Py_GIL_DISABLED
#include <atomic>
#include <cstdint>

struct RsRole {
    std::atomic<uint32_t> taken{0};
};
/* acquire: pairs with the release in leave; the writes of the role's last thread are visible */
static inline bool rs_role_enter(RsRole &role) { return role.taken.exchange(1, std::memory_order_acquire) == 0; }
/* release: pairs with the acquire in enter */
static inline void rs_role_leave(RsRole &role) { role.taken.store(0, std::memory_order_release); }
#else
struct RsRole {};
static inline bool rs_role_enter(RsRole &) { return true; }
static inline void rs_role_leave(RsRole &) {}
#endif
#endif
