"""What the verifications of the examples do not show them: executors that drop or refuse what they took, and None."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from examples.standard_examples.async_iterable_publisher import AsyncIterablePublisher
from examples.standard_examples.async_subscriber import AsyncSubscriber
from examples.standard_examples.subscriber_verifications import AsyncSubscriberBlackboxVerification, Sum
from examples.standard_examples.verifications import AsyncIterableVerification, Elements, shared_executor

__all__ = [
    "DroppedTaskVerification",
    "EarlyRefusalVerification",
    "LateRefusalVerification",
    "RefusedSubscriberVerification",
    "SlowSourceVerification",
]


SECONDS_EACH = 0.05
SECONDS_AHEAD = 5.0


def after(seconds: float) -> Callable[[int], int]:
    """Return what makes the element of a number, after a time in which other threads get on."""

    def make(number: int) -> int:
        time.sleep(seconds)
        return number

    return make


class DroppingExecutor(Executor):
    """Take every task and drop it, as an executor does that is shut down in the meantime."""

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.cancel()
        return future


class LateRefusingExecutor(Executor):
    """Run a task, and only then refuse it, as one does that cannot start another thread when it has queued the task.

    A task that is submitted by another one is taken: who waits for the thread that it runs on would wait for ever.
    """

    def __init__(self) -> None:
        self._mine = threading.local()
        self._pool = ThreadPoolExecutor(1, "late refusal")
        self._lock = threading.Lock()
        self._running: list[Future[Any]] = []

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> "Future[Any]":
        future = self._pool.submit(self._run, task)
        if getattr(self._mine, "is_worker", False):
            with self._lock:
                self._running.append(future)
            return future
        while True:
            future.result()
            with self._lock:
                if not self._running:
                    raise RuntimeError("can't start new thread")
                future = self._running.pop()

    def _run(self, task: Callable[..., Any]) -> None:
        self._mine.is_worker = True
        task()


class EarlyRefusingExecutor(Executor):
    """Run a task, and refuse it while it runs, except one that is submitted by another task.

    A task runs from when it makes an element, which has to take long enough for the refusal to come meanwhile; one that
    makes none is refused when it is done.
    """

    def __init__(self) -> None:
        self._mine = threading.local()
        self._pool = ThreadPoolExecutor(1, "early refusal")
        self._begun = threading.Event()

    def announced(self, make: Callable[[int], int]) -> Callable[[int], int]:
        """Return what makes an element as another function does, and says before that a task runs."""

        def announce_and_make(number: int) -> int:
            self._begun.set()
            return make(number)

        return announce_and_make

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> "Future[Any]":
        if getattr(self._mine, "is_worker", False):
            return self._pool.submit(self._run, task)
        self._begun.clear()
        self._pool.submit(self._run, task).add_done_callback(lambda _: self._begun.set())
        self._begun.wait()
        raise RuntimeError("can't start new thread")

    def _run(self, task: Callable[..., Any]) -> None:
        self._mine.is_worker = True
        task()


class RefusingLaterExecutor(Executor):
    """Take the first tasks only."""

    def __init__(self, taken: int) -> None:
        self._taken = taken

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **options: Any) -> "Future[Any]":
        self._taken -= 1
        if self._taken < 0:
            raise RuntimeError("cannot schedule new futures after shutdown")
        return shared_executor().submit(task, *arguments, **options)


class DroppedTaskVerification(AsyncIterableVerification):
    """Judge a publisher whose tasks may be dropped, and whose iterable may yield None."""

    def create_failed_publisher(self) -> Any:
        return AsyncIterablePublisher(Elements(10), executor=DroppingExecutor())

    def create_publisher_failing_at(self, position: int) -> Any:
        elements = [None if number == position else number for number in range(position + 10)]
        return AsyncIterablePublisher(elements, executor=shared_executor())


class LateRefusalVerification(AsyncIterableVerification):
    """Judge a publisher whose executor says of tasks that it has run that it takes none.

    Where several threads ask at once such a refusal may come before the run of another task, and is believed: so only
    a check with one thread judges.
    """

    only_checks = ("required_create_publisher_3_must_produce_a_stream_of_exactly_3_elements",)

    def create_publisher(self, elements: int) -> Any:
        return AsyncIterablePublisher(Elements(elements), executor=LateRefusingExecutor())


class EarlyRefusalVerification(LateRefusalVerification):
    """Judge a publisher whose executor says of a task that runs that it takes none; each element takes a while."""

    def create_publisher(self, elements: int) -> Any:
        executor = EarlyRefusingExecutor()
        return AsyncIterablePublisher(Elements(elements, executor.announced(after(SECONDS_EACH))), executor=executor)


class SlowSourceVerification(AsyncIterableVerification):
    """Judge a publisher that reads ahead for a long time; the subscriber may have left by then."""

    only_checks = ("required_spec313_cancel_must_make_the_publisher_eventually_drop_all_references_to_the_subscriber",)

    def create_publisher(self, elements: int) -> Any:
        wait_long = after(SECONDS_AHEAD)
        return AsyncIterablePublisher(
            Elements(elements, lambda number: wait_long(number) if number else number), executor=shared_executor()
        )


class RefusedSum(Sum, AsyncSubscriber[int]):
    """Add up as long as the executor takes tasks, which it does once."""

    def __init__(self) -> None:
        super().__init__(RefusingLaterExecutor(1))


class RefusedSubscriberVerification(AsyncSubscriberBlackboxVerification):
    """Judge a subscriber whose executor takes no work any more when the first element comes."""

    def create_failing_subscriber(self, signal: str) -> Any:
        return RefusedSum() if signal == "on_next" else None
