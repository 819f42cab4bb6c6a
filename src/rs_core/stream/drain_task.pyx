"""Who drains an owner of demand: the thread that has its token, or a task of a scheduler; nobody, while it is saved.

Depth: an owner that becomes ready while this stack of calls drains another owner of the same subscription waits in the
list of that run, with its token, instead of being drained inside of it; so a chain of queues needs a flat stack.
Another subscription is drained at once, so that a blocking end inside a callback works, unless too many stand inside
of each other already, as where each of a thousand subjects sends to the next; and so is what becomes ready in another
greenlet of the thread, which the run that waits might wait for. drain_run.h says how runs are told apart;
tests/interleavings/drain_run_model.py explores it, with each part broken. Where there is no memory for a run, its owner
is drained without a list: what becomes ready meanwhile is drained inside of it.

Ordering: `turn` is set before the task is handed to the scheduler, which orders it before the task's execution; a CAS
lets one execution have the token, whatever a scheduler does. A turn that waits touches nothing, so who saves may hold
it where it is, in the scheduler's line. An execution that comes meanwhile goes away and leaves TURN_DUE: then who saves
hands the task over anew. So a scheduler never waits for who saves, and gets no task more where nothing collides.

Turns: a run in the thread of an event loop that the subscription belongs to, or in a task of a scheduler, has a turn
that bounds what it makes (turns.pyx). A subscription belongs to the loop of an end that is awaited, and to those whose
tasks its operators use (`drain_in_turns`). Where what it sends goes into the queue of another subscription of ours, it
is bounded as the run that asks it (`drain_as_consumer`): none of both promises that all has come when `request`
returns. All other subscriptions send what they can before `request` returns, wherever they run; so do those of a
blocking end. A task whose turn is over keeps the token and waits for another turn as it would wait for a scheduler:
`turn` is TURN_WAITS. If it waits for a loop, who cancels may take the turn back, and tears down at once.

Saving: whether somebody drains is no question that an answer settles. The next moment a producer may send, a thread
may request or cancel, the user code that a save runs included. So a saver takes the token (`hold`), as a drainer does,
and whatever comes leaves its mark in the owner's word until it lets go: then it drains, or has the scheduler drain,
what came. No mark is lost, since it gives the token up by a CAS that fails if one came. Nobody waits: where somebody
drains, the saver refuses; where it saves, all others leave their mark and go. That is enough for each kind of owner:
  - What runs on the element side, and the teardown, is done by the holder of the token alone (drain.pyx, I2, I5).
  - A queue is filled by the holder of the token upstream; so that token is held, too (`hold_still`).
  - Sources that other threads push to (publisher_source, emitter_source, subject_source) go on being filled: from the
    producer's side of a ring or queue whose consumer is the holder of the token, now the saver.
A thread that holds a token may hold it once more: a whole tree is held while its nodes are saved (quiescence.pyx).
"""

import contextvars

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from rs_core.sync.atomics cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from rs_core.interp.calls cimport caught, decref, incref
from rs_core.stream.failures cimport drop_second_interrupt
from rs_core.stream.stage cimport Stage
from rs_core.sync.turns cimport LoopTurns, Turn, turn_of_task, turns_here

cdef extern from "stream/drain_run.h":
    const uint64_t TREE_IS_AWAITED "RS_TREE_IS_AWAITED"

    ctypedef struct Run "RsRun":
        uint64_t tree
        PyObject* first
        PyObject* last
        PyObject* turn

    ctypedef struct ThreadRuns "RsThreadRuns":
        pass

    ThreadRuns* runs_of_this_thread "rs_runs_of_this_thread"() noexcept
    const void* this_stack "rs_this_stack"() noexcept
    Run* run_of_stack "rs_run_of_stack"(const ThreadRuns* runs, const void* stack) noexcept
    Run* run_of_this_stack "rs_run_of_this_stack"() noexcept
    bint stack_is_short "rs_stack_is_short"(const Run* run) noexcept
    bint joins_run "rs_joins_run"(const Run* run, uint64_t tree, const PyObject* turn) noexcept
    Run* begin_run "rs_begin_run"(
        ThreadRuns* runs, uint64_t tree, const void* stack, const Run* outer, PyObject* turn
    ) noexcept
    void end_run "rs_end_run"(ThreadRuns* runs, Run* run) noexcept
    bint runs_in_this_thread "rs_runs_in_this_thread"(uint64_t tree) noexcept


