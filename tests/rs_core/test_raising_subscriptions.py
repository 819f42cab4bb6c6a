"""A subscription whose methods raise: a base subscriber loses no demand by it, and an interrupt ends the stream."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.rs_core.author_subscribers import Noting

Dropped = list[tuple[str, Any, str]]


class Interrupt(KeyboardInterrupt):
    pass


class Raising:
    """Raises an error in each of its first calls, beside which something else is done."""

    def __init__(self, *errors: BaseException, act: Callable[[], object] = int) -> None:
        self.errors = list(errors)
        self.act = act
        self.calls: list[object] = []

    def request(self, n: int) -> None:
        self.call(n)

    def cancel(self) -> None:
        self.call("cancel")

    def call(self, what: object) -> None:
        self.calls.append(what)
        act, self.act = self.act, int
        act()
        if self.errors:
            raise self.errors.pop(0)


def elsewhere(act: Callable[[], object]) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


# Where others call, while the subscription is being called.
WHERE: dict[str, Callable[[Callable[[], object]], object]] = {
    "in another thread": elsewhere,
    "inside of the call": lambda act: act(),
}


def subscribed(subscription: Raising) -> Noting:
    subscriber = Noting()
    subscriber.first_request = None
    subscriber.on_subscribe(subscription)
    return subscriber


@pytest.mark.parametrize("where", WHERE)
def test_what_others_want_beside_a_request_that_raises_is_requested(where: str) -> None:
    error = ValueError("no")
    subscription = Raising(error, act=lambda: WHERE[where](lambda: subscriber.request(5)))
    subscriber = subscribed(subscription)
    with pytest.raises(ValueError, match="no") as raised:
        subscriber.request(1)
    assert raised.value is error
    assert subscription.calls == [1, 5]
    subscriber.request(2)
    assert subscription.calls == [1, 5, 2]


@pytest.mark.parametrize("where", WHERE)
def test_cancel_of_others_beside_a_request_that_raises_is_called(where: str) -> None:
    subscription = Raising(ValueError("no"), act=lambda: WHERE[where](subscriber.cancel))
    subscriber = subscribed(subscription)
    with pytest.raises(ValueError, match="no"):
        subscriber.request(1)
    assert subscription.calls == [1, "cancel"]
    assert subscriber.names == ["subscribe", "cancel"]


def test_first_of_several_errors_is_raised_and_the_others_go_to_the_hook(dropped_signals: Dropped) -> None:
    first, second = ValueError("first"), ValueError("second")
    subscription = Raising(first, second, act=lambda: subscriber.request(5))
    subscriber = subscribed(subscription)
    with pytest.raises(ValueError, match="first"):
        subscriber.request(1)
    assert dropped_signals == [("request", second, "Noting")]


def test_interrupt_is_raised_before_an_error_that_came_first(dropped_signals: Dropped) -> None:
    error = ValueError("no")
    subscription = Raising(error, Interrupt(), act=lambda: subscriber.request(5))
    subscriber = subscribed(subscription)
    with pytest.raises(Interrupt):
        subscriber.request(1)
    assert subscription.calls == [1, 5, "cancel"]
    assert dropped_signals == [("request", error, "Noting")]


@pytest.mark.parametrize("where", WHERE)
def test_interrupt_of_a_request_cancels(where: str) -> None:
    subscription = Raising(Interrupt(), act=lambda: WHERE[where](lambda: subscriber.request(5)))
    subscriber = subscribed(subscription)
    with pytest.raises(Interrupt):
        subscriber.request(1)
    assert subscription.calls == [1, "cancel"]
    assert (subscriber.is_cancelled, subscriber.names) == (True, ["subscribe", "cancel"])
    subscriber.request(2)
    subscriber.cancel()
    assert subscription.calls == [1, "cancel"]


def test_interrupt_ends_a_publisher_that_sends_inside_of_request() -> None:
    sent: list[int] = []

    class Endless:
        def request(self, n: int) -> None:
            for _ in range(n):
                subscriber.on_next(len(sent))

        def cancel(self) -> None:
            sent.append(-1)

    class OneByOne(Noting):
        first_request = 1

        def hook_on_next(self, element: int) -> None:
            sent.append(element)
            self.request(1 if element < 9 else 0)  # the second ends what an interrupt did not
            if element == 2:
                raise Interrupt

    subscriber = OneByOne()
    with pytest.raises(Interrupt):
        subscriber.on_subscribe(Endless())
    assert sent == [0, 1, 2, -1]


def test_cancel_that_raises_is_called_once() -> None:
    subscription = Raising(ValueError("no"))
    subscriber = subscribed(subscription)
    with pytest.raises(ValueError, match="no"):
        subscriber.cancel()
    subscriber.cancel()
    subscriber.request(1)
    assert subscription.calls == ["cancel"]


def test_error_of_a_second_interrupt_is_dropped_and_the_first_raised(dropped_signals: Dropped) -> None:
    first, second = Interrupt(), Interrupt()
    subscription = Raising(first, second)  # the second by the cancel that follows
    subscriber = subscribed(subscription)
    with pytest.raises(Interrupt) as raised:
        subscriber.request(1)
    assert raised.value is first
    assert [value for _, value, _ in dropped_signals] == [second]
