"""BaseProcessor keeps both contracts (§4.1): demand, who comes first, second parties, None, and broken neighbors."""

import itertools
import threading
from typing import Any

import pytest

from reactivestreams import BaseProcessor, Stream
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    DemandExceededError,
    InvalidRequestError,
    InvalidRequestTypeError,
    NullElementError,
    SourceUsedTwiceError,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.author_processors import Repeating, connected

# --- demand -----------------------------------------------------------------------------------------------------------


def test_nothing_is_requested_before_somebody_wants_elements() -> None:
    publisher, processor = ManualPublisher(), Repeating()
    publisher.subscribe(processor)
    assert publisher.requests == []
    subscriber = RecordingSubscriber()
    processor.subscribe(subscriber)
    assert publisher.requests == []
    subscriber.request(1)  # §2.1
    assert publisher.requests == [4]


def test_upstream_is_asked_in_windows_as_elements_are_handled() -> None:
    publisher, subscriber = connected(Repeating(), first_request=UNBOUNDED)
    publisher.send(1, 1)
    assert publisher.requests == [4]
    publisher.send(1)
    assert publisher.requests == [4, 3]  # three quarters
    publisher.send(1, 1, 1)
    assert (publisher.requests, subscriber.outcome) == ([4, 3, 3], ([1] * 6, "open"))


def test_prefetch_of_one_asks_for_one_at_a_time() -> None:
    class One(Repeating):
        prefetch = 1

    publisher, subscriber = connected(One(), first_request=UNBOUNDED)
    publisher.send(1, 2)
    assert (publisher.requests, subscriber.elements) == ([1, 1, 1], [1, 2, 2])


def test_element_is_not_handled_while_what_was_emitted_before_waits() -> None:
    processor = Repeating()
    publisher, subscriber = connected(processor, first_request=2)
    publisher.send(3, 3, 3, 3)
    assert (processor.hooks, subscriber.elements) == (["subscribe", "next 3"], [3, 3])
    subscriber.request(1)
    assert (processor.hooks, subscriber.elements) == (["subscribe", "next 3"], [3, 3, 3])
    subscriber.request(1)
    assert processor.hooks == ["subscribe", "next 3", "next 3"]
    assert publisher.requests == [4]


def test_demand_is_never_exceeded() -> None:
    publisher, subscriber = connected(Repeating())
    sent = 0
    for _ in range(20):
        subscriber.request(1)
        while sent < publisher.requested:
            sent += 1
            publisher.send(3)
        assert (len(subscriber.elements), subscriber.faults) == (subscriber.requested, [])
    assert sent - 20 / 3 <= 4  # §1.1 upstream: no more than a window ahead


def test_request_inside_a_signal_adds() -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    processor = Repeating()
    processor.subscribe(subscriber)
    Stream.just(*[1] * 20_000).subscribe(processor)  # §3.3: nothing nests
    assert subscriber.outcome == ([1] * 20_000, "complete")


def test_publisher_that_emits_inside_request_never_nests() -> None:
    class Eager:
        sent = 0
        depth = 0
        deepest = 0

        def subscribe(self, subscriber: Any) -> None:
            self.subscriber = subscriber
            subscriber.on_subscribe(self)

        def request(self, n: int) -> None:
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)
            for _ in range(min(n, 1_000 - self.sent)):
                self.sent += 1
                self.subscriber.on_next(1)
            self.depth -= 1

        def cancel(self) -> None: ...

    eager, processor = Eager(), Repeating()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    processor.subscribe(subscriber)
    eager.subscribe(processor)
    assert (subscriber.outcome, eager.deepest) == (([1] * 1_000, "open"), 1)


# --- who comes first --------------------------------------------------------------------------------------------------

STEPS = ("upstream", "downstream", "request")


@pytest.mark.parametrize("end", ["complete", "error", "element"])
@pytest.mark.parametrize(
    "order", [order for order in itertools.permutations(STEPS) if order.index("downstream") < order.index("request")]
)
def test_whoever_comes_first_nothing_is_lost(order: tuple[str, ...], end: str) -> None:
    publisher, processor, subscriber = ManualPublisher(), Repeating(), RecordingSubscriber()
    steps = {
        "upstream": lambda: publisher.subscribe(processor),
        "downstream": lambda: processor.subscribe(subscriber),
        "request": lambda: subscriber.request(3),
    }
    for step in order:
        steps[step]()
    assert (publisher.requests, processor.hooks) == ([4], ["subscribe"])
    publisher.send(2)
    if end == "complete":
        publisher.complete()
    elif end == "error":
        publisher.fail(ValueError("why"))
    ended = {"complete": "complete", "error": "ValueError('why')", "element": "open"}[end]
    assert subscriber.outcome == ([2, 2], ended)


