/* What one thread drains for one subscription: the list of the outermost drain (drain_task.pyx, Depth).

   Included by drain_task.pyx alone, so that there is one variable for each thread. The struct lives on the C stack of that drain;
   only its own thread ever sees it, so nothing here is atomic. */
#ifndef RS_CORE_DRAIN_RUN_H
#define RS_CORE_DRAIN_RUN_H
#include <Python.h>

struct RsRun {
    const void *tree;  /* identity of the subscription's root */
    struct RsRun *outer; /* what the thread drains further out: another subscription, from inside of a callback */
    PyObject *first;   /* owned references to owners whose token this run holds, linked by next_ready */
    PyObject *last;
};

static thread_local RsRun *rs_current_run = NULL;

/* Whether this thread drains that subscription, directly or further out. */
static inline bool rs_runs_in_this_thread(const void *tree) {
    for (const RsRun *run = rs_current_run; run != NULL; run = run->outer)
        if (run->tree == tree) return true;
    return false;
}

static inline RsRun *rs_run_of_this_thread(void) { return rs_current_run; }
static inline void rs_set_run_of_this_thread(RsRun *run) { rs_current_run = run; }
#endif
