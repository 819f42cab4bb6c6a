/* The thread that runs something, such as the hooks of a subscription: a mark that only that thread recognizes.

   Requires: GIL, where there is one.
   Ordering: relaxed throughout. A thread finds its own number only if it wrote it itself, so its own program order is
   enough; any other value, old or new, is not its number and means the same. A thread that enters leaves in the same
   call, or the mark is freed with its object: the number of an ended thread, which another thread may get, does not
   remain. */
#ifndef RS_CORE_THREAD_OWNER_H
#define RS_CORE_THREAD_OWNER_H
#include <Python.h>

#include "sync/gil_word.h"

class RsThreadOwner {
    RsGilWord<unsigned long> thread;  // 0: none

  public:
    RsThreadOwner() { thread.store(0, std::memory_order_relaxed); }
    void enter() { thread.store(PyThread_get_thread_ident(), std::memory_order_relaxed); }
    void leave() { thread.store(0, std::memory_order_relaxed); }
    bool is_mine() { return thread.load(std::memory_order_relaxed) == PyThread_get_thread_ident(); }
};
#endif
