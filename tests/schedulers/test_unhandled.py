"""Exceptions of tasks: which handlers are asked, in which order, and what becomes of one that nobody has handled."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import (
    LogicalScheduler,
    SchedulerStatus,
    SchedulerUnhandledException,
    UnhandledExceptionEvent,
    WorkerPool,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_contract import WAIT_SECONDS, Turns
from tests.schedulers.pools import Countdown, settle

RUNNING, DISPOSED = SchedulerStatus.RUNNING, SchedulerStatus.DISPOSED


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(workers=2, name="reactivestreams-subject", on_unhandled="drop") as pool:
        yield pool


class Chain:
    """A chain of schedulers c2, c1, s over a physical one, which notes who was asked."""

    def __init__(self, pool: WorkerPool, *, handled_by: str) -> None:
        self.root = LogicalScheduler(pool, name="s")
        self.c1 = self.root.create_child(name="c1")
        self.c2 = self.c1.create_child(name="c2")
        self.asked: list[tuple[str, Any, BaseException, bool]] = []
        for name, asked in (("ph", pool), ("s", self.root), ("c1", self.c1), ("c2", self.c2)):
            asked.unhandled_exception.add(self.handler(name, handles=name == handled_by))

    def handler(self, name: str, *, handles: bool) -> Any:
        def handle(unhandled: SchedulerUnhandledException) -> None:
            self.asked.append((name, unhandled.scheduler, unhandled.exception, unhandled.handled))
            unhandled.handled = handles

        return handle


def fail_on(scheduler: Any, error: BaseException) -> None:
    def fail() -> None:
        raise error

    scheduler.schedule(fail)
    settle(scheduler)


@pytest.mark.parametrize(
    ("handled_by", "asked"),
    [
        ("ph", ["c2", "c1", "s", "ph"]),
        ("s", ["c2", "c1", "s"]),
        ("c1", ["c2", "c1"]),
        ("c2", ["c2"]),
        ("nobody", ["c2", "c1", "s", "ph"]),
    ],
)
def test_handlers_are_asked_upwards_until_one_has_handled_it(
    pool: WorkerPool, handled_by: str, asked: list[str]
) -> None:
    chain, error = Chain(pool, handled_by=handled_by), ValueError("mine")
    with recorded_drops() as drops:
        fail_on(chain.c2, error)
    assert chain.asked == [(name, chain.c2, error, False) for name in asked]
    assert drops == ([("task", error, "c2")] if handled_by == "nobody" else [])


def test_task_that_raises_is_finished_and_the_others_run(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool)
    told: list[BaseException] = []
    done = Countdown(990)

    def handle(unhandled: SchedulerUnhandledException) -> None:
        unhandled.handled = True
        told.append(unhandled.exception)

    def fail() -> None:
        raise ValueError("one of ten")

    root.unhandled_exception.add(handle)
    for number in range(1_000):
        root.schedule(fail if number % 100 == 7 else done)
    assert done.wait()
    settle(root)
    assert [str(error) for error in told] == ["one of ten"] * 10
    counters = root.performance_counters()
    assert (counters.ready_count, counters.parked_count) == (0, 0)


def test_unhandled_exception_disposes_of_the_tree_by_default() -> None:
    error = ValueError("mine")
    is_told = threading.Event()

    class Told(Turns):
        def discard(self, error: Exception) -> None:
            super().discard(error)
            is_told.set()

    left = Told(1, print)
    with WorkerPool(workers=1, name="reactivestreams-strict") as pool, recorded_drops() as drops:
        root, other = LogicalScheduler(pool, name="failing"), LogicalScheduler(pool, name="other")
        child = root.create_child()

        def fail() -> None:
            root.schedule(left)
            raise error

        child.schedule(fail)
        assert is_told.wait(WAIT_SECONDS)
        settle(other)
        assert [each.status for each in (root, child, other)] == [DISPOSED, DISPOSED, RUNNING]
    assert drops == [("task", error, "failing/1")]


def test_unhandled_exception_goes_to_the_hook_of_threads_if_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    error = ValueError("mine")
    with WorkerPool(workers=1, name="reactivestreams-hook", on_unhandled="excepthook") as pool:
        root = LogicalScheduler(pool)
        fail_on(root, error)
        assert root.status is RUNNING
    ((kind, value, traceback, thread),) = told
    assert (kind, value, traceback, thread.name) == (ValueError, error, error.__traceback__, "reactivestreams-hook")


@pytest.mark.parametrize("where", ["first handler", "hook for dropped signals"])
def test_failing_handler_stops_no_worker(pool: WorkerPool, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_value))
    root = LogicalScheduler(pool)
    error, interrupt = ValueError("mine"), KeyboardInterrupt()

    def fail(*_: object) -> None:
        raise interrupt

    with recorded_drops() as drops:
        if where == "first handler":
            root.unhandled_exception.add(fail)
        else:
            monkeypatch.setattr("reactivestreams.schedulers.worker_pool.dropped", lambda *_, **__: fail())
        fail_on(root, error)
        settle(root)
    if where == "first handler":
        assert [(signal, value) for signal, value, _ in drops] == [("unhandled_exception", interrupt), ("task", error)]
    else:
        assert told == [interrupt]


def test_handler_is_asked_once_and_no_more_after_it_was_removed() -> None:
    event, told = UnhandledExceptionEvent(), []
    event.add(told.append)
    event.add(told.append)
    unhandled: Any = SchedulerUnhandledException(None, ValueError("mine"))  # type: ignore[arg-type]
    assert (event.tell(unhandled), told) == (False, [unhandled])
    event.remove(told.append)
    event.remove(told.append)
    assert (event.tell(unhandled), told) == (False, [unhandled])
    assert repr(unhandled) == "SchedulerUnhandledException(None, ValueError('mine'), handled=False)"


def test_handler_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"^unhandled_exception.add\(handler\) needs a callable, got None"):
        UnhandledExceptionEvent().add(None)  # type: ignore[arg-type]


def test_other_word_for_what_becomes_of_it_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^WorkerPool\(on_unhandled\) needs one of .*, got 'ignore'; pass one"):
        WorkerPool(on_unhandled="ignore")  # type: ignore[arg-type]
