"""What a blocking terminal operation may wait for where its thread runs an event loop.

It first sends all that its own thread can send, as `list(map(...))` would. If it has not ended then, it has to
wait for another thread. The loop stands still meanwhile; so what only that loop can bring would never come, and the end
raises instead. It waits where another thread is known to bring what is missing: one of a scheduler, or of another loop.

Who brings the elements of a foreign publisher or of an emitter is not known. Where the loop is that of a kernel, which
runs a notebook, whose cells block it all the time, that is taken for another thread; elsewhere, in a server say, it is
refused.
"""

import sys
import threading

cimport cython

from rs_core.stream.subscription cimport DemandOwner, Stage
from rs_core.sync.turns cimport LoopTurns

from rs_core.errors import RunningEventLoopError
from rs_core.sync.running_loops import running_loop


cdef int refuse_own_loop(Stage end, str method) except -1:
    """Raise where a terminal operation would wait for the event loop of its own thread.

    Args:
        end: It has sent what this thread can send.
        method: Of `Stream`.
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
    """Looks who may bring what is missing."""

    cdef Stage this_loop       # a stage whose elements come in the loop of this thread
    cdef Stage unknown         # a source that is filled by anybody
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
    """Whether the calling thread runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None and threading.current_thread() is threading.main_thread()
