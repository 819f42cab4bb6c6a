"""The waits that a blocking terminal operation refuses if its thread runs an event loop.

The operation first sends all elements that its own thread can send, like `list(map(...))`. If the stream has not ended
then, it has to wait for another thread. The loop does not run meanwhile, so elements that only that loop can send would
never arrive, and the operation raises instead. It waits if a known other thread sends the missing elements: a thread of
a scheduler, or of another loop.

The thread of a foreign publisher or of an emitter is unknown. If the loop belongs to the kernel of a notebook, whose
cells always block it, the operation assumes another thread; otherwise, for example in a server, it refuses to wait.
"""

import sys
import threading

cimport cython

from rs_core.stream.subscription cimport DemandOwner, Stage
from rs_core.sync.turns cimport LoopTurns

from rs_core.errors import RunningEventLoopError
from rs_core.sync.running_loops import running_loop


cdef int refuse_own_loop(Stage end, str method) except -1:
    """Raise if a terminal operation would wait for the event loop of its own thread.

    Args:
        end: The last stage, after this thread has sent all elements that it can send.
        method: The name of the method of `Stream`.
    """
    cdef _Search search
    if running_loop() is None:
        return 0
    search = _Search()
    search.look_above(end)
    if search.this_loop is None and (search.is_other_known if search.unknown is None else _is_in_cell()):
        return 0
    if search.this_loop is not None:
        reason = f"{search.this_loop.name} needs that loop for its elements"
    elif search.unknown is not None:
        reason = f"{search.unknown.name} may need that loop for its elements"
    else:
        reason = "no other thread will end the stream"
    twin = "async for element in stream" if method == "iterate" else f"await stream.{method}_async()"
    raise RunningEventLoopError(
        f"{method} would block the event loop that runs in this thread, and {reason}; use: {twin}"
    )


@cython.final
cdef class _Search:
    """Finds the threads that may send the missing elements."""

    cdef Stage this_loop       # a stage whose elements arrive in the loop of this thread
    cdef Stage unknown         # a source that any thread may fill
    cdef bint is_other_known   # some stage is drained or filled by another thread

    cdef int look_above(self, Stage stage) except -1:
        while stage is not None:
            if isinstance(stage, DemandOwner):
                self.look_at(<DemandOwner>stage)
            if isinstance(stage.branch, Stage):
                self.look_above(<Stage>stage.branch)
            for side in stage.side_inputs():
                self.look_above(<Stage>side)
            stage = stage.up
        return 0

    cdef int look_at(self, DemandOwner task) except -1:
        cdef LoopTurns turns
        cdef bint is_bound = task.scheduler is not None
        if is_bound and hasattr(task.scheduler, "is_current") and task.scheduler.is_current():
            self.this_loop = task
        if task.is_concurrent and task.loops:
            is_bound = True
            for turns in task.loops:
                if turns._is_running():
                    self.this_loop = task
        if task.is_concurrent and not is_bound and task.branch is None:
            self.unknown = task
        self.is_other_known = self.is_other_known or is_bound
        return 0


cdef bint _is_in_cell() except -1:
    """Return whether the calling thread runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None and threading.current_thread() is threading.main_thread()
