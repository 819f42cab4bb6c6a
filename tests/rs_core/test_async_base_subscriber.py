"""AsyncBaseSubscriber: signals only wake a task, and the task calls the hooks."""

import contextvars
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import BaseSubscriber, Stream
from reactivestreams.errors import (
    DemandExceededError,
)
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.author_subscribers import AsyncNoting, subscribed

WAIT_SECONDS = 10.0


# --- where hooks run --------------------------------------------------------------------------------------------------


def test_it_is_a_base_subscriber(scheduler: ManualScheduler) -> None:
    assert isinstance(AsyncNoting(scheduler=scheduler), BaseSubscriber)


def test_hooks_run_in_order_in_the_thread_of_the_scheduler() -> None:
    with WorkerScheduler(name="hooks") as worker:
        subscriber = AsyncNoting(scheduler=worker)
        Stream.range(5_000).subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert subscriber.names == ["subscribe", *["next"] * 5_000, "complete"]
    assert (subscriber.elements, subscriber.faults) == (list(range(5_000)), [])
    assert len(subscriber.threads) == 1
    assert threading.get_ident() not in subscriber.threads


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_complete", "on_error", "cancel"])
def test_no_hook_runs_inside_a_signal(signal: str, publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    publisher.subscribe(subscriber)
    before: list[tuple[Any, ...]] = []
    if signal != "on_subscribe":
        scheduler.run_waiting()
        before = [("subscribe",)]
    if signal == "on_next":
        publisher.send(1)
    elif signal == "on_complete":
        publisher.complete()
    elif signal == "on_error":
        publisher.fail(ValueError("why"))
    elif signal == "cancel":
        subscriber.cancel()
    assert (subscriber.hooks, scheduler.waiting) == (before, 1)
    scheduler.run_waiting()
    assert len(subscriber.hooks) == len(before) + 1


def test_publisher_is_not_held_up_by_a_hook_that_waits() -> None:
    may_go_on = threading.Event()

    class Waiting(AsyncNoting):
        def hook_on_next(self, element: Any) -> None:
            may_go_on.wait(WAIT_SECONDS)
            super().hook_on_next(element)

    with WorkerScheduler(name="hooks") as worker:
        subscriber = Waiting(scheduler=worker)
        subscriber.request(4)
        subscriber.first_request = None
        Stream.range(4).subscribe(subscriber)  # §2.2: returns although no hook has
        may_go_on.set()
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert subscriber.elements == [0, 1, 2, 3]


def test_burst_of_signals_wakes_one_task(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler)
    before = scheduler.schedule_calls
    publisher.send(1, 2, 3, 4)
    publisher.complete()
    assert (scheduler.schedule_calls - before, scheduler.waiting) == (1, 1)
    scheduler.run_waiting()
    assert subscriber.names == ["subscribe", *["next"] * 4, "complete"]


def test_other_tasks_run_between_turns(scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    Stream.range(40).subscribe(subscriber)
    counts = []

    def look() -> None:
        counts.append(len(subscriber.elements))
        if not subscriber.ended.is_set():
            scheduler.schedule(look)

    scheduler.schedule(look)
    scheduler.run_waiting()
    assert subscriber.elements == list(range(40))
    assert max(after - before for before, after in itertools.pairwise(counts)) <= 4  # `prefetch` in a turn


def test_hooks_see_the_context_variables_of_the_subscribing_thread() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="outside")
    seen: list[str] = []

    class Looking(AsyncNoting):
        def hook_on_next(self, element: Any) -> None:
            seen.append(variable.get())
            variable.set("set in a hook")  # is not carried on

    def subscribe() -> Looking:
        variable.set("of the subscriber")
        subscriber = Looking(scheduler=worker)
        Stream.range(10).subscribe(subscriber)
        return subscriber

    with WorkerScheduler(name="hooks") as worker:
        assert contextvars.copy_context().run(subscribe).ended.wait(WAIT_SECONDS)
    assert (set(seen), variable.get()) == ({"of the subscriber", "set in a hook"}, "outside")
    assert seen[0] == "of the subscriber"


def test_immediate_scheduler_runs_hooks_in_the_signals(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, ImmediateScheduler())
    publisher.send(1, 2)
    assert subscriber.hooks == [("subscribe",), ("next", 1), ("next", 2)]
    assert subscriber.threads == {threading.get_ident()}


def test_schedulers_of_other_origin_need_schedule_only(publisher: ManualPublisher) -> None:
    class Waiting(list[Any]):
        schedule = list.append

    tasks = Waiting()
    subscriber = AsyncNoting(scheduler=tasks)
    publisher.subscribe(subscriber)
    tasks.pop().execute()
    tasks.pop().execute()  # the request that the first hook made
    publisher.send(5)
    tasks.pop().execute()
    assert (subscriber.elements, tasks) == ([5], [])


def test_task_that_runs_twice_has_one_effect(publisher: ManualPublisher) -> None:
    class Waiting(list[Any]):
        schedule = list.append

    tasks = Waiting()
    subscriber = AsyncNoting(scheduler=tasks)
    subscriber.first_request = None
    publisher.subscribe(subscriber)
    task = tasks.pop()
    task.execute()
    task.execute()
    task.discard(ValueError("late"))
    assert (subscriber.hooks, tasks) == ([("subscribe",)], [])


# --- demand -----------------------------------------------------------------------------------------------------------


def test_everything_is_requested_in_windows(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler)
    assert publisher.requests == [4]
    publisher.send(0, 1)
    scheduler.run_waiting()
    assert publisher.requests == [4]
    publisher.send(2)
    scheduler.run_waiting()
    assert (publisher.requests, subscriber.elements) == ([4, 3], [0, 1, 2])


def test_more_is_requested_while_elements_still_wait(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    at_element: list[tuple[int, list[int]]] = []

    class Looking(AsyncNoting):
        def hook_on_next(self, element: Any) -> None:
            at_element.append((element, list(publisher.requests)))

    subscriber = Looking(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(0, 1, 2, 3)
    scheduler.run_waiting()
    assert at_element == [(0, [4]), (1, [4]), (2, [4]), (3, [4, 3])]


def test_small_requests_are_passed_on_as_they_come(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler, first_request=1)
    subscriber.request(2)
    scheduler.run_waiting()
    publisher.send(1, 2, 3)
    scheduler.run_waiting()
    assert (publisher.requests, subscriber.elements) == ([1, 2], [1, 2, 3])


def test_nothing_is_requested_unless_the_author_does(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscribed(publisher, scheduler, first_request=None)
    assert publisher.requests == []  # §2.1


def test_requests_before_the_subscription_add_up(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    subscriber.first_request = None
    subscriber.request(1)
    subscriber.request(2)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    assert publisher.requests == [3]


def test_publisher_that_emits_inside_request_never_nests(scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    Stream.range(2_000).subscribe(subscriber)
    scheduler.run_waiting()
    assert (subscriber.elements, subscriber.faults) == (list(range(2_000)), [])


def test_large_prefetch_is_used_in_full(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    class Wide(AsyncNoting):
        prefetch = 4_000

    subscriber = Wide(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(*range(4_000))
    scheduler.run_waiting()
    assert (subscriber.elements, publisher.requests) == (list(range(4_000)), [4_000, 3_000])


def test_more_than_requested_ends_the_subscription(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler, first_request=2)
    publisher.send(*range(100))
    scheduler.run_waiting()
    assert subscriber.names[-1] == "error"
    assert [type(error) for error in subscriber.errors] == [DemandExceededError]
    assert str(subscriber.errors[0]).startswith("§1.1: the publisher sent 2 without demand for it, to AsyncNoting;")
    assert (publisher.cancels, set(subscriber.elements) <= {0, 1}) == (1, True)


# --- threads ----------------------------------------------------------------------------------------------------------


def test_hooks_never_overlap_on_a_scheduler_that_runs_tasks_at_the_same_time(publisher: ManualPublisher) -> None:
    class Pool:
        """Runs each task in a thread of its own."""

        def __init__(self) -> None:
            self.threads: list[threading.Thread] = []

        def schedule(self, task: Any) -> None:
            thread = threading.Thread(target=task.execute)
            self.threads.append(thread)
            thread.start()

    def numbers() -> Iterator[int]:
        yield from range(400)

    for _ in range(5):
        pool = Pool()
        subscriber = AsyncNoting(scheduler=pool)
        Stream.from_iterable(numbers()).subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
        for thread in pool.threads:
            thread.join()
        assert (subscriber.elements, subscriber.faults) == (list(range(400)), [])


def test_elements_are_seen_as_their_publisher_left_them() -> None:
    """§2.11: what was written before on_next is seen by the hook."""
    sums: list[bool] = []

    class Adding(AsyncNoting):
        def hook_on_next(self, element: list[int]) -> None:
            sums.append(sum(element[1:]) == element[0])

    def filled(number: int) -> list[int]:
        element = [0] * 9
        for position in range(1, 9):
            element[position] = number
        element[0] = 8 * number
        return element

    with WorkerScheduler(name="hooks") as worker:
        subscriber = Adding(scheduler=worker)
        Stream.range(2_000).map(filled).subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert sums == [True] * 2_000
