"""An asynchronous subscriber: it works on an executor and gives the publisher its thread back at once."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, TypeVar

from examples.standard_examples.serial_task import SerialTask
from examples.standard_examples.sync_subscriber import SyncSubscriber
from reactivestreams.errors import ArgumentTypeError, DemandExceededError

__all__ = ["MAILBOX_CAPACITY", "AsyncSubscriber"]

MAILBOX_CAPACITY = 16
"""How many signals wait for their turn at most. From a publisher that keeps the rules there are three: the
subscription, the one element that was requested, and the end. One that sends more is cancelled."""

T = TypeVar("T")


class AsyncSubscriber(SyncSubscriber[T]):
    """Work on elements one by one, in tasks of an executor (§2.2); subclasses say how.

    Signals wait in a mailbox until a task takes them, one in each run. They are put in and taken out under a lock, so
    that what the publisher wrote before a signal is visible to the task (§2.11). Only tasks use the subscription, and
    they never overlap (§2.7).

    Args:
        executor: Whose tasks do the work. If it refuses one, the subscription is cancelled and the refusal goes to
            `when_error`, both on the thread that signals.

    Raises:
        ArgumentTypeError: There is no executor.
    """

    def __init__(self, executor: Executor) -> None:
        if executor is None:
            raise ArgumentTypeError(f"{type(self).__name__}(None); pass an executor")
        super().__init__()
        self._mailbox: deque[Callable[[], None]] = deque()
        self._mailbox_lock = threading.Lock()
        self._is_closed = False
        self._task = SerialTask(self._handle_one, self._refused, executor=executor)

    def dispatch(self, handler: Callable[..., None], *arguments: Any) -> None:
        """Leave a signal in the mailbox and see to it that a task takes it."""
        with self._mailbox_lock:
            if self._is_closed:
                return
            call = partial(handler, *arguments)
            if len(self._mailbox) == MAILBOX_CAPACITY:
                self._is_closed = True
                call = partial(
                    self.fail,
                    DemandExceededError(
                        f"§1.1: the publisher has sent {MAILBOX_CAPACITY} signals ahead of the one element requested"
                    ),
                )
            self._mailbox.append(call)
        self._task.wake()

    def _handle_one(self) -> bool:
        with self._mailbox_lock:
            call = self._mailbox.popleft() if self._mailbox else None
        if call is not None:
            call()
        with self._mailbox_lock:
            return bool(self._mailbox)

    def _refused(self, reason: BaseException) -> None:
        with self._mailbox_lock:
            self._is_closed = True
            self._mailbox.clear()
        self.fail(RuntimeError(f"the executor takes no work: {reason}"))
