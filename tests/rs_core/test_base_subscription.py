"""Subscriptions that library authors write: what their hooks emit while they are paused, or inside of a delivery."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import BasePublisher, BaseSubscription, Stream
from tests.contracts.dropped_signals import recorded_drops
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber

COUNT = 9


class Numbers(BaseSubscription[int]):
    """Sends 0 to `count - 1`, then completes."""

    def __init__(self, subscriber: Any, count: int = COUNT) -> None:
        self.count = count
        self.sent = 0

    def send_one(self) -> bool:
        self.sent += 1
        return self.emit(self.sent - 1)

    def complete_at_end(self) -> None:
        if self.sent == self.count:
            self.complete()


class WhileThereIsDemand(Numbers):
    """As the example of the class does: nobody looks at what `emit` answers."""

    def on_request(self, n: int) -> None:
        while self.sent < self.count and self.demand:
            self.send_one()
        self.complete_at_end()


class AsManyAsWereRequested(Numbers):
    """Counts by itself what it is told of, and looks at nothing else."""

    def on_request(self, n: int) -> None:
        for _ in range(min(n, self.count - self.sent)):
            self.send_one()
        self.complete_at_end()


class AsManyAsAreOwed(Numbers):
    """Adds up what it is told of, and keeps what is refused."""

    owed = 0

    def on_request(self, n: int) -> None:
        self.owed += n
        while self.owed and self.sent < self.count and not self.is_cancelled:
            if not self.emit(self.sent):
                return
            self.sent += 1
            self.owed -= 1
        self.complete_at_end()


class UntilRefused(Numbers):
    """Goes on until an element is refused, which it keeps."""

    def on_request(self, n: int) -> None:
        while self.sent < self.count and self.demand and self.emit(self.sent):
            self.sent += 1
        self.complete_at_end()


HOOKS = [WhileThereIsDemand, AsManyAsWereRequested, AsManyAsAreOwed, UntilRefused]


def pausing_at(position: int, subscriber: RecordingSubscriber) -> Callable[[], None]:
    """Return what pauses a subscription in its own `on_next`, once."""

    def pause() -> None:
        if subscriber.element_count == position:
            subscriber.subscription.inputs[0].pause()

    return pause


@pytest.mark.parametrize("demand", [1, 2, 4, COUNT, UNBOUNDED])
@pytest.mark.parametrize("position", range(1, COUNT + 1))
@pytest.mark.parametrize("hook", HOOKS)
def test_a_subscription_that_is_paused_anywhere_sends_all_when_it_is_resumed(
    hook: type[Numbers], position: int, demand: int
) -> None:
    subscriber = RecordingSubscriber(demand=demand)
    subscriber.actions["on_next"] = pausing_at(position, subscriber)
    numbers = hook(subscriber)
    numbers.start()
    assert subscriber.elements == list(range(position))
    assert numbers.is_parked
    numbers.resume()
    assert subscriber.elements == list(range(COUNT))
    assert subscriber.is_complete


@pytest.mark.parametrize("hook", [WhileThereIsDemand, AsManyAsAreOwed, UntilRefused])
def test_a_hook_that_is_paused_holds_no_more_than_the_capacity_where_demand_is_without_limit(
    hook: type[Numbers],
) -> None:
    class Small(hook):  # type: ignore[misc, valid-type]
        capacity = 4

    subscriber = RecordingSubscriber()
    subscriber.actions["on_next"] = pausing_at(3, subscriber)
    numbers = Small(subscriber, count=1000)
    numbers.start()
    assert (subscriber.elements, numbers.is_parked) == ([0, 1, 2], True)
    assert numbers.sent <= 3 + 4
    numbers.resume()
    assert subscriber.elements == list(range(1000))
    assert subscriber.is_complete


def test_a_hook_is_told_of_each_element_once_however_often_it_is_paused() -> None:
    told: list[int] = []

    class Counting(AsManyAsWereRequested):
        def on_request(self, n: int) -> None:
            told.append(n)
            super().on_request(n)

    subscriber = RecordingSubscriber(demand=None)
    numbers = Counting(subscriber)
    subscriber.actions["on_next"] = numbers.pause
    numbers.start()
    subscriber.subscription.request(4)
    for _ in range(4):
        numbers.resume()
    subscriber.subscription.request(3)
    assert (subscriber.elements, told) == ([0, 1, 2, 3, 4], [4, 3])
    for _ in range(3):
        numbers.resume()
    assert (subscriber.elements, told) == ([0, 1, 2, 3, 4, 5, 6], [4, 3])


def test_a_pause_is_no_cancellation() -> None:
    seen: list[tuple[bool, bool]] = []

    class Asking(Numbers):
        def on_request(self, n: int) -> None:
            self.pause()
            seen.append((self.emit(1), self.is_cancelled))

    subscriber = RecordingSubscriber()
    numbers = Asking(subscriber)
    numbers.start()
    assert (seen, subscriber.elements, numbers.is_cancelled) == ([(True, False)], [], False)
    numbers.resume()
    assert subscriber.elements == [1]


def test_what_a_hook_emits_while_it_is_paused_comes_before_the_error_that_it_raises() -> None:
    trouble = OSError("the broker is gone")
    cancelled: list[bool] = []

    class Failing(Numbers):
        def on_request(self, n: int) -> None:
            self.pause()
            self.emit(1)
            raise trouble

        def on_cancel(self) -> None:
            cancelled.append(True)

    subscriber = RecordingSubscriber()
    numbers = Failing(subscriber)
    numbers.start()
    assert subscriber.names == ["on_subscribe"]
    numbers.resume()
    assert subscriber.signals[1:] == [("on_next", 1), ("on_error", trouble)]
    assert cancelled == [True]


def test_an_error_of_a_hook_that_is_cancelled_while_it_is_paused_goes_to_the_hook_for_dropped_signals() -> None:
    class Failing(Numbers):
        def on_request(self, n: int) -> None:
            self.pause()
            self.emit(1)
            raise OSError("the broker is gone")

    subscriber = RecordingSubscriber()
    numbers = Failing(subscriber)
    numbers.start()
    with recorded_drops() as drops:
        numbers.cancel()
    assert [(signal, str(value)) for signal, value, _ in drops] == [("on_error", "the broker is gone")]
    assert subscriber.names == ["on_subscribe"]


@pytest.mark.parametrize("demand", [1, 3, 100, UNBOUNDED])
def test_a_consumer_that_makes_the_hook_s_broker_emit_is_not_called_inside_of_itself(demand: int) -> None:
    depths: list[int] = []

    class Echoing(RecordingSubscriber):
        """Makes the publisher emit once more for each element, up to the fifth."""

        depth = 0

        def on_next(self, element: int) -> None:
            self.depth += 1
            depths.append(self.depth)
            super().on_next(element)
            source = self.subscription.inputs[0]
            if element < 5 and source.demand:
                source.emit(element + 1)
            self.depth -= 1

    class Broker(BaseSubscription[int]):
        def on_request(self, n: int) -> None:
            if not subscriber.elements:
                self.emit(0)

    subscriber = Echoing(demand=demand)
    Broker(subscriber).start()
    assert set(depths) == {1}
    if demand >= 100:
        assert subscriber.elements == [0, 1, 2, 3, 4, 5]


def test_what_is_emitted_inside_of_a_delivery_comes_before_what_the_hook_emits_next() -> None:
    class Broker(BaseSubscription[str]):
        def on_request(self, n: int) -> None:
            self.emit("first")
            self.emit("second")
            self.complete()

    def emit_inside() -> None:
        if subscriber.element_count == 1:
            subscriber.subscription.inputs[0].emit("inside of first")

    subscriber = RecordingSubscriber(actions={"on_next": emit_inside})
    Broker(subscriber).start()
    assert subscriber.elements == ["first", "inside of first", "second"]
    assert subscriber.is_complete


def test_the_demand_that_a_generating_method_is_given_can_be_read_before_it_returns() -> None:
    seen: list[tuple[int, str]] = []

    class Batches(BasePublisher[int]):
        def generate(self, demand: Any) -> list[int]:
            seen.append((demand.value, repr(demand)))
            return [1, 2, 3]

    assert Stream.from_publisher(Batches()).to_list() == [1, 2, 3]
    assert seen == [(0, "DemandView(0)")]
