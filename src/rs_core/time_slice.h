/* How a thread gives up its time slice to one that it waits for and that does not know of it.

   Where there is a GIL nothing is ever in the middle of what is waited for, so there is nothing to do. */
#ifndef RS_CORE_TIME_SLICE_H
#define RS_CORE_TIME_SLICE_H
#include <Python.h>

#ifdef Py_GIL_DISABLED
#include <thread>
/* Call it with a detached thread state, so that a stop of the world need not wait for this thread. */
static inline void rs_yield_time_slice(void) { std::this_thread::yield(); }
#else
static inline void rs_yield_time_slice(void) {}
#endif
#endif