@pytest.mark.parametrize("has_subscribed", [True, False])
def test_completion_that_came_before_the_downstream_is_reported(has_subscribed: bool) -> None:
    processor = Repeating()
    if has_subscribed:
        Stream.just().subscribe(processor)
    else:
        processor.on_complete()  # §1.9 is broken, the end is clear all the same
    subscriber = RecordingSubscriber()
    processor.subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")
    assert processor.hooks == ["subscribe", "complete"]


def test_error_that_came_before_the_downstream_is_reported() -> None:
    error, processor, subscriber = ValueError("why"), Repeating(), RecordingSubscriber()
    Stream.error(error).subscribe(processor)
    processor.subscribe(subscriber)
    assert (subscriber.error, processor.hooks) == (error, ["subscribe", "error why"])


def test_upstream_that_comes_after_a_cancel_is_cancelled() -> None:
    processor, publisher = Repeating(), ManualPublisher()
    subscriber = RecordingSubscriber(first_request=1)
    processor.subscribe(subscriber)
    subscriber.cancel()
    publisher.subscribe(processor)
    assert (publisher.cancels, publisher.requests, processor.hooks) == (1, [], ["cancel"])


def test_subscriber_that_cancels_in_on_subscribe_cancels_the_upstream() -> None:
    processor, publisher = Repeating(), ManualPublisher()
    publisher.subscribe(processor)
    processor.subscribe(RecordingSubscriber(cancel_after=0))
    assert (publisher.cancels, publisher.requests, processor.hooks) == (1, [], ["cancel"])


# --- second parties ---------------------------------------------------------------------------------------------------


def test_second_upstream_is_cancelled_and_the_first_goes_on() -> None:
    publisher, subscriber = connected(Repeating(), first_request=2)
    second = ManualPublisher()
    second.subscribe(publisher.subscriber)  # §2.5
    publisher.send(1)
    assert (second.cancels, second.requests, publisher.cancels) == (1, [], 0)
    assert subscriber.outcome == ([1], "open")


def test_second_upstream_that_cannot_be_cancelled_goes_to_the_dropped_hook() -> None:
    class Broken:
        def request(self, n: int) -> None: ...

        def cancel(self) -> None:
            raise ValueError("no")  # §3.15

    publisher, subscriber = connected(Repeating(), first_request=2)
    with recorded_drops() as drops:
        publisher.subscriber.on_subscribe(Broken())
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("cancel", "ValueError('no')", "Repeating")
    ]
    publisher.send(1)
    assert subscriber.outcome == ([1], "open")


@pytest.mark.parametrize("state", ["running", "cancelled", "complete"])
def test_second_downstream_is_told_that_there_is_one(state: str) -> None:
    processor, second = Repeating(), RecordingSubscriber(first_request=1)
    publisher, first = connected(processor, first_request=1)
    if state == "cancelled":
        first.cancel()
    elif state == "complete":
        publisher.complete()
    processor.subscribe(second)
    assert isinstance(second.error, SourceUsedTwiceError)
    assert (second.faults, second.error.rule) == ([], "1.11")
    assert str(second.error) == (
        "§1.11: Repeating has a subscriber, or had one, and serves only one; use a processor for each subscriber"
    )
    if state == "running":
        publisher.send(1)
        assert first.outcome == ([1], "open")


def test_of_many_downstreams_at_once_one_is_served() -> None:
    for _ in range(50):
        processor = Repeating()
        subscribers = [RecordingSubscriber() for _ in range(4)]
        barrier = threading.Barrier(4)

        def subscribe(
            subscriber: RecordingSubscriber, processor: Repeating = processor, barrier: threading.Barrier = barrier
        ) -> None:
            barrier.wait()
            processor.subscribe(subscriber)

        threads = [threading.Thread(target=subscribe, args=(subscriber,)) for subscriber in subscribers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(type(subscriber.error).__name__ for subscriber in subscribers) == [
            "NoneType",
            *["SourceUsedTwiceError"] * 3,
        ]


# --- broken neighbors -------------------------------------------------------------------------------------------------


def test_element_without_demand_ends_the_processor() -> None:
    publisher, subscriber = connected(Repeating())
    publisher.send(1)
    assert isinstance(subscriber.error, DemandExceededError)
    assert publisher.cancels == 1
    assert str(subscriber.error) == (
        "§1.1: the publisher sent 1 without demand for it, to Repeating; a publisher may send only what was requested"
    )


def test_element_before_the_downstream_ends_the_processor_when_that_comes() -> None:
    publisher, processor, subscriber = ManualPublisher(), Repeating(), RecordingSubscriber()
    publisher.subscribe(processor)
    publisher.send(1, 2, 3)
    processor.subscribe(subscriber)
    assert (type(subscriber.error), publisher.cancels, publisher.requests) == (DemandExceededError, 1, [])


def test_error_that_is_no_exception_is_told_as_an_error() -> None:
    publisher, subscriber = connected(Repeating())
    publisher.fail("why")  # type: ignore[arg-type]
    error: Any = subscriber.error
    assert (type(error), error.payload, subscriber.elements) == (ArgumentTypeError, "why", [])


def test_signals_after_the_end_are_dropped() -> None:
    publisher, subscriber = connected(Repeating(), first_request=5)
    publisher.complete()
    with recorded_drops() as drops:
        publisher.send(7)
        publisher.fail(ValueError("late"))
        publisher.complete()
    assert subscriber.outcome == ([], "complete")
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("on_next", "7", "Repeating"),
        ("on_error", "ValueError('late')", "Repeating"),
    ]


