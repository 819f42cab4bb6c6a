"""Tasks that come with the schedulers: of a function, of an item processor, each also yieldable."""

import threading
from collections import deque
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import (
    ActionTask,
    ImmediateScheduler,
    ItemProcessingTask,
    LogicalScheduler,
    SchedulerStatus,
    SchedulerTask,
    WorkerPool,
    WorkerScheduler,
    YieldableActionTask,
    YieldableItemProcessingTask,
    YieldToken,
)
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.scheduler_contract import WAIT_SECONDS
from tests.schedulers.pools import settle


class Queue:
    """An item processor, of either kind."""

    def __init__(self, items: int = 0) -> None:
        self.items = deque(range(items))
        self.batches: list[list[int]] = []
        self.tokens: list[YieldToken] = []

    @property
    def item_count(self) -> int:
        return len(self.items)

    def process(self, batch_size: int, yield_token: YieldToken | None = None) -> None:
        self.tokens += [] if yield_token is None else [yield_token]
        self.batches.append([self.items.popleft() for _ in range(min(batch_size, len(self.items)))])


def primes_below(limit: int, found: list[int], next_one: list[int], token: YieldToken) -> bool:
    """Find primes one by one; return whether all were found."""
    while next_one[0] < limit:
        candidate = next_one[0]
        next_one[0] += 1
        if all(candidate % prime for prime in found):
            found.append(candidate)
        if token.is_yield_requested:
            return False
    return True


@pytest.mark.parametrize(
    ("task", "priority"),
    [
        (ActionTask(print), 1),
        (ActionTask(print, "state", priority=0), 0),
        (YieldableActionTask(lambda token: True), 1),
        (YieldableActionTask(lambda token: True, priority=-3), -3),
        (ItemProcessingTask(Queue(1)), 2),
        (YieldableItemProcessingTask(Queue(1)), 2),
        (ItemProcessingTask(Queue(1), priority=7), 7),
    ],
    ids=lambda value: type(value).__name__,
)
def test_priority_is_that_of_its_kind_by_default(task: Any, priority: int) -> None:
    assert isinstance(task, SchedulerTask)
    assert (task.priority, task.is_runnable) == (priority, True)


@pytest.mark.parametrize("kind", [ActionTask, YieldableActionTask])
@pytest.mark.parametrize("action", [None, 3, "print"])
def test_action_that_cannot_be_called_is_refused(kind: Any, action: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"^{kind.__name__}\(action\) needs a callable, got {action!r}"):
        kind(action)


@pytest.mark.parametrize("kind", [ItemProcessingTask, YieldableItemProcessingTask])
@pytest.mark.parametrize("processor", [None, 3, []])
def test_processor_without_its_methods_is_refused(kind: Any, processor: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=rf"^{kind.__name__}\(processor\) needs item_count and process\(\), got"
    ):
        kind(processor)


@pytest.mark.parametrize(("batch_size", "error"), [(0, ArgumentError), (-1, ArgumentError), ("8", ArgumentTypeError)])
def test_batch_size_that_is_no_positive_count_is_refused(batch_size: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"ItemProcessingTask\(batch_size\) needs"):
        ItemProcessingTask(Queue(), batch_size=batch_size)


def test_action_runs_once_and_gets_its_state() -> None:
    scheduler, seen = ManualScheduler(), []
    scheduler.schedule(ActionTask(lambda: seen.append("plain")))
    scheduler.schedule(ActionTask(lambda *state: seen.append(state), "one", 2))
    scheduler.run_waiting()
    assert seen == ["plain", ("one", 2)]


def test_yieldable_action_gets_its_state_and_the_token_until_it_is_done() -> None:
    scheduler, seen = ManualScheduler(), []

    def act(name: str, token: YieldToken) -> bool:
        seen.append((name, token.is_yield_requested))
        return len(seen) == 2

    scheduler.schedule(YieldableActionTask(act, "state"))
    scheduler.run_waiting()
    assert seen == [("state", False), ("state", False)]