cdef class DrainTask(Stage):
    """A stage that is drained: by the thread that has its token, or as a task of a scheduler.

    A task runs in a copy of the context variables of who subscribed, a new one each time: what callbacks set there is
    not carried on. The thread that has the token uses its own.
    """

    def __cinit__(self, *args, **kwargs):
        self.turn.store(NO_TURN, memory_order_relaxed)

    def execute(self, scheduler=None) -> bool:
        """Run as a task of a scheduler: drain; always done afterwards. Always runs user code."""
        if self.claim_turn():
            self.run_scheduled_turn(turn_of_task(scheduler))
        return True

    def discard(self, error) -> None:
        """End the stream with an error instead of draining it: what a scheduler calls for a task it will not run."""
        if self.claim_turn():
            self.fail_turn(error)
            self.run_scheduled_turn(None)

    cdef int drain(self) except -1:
        return 0

    cdef int drain_on(self, object scheduler) except -1:
        """Have a scheduler drain from now on, in the context variables of this thread; before anything flows."""
        self.variables = contextvars.copy_context()
        self.scheduler = scheduler
        return 0

    cdef bint claim_turn(self) noexcept:
        """Take the token over from the scheduler; False: it never had it, or has passed it on already."""
        cdef uint32_t wanted
        cdef uint32_t seen = TURN_WAITS
        while seen == TURN_WAITS or seen == TURN_HELD:
            wanted = NO_TURN if seen == TURN_WAITS else TURN_DUE
            # acq_rel: of several executions of one turn only one has the token, and sees what came with it
            if self.turn.compare_exchange_weak(seen, wanted, memory_order_acq_rel, memory_order_relaxed):
                return wanted == NO_TURN
        return False

    cdef bint hold(self) noexcept:
        """Keep everybody from draining, to save what the token guards; see Saving. False: somebody drains."""
        if not self.saver.is_mine():
            if not self.claim_token() and not self.hold_turn():
                return False
            self.saver.enter()
        self.holds += 1
        return True

    cdef int let_go(self) except -1:
        """End what hold() began. Drains what came meanwhile, here or on the scheduler, so it may run user code."""
        self.holds -= 1
        if self.holds:
            return 0
        self.saver.leave()
        return 0 if self.return_turn() or self.free_token() else self.take_turn()

    cdef bint hold_still(self) except -1:
        if not self.hold():
            return False
        if Stage.hold_still(self):
            return True
        self.let_go()
        return False

    cdef int go_on(self) except -1:
        try:
            self.let_go()
        finally:
            Stage.go_on(self)
        return 0

    cdef bint claim_token(self) noexcept:
        return False

    cdef bint free_token(self) noexcept:
        return True

    cdef bint hold_turn(self) noexcept:
        """Keep a turn that waits from beginning, and the token with it; False: none waits, or somebody holds it."""
        cdef uint32_t seen = TURN_WAITS
        # acquire: pairs with the release in take_turn(); the fields travel with the token
        return self.turn.compare_exchange_strong(seen, TURN_HELD, memory_order_acquire, memory_order_relaxed)

    cdef bint return_turn(self) except -1:
        """Let a turn that was held wait on, or hand it over anew if its execution came; False: none was held."""
        cdef uint32_t seen = TURN_HELD
        # release: pairs with the CAS in claim_turn(); the token goes back to the scheduler
        if self.turn.compare_exchange_strong(seen, TURN_WAITS, memory_order_release, memory_order_relaxed):
            return True
        if seen == NO_TURN:
            return False
        self.turn.store(NO_TURN, memory_order_relaxed)  # relaxed: the token is here, so nobody else writes it
        self.take_turn()
        return True

    cdef int take_turn(self) except -1:
        """Drain, here or on the scheduler; this thread has the token and passes it on."""
        if self.scheduler is not None:
            return self._hand_over(self.scheduler)
        return _run(self, NULL) if self.loops is None else self.run_turn()

    cdef int _hand_over(self, object scheduler) except -1:
        """Have the token taken by a task of a scheduler, or in another turn of a loop."""
        self.turn.store(TURN_WAITS, memory_order_release)  # release: pairs with the CAS in claim_turn()
        try:
            scheduler.schedule(self)
        except BaseException as error:
            # Nobody else will come: this thread takes the token back, and tells the subscriber itself.
            if self.claim_turn():
                self.fail_turn(error)
                return self.drain() if is_drained_here(self) else self.run_turn()
            raise
        return 0

    cdef int leave_turn(self) except -1:
        return self._hand_over(turn_here().place() if self.scheduler is None else self.scheduler)

    cdef void look_early(self, Turn turn) noexcept:
        pass

    cdef int fail_turn(self, object error) noexcept:
        """End the stream since nobody will drain it; the next turn, in this thread, tells it."""
        return self.fail_at(self, error)

    cdef int run_scheduled_turn(self, Turn turn) except -1:
        """Drain as a task of a scheduler: in a copy of the context variables of who subscribed, entered once."""
        with cython.critical_section(self):  # an asynchronous subscriber may get its subscription at this moment
            variables = self.variables
        if variables is None:
            return self._run_bounded(turn)
        variables.copy().run(_run_turn, self, turn)
        return 0

    cdef int run_turn(self) except -1:
        """Drain this owner and those of its subscription that become ready meanwhile; see Depth."""
        if self.loops is None:
            return _run(self, NULL)
        return self._run_bounded(turns_here(self.loops) if self.loops else turn_here())

    cdef int _run_bounded(self, Turn turn) except -1:
        """Drain as in run_turn(), in a turn; None: without a bound."""
        return _run(self, <PyObject*>turn if turn is not None else NULL)  # the caller keeps it


