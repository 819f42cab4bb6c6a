"""Who drains an owner of demand: the thread that has its token, or a task of a scheduler.

Depth: an owner that becomes ready while this thread drains another owner of the same subscription waits in the
list of that run, with its token, instead of being drained inside of it; so a chain of queues needs a flat stack.
Another subscription is drained at once, so that a blocking end inside a callback works.

Ordering: `is_scheduled` is set before the task is handed to the scheduler, which orders it before the task's execution;
the exchange lets one execution have the token, whatever a scheduler does.
"""

import contextvars

cimport cython
from cpython.object cimport PyObject

from rs_core.atomics cimport memory_order_acq_rel, memory_order_relaxed, memory_order_release
from rs_core.calls cimport decref, incref
from rs_core.stage cimport Stage

from rs_core.dropped import dropped

cdef extern from "drain_run.h":
    ctypedef struct Run "RsRun":
        const void* tree
        Run* outer
        PyObject* first
        PyObject* last

    Run* run_of_this_thread "rs_run_of_this_thread"() noexcept
    void set_run_of_this_thread "rs_set_run_of_this_thread"(Run* run) noexcept
    bint runs_in_this_thread "rs_runs_in_this_thread"(const void* tree) noexcept


cdef class DrainTask(Stage):
    """A stage that is drained: by the thread that has its token, or as a task of a scheduler.

    A task runs in a copy of the context variables of who subscribed, a new one each time: what callbacks set there is
    not carried on. The thread that has the token uses its own.
    """

    def __cinit__(self, *args, **kwargs):
        self.is_scheduled.store(0, memory_order_relaxed)

    def execute(self, scheduler=None) -> bool:
        """Run as a task of a scheduler: drain; always done afterwards. Always runs user code."""
        if self.claim_turn():
            self.run_scheduled_turn()
        return True

    def discard(self, error) -> None:
        """End the stream with an error instead of draining it: what a scheduler calls for a task it will not run."""
        if self.claim_turn():
            self.fail_at(self, error)
            self.run_scheduled_turn()

    cdef int drain(self) except -1:
        return 0

    cdef int drain_on(self, object scheduler) except -1:
        """Have a scheduler drain from now on, in the context variables of this thread; before anything flows."""
        self.variables = contextvars.copy_context()
        self.scheduler = scheduler
        return 0

    cdef bint claim_turn(self) noexcept:
        """Take the token over from the scheduler; False: it never had it, or has passed it on already."""
        # acq_rel: of several executions of one turn only one has the token
        return self.is_scheduled.exchange(0, memory_order_acq_rel) != 0

    cdef int take_turn(self) except -1:
        """Drain, here or on the scheduler; this thread has the token and passes it on."""
        if self.scheduler is None:
            return self.run_turn()
        self.is_scheduled.store(1, memory_order_release)  # release: pairs with the exchange in claim_turn()
        try:
            self.scheduler.schedule(self)
        except BaseException as error:
            # Nobody else will come: this thread takes the token back, and tells the subscriber itself.
            if self.claim_turn():
                self.fail_at(self, error)
                return self.run_turn()
            raise
        return 0

    cdef int run_scheduled_turn(self) except -1:
        """Drain as a task of a scheduler: in a copy of the context variables of who subscribed, entered once."""
        with cython.critical_section(self):  # an asynchronous subscriber may get its subscription at this moment
            variables = self.variables
        if variables is None:
            return self.run_turn()
        variables.copy().run(_run_turn, self)
        return 0

    cdef int run_turn(self) except -1:
        """Drain this owner and those of its subscription that become ready meanwhile; see Depth."""
        cdef Run* outer = run_of_this_thread()
        cdef Run run
        if outer is not NULL and outer.tree == self.tree:
            incref(<PyObject*>self)
            if outer.last is NULL:
                outer.first = <PyObject*>self
            else:
                (<DrainTask>outer.last).next_ready = self
            outer.last = <PyObject*>self
            return 0
        run.tree = self.tree
        run.outer = outer
        run.first = NULL
        run.last = NULL
        set_run_of_this_thread(&run)
        first_error = _drain_all(self, &run)
        set_run_of_this_thread(outer)
        if first_error is not None:
            raise first_error
        return 0


cdef bint is_drained_here(DrainTask task) noexcept:
    return runs_in_this_thread(task.tree)


def _run_turn(DrainTask task not None):
    task.run_turn()


cdef object _drain_all(DrainTask task, Run* run):
    """Drain a task and those that come into the list meanwhile; return what they raised first, or None."""
    first_error = None
    while task is not None:
        try:
            task.drain()
        except BaseException as error:
            if first_error is None:
                first_error = error
            else:
                _drop_interrupt(task, error)
        if run.first is NULL:
            break
        task = <DrainTask>run.first
        decref(run.first)  # `task` holds its own reference now
        run.first = <PyObject*>task.next_ready if task.next_ready is not None else NULL
        task.next_ready = None
        if run.first is NULL:
            run.last = NULL
    return first_error


cdef int _drop_interrupt(DrainTask task, object error) except -1:
    """Hand the second interrupt of a run to the hook; one that the hook raises is let go: the first is on its way."""
    try:
        dropped("raise", error, origin=task.name)
    except BaseException:
        return 0
    return 0