def test_subscriber_that_raises_is_cancelled_with_the_upstream() -> None:
    class Raising(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            raise ValueError("no")

    processor, publisher, subscriber = Repeating(), ManualPublisher(), Raising(first_request=5)
    publisher.subscribe(processor)
    processor.subscribe(subscriber)
    with recorded_drops() as drops:
        publisher.send(1)
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("on_next", "ValueError('no')", "Raising.on_next")  # §2.13
    ]
    assert (publisher.cancels, processor.hooks) == (1, ["subscribe", "next 1", "cancel"])


@pytest.mark.parametrize("n", [0, -1, -(10**30)])
def test_request_that_is_not_positive_ends_the_processor(n: int) -> None:
    processor = Repeating()
    publisher, subscriber = connected(processor)
    subscriber.subscription.request(n)
    assert (type(subscriber.error), publisher.cancels) == (InvalidRequestError, 1)  # §3.9
    assert processor.hooks == ["subscribe", "cancel"]


@pytest.mark.parametrize("n", ["3", 1.5, None])
def test_request_that_is_no_integer_ends_the_processor(n: Any) -> None:
    publisher, subscriber = connected(Repeating())
    subscriber.subscription.request(n)
    assert (type(subscriber.error), publisher.cancels) == (InvalidRequestTypeError, 1)


# --- None, and arguments of the wrong kind ----------------------------------------------------------------------------


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
@pytest.mark.parametrize("state", ["fresh", "running", "ended"])
def test_none_is_raised_to_the_caller_in_every_state(signal: str, state: str) -> None:
    processor = Repeating()
    if state != "fresh":
        publisher, _ = connected(processor)
    if state == "ended":
        publisher.complete()
    with pytest.raises(NullElementError) as raised:
        getattr(processor, signal)(None)
    assert str(raised.value).startswith(f"§2.13: {signal}(None)")


def test_none_cannot_subscribe() -> None:
    with pytest.raises(NullElementError) as raised:
        Repeating().subscribe(None)  # type: ignore[arg-type]
    assert raised.value.rule == "1.9"


def test_what_is_no_subscriber_cannot_subscribe_and_takes_no_place() -> None:
    processor = Repeating()
    with pytest.raises(ArgumentTypeError):
        processor.subscribe("me")  # type: ignore[arg-type]
    Stream.just(1).subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == [1]


@pytest.mark.parametrize("attribute", ["prefetch", "capacity"])
@pytest.mark.parametrize(
    ("bound", "error"),
    [
        (0, ArgumentError), (-1, ArgumentError), (2**40, ArgumentError), (10**30, ArgumentError),
        ("8", ArgumentTypeError), (None, ArgumentTypeError), (2.0, ArgumentTypeError), (True, ArgumentTypeError),
    ],
)  # fmt: skip
def test_bound_of_the_wrong_kind_is_refused_when_the_processor_is_made(
    attribute: str, bound: Any, error: type[Exception]
) -> None:
    kind = type("Odd", (Repeating,), {attribute: bound})
    with pytest.raises(error) as raised:
        kind()
    assert str(raised.value).startswith(f"Odd.{attribute} needs ")


def test_any_constructor_will_do() -> None:
    class Between(BaseProcessor[int, int]):
        def __init__(self, low: int, *, high: int) -> None:
            self.low, self.high = low, high

        def hook_on_next(self, element: int) -> None:
            if self.low <= element < self.high:
                self.emit(element)

    processor = Between(3, high=6)
    Stream.range(9).subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == [3, 4, 5]
