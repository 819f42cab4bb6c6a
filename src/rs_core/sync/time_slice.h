/* How a thread yields its time slice to a thread for which it waits without notification.

   With a GIL no thread can be in the middle of the awaited step, so there is nothing to do. This calls the system and
   not std::this_thread, which is a function of the C++ library on Windows: the core loads no C++ library. */
#ifndef RS_CORE_TIME_SLICE_H
#define RS_CORE_TIME_SLICE_H
#include <Python.h>

#ifndef Py_GIL_DISABLED
static inline void rs_yield_time_slice(void) {}
#else
# ifdef _WIN32
#  ifndef WIN32_LEAN_AND_MEAN
#   define WIN32_LEAN_AND_MEAN
#  endif
#  ifndef NOMINMAX
#   define NOMINMAX
#  endif
#  include <windows.h>
# else
#  include <sched.h>
# endif

/* Call it with a detached thread state, so that a stop of the world need not wait for this thread. */
static inline void rs_yield_time_slice(void) {
# ifdef _WIN32
    SwitchToThread();
# else
    sched_yield();
# endif
}
#endif
#endif
