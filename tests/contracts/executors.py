"""Executors of a test: their calls run when it lets them, as tasks of a scheduler, or at once."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Event
from typing import Any

from reactivestreams.schedulers import Scheduler
from reactivestreams.schedulers.delays import shared_scheduler

WAIT_SECONDS = 60.0


class SteppedExecutor(Executor):
    """Keeps calls until it is told to run them, in the thread that tells it."""

    def __init__(self) -> None:
        self.calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls.append((future, lambda: function(*arguments, **named)))
        return future

    def run_next(self, *, last: bool = False) -> bool:
        """Run the call that was begun first, or last; False: there is none."""
        while self.calls:
            try:
                future, call = self.calls.pop() if last else self.calls.popleft()
            except IndexError:  # another thread has taken it
                break
            if future.set_running_or_notify_cancel():
                run(future, call)
                return True
        return False

    def settle(self) -> None:
        """Run calls, and what the scheduler of streams without a host has, until nothing is left."""
        while self.run_next() or settle_shared() or self.calls:
            pass


class TaskExecutor(Executor):
    """Runs each call as a task of a scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def task() -> None:
            if future.set_running_or_notify_cancel():
                run(future, lambda: function(*arguments, **named))

        self.scheduler.schedule(task)
        return future


class InlineExecutor(Executor):
    """Runs each call when it is begun, in the thread that begins it."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        run(future, lambda: function(*arguments, **named))
        return future


def run(future: Future[Any], call: Callable[[], Any]) -> None:
    """Run a call and note in its future how it ended, as a worker does."""
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


def settle_shared() -> bool:
    """Wait until the scheduler of streams without a host has nothing to do; return whether it had."""
    scheduler = shared_scheduler()
    had_something = False
    while True:
        before = scheduler.performance_counters().task_execution_count
        passed = Event()
        scheduler.schedule(passed.set)
        assert passed.wait(WAIT_SECONDS)
        counters = scheduler.performance_counters()
        if counters.ready_count == 0 and counters.task_execution_count - before <= 1:
            return had_something
        had_something = True
