"""What the tests of pools share: waiting for events that tasks set, holding workers, collecting exceptions."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from reactivestreams.schedulers import LogicalScheduler, Scheduler, WorkerPool
from tests.contracts.scheduler_contract import WAIT_SECONDS


class Countdown:
    """An event that is set when it was counted down as often as it was told."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._lock = threading.Lock()
        self._is_zero = threading.Event()

    def __call__(self, *_: Any) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._is_zero.set()

    @property
    def left(self) -> int:
        return self._left

    def wait(self, timeout_seconds: float = WAIT_SECONDS) -> bool:
        return self._is_zero.wait(timeout_seconds)


def settle(scheduler: Scheduler) -> None:
    """Return when the tasks that were ready before have had a turn; for one whose tasks run one at a time."""
    done = threading.Event()
    scheduler.schedule(done.set)
    assert done.wait(WAIT_SECONDS)


@contextmanager
def held(pool: WorkerPool) -> Iterator[None]:
    """Keep every worker of a pool busy while the block runs."""
    may_go_on = threading.Event()
    holding = Countdown(pool.width)

    def hold() -> None:
        holding()
        assert may_go_on.wait(WAIT_SECONDS)

    with ExitStack() as stack:
        stack.callback(may_go_on.set)
        for number in range(pool.width):
            LogicalScheduler(pool, name=f"holding {number}").schedule(hold)
        assert holding.wait()
        yield


def in_thread(call: Callable[[], Any]) -> Any:
    """Return what a call returns in a thread of its own, or raise what it raises."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((True, call()))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(WAIT_SECONDS)
    ((is_result, value),) = outcome
    if not is_result:
        raise value
    return value