def test_yieldable_task_runs_where_nobody_asks_it_to_yield() -> None:
    seen: list[YieldToken] = []
    task = YieldableActionTask(lambda token: seen.append(token) or True)
    assert task.execute(ImmediateScheduler()) is True
    assert seen == [YieldToken.NEVER]


@pytest.mark.parametrize("kind", [ItemProcessingTask, YieldableItemProcessingTask])
def test_items_are_processed_in_batches_whenever_there_are_some(kind: Any) -> None:
    scheduler, processor = ManualScheduler(), Queue(5)
    task = kind(processor, batch_size=2)
    scheduler.schedule(task)
    scheduler.run_waiting()
    assert processor.batches == [[0, 1], [2, 3], [4]]
    assert task.is_runnable is False
    processor.items.extend([7, 8])
    scheduler.run_waiting()
    assert len(processor.batches) == 3
    scheduler.recalculate_priority()
    scheduler.run_waiting()
    assert processor.batches[3:] == [[7, 8]]


def test_batch_has_128_items_by_default() -> None:
    scheduler, processor = ManualScheduler(), Queue(200)
    scheduler.schedule(ItemProcessingTask(processor))
    scheduler.run_waiting()
    assert [len(batch) for batch in processor.batches] == [128, 72]


def test_yieldable_processor_gets_the_token_of_its_scheduler() -> None:
    scheduler, processor = ManualScheduler(), Queue(1)
    child = scheduler.create_child()
    child.schedule(YieldableItemProcessingTask(processor))
    scheduler.run_waiting()
    (token,) = processor.tokens
    assert not token.is_yield_requested
    assert child.pause()
    assert token.is_yield_requested


def test_busy_task_sees_the_pause_and_goes_on_after_it_with_a_token_that_asks_for_nothing() -> None:
    states: list[tuple[bool, SchedulerStatus]] = []
    is_busy, is_done = threading.Event(), threading.Event()

    def work(token: YieldToken) -> bool:
        states.append((token.is_yield_requested, worker.status))
        if len(states) == 2:
            is_done.set()
            return True
        is_busy.set()
        while not token.is_yield_requested:
            pass
        return False

    with WorkerScheduler(name="reactivestreams-busy") as worker:
        worker.schedule(YieldableActionTask(work))
        assert is_busy.wait(WAIT_SECONDS)
        assert worker.pause()
        assert (len(states), worker.status) == (1, SchedulerStatus.PAUSED)
        worker.continue_()
        assert is_done.wait(WAIT_SECONDS)
    assert states == [(False, SchedulerStatus.RUNNING)] * 2


def test_ten_pauses_lose_no_prime() -> None:
    found: list[int] = []
    next_one, yields = [2], [0]
    is_running, is_done = threading.Semaphore(0), threading.Event()

    def find(token: YieldToken) -> bool:
        """Find primes in eleven turns, of which the first ten end when they are asked to yield, not before."""
        is_running.release()
        limit = 400 * (yields[0] + 1)
        is_all = primes_below(limit, found, next_one, token)
        if yields[0] == 10 and is_all:
            is_done.set()
            return True
        while not token.is_yield_requested:
            pass
        yields[0] += 1
        return False

    with WorkerPool(workers=1, name="reactivestreams-primes") as pool:
        root, beside = LogicalScheduler(pool), LogicalScheduler(pool)
        root.schedule(YieldableActionTask(find))
        for number in range(1, 11):
            assert is_running.acquire(timeout=WAIT_SECONDS)
            assert root.pause()
            before = (list(found), yields[0])
            settle(beside)  # the worker is free, and goes on with none of the paused
            assert (found, yields[0]) == before
            assert yields[0] == number
            root.continue_()
        assert is_done.wait(WAIT_SECONDS)
    assert (yields, len(found), found[-1]) == ([10], 599, 4397)
