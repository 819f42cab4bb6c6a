"""map_async: call a coroutine function with each element, several at a time, in an event loop.

Roles
    input    as in queue_stage.pyx
    drainer  the holder of this stage's token, in any thread: takes elements out, has the loop begin a task for each,
             sends their results
    loop     the thread of the event loop: runs the tasks, notes how each ended, gives notice

Bound: no more than `concurrency` elements have been taken out and not passed on, nor more than are requested below;
as many wait in the queue.

Ordering: the result of a task is written before its `is_done` (release), and read after it (acquire). Notice is given
after both, so that the drainer, or the next one, looks again (queue_stage.pyx, I2).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport gil_uint32, memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport decref, incref
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, TERMINAL, drain_in_turns, push, release_failed

from collections import deque

from rs_core.errors import ArgumentTypeError


@cython.final
cdef class AsyncMapStage(QueueStage):
    """Pass on what a coroutine function returns for each element.

    State: the elements whose results were not passed on; for those the function is called again.
    """

    cdef object function, tasks   # tasks: of the event loop, a LoopTasks of the Python layer
    cdef object find_tasks        # called when the stream starts, in the thread that starts it; returns `tasks`
    cdef int64_t concurrency
    cdef bint is_ordered
    cdef dict jobs       # what was begun and not passed on, in order; drainer
    cdef object done     # unordered: jobs that are done, as they ended; the loop adds, the drainer takes
    cdef object again    # elements of a loaded state that were begun before; drainer

    def __init__(self, function, concurrency, is_ordered, find_tasks):
        QueueStage.__init__(self, concurrency)
        self.function = function
        self.concurrency = concurrency
        self.is_ordered = is_ordered
        self.is_concurrent = True
        self.find_tasks = find_tasks
        self.jobs = {}
        self.done = deque()
        self.again = deque()

    cdef int begin(self) except -1:
        try:
            self.tasks = self.find_tasks()
        except Exception as error:
            self.fail_at(self, error)
            return 0
        drain_in_turns(self, self.tasks.turns)
        return QueueStage.begin(self)

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef _Job job
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if not self._begin_jobs(n - sent) or sent == n and self.jobs:
                break
            job = self._take_done() if sent != n else None
            if job is None:
                if not self.jobs and not self.again:
                    self.finish_if_ended()
                break
            if job.error is not None:
                self.fail_at(self, job.error)
                break
            incref(<PyObject*>job.result)
            if push(self, <PyObject*>job.result) == ACCEPTED:
                sent += 1
        return sent

    cdef bint _begin_jobs(self, int64_t wanted) noexcept:
        """Have the loop begin as many tasks as may run at once; False: it takes none, and the stream ends."""
        cdef PyObject* element
        cdef _Job job
        cdef int64_t room = min(self.concurrency, wanted)
        while <int64_t>len(self.jobs) < room and not self.should_leave():
            job = _Job()
            if self.again:
                job.element = self.again.popleft()
            else:
                element = self.poll()
                if element is NULL:
                    break
                job.element = <object>element
                decref(element)
            job.stage = self
            self.jobs[job] = None
            try:
                self.tasks.call(job.start)
            except BaseException as error:  # the loop has ended
                self.fail_at(self, error)
                return False
        return True

    cdef _Job _take_done(self):
        """Take out the next job whose result may be passed on; None: there is none yet."""
        cdef _Job job
        if self.is_ordered:
            job = next(iter(self.jobs), None)
            # acquire: see Ordering
            if job is None or not job.is_done.load(memory_order_acquire):
                return None
        else:
            job = self.done.popleft() if self.done else None
            if job is None:
                return None
        del self.jobs[job]
        self.changed = True
        return job

    cdef void release(self) noexcept:
        self.again.clear()
        for job in self.jobs:
            try:
                self.tasks.call(job.cancel)
            except Exception:
                break  # the loop has ended: no task of it runs any more
            except BaseException as interrupt:
                release_failed(self, "cancel", interrupt, self.name)
                self._cancel_again(job)
        self.jobs.clear()
        self.done.clear()
        QueueStage.release(self)

    cdef void _cancel_again(self, object job) noexcept:
        """Cancel a task whose cancellation was interrupted; it may have been cancelled, which then does no harm."""
        try:
            self.tasks.call(job.cancel)
        except BaseException as error:
            release_failed(self, "cancel", error, self.name)

    cdef int write_fields(self, object writer) except -1:
        cdef _Job job
        writer.write([job.element for job in self.jobs] + list(self.again))
        return self.save_queue(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.again = deque(reader.read(list))
        return self.load_queue(reader)


@cython.final
cdef class _Job:
    """One call of the function; its methods run in the thread of the loop."""

    cdef AsyncMapStage stage   # None when it is over
    cdef object element, result, error, cancel_task
    cdef gil_uint32 is_done

    def start(self) -> None:
        cdef AsyncMapStage stage = self.stage
        if stage is None or stage.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: a hint that spares a task
            return
        self.cancel_task = stage.tasks.spawn(_awaited, stage.function, self.element, ended=self.end)

    def cancel(self) -> None:
        self.stage = None
        if self.cancel_task is not None:
            self.cancel_task()

    def end(self, result, error) -> None:
        cdef AsyncMapStage stage = self.stage
        self.stage = self.cancel_task = None
        if stage is None:  # cancelled with the stream
            return
        self.result = result
        self.error = error
        self.is_done.store(1, memory_order_release)  # release: see Ordering
        if not stage.is_ordered:
            stage.done.append(self)
        stage.notify()


async def _awaited(function, element):
    awaitable = function(element)
    if not hasattr(awaitable, "__await__"):
        raise ArgumentTypeError(
            f"map_async(function) needs a coroutine function, but for {safe_repr(element)} it returned "
            f"{safe_repr(awaitable)} ({type(awaitable).__name__}); define it with async def, or use map()"
        )
    return await awaitable
