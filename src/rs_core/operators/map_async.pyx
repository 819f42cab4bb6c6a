"""Operators whose function runs elsewhere, several calls at a time: map_async in an event loop, map_in_executor in the
workers of an executor.

Roles
    input    as in queue_stage.pyx
    drainer  the holder of this stage's token, in any thread: takes elements out, has a call begin for each or for
             several, sends their results
    caller   map_async: the thread of the event loop, which begins and cancels the tasks and notes how each ended.
             map_in_executor: the drainer begins and cancels the calls; whichever thread the executor has for that
             notes how each ended. Both give notice

Bound: no more than `concurrency` calls, of up to `chunk` elements each, have been begun and not passed on whole, nor
more elements than are requested below; as many wait in the queue.

Ordering: the results of a call are written before its `is_done` (release), and read after it (acquire). Notice is given
after both, so that the drainer, or the next one, looks again (queue_stage.pyx, I2).

The workers of an executor never run what is below: locks of the executor may be held while they note how a call ended,
as those of a pool of processes are when it breaks, and code below may need them, or do without its worker for long. So
map_in_executor is drained by a scheduler, which its notice only wakes.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport gil_uint32, memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport decref, incref
from rs_core.queues.spsc_ring cimport spsc_size
from rs_core.stream.queue_stage cimport QueueStage
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, TERMINAL, drain_in_turns, note_element, push, release_failed

from collections import deque

from rs_core.dropped import dropped
from rs_core.errors import ArgumentTypeError, StreamCancelledError
from rs_core.operators.chunk_call import ChunkError, call_for_chunk


cdef class CallingStage(QueueStage):
    """Pass on what calls of a function return for the elements.

    State: the elements whose results were not passed on; for those the function is called again.
    """

    cdef object function, tasks   # tasks: runs the calls; a LoopTasks or an ExecutorTasks of the Python layer
    cdef object find_tasks        # called when the stream starts, in the thread that starts it; returns `tasks`
    cdef int64_t concurrency, chunk
    cdef bint is_ordered
    cdef dict jobs       # the calls that were begun and not passed on whole, in order; drainer
    cdef int64_t begun   # how many elements they have whose results were not passed on; drainer
    cdef object done     # unordered: jobs that are done, as they ended; the caller adds, the drainer takes
    cdef object again    # elements of a loaded state that were begun before; drainer

    def __init__(self, function, int64_t concurrency, is_ordered, find_tasks, int64_t chunk=1):
        QueueStage.__init__(self, concurrency * chunk)
        self.replenish_at = (concurrency - concurrency // 4) * chunk   # whole chunks
        self.function = function
        self.concurrency = concurrency
        self.chunk = chunk
        self.is_ordered = is_ordered
        self.is_concurrent = True
        self.find_tasks = find_tasks
        self.jobs = {}
        self.done = deque()
        self.again = deque()

    cdef int begin(self) except -1:
        try:
            self.tasks = self.find_tasks()
            self.join_turns()
        except Exception as error:
            self.fail_at(self, error)
            return 0
        return QueueStage.begin(self)

    cdef int join_turns(self) except -1:
        """Have the stream be drained where its results may be passed on."""
        return 0

    cdef object spawn(self, _Job job):
        """Begin a call, in a thread of the caller; return the function that cancels it."""
        return None

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef _Job job
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            if not self._begin_jobs(sent) or sent == n and self.jobs:
                break
            job = self._next_done() if sent != n else None
            if job is None:
                if not self.jobs and not self.again:
                    self.finish_if_ended()
                break
            sent += self._pass_on(job, n - sent)
        return sent

    cdef bint _begin_jobs(self, int64_t sent) noexcept:
        """Have as many calls begin as may run at once; False: none can, and the stream ends."""
        cdef int64_t size
        cdef _Job job
        # relaxed: who adds demand gives notice. `n` of send() is a part of it, where turns are bounded
        cdef int64_t wanted = self.demand_word.load(memory_order_relaxed) - sent
        while <int64_t>len(self.jobs) < self.concurrency and self.begun < wanted and not self.should_leave():
            size = min(self.chunk, wanted - self.begun)
            if not self._is_worth_a_call(size):
                break
            job = _Job()
            job.elements = self._take_chunk(size)
            if not job.elements:
                break
            job.stage = self
            job.origin = self.name
            self.jobs[job] = None
            self.begun += len(job.elements)
            try:
                self.tasks.call(job.start)
            except BaseException as error:  # the loop has ended, or the executor takes nothing more
                self.fail_at(self, error)
                return False
        return True

    cdef bint _is_worth_a_call(self, int64_t size) noexcept:
        """Whether there is a whole chunk, or nothing else to wait for: no call, and no more of the input."""
        if not self.jobs:
            return True
        if size == self.chunk and (size == 1 or <int64_t>(len(self.again) + spsc_size(self.slots)) >= size):
            return True
        # acquire: as in finish_if_ended(); what came before the end is taken out by this call
        return self.input_ended.load(memory_order_acquire) != 0

    cdef list _take_chunk(self, int64_t size):
        """Take out the elements of the next call; fewer, or none, where no more are there."""
        cdef list elements = []
        cdef PyObject* element
        while <int64_t>len(elements) < size:
            if self.again:
                elements.append(self.again.popleft())
                continue
            element = self.poll()
            if element is NULL:
                break
            elements.append(<object>element)
            decref(element)
        return elements

    cdef _Job _next_done(self):
        """Return the next job whose results may be passed on; None: there is none yet."""
        cdef _Job job
        if not self.is_ordered:
            return self.done[0] if self.done else None
        job = next(iter(self.jobs), None)
        # acquire: see Ordering; without it the results might not be there yet
        return job if job is not None and job.is_done.load(memory_order_acquire) else None

    cdef int64_t _pass_on(self, _Job job, int64_t wanted) noexcept:
        """Send the results of a job down, up to its error; return how many were accepted."""
        cdef int64_t sent = 0
        cdef list results = job.results
        # relaxed: as in send()
        while job.passed < len(results) and sent != wanted and not self.state.load(memory_order_relaxed) & LEAVE:
            result = results[job.passed]
            job.passed += 1
            self.begun -= 1
            self.changed = True
            if job.passed == len(job.elements):
                self._remove(job)
            incref(<PyObject*>result)
            if push(self, <PyObject*>result) == ACCEPTED:
                sent += 1
        # relaxed: as in send()
        if job.passed == len(results) < len(job.elements) and not self.state.load(memory_order_relaxed) & LEAVE:
            self._remove(job)
            self.changed = True
            note_element(job.error, self, job.elements[job.passed])
            self.fail_at(self, job.error)
        return sent

    cdef int _remove(self, _Job job) except -1:
        del self.jobs[job]
        if not self.is_ordered:
            self.done.popleft()
        job.cancel_task = None  # a future has its job, which has this method of the future
        return 0

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
        cdef list begun = []
        for job in self.jobs:
            begun += job.elements[job.passed:]
        writer.write(begun + list(self.again))
        return self.save_queue(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        self.again = deque(reader.read(list))
        return self.load_queue(reader)


@cython.final
cdef class AsyncMapStage(CallingStage):
    """Pass on what a coroutine function returns for each element.

    State: as for CallingStage.
    """

    cdef int join_turns(self) except -1:
        return drain_in_turns(self, self.tasks.turns)

    cdef object spawn(self, _Job job):
        return self.tasks.spawn(_awaited, self.function, job.elements[0], ended=job.end)


@cython.final
cdef class ExecutorMapStage(CallingStage):
    """Pass on what a function returns for each element, called in the workers of an executor.

    Args:
        find_scheduler: As for Clock; what it returns drains the stage.

    State: as for CallingStage.
    """

    cdef object find_scheduler   # None from begin() on

    def __init__(self, function, concurrency, is_ordered, find_tasks, chunk, find_scheduler):
        CallingStage.__init__(self, function, concurrency, is_ordered, find_tasks, chunk)
        self.find_scheduler = find_scheduler

    cdef int join_turns(self) except -1:
        find_scheduler = self.find_scheduler
        self.find_scheduler = None
        if self.scheduler is None:  # the host has none
            self.drain_on(find_scheduler(None))
            loop_turns = getattr(self.scheduler, "loop_turns", None)
            if loop_turns is not None:
                drain_in_turns(self, loop_turns)
        return 0

    cdef object spawn(self, _Job job):
        if self.chunk == 1:
            return self.tasks.spawn(self.function, job.elements[0], ended=job.end)
        return self.tasks.spawn(call_for_chunk, self.function, job.elements, ended=job.end_chunk)

    cdef void release(self) noexcept:
        CallingStage.release(self)
        if self.tasks is not None:
            try:
                self.tasks.close()
            except BaseException as error:
                release_failed(self, "shutdown", error, self.name)


@cython.final
cdef class _Job:
    """One call of the function, or of `call_for_chunk`."""

    cdef CallingStage stage   # None when it is over; under a critical section
    cdef object origin
    cdef list elements        # at least one
    cdef list results         # as many as elements, or the next one failed
    cdef int64_t passed       # how many results were passed on; drainer
    cdef object error
    cdef object cancel_task
    cdef gil_uint32 is_done

    def start(self) -> None:
        cdef CallingStage stage = self.stage
        if stage is None or stage.state.load(memory_order_relaxed) & TERMINAL:  # relaxed: a hint that spares a task
            return
        self.cancel_task = stage.spawn(self)

    def cancel(self) -> None:
        self._take_stage()
        if self.cancel_task is not None:
            self.cancel_task()
            self.cancel_task = None

    def end(self, result, error) -> None:
        self._end([] if error is not None else [result], error)

    def end_chunk(self, results, error) -> None:
        if isinstance(error, ChunkError):
            self._end(error.results, error.failure())
        else:
            self._end([] if error is not None else results, error)

    cdef int _end(self, list results, object error) except -1:
        cdef CallingStage stage = self._take_stage()
        if stage is None:  # cancelled with the stream
            if error is not None and not isinstance(error, StreamCancelledError):
                dropped("on_error", error, origin=self.origin)
            return 0
        self.results = results
        self.error = error
        self.is_done.store(1, memory_order_release)  # release: see Ordering
        if not stage.is_ordered:
            stage.done.append(self)
        return stage.notify()

    cdef CallingStage _take_stage(self):
        cdef CallingStage stage
        with cython.critical_section(self):
            stage = self.stage
            self.stage = None
        return stage


async def _awaited(function, element):
    awaitable = function(element)
    if not hasattr(awaitable, "__await__"):
        raise ArgumentTypeError(
            f"map_async(function) needs a coroutine function, but for {safe_repr(element)} it returned "
            f"{safe_repr(awaitable)} ({type(awaitable).__name__}); define it with async def, or use map()"
        )
    return await awaitable
