"""A task that any thread may wake and that never runs twice at once."""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from enum import Enum

__all__ = ["SerialTask"]


class _Turn(Enum):
    IDLE = "nobody runs"
    PLANNED = "handed to the executor"
    RUNNING = "runs"


class SerialTask:
    """Run a step on an executor whenever there is something to do, one run after the other.

    Who publishes work first and calls `wake` then can rely on a run that sees it; so a run never has to wait for
    anything, and no thread is held while there is nothing to do. Each run sees all that the one before it wrote, as the
    lock is taken between them.

    Args:
        step: Does some of the work; returns whether it left some.
        refused: Called in place of a run, with the reason, if the executor refuses the task or drops it unrun; after
            that nothing runs any more.
        executor: Where runs take place. Its `submit` must not run the task itself: a step that always leaves work
            would go ever deeper.
    """

    def __init__(
        self, step: Callable[[], bool], refused: Callable[[BaseException], None], *, executor: Executor
    ) -> None:
        self._step = step
        self._refused = refused
        self._executor = executor
        self._lock = threading.Lock()
        self._turn = _Turn.IDLE
        self._is_due = False

    def wake(self) -> None:
        """See to it that a run begins after this call; from any thread."""
        with self._lock:
            self._is_due = True
            if self._turn is not _Turn.IDLE:
                return  # a run that begins later, or one that will look again at its end
            self._turn = _Turn.PLANNED
        self._submit()

    def _submit(self) -> None:
        try:
            future = self._executor.submit(self._run)
        except Exception as refusal:
            self._refuse(refusal)
        else:
            future.add_done_callback(self._look_after)

    def _look_after(self, future: "Future[None]") -> None:
        if future.cancelled():  # an executor that is shut down may drop what it had taken
            self._refuse(CancelledError("the executor has dropped the task"))

    def _refuse(self, reason: BaseException) -> None:
        # `submit` may raise although the task is queued already: then whoever takes the turn first has it.
        if self._take_turn():
            self._refused(reason)

    def _take_turn(self) -> bool:
        with self._lock:
            if self._turn is not _Turn.PLANNED:
                return False
            self._turn = _Turn.RUNNING
            self._is_due = False
            return True

    def _run(self) -> None:
        if not self._take_turn():
            return
        is_left = self._step()
        with self._lock:
            if not (is_left or self._is_due):
                self._turn = _Turn.IDLE
                return
            self._turn = _Turn.PLANNED
        self._submit()
