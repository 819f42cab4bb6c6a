"""Asynchronous iteration: the elements of a stream in an `async for` loop of asyncio.

The consumer of iterator_end.pyx is a task of an event loop here. The iterator is its own awaitable: an available
element goes to the task immediately, without an object for the step and without a cycle of the loop. If there is none,
the task gets the iterator's `Wakeup`, which it treats as a future.

Roles
    producer    any thread, the holder of the upstream token: finds that the task waits, and schedules the wake-up in
                the loop, once for any number of further elements
    loop        the thread of the event loop: steps the task in that callback, without another cycle
    consumer    the task: a part of the loop

Turns: the task checks its turn like a drain (turns.pyx), and lets the loop's other callbacks run when it is over.

No cycle of references goes through the iterator, so leaving a loop frees it, and with it the stream, immediately.
"""

from types import GenericAlias

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport decref, incref
from rs_core.stream.description cimport Description
from rs_core.ends.iterator_end cimport IteratorEnd
from rs_core.stream.subscription cimport cancel_from_outside

from rs_core.errors import WrongEventLoopError
from rs_core.ends.iterator_end import two_tasks_wait
from rs_core.sync.running_loops import turns_of

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        pass
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT

cdef extern from "interp/await_slots.h":
    ctypedef PySendResult (*sendfunc "rs_sendfunc")(PyObject*, PyObject*, PyObject**) except PYGEN_ERROR
    ctypedef PyObject* (*iternextfunc)(PyObject*) except? NULL
    void set_await_slots "rs_set_await_slots"(PyTypeObject* type, sendfunc send, iternextfunc iternext) noexcept
    PyObject* stop_with "rs_stop_with"(PyObject* stolen_value) except? NULL


@cython.final
cdef class _LoopEnd(IteratorEnd):
    cdef object loop, run   # the wake-up and its method

    cdef int call_consumer(self) except -1:
        self.loop.call_soon_threadsafe(self.run)
        return 0


@cython.final
cdef class Wakeup:
    """The object for which a task waits while a stream has no element: tasks of asyncio treat it as a future.

    Threads: the thread of the event loop.
    """

    cdef public bint _asyncio_future_blocking
    cdef _LoopEnd end          # None when the stream was closed
    cdef object loop, callback, context
    cdef tuple cancellation    # its message; None if the wait was not cancelled
    cdef bint is_awaited       # a task got this object and has not continued yet
    cdef bint is_due           # it may continue

    def get_loop(self):
        """Return the loop whose tasks can wait."""
        return self.loop

    def add_done_callback(self, callback, *, context=None) -> None:
        """Register a task, which the next wake-up steps."""
        self.callback = callback
        self.context = context
        if self.is_due:
            self.loop.call_soon(self.run)

    def remove_done_callback(self, callback) -> int:
        """Remove the task; return the number of removed callbacks."""
        if self.callback != callback:
            return 0
        self.callback = self.context = None
        return 1

    def run(self) -> None:
        """Step the waiting task, if there is one."""
        callback = self.callback
        context = self.context
        self.callback = self.context = None
        self.is_due = True
        if callback is not None:
            if context is None:
                callback(self)
            else:
                context.run(callback, self)

    def cancel(self, msg=None) -> bool:
        """End the wait, because its task is cancelled, and cancel the stream immediately."""
        if self.is_due:
            return False
        self.cancellation = (msg,)
        self.loop.call_soon(self.run)
        if self.end is not None:
            self.end.is_wait_cancelled = True
            cancel_from_outside(self.end)
        return True

    def result(self) -> None:
        """Return, or raise if the wait was cancelled."""
        cdef tuple cancellation = self.cancellation
        if cancellation is not None:
            from asyncio import CancelledError

            raise CancelledError(*(part for part in cancellation if part is not None))

    def done(self) -> bool:
        """Return whether the task may continue."""
        return self.is_due


@cython.final
cdef class _Step:
    """The awaitable of a step that was requested before the previous step was over."""

    cdef AsyncIterator iterator

    def __await__(self):
        return self.iterator


