/* What one thread drains for one subscription: the list of the outermost drain (drain_task.pyx, Depth).

   Included by drain_task.pyx alone, so that there is one variable for each thread. The struct lives on the C stack of that drain;
   only its own thread ever sees it, so nothing here is atomic. */
#ifndef RS_CORE_DRAIN_RUN_H
#define RS_CORE_DRAIN_RUN_H
#include <Python.h>

struct RsRun {
    const void *tree;  /* identity of the subscription's root */
    PyObject *first;   /* owned references to owners whose token this run holds, linked by next_ready */
    PyObject *last;
};

static thread_local RsRun *rs_current_run = NULL;

static inline RsRun *rs_run_of_this_thread(void) { return rs_current_run; }
static inline void rs_set_run_of_this_thread(RsRun *run) { rs_current_run = run; }
#endif
