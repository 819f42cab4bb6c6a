"""subscribe and bind: a stream as the specification's Publisher, and its handle as the Subscription."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, InvalidRequestError, NullElementError
from reactivestreams.spec import Publisher, Subscription
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import stages_of, subscribe


def test_stream_is_a_publisher_and_its_handle_a_subscription() -> None:
    stream, subscriber = Stream.range(3), RecordingSubscriber(first_request=UNBOUNDED)
    assert isinstance(stream, Publisher)
    assert stream.subscribe(subscriber) is None  # type: ignore[func-returns-value]
    assert isinstance(subscriber.subscription, Subscription)


def test_bind_makes_the_end_alone_and_nothing_flows() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(3).map(str).bind(subscriber)
    assert handle.inputs == ()
    subscribe(handle)
    assert [stage.name for stage in stages_of(handle)] == ["", "rx://operators/map", "rx://sources/range"]
    assert [subscriber.subscription] == [None]
    handle.initialize()
    assert [subscriber.subscription] == [handle]
    assert subscriber.outcome == (["0", "1", "2"], "complete")


def test_phases_are_idempotent() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(3).bind(subscriber)
    for _ in range(2):
        subscribe(handle)
        for stage in stages_of(handle):
            stage.set_context(None)
        for stage in stages_of(handle):
            stage.start()
    handle.initialize()
    assert subscriber.outcome == ([0, 1, 2], "complete")


def test_requests_before_the_tree_exists_add_up() -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).bind(subscriber)
    subscriber.subscription = handle
    subscriber.request(1)
    subscriber.request(2)
    subscriber.subscription = None
    handle.initialize()
    assert subscriber.outcome == ([0, 1, 2], "open")


def test_illegal_request_before_the_tree_exists_ends_the_stream() -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).bind(subscriber)
    handle.request(0)
    handle.initialize()
    assert isinstance(subscriber.error, InvalidRequestError)
    assert (subscriber.elements, subscriber.faults) == ([], [])


def test_cancel_before_the_tree_exists_leaves_silence() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(9).bind(subscriber)
    handle.cancel()
    handle.initialize()
    assert (subscriber.subscription, subscriber.outcome) == (None, ([], "open"))


def test_disposed_tree_stays_visitable() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.range(3).map(str).bind(subscriber)
    handle.initialize()
    assert [stage.is_disposed for stage in stages_of(handle)] == [False, False, False]
    handle.dispose()
    handle.dispose()
    assert [stage.name for stage in stages_of(handle)] == ["", "rx://operators/map", "rx://sources/range"]
    assert [stage.is_disposed for stage in stages_of(handle)] == [True, True, True]


def test_end_of_the_stream_lets_the_subscriber_go() -> None:
    class Holding(RecordingSubscriber):
        pass

    holding = Holding(first_request=UNBOUNDED)
    handle = Stream.range(3).bind(holding)
    handle.initialize()
    assert "NoneType" in repr(handle)  # §3.13: the handle holds it no more


@pytest.mark.parametrize("position", [1, 2, 3])
def test_subscriber_that_raises_is_cancelled_and_signalled_nothing_more(position: int) -> None:
    class Raising(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if len(self.elements) == position:
                raise ValueError(position)

    raising = Raising(first_request=UNBOUNDED)
    with recorded_drops() as drops:
        Stream.range(9).subscribe(raising)
    assert raising.outcome == (list(range(position)), "open")
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("on_next", f"ValueError({position})", "Raising.on_next")
    ]


@pytest.mark.parametrize("signal", ["on_subscribe", "on_complete", "on_error"])
def test_subscriber_that_raises_in_another_signal_is_signalled_nothing_more(signal: str) -> None:
    def fail(*_: object) -> None:
        raise ValueError(signal)

    raising = RecordingSubscriber(first_request=UNBOUNDED)
    setattr(raising, signal, fail)
    stream = Stream[int].error(KeyError("why")) if signal == "on_error" else Stream.just(1)
    with recorded_drops() as drops:
        stream.subscribe(raising)
    assert raising.elements == ([] if signal != "on_complete" else [1])
    assert not raising.has_ended
    assert [(signal, repr(value)) for signal, value, _ in drops] == [(signal, f"ValueError('{signal}')")]


def test_subscriber_of_slots_and_class_methods_is_served() -> None:
    class Slotted:
        __slots__ = ()
        seen: list[int] = []  # noqa: RUF012 - shared on purpose

        def on_subscribe(self, subscription: Any) -> None:
            subscription.request(2)

        @classmethod
        def on_next(cls, element: int) -> None:
            cls.seen.append(element)

        @staticmethod
        def on_error(error: Exception) -> None:
            raise AssertionError(error)

        def on_complete(self) -> None:
            self.seen.append(-1)

    Stream.range(2).subscribe(Slotted())
    assert Slotted.seen == [0, 1, -1]


def test_none_for_a_subscriber_is_refused() -> None:
    for method in (Stream.just(1).subscribe, Stream.just(1).bind):
        with pytest.raises(
            NullElementError, match=r"^§1\.9: subscribe\(None\): a subscriber is needed; pass an object"
        ):
            method(None)  # type: ignore[arg-type]


def test_object_without_the_methods_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a Subscriber, got .*print.*; define on_subscribe, on_next"):
        Stream.just(1).subscribe(print)  # type: ignore[arg-type]
