"""How an asynchronous subscriber ends: by its publisher, by cancel(), by a hook that raises."""

from typing import Any

import pytest

from reactivestreams import AsyncBaseSubscriber, Stream
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.author_subscribers import AsyncNoting, subscribed

WAIT_SECONDS = 10.0


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_requested", [True, False])
def test_ends_come_after_the_elements(
    publisher: ManualPublisher, scheduler: ManualScheduler, has_requested: bool
) -> None:
    error = ValueError("why")
    for end in ("complete", "fail"):
        subscriber = subscribed(publisher, scheduler, first_request=2 if has_requested else None)
        if has_requested:
            publisher.send(1, 2)
        if end == "complete":
            publisher.complete()  # §2.9
        else:
            publisher.fail(error)  # §2.10
        scheduler.run_waiting()
        assert subscriber.elements == ([1, 2] if has_requested else [])
        assert subscriber.hooks[-1] == (("complete",) if end == "complete" else ("error", error))
        assert publisher.cancels == 0


def test_error_right_after_on_subscribe_finds_the_first_hook_run(scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    Stream.error(ValueError("why")).subscribe(subscriber)
    scheduler.run_waiting()
    assert subscriber.names == ["subscribe", "error"]


def test_nothing_is_called_on_the_subscription_after_the_end(
    publisher: ManualPublisher, scheduler: ManualScheduler
) -> None:
    class Calling(AsyncNoting):
        def hook_on_complete(self) -> None:
            super().hook_on_complete()
            self.request(5)
            self.cancel()

    subscriber = Calling(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.complete()
    scheduler.run_waiting()
    subscriber.request(1)
    subscriber.cancel()
    scheduler.run_waiting()
    assert (publisher.requests, publisher.cancels) == ([4], 0)  # §2.3, §2.4
    assert subscriber.names == ["subscribe", "complete"]


def test_signals_after_the_end_are_dropped(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler)
    publisher.complete()
    with recorded_drops() as drops:
        publisher.send(1)
        publisher.fail(ValueError("late"))
        scheduler.run_waiting()
        publisher.fail(ValueError("later"))
    assert [(signal, repr(value)) for signal, value, _ in drops] == [
        ("on_next", "1"),
        ("on_error", "ValueError('late')"),
        ("on_error", "ValueError('later')"),
    ]
    assert subscriber.names == ["subscribe", "complete"]


# --- cancel -----------------------------------------------------------------------------------------------------------


def test_cancel_lets_waiting_elements_go(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = subscribed(publisher, scheduler)
    publisher.send(1, 2)
    subscriber.cancel()
    subscriber.cancel()
    assert subscriber.is_cancelled
    scheduler.run_waiting()
    publisher.send(3)  # §2.8
    publisher.complete()
    scheduler.run_waiting()
    assert (subscriber.hooks, publisher.cancels) == ([("subscribe",), ("cancel",)], 1)


def test_cancel_inside_a_hook_is_followed_by_the_cancel_hook(
    publisher: ManualPublisher, scheduler: ManualScheduler
) -> None:
    class Once(AsyncNoting):
        def hook_on_next(self, element: Any) -> None:
            self.cancel()
            super().hook_on_next(element)

    subscriber = Once(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(1, 2)
    scheduler.run_waiting()
    assert (subscriber.hooks, publisher.cancels) == ([("subscribe",), ("next", 1), ("cancel",)], 1)  # §2.6


@pytest.mark.parametrize("runs_between", [True, False])
def test_cancel_before_the_subscription_cancels_what_comes(
    publisher: ManualPublisher, scheduler: ManualScheduler, runs_between: bool
) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    subscriber.cancel()
    if runs_between:
        scheduler.run_waiting()
        assert subscriber.hooks == [("cancel",)]
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    assert (publisher.cancels, publisher.requests, subscriber.hooks) == (1, [], [("cancel",)])


def test_cancel_before_the_first_hook_skips_it(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    subscriber = AsyncNoting(scheduler=scheduler)
    publisher.subscribe(subscriber)
    subscriber.cancel()
    scheduler.run_waiting()
    assert (subscriber.hooks, publisher.cancels) == ([("cancel",)], 1)


def test_second_subscription_is_cancelled_and_the_first_goes_on(
    publisher: ManualPublisher, scheduler: ManualScheduler
) -> None:
    subscriber = subscribed(publisher, scheduler)
    second = ManualPublisher()
    second.subscribe(subscriber)  # §2.5
    publisher.send(1)
    scheduler.run_waiting()
    assert (second.cancels, second.requests, publisher.cancels) == (1, [], 0)
    assert subscriber.hooks == [("subscribe",), ("next", 1)]


# --- hooks that raise -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hook", ["subscribe", "next"])
def test_exception_of_a_hook_cancels_and_goes_to_the_error_hook(
    publisher: ManualPublisher, scheduler: ManualScheduler, hook: str
) -> None:
    error = KeyError("no")

    class Failing(AsyncNoting):
        def hook_on_subscribe(self) -> None:
            super().hook_on_subscribe()
            if hook == "subscribe":
                raise error

        def hook_on_next(self, element: Any) -> None:
            raise error

    subscriber = Failing(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    if hook == "next":
        publisher.send(1, 2)
        scheduler.run_waiting()
    assert (subscriber.hooks, publisher.cancels) == ([("subscribe",), ("error", error), ("cancel",)], 1)


@pytest.mark.parametrize("hook", ["error", "complete", "cancel"])
def test_exception_of_a_last_hook_is_dropped(publisher: ManualPublisher, scheduler: ManualScheduler, hook: str) -> None:
    class Failing(AsyncNoting):
        def note(self, *what: Any) -> None:
            super().note(*what)
            if what[0] == hook:
                raise KeyError(hook)

    subscriber = Failing(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    with recorded_drops() as drops:
        {
            "error": lambda: publisher.fail(ValueError("why")),
            "complete": publisher.complete,
            "cancel": subscriber.cancel,
        }[hook]()
        scheduler.run_waiting()
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        (f"on_{hook}", f"KeyError('{hook}')", "Failing")
    ]


@pytest.mark.parametrize("hook", ["subscribe", "next", "error", "complete", "cancel"])
def test_interrupt_in_a_hook_reaches_the_scheduler_and_cancels(
    publisher: ManualPublisher, scheduler: ManualScheduler, hook: str
) -> None:
    class Interrupted(AsyncNoting):
        def note(self, *what: Any) -> None:
            super().note(*what)
            if what[0] == hook:
                raise KeyboardInterrupt

    subscriber = Interrupted(scheduler=scheduler)
    publisher.subscribe(subscriber)
    if hook != "subscribe":
        scheduler.run_waiting()
        {
            "next": lambda: publisher.send(1),
            "error": lambda: publisher.fail(ValueError("why")),
            "complete": publisher.complete,
            "cancel": subscriber.cancel,
        }[hook]()
    with pytest.raises(KeyboardInterrupt):
        scheduler.run_waiting()
    scheduler.run_waiting()
    assert subscriber.names == ["subscribe", *([] if hook == "subscribe" else [hook])]
    assert publisher.cancels == (0 if hook in {"error", "complete"} else 1)


def test_missing_hook_is_reported_to_the_error_hook(publisher: ManualPublisher, scheduler: ManualScheduler) -> None:
    class Nothing(AsyncBaseSubscriber[int]):
        error: Exception | None = None

        def hook_on_error(self, error: Exception) -> None:
            self.error = error

    subscriber = Nothing(scheduler=scheduler)
    publisher.subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(1)
    scheduler.run_waiting()
    assert repr(subscriber.error) == "NotImplementedError('Nothing has to define hook_on_next(self, element)')"
    assert (publisher.requests, publisher.cancels) == ([256], 1)
