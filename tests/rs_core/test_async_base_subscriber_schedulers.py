"""What an asynchronous subscriber does about a scheduler that takes no task, and about wrong arguments."""

import threading
from typing import Any

import pytest

from reactivestreams import AsyncBaseSubscriber
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    InvalidRequestError,
    InvalidRequestTypeError,
    NullElementError,
    SchedulerDisposedError,
    SchedulerFullError,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.author_subscribers import AsyncNoting, subscribed

WAIT_SECONDS = 10.0


# --- schedulers that refuse -------------------------------------------------------------------------------------------


class Refusing:
    """Takes tasks until told otherwise."""

    def __init__(self) -> None:
        self.tasks: list[Any] = []
        self.error: Exception | None = None

    def schedule(self, task: Any) -> None:
        if self.error is not None:
            raise self.error
        self.tasks.append(task)

    def run(self) -> None:
        while self.tasks:
            self.tasks.pop().execute()


@pytest.mark.parametrize("error", [SchedulerDisposedError("gone"), SchedulerFullError("full"), ValueError("odd")])
@pytest.mark.parametrize("at", ["on_subscribe", "on_next", "request", "a turn"])
def test_scheduler_that_refuses_ends_the_subscription_in_the_thread_that_noticed(
    publisher: ManualPublisher, error: Exception, at: str
) -> None:
    scheduler = Refusing()

    class Late(AsyncNoting):
        first_request = 4 if at != "request" else None

        def hook_on_next(self, element: Any) -> None:
            super().hook_on_next(element)
            scheduler.error = error
            self.request(1)  # a further turn, which is refused

    subscriber = Late(scheduler=scheduler)
    if at == "on_subscribe":
        scheduler.error = error
    publisher.subscribe(subscriber)
    scheduler.run()
    if at == "on_next":
        scheduler.error = error
        publisher.send(1)
    elif at == "request":
        scheduler.error = error
        subscriber.request(1)
    elif at == "a turn":
        publisher.send(1)
        scheduler.run()
    assert (subscriber.hooks[-1], publisher.cancels) == (("error", error), 1)
    assert subscriber.threads == {threading.get_ident()}
    assert subscriber.names.count("error") == 1


def test_scheduler_that_discards_the_task_ends_the_subscription(
    publisher: ManualPublisher, scheduler: ManualScheduler
) -> None:
    subscriber = subscribed(publisher, scheduler)
    publisher.send(1)
    scheduler.dispose()
    assert subscriber.names == ["subscribe", "error"]
    assert [type(error) for error in subscriber.errors] == [SchedulerDisposedError]
    assert publisher.cancels == 1


@pytest.mark.parametrize("when", ["before the cancel", "after the cancel"])
def test_cancel_beside_a_disposed_scheduler_calls_the_cancel_hook(
    publisher: ManualPublisher, scheduler: ManualScheduler, when: str
) -> None:
    subscriber = subscribed(publisher, scheduler)
    with recorded_drops() as drops:
        if when == "before the cancel":
            scheduler.dispose()
            subscriber.cancel()
        else:
            subscriber.cancel()
            scheduler.dispose()
    assert (subscriber.hooks, publisher.cancels, drops) == ([("subscribe",), ("cancel",)], 1, [])


def test_scheduler_that_takes_the_cancel_and_raises_goes_to_the_dropped_hook(publisher: ManualPublisher) -> None:
    class Odd(ManualScheduler):
        is_odd = False

        def schedule(self, task: Any, **options: Any) -> None:
            if not self.is_odd:
                return super().schedule(task, **options)
            task.execute(self)
            raise ValueError("odd")

    scheduler = Odd()
    subscriber = subscribed(publisher, scheduler)
    scheduler.is_odd = True
    with recorded_drops() as drops:
        subscriber.cancel()
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("cancel", "ValueError('odd')", "AsyncNoting")
    ]
    assert (subscriber.hooks, publisher.cancels) == ([("subscribe",), ("cancel",)], 1)


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", [None, "worker", 3, object(), print])
def test_scheduler_of_the_wrong_kind_is_refused(scheduler: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        AsyncNoting(scheduler=scheduler)
    assert str(raised.value).startswith("AsyncNoting(scheduler) needs a scheduler, got ")


def test_scheduler_cannot_be_left_out() -> None:
    with pytest.raises(ArgumentTypeError):
        AsyncNoting()


def test_constructor_that_forgets_its_super_works_with_the_parameter(
    publisher: ManualPublisher, scheduler: ManualScheduler
) -> None:
    class Forgetful(AsyncBaseSubscriber[int]):
        def __init__(self, *, scheduler: Any) -> None:
            self.elements: list[int] = []

        def hook_on_next(self, element: int) -> None:
            self.elements.append(element)

    subscriber = Forgetful(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(1)
    scheduler.run_waiting()
    assert subscriber.elements == [1]


def test_subscriber_without_a_scheduler_ends_with_an_error_when_it_is_subscribed(publisher: ManualPublisher) -> None:
    class Forgetful(AsyncNoting):
        def __init__(self) -> None:
            self.errors_seen: list[Exception] = []

        def hook_on_error(self, error: Exception) -> None:
            self.errors_seen.append(error)

    subscriber = Forgetful()
    publisher.subscribe(subscriber)
    assert [str(error) for error in subscriber.errors_seen] == [
        "Forgetful has no scheduler; call super().__init__(scheduler=...) in its __init__"
    ]
    assert (publisher.cancels, publisher.requests) == (1, [])


@pytest.mark.parametrize(
    ("prefetch", "error"),
    [
        (0, ArgumentError), (-1, ArgumentError), (2**40, ArgumentError),
        ("8", ArgumentTypeError), (None, ArgumentTypeError), (True, ArgumentTypeError),
    ],
)  # fmt: skip
def test_prefetch_of_the_wrong_kind_is_refused_when_the_subscriber_is_made(
    prefetch: Any, error: type[Exception], scheduler: ManualScheduler
) -> None:
    kind = type("Odd", (AsyncNoting,), {"prefetch": prefetch})
    with pytest.raises(error) as raised:
        kind(scheduler=scheduler)
    assert str(raised.value).startswith("Odd.prefetch needs ")


@pytest.mark.parametrize("state", ["fresh", "running", "ended"])
@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_none_is_raised_to_the_caller_in_every_state(
    publisher: ManualPublisher, scheduler: ManualScheduler, signal: str, state: str
) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    if state != "fresh":
        publisher.subscribe(subscriber)
    if state == "ended":
        publisher.complete()
        scheduler.run_waiting()
    with pytest.raises(NullElementError) as raised:
        getattr(subscriber, signal)(None)
    assert str(raised.value).startswith(f"§2.13: {signal}(None)")


@pytest.mark.parametrize(
    ("n", "error"), [(0, InvalidRequestError), (-1, InvalidRequestError), ("3", InvalidRequestTypeError)]
)
def test_illegal_request_is_raised_to_the_author(n: Any, error: type[Exception], scheduler: ManualScheduler) -> None:
    with pytest.raises(error):
        AsyncNoting(scheduler=scheduler).request(n)
