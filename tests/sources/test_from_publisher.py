"""from_publisher: the elements of any publisher, reached through the four interfaces."""

import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, DemandExceededError, NullElementError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

WAIT_SECONDS = 60.0


@pytest.fixture
def publisher() -> ManualPublisher:
    return ManualPublisher()


def subscribed(publisher: Any, *, first_request: int = 0, prefetch: int = 1024) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    Stream.from_publisher(publisher, prefetch=prefetch).subscribe(subscriber)
    return subscriber


def test_our_own_stream_is_a_publisher() -> None:
    assert Stream.from_publisher(Stream.range(5000)).to_list() == list(range(5000))


def test_demand_is_requested_as_it_comes(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher)
    assert publisher.requests == []
    subscriber.request(3)
    publisher.send(1)
    subscriber.request(1)
    assert publisher.requests == [3, 1]


def test_no_more_than_the_prefetch_is_requested_at_a_time(publisher: ManualPublisher) -> None:
    subscribed(publisher, first_request=UNBOUNDED, prefetch=8)
    assert publisher.requests == [8]
    publisher.send(*range(5))
    assert publisher.requests == [8]
    publisher.send(5)
    assert publisher.requests == [8, 6]  # 75 % came and were passed on


def test_elements_and_completion_are_passed_on(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, first_request=5)
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([1, 2], "complete")
    assert publisher.cancels == 0


def test_error_is_passed_on_as_it_is(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, first_request=5)
    error = ValueError("why")
    publisher.fail(error)
    assert subscriber.error is error
    assert publisher.cancels == 0


@pytest.mark.parametrize("end", ["complete", "error"])
def test_end_needs_no_demand(publisher: ManualPublisher, end: str) -> None:
    subscriber = subscribed(publisher)
    if end == "complete":
        publisher.complete()
    else:
        publisher.fail(ValueError("why"))
    assert subscriber.outcome == ([], "complete" if end == "complete" else "ValueError('why')")


def test_cancel_reaches_the_publisher_once(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, first_request=5)
    subscriber.cancel()
    subscriber.subscription.cancel()
    assert publisher.cancels == 1
    publisher.send(1)  # §2.8: was on its way
    assert subscriber.outcome == ([], "open")


def test_subscription_that_comes_later_gets_the_demand_that_waits() -> None:
    class Late:
        def subscribe(self, subscriber: Any, /) -> None:
            self.subscriber = subscriber

    late = Late()
    subscriber = subscribed(late, first_request=3)
    publisher = ManualPublisher()
    publisher.subscribe(late.subscriber)
    assert publisher.requests == [3]
    publisher.send(7)
    assert subscriber.outcome == ([7], "open")


def test_subscription_that_comes_after_cancel_is_cancelled() -> None:
    class Late:
        def subscribe(self, subscriber: Any, /) -> None:
            self.subscriber = subscriber

    late = Late()
    subscriber = subscribed(late, first_request=3)
    subscriber.cancel()
    publisher = ManualPublisher()
    publisher.subscribe(late.subscriber)
    assert (publisher.cancels, publisher.requests) == (1, [])


def test_publisher_that_raises_in_subscribe_ends_the_stream() -> None:
    class Broken:
        def subscribe(self, subscriber: Any, /) -> None:
            raise ValueError("no")

    assert subscribed(Broken()).outcome == ([], "ValueError('no')")


def test_element_without_demand_ends_the_stream_with_value_and_rule(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, first_request=1)
    publisher.send(1, 2)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, DemandExceededError)
    assert str(subscriber.error).startswith(
        f"§1.1: {publisher!r} sent 2 without demand for it, to rx://sources/from_publisher"
    )
    assert str(subscriber.error).endswith("; a publisher may send only what was requested")
    assert publisher.cancels == 1


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_none_is_refused_where_it_comes_in(publisher: ManualPublisher, signal: str) -> None:
    subscriber = subscribed(publisher, first_request=2)
    with pytest.raises(NullElementError, match=rf"^§2\.13: {signal}\(None\): ") as refused:
        getattr(publisher.subscriber, signal)(None)
    assert refused.value.rule == "2.13"
    publisher.send(1)
    publisher.complete()
    assert subscriber.outcome == ([1], "complete")


@pytest.mark.parametrize("signal", ["on_next", "on_complete"])
def test_interrupt_of_the_subscriber_leaves_through_the_publisher(publisher: ManualPublisher, signal: str) -> None:
    class Interrupted(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            if signal == "on_next":
                raise KeyboardInterrupt

        def on_complete(self) -> None:
            raise KeyboardInterrupt

    Stream.from_publisher(publisher).subscribe(Interrupted(first_request=5))
    with pytest.raises(KeyboardInterrupt):
        getattr(publisher.subscriber, signal)(*[1] if signal == "on_next" else [])
    assert publisher.cancels == (1 if signal == "on_next" else 0)


def test_late_signals_are_reported_to_the_hook(publisher: ManualPublisher) -> None:
    subscriber = subscribed(publisher, first_request=2)
    publisher.complete()
    late = ValueError("late")
    with recorded_drops() as drops:
        publisher.send("late")
        publisher.fail(late)
        publisher.complete()
    assert subscriber.outcome == ([], "complete")
    assert [(signal, value) for signal, value, _ in drops] == [("on_next", "late"), ("on_error", late)]
    assert all(origin.startswith("rx://sources/from_publisher assembled at") for _, _, origin in drops)


def test_what_was_sent_after_the_end_inside_request_is_not_passed_on(publisher: ManualPublisher) -> None:
    publisher.during_request = [
        lambda: publisher.send(1),
        publisher.complete,
        lambda: publisher.send(2),
        lambda: publisher.fail(ValueError("late")),
    ]
    with recorded_drops() as drops:
        subscriber = subscribed(publisher, first_request=5)
    assert subscriber.outcome == ([1], "complete")
    assert [signal for signal, _, _ in drops] == ["on_next", "on_error"]


def test_elements_come_from_the_publishers_thread(publisher: ManualPublisher) -> None:
    seen: list[str] = []
    stream = Stream.from_publisher(publisher).do(lambda _: seen.append(threading.current_thread().name))
    subscriber = RecordingSubscriber(first_request=2)
    stream.subscribe(subscriber)

    def send() -> None:
        publisher.send(1)
        publisher.complete()

    sender = threading.Thread(target=send, name="sender")
    sender.start()
    assert subscriber.ended.wait(WAIT_SECONDS)
    sender.join()
    assert (subscriber.outcome, seen) == (([1], "complete"), ["sender"])


def test_subscription_whose_request_raises_ends_the_stream() -> None:
    class Raising(ManualPublisher):
        def subscribe(self, subscriber: Any, /) -> None:
            outer = self

            class Subscription:
                def request(self, n: int) -> None:
                    raise ValueError("no request")

                def cancel(self) -> None:
                    outer.cancels += 1

            subscriber.on_subscribe(Subscription())

    raising = Raising()
    assert subscribed(raising, first_request=1).outcome == ([], "ValueError('no request')")
    assert raising.cancels == 1


def test_what_is_no_publisher_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"from_publisher\(publisher\) needs a Publisher, got \[1\] \(list\); pass an"
    ):
        Stream.from_publisher([1])  # type: ignore[arg-type]


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(publisher: ManualPublisher, prefetch: int) -> None:
    with pytest.raises(
        ArgumentError, match=rf"from_publisher\(prefetch\) needs a count from 1 to {2**24}, got {prefetch}"
    ):
        Stream.from_publisher(publisher, prefetch=prefetch)