@cython.final
cdef class AsyncIterator:
    """Iterate over the elements of a stream in a task of an asyncio event loop.

    Dropping the iterator, e.g. by leaving the loop early, cancels the stream; `aclose()` does it at once. So does
    cancelling a task that waits for an element.

    Args:
        source: The description of the stream.
        loop: The event loop that runs in the calling thread.
        prefetch: How many elements may be requested and not yet taken, from 1. None: 1 if the loop's thread drains the
            stream, so that nothing is read ahead; `default_prefetch` if another thread delivers.
        default_prefetch: See `prefetch`.
        context: The context of the operators, or None.

    Raises:
        Exception: A step raises the error of the stream; for a StopIteration or StopAsyncIteration a RuntimeError
            caused by it.
        StreamCancelledError: The stream was cancelled while a step waited.
        StateError: Two tasks wait for a step at the same time.
        WrongEventLoopError: A step would wait in another event loop.

    Threads: the thread of the event loop.
    """

    cdef _LoopEnd end
    cdef Wakeup wakeup
    cdef int64_t steps_left, look_every   # how many elements are taken until and between checks of the turn
    cdef bint is_open, is_asked
    cdef object __weakref__

    def __init__(
        self, Description source not None, loop, prefetch=None, *, int64_t default_prefetch=128, context=None
    ):
        self.end = _LoopEnd(source, default_prefetch if prefetch is None else prefetch)
        self.wakeup = Wakeup()
        self.wakeup.loop = self.end.loop = loop
        self.end.run = self.wakeup.run
        self.end.turns = turns_of(loop)
        self.end.begin_iteration(prefetch, default_prefetch, context)
        self.wakeup.end = self.end
        self.steps_left = self.look_every = 1
        self.is_open = True

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `AsyncIterator[element_type]`, for annotations and base classes."""
        return GenericAlias(cls, item)

    def __aiter__(self):
        return self

    def __anext__(self):
        cdef _Step another
        if not self.is_asked:
            self.is_asked = True
            return self
        another = _Step()  # so that gather(anext(it), anext(it)) does not treat both as one
        another.iterator = self
        return another

    def __await__(self):
        return self

    def __iter__(self):
        return self  # for `yield from it.__await__()`, like futures

    def __next__(self):
        # For callers by name; await uses the slots that are set below.
        cdef PyObject* result = NULL
        if self.step(&result) == PYGEN_NEXT:
            awaited = <object>result
            decref(result)
            return awaited
        stop_with(result)

    cdef PySendResult step(self, PyObject** result) except PYGEN_ERROR:
        """Store an element in `result`, or the object for which the task has to wait; owned."""
        cdef bint has_waited = self.wakeup.is_awaited
        if has_waited:
            self._end_wait()
        if self.is_open and self.steps_left:
            result[0] = self._poll()
            if result[0] is not NULL:
                self.steps_left -= 1
                self.is_asked = False
                return PYGEN_RETURN
        return self._step_slowly(has_waited, result)

    cdef int _end_wait(self) except -1:
        if not self.wakeup.is_due:
            raise two_tasks_wait()
        self.wakeup.is_awaited = False
        return 0

    cdef PyObject* _poll(self) except? NULL:
        try:
            return self.end.poll()
        except BaseException:  # an interrupt of a callback
            self._close()
            raise

    cdef PySendResult _step_slowly(self, bint has_waited, PyObject** result) except PYGEN_ERROR:
        cdef int64_t more
        if self.is_open:
            if not self.steps_left:
                more = self.end.turns.look(self.look_every)
                if more:
                    self.look_every = more
                self.steps_left = self.look_every
                if more == 0:
                    incref(<PyObject*>None)
                    result[0] = <PyObject*>None  # let the loop's other callbacks run
                    return PYGEN_NEXT
                return self.step(result)
            if self.end.wait_begins():
                return self._begin_wait(result)
            result[0] = self._poll()
            self.is_asked = False
            if result[0] is not NULL:
                self.steps_left -= 1
                return PYGEN_RETURN
        self.is_asked = False
        if not self.is_open and not has_waited:
            raise StopAsyncIteration
        self._close()
        self.end.raise_end(StopAsyncIteration)
        return PYGEN_ERROR

    cdef PySendResult _begin_wait(self, PyObject** result) except PYGEN_ERROR:
        from asyncio import _get_running_loop

        cdef Wakeup wakeup = self.wakeup
        if _get_running_loop() is not wakeup.loop:
            raise WrongEventLoopError(
                "an asynchronous iterator is awaited in another event loop than the one in which it was made; call "
                "aiter(stream) in the loop that awaits its elements"
            )
        wakeup.is_awaited = True
        wakeup.is_due = False
        wakeup.cancellation = None
        wakeup._asyncio_future_blocking = True
        incref(<PyObject*>wakeup)
        result[0] = <PyObject*>wakeup
        return PYGEN_NEXT

    cdef int _close(self) except -1:
        if self.is_open:
            self.is_open = False
            self.wakeup.end = None
            cancel_from_outside(self.end)
        return 0

    async def aclose(self) -> None:
        """Cancel the stream; further steps raise StopAsyncIteration. Idempotent."""
        self._close()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception) -> None:
        self._close()

    def __del__(self):
        if self.is_open:
            self.is_open = False
            self.wakeup.end = None
            self.end.abandon()


cdef PySendResult _send(PyObject* iterator, PyObject* argument, PyObject** result) except PYGEN_ERROR:
    return (<AsyncIterator>iterator).step(result)


cdef PyObject* _next(PyObject* iterator) except? NULL:
    cdef PyObject* result = NULL
    if (<AsyncIterator>iterator).step(&result) == PYGEN_NEXT:
        return result
    return stop_with(result)


set_await_slots(<PyTypeObject*>AsyncIterator, _send, _next)