cdef int _run(DrainTask task, PyObject* turn) except -1:
    cdef ThreadRuns* runs = runs_of_this_thread()
    cdef const void* stack = this_stack()
    cdef Run* run = run_of_stack(runs, stack)
    cdef DrainTask _held
    cdef int outcome
    if joins_run(run, task.tree, turn):
        incref(<PyObject*>task)
        if run.last is NULL:
            run.first = <PyObject*>task
        else:
            (<DrainTask>run.last).next_ready = task
        run.last = <PyObject*>task
        return 0
    _held = task  # a callback may drop the last reference to it
    run = begin_run(runs, task.tree, stack, run, turn)
    if run is NULL:
        return task.drain()
    outcome = (<Drains>_drain_in_turn)(task, turn)
    if outcome == -1 or run.first is not NULL:
        return _drain_others(runs, run, outcome)
    end_run(runs, run)
    return 0


# Whose -1 means that an exception is set, which the caller takes with caught(), as after a call of a Python function. A
# try statement saves what is handled further out, whether anything is raised or not.
ctypedef int (*Drains)(DrainTask task, PyObject* turn) noexcept


cdef inline int _drain_in_turn(DrainTask task, PyObject* turn) except -1:
    if turn is NULL:
        return task.drain()
    if (<Turn>turn).is_over:
        return task.leave_turn()
    task.look_early(<Turn>turn)
    return task.drain()


cdef int _drain_others(ThreadRuns* runs, Run* run, int outcome) except -1:
    """Drain those that came into the list, and meanwhile; end the run; raise what was raised first."""
    cdef DrainTask task
    first_error = caught() if outcome == -1 else None
    while run.first is not NULL:
        task = <DrainTask>run.first
        decref(run.first)  # `task` holds its own reference now
        run.first = <PyObject*>task.next_ready if task.next_ready is not None else NULL
        task.next_ready = None
        if run.first is NULL:
            run.last = NULL
        run.tree = task.tree
        if (<Drains>_drain_in_turn)(task, run.turn) == -1:
            error = caught()
            if first_error is None:
                first_error = error
            else:
                drop_second_interrupt(task, error)
    end_run(runs, run)
    if first_error is not None:
        raise first_error
    return 0


cdef int mark_awaited(Stage root) except -1:
    """Note that a thread will wait for this subscription.

    Raises:
        RecursionError: There is no room on the stack for it.
    """
    if stack_is_short(run_of_this_stack()):
        raise RecursionError(
            "a stream that blocks was begun inside of so many callbacks of others that half of this thread's stack is "
            "used up; call threading.stack_size() with more before the thread is started, or nest less"
        )
    root.tree |= TREE_IS_AWAITED
    return 0


cdef bint is_drained_here(DrainTask task) noexcept:
    return runs_in_this_thread(task.tree)


cdef Turn turn_here():
    cdef Run* run = run_of_this_stack()
    return None if run is NULL or run.turn is NULL else <Turn>run.turn


cdef int drain_in_turns(Stage stage, LoopTurns turns) except -1:
    """Let the whole subscription belong to a loop; before anything flows."""
    cdef DrainTask task
    while stage.down is not None:
        stage = stage.down
    while stage is not None:
        if isinstance(stage, DrainTask):
            task = <DrainTask>stage
            if task.loops is None:
                task.loops = (turns,)
            elif turns not in task.loops:
                task.loops = (*task.loops, turns)
        stage = stage.up
    return 0


cdef int drain_as_consumer(Stage root) except -1:
    """Bound what a subscription makes as the run is bounded that asks it; before anything flows."""
    cdef Stage stage = root
    while stage is not None:
        if isinstance(stage, DrainTask) and (<DrainTask>stage).loops is None:
            (<DrainTask>stage).loops = ()
        stage = stage.up
    return 0


def _run_turn(DrainTask task not None, Turn turn):
    task._run_bounded(turn)
