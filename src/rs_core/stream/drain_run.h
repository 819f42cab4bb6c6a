/* What one thread drains: a run for each subscription that it drains, each with a list (subscription.pyx, Depth).

   Included by subscription.pyx alone, so that there is one list of runs for each thread. Only its own thread ever sees a run,
   so nothing here is atomic.

   A callback may leave its stack of calls in the middle: greenlets take turns in one thread, and gevent or SQLAlchemy
   switch between them wherever something waits. While a stack waits, its C frames are copied away and another stack's
   lie in their place; the runs of several stacks begin and end in any order. Hence:

   I1  A run never lies on the C stack: whoever walks the list may be another stack.
   I2  The list holds exactly the runs that have begun and not ended. A run that ends removes itself, wherever it is in the list.
   I3  A stack adds to its newest run only: that one goes on when the stack returns to it. Another stack's run might wait
       for the one that adds.
   I4  At most RS_DEEPEST_RUN runs of a stack are nested without a blocking end between them: the next
       subscription joins the list as if it were the same one, so that a chain of subscriptions of any length needs a
       bounded stack. What a blocking end waits for never joins a run further out, which would wait for it in turn; so
       that end is refused where the stack is short.
   I5  The number of a subscription is never given twice (subscription.pyx). An address is: once the callback of a run has dropped
       the last reference to a subscription, the next one may lie where it was, and would be left to a run that waits
       for it. */
#ifndef RS_CORE_DRAIN_RUN_H
#define RS_CORE_DRAIN_RUN_H
#include <Python.h>

#include <cstdint>

enum : uint64_t { RS_TREE_IS_AWAITED = (uint64_t)1 << 63 }; /* in the number of a subscription that a thread waits for */
enum { RS_DEEPEST_RUN = 64 };

struct RsRun {
    uint64_t tree;     /* the subscription whose owner is drained; 0 in a slot that is free */
    int depth;         /* how many runs of this stack it is nested in, counted from the innermost blocking end */
    const void *stack; /* whose calls it is part of */
    uintptr_t base;    /* where in the C stack the outermost run of this stack began */
    RsRun *older;      /* what the thread began to drain before, from whatever stack */
    PyObject *first;   /* owned references to owners whose token this run holds, linked by next_ready */
    PyObject *last;
    PyObject *turn;    /* borrowed from the caller: what bounds it; NULL: nothing (turns.pyx) */
};

struct RsThreadRuns {
    RsRun *newest;
    RsRun slot;  /* for one run of the thread: nothing is allocated */
    RsRun inner; /* for that of a stream to which this one sends */
};

static thread_local RsThreadRuns rs_thread_runs = {};

/* The address is the same for the life of a run, since no stack of calls goes on in another thread. A run looks for it once,
   which is a call of the system's loader; GCC would repeat that at each use if this were inline. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static RsThreadRuns *rs_runs_of_this_thread(void) { return &rs_thread_runs; }

/* Which stack of calls this is. The frames of Python functions lie in chunks of memory that belong to one stack: whoever
   switches stacks has to switch them too. The first chunk stays where it is as long as the stack has frames. */
static inline const void *rs_this_stack(void) {
    const _PyStackChunk *chunk = PyThreadState_Get()->datastack_chunk;
    if (chunk != NULL)
        while (chunk->previous != NULL) chunk = chunk->previous;
    return chunk;
}

/* What a stack of this thread began to drain last, and has not ended; NULL: nothing. */
static inline RsRun *rs_run_of_stack(const RsThreadRuns *runs, const void *stack) {
    RsRun *run = runs->newest;
    while (run != NULL && run->stack != stack) run = run->older;
    return run;
}

static inline RsRun *rs_run_of_this_stack(void) {
    return rs_run_of_stack(rs_runs_of_this_thread(), rs_this_stack());
}

/* Whether the runs of this stack have used up half of what threads are given by threading.stack_size(). Where the stack has
   its usual size, the interpreter's limit for recursion comes first. `run`: the newest of this stack. */
static inline bool rs_stack_is_short(const RsRun *run) {
    size_t size = PyThread_get_stacksize();
    char here;
    return run != NULL && size != 0 && run->base - (uintptr_t)&here > size / 2 && run->base > (uintptr_t)&here;
}

/* The run goes on with another subscription. `outer`: the newest of this stack when it began. */
static inline void rs_turn_run(RsRun *run, const RsRun *outer, uint64_t tree) {
    run->tree = tree;
    run->depth = outer == NULL || tree & RS_TREE_IS_AWAITED ? 0 : outer->depth + 1;
}

/* Whether an owner of that subscription, which would be drained in that turn, waits in the list of the run, the newest of
   this stack. */
static inline bool rs_joins_run(const RsRun *run, uint64_t tree, const PyObject *turn) {
    if (run == NULL || run->tree == tree) return run != NULL;
    return !(tree & RS_TREE_IS_AWAITED) && run->turn == turn && (run->depth >= RS_DEEPEST_RUN || rs_stack_is_short(run));
}

/* Whether this thread drains that subscription, directly or further out, in this stack or in one that waits: a lock that
   this thread waits for stops them all. */
static inline bool rs_runs_in_this_thread(uint64_t tree) {
    for (const RsRun *run = rs_runs_of_this_thread()->newest; run != NULL; run = run->older)
        if (run->tree == tree) return true;
    return false;
}

/* `outer`: the newest run of this stack. NULL: there is no memory for one; no exception is set. */
static inline RsRun *rs_begin_run(RsThreadRuns *runs, uint64_t tree, const void *stack, const RsRun *outer, PyObject *turn) {
    RsRun *run = &runs->slot;
    if (run->tree != 0) run = runs->inner.tree == 0 ? &runs->inner : (RsRun *)PyMem_Malloc(sizeof(RsRun));
    if (run == NULL) return NULL;
    rs_turn_run(run, outer, tree);
    run->stack = stack;
    run->base = outer == NULL ? (uintptr_t)&run : outer->base;
    run->older = runs->newest;
    run->first = run->last = NULL;
    run->turn = turn;
    runs->newest = run;
    return run;
}

static inline void rs_end_run(RsThreadRuns *runs, RsRun *run) {
    RsRun **link = &runs->newest;
    while (*link != run) link = &(*link)->older;
    *link = run->older;
    if (run == &runs->slot || run == &runs->inner)
        run->tree = 0;
    else
        PyMem_Free(run);
}
#endif
