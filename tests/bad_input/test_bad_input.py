"""Bad input, noun by noun: what is documented happens, and the message has the value, the rule and the remedy.

Two nouns are tested where their parts are: Java that is missing in `tests/spark/processes/test_java.py`, and a
corrupt row of a CSV file in `tests/demo`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams import BaseSubscriber, Stream
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    InvalidRequestError,
    InvalidRequestTypeError,
    NullElementError,
    SourceUsedTwiceError,
)
from rs_core.queues.spsc_ring import MAX_CAPACITY_ELEMENTS
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.ring_classes import RING_CLASSES, RingClass

# --- request(n) -----------------------------------------------------------------------------------------------------

REQUESTS_REFUSED = [
    ("3", InvalidRequestTypeError, "§3.9: request(n) needs an integer, got '3' (str); request a positive count or"),
    (2.0, InvalidRequestTypeError, "§3.9: request(n) needs an integer, got 2.0 (float); request a positive count or"),
    (None, InvalidRequestTypeError, "§3.9: request(n) needs an integer, got None (NoneType); request a positive count"),
    (0, InvalidRequestError, "§3.9: request(n) needs n > 0, got 0; request a positive count or call cancel()"),
    (-1, InvalidRequestError, "§3.9: request(n) needs n > 0, got -1; request a positive count or call cancel()"),
    (-(2**70), InvalidRequestError, f"§3.9: request(n) needs n > 0, got {-(2**70)}; request a positive count or call"),
]
REFUSED = pytest.mark.parametrize(("n", "error", "message"), REQUESTS_REFUSED, ids=lambda value: repr(value)[:12])


def assert_refused(subscriber: RecordingSubscriber, error: type[Exception], message: str) -> None:
    assert type(subscriber.error) is error
    assert str(subscriber.error).startswith(message)
    assert getattr(subscriber.error, "rule", None) == "3.9"
    assert subscriber.faults == []


@REFUSED
def test_illegal_request_ends_the_stream_with_on_error(n: Any, error: type[Exception], message: str) -> None:
    source, subscriber = CountedIterable([1, 2]), RecordingSubscriber(first_request=1)
    Stream.from_iterable(source).map(str).subscribe(subscriber)
    subscriber.subscription.request(n)  # §3.16: returns normally
    assert subscriber.elements == ["1"]
    assert source.is_closed
    assert_refused(subscriber, error, message)


@REFUSED
def test_illegal_request_inside_on_next_waits_for_its_end(n: Any, error: type[Exception], message: str) -> None:
    class Requesting(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            self.subscription.request(n)
            assert self.error is None  # §1.3: not inside of this signal

    subscriber = Requesting(first_request=UNBOUNDED)
    Stream.just(1, 2).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert_refused(subscriber, error, message)


@REFUSED
def test_illegal_request_inside_on_subscribe_ends_the_stream(n: Any, error: type[Exception], message: str) -> None:
    class Requesting(RecordingSubscriber):
        def on_subscribe(self, subscription: Any, /) -> None:
            super().on_subscribe(subscription)
            subscription.request(n)

    subscriber = Requesting()
    Stream.just(1).subscribe(subscriber)
    assert subscriber.elements == []
    assert_refused(subscriber, error, message)


@REFUSED
def test_illegal_request_after_the_end_is_ignored(n: Any, error: type[Exception], message: str) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.just(1).subscribe(subscriber)
    subscriber.subscription.request(n)  # §3.6
    assert subscriber.outcome == ([1], "complete")


@REFUSED
def test_illegal_request_of_a_base_subscriber_is_raised_to_its_author(
    n: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        BaseSubscriber[int]().request(n)
    assert str(raised.value).startswith(message)


def test_request_of_more_than_64_bits_means_without_limit() -> None:
    subscriber = RecordingSubscriber()
    Stream.range(5000).subscribe(subscriber)
    subscriber.request(2**70)  # §3.17
    assert subscriber.outcome == (list(range(5000)), "complete")


# --- subscribe(None), on_next(None) -----------------------------------------------------------------------------------


def test_none_for_a_subscriber_is_refused() -> None:
    with pytest.raises(NullElementError) as raised:
        Stream.just(1).subscribe(None)  # type: ignore[arg-type]
    assert str(raised.value) == (
        "§1.9: subscribe(None): a subscriber is needed; "
        "pass an object with on_subscribe, on_next, on_error, on_complete"
    )
    assert (raised.value.rule, isinstance(raised.value, TypeError)) == ("1.9", True)


def test_none_from_a_publisher_is_refused_where_it_comes_in() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(publisher).subscribe(subscriber)
    with pytest.raises(NullElementError) as raised:
        publisher.send(None)
    assert str(raised.value) == "§2.13: on_next(None): None cannot be an element; send a value of your own for it"
    publisher.send(1)  # the stream is not harmed
    assert subscriber.outcome == ([1], "open")


def test_none_on_its_way_to_a_subscriber_ends_the_stream() -> None:
    source, subscriber = CountedIterable([1, None, 2]), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.from_iterable(source)
    stream.subscribe(subscriber)
    assert (subscriber.elements, subscriber.faults, source.is_closed) == ([1], [], True)
    assert isinstance(subscriber.error, NullElementError)
    assert str(subscriber.error) == (
        f"§2.13: None cannot be an element at a subscriber, and rx://sources/from_iterable assembled at "
        f"{stream.assembly} sent one; map it to a value of your own or filter it out"
    )


# --- the capacity of a ring -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ring_class", RING_CLASSES)
@pytest.mark.parametrize("capacity", [0, -1, 2**40])
def test_ring_of_a_capacity_out_of_bounds_is_refused(ring_class: RingClass, capacity: int) -> None:
    with pytest.raises(ArgumentError) as raised:
        ring_class(capacity)
    assert isinstance(raised.value, ValueError)
    assert str(capacity) in str(raised.value)
    assert f"needs 1 to {MAX_CAPACITY_ELEMENTS} elements" in str(raised.value)
    assert str(raised.value).endswith("; pass a count within these bounds")


@pytest.mark.parametrize("ring_class", RING_CLASSES)
@pytest.mark.parametrize(("capacity", "shown"), [("8", "'8' (str)"), (True, "True (bool)")])
def test_ring_of_a_capacity_that_is_no_integer_is_refused(ring_class: RingClass, capacity: object, shown: str) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        ring_class(capacity)  # type: ignore[arg-type]
    assert isinstance(raised.value, TypeError)
    assert f"needs an integer, got {shown}; pass a count from 1 to" in str(raised.value)


@pytest.mark.parametrize("count", [-1, 2**70])
def test_count_of_an_operator_out_of_bounds_is_refused_when_the_stream_is_built(count: int) -> None:
    with pytest.raises(ArgumentError) as raised:
        Stream.just(1).take(count)
    assert str(raised.value) == (
        f"take(count) needs a count from 0 to {2**63 - 1}, got {count}; pass a count within these bounds"
    )


# --- user functions ---------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Stream[int], Any], Stream[Any]]] = {
    "map": lambda stream, function: stream.map(function),
    "map_not_none": lambda stream, function: stream.map_not_none(function),
    "filter": lambda stream, function: stream.filter(function),
    "take_while": lambda stream, function: stream.take_while(function),
    "skip_while": lambda stream, function: stream.skip_while(function),
    "scan": lambda stream, function: stream.scan(function, 0),
    "handle": lambda stream, function: stream.handle(function),
    "map_indexed": lambda stream, function: stream.map_indexed(function),
    "filter_indexed": lambda stream, function: stream.filter_indexed(function),
    "flat_map": lambda stream, function: stream.flat_map(function),
    "do": lambda stream, function: stream.do(function),
    "key_by": lambda stream, function: stream.key_by(function).scan(max, 0),
    "key_by().scan": lambda stream, function: stream.key_by(hash).scan(function, 0),
    "key_by().reduce": lambda stream, function: stream.key_by(hash).reduce(function, 0),
    "key_by().distinct": lambda stream, function: stream.key_by(hash).distinct(function),
}
WITH_KEY = {"key_by().scan", "key_by().reduce", "key_by().distinct"}
EACH_OPERATOR = pytest.mark.parametrize("operator", OPERATORS)


@EACH_OPERATOR
def test_function_that_raises_ends_the_stream_and_names_operator_and_line(operator: str) -> None:
    def fail(*_: int) -> int:
        raise ValueError("mine")

    source, subscriber = CountedIterable([1, 2]), RecordingSubscriber(first_request=UNBOUNDED)
    stream = OPERATORS[operator](Stream.from_iterable(source), fail)
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([], "ValueError('mine')")
    assert subscriber.error is not None
    notes = [f"in {stream.definition.id}, assembled at {stream.assembly}, for element 1"]
    assert subscriber.error.__notes__ == notes + ["at an element of key 1"] * (operator in WITH_KEY)
    assert source.is_closed


@pytest.mark.parametrize(
    ("operator", "value"),
    # These take None for a function that is not wanted.
    [
        (name, value)
        for name in OPERATORS
        for value in (None, 3, "name")
        if value is not None or name not in ("do", "key_by().distinct")
    ],
)
def test_function_that_is_not_callable_is_refused_when_the_stream_is_built(operator: str, value: Any) -> None:
    source = CountedIterable([1])
    with pytest.raises(ArgumentTypeError) as raised:
        OPERATORS[operator](Stream.from_iterable(source), value)
    message = str(raised.value)
    assert message.startswith(f"{operator}(")
    assert f"needs a callable, got {value!r} ({type(value).__name__}); pass a function or a lambda" in message
    assert source.taken == 0


NONE_RETURNED: dict[str, list[Any]] = {
    "map": [None, None],
    "map_not_none": [],
    "filter": [],
    "map_indexed": [None, None],
    "filter_indexed": [],
    "handle": [],
    "take_while": [],
    "skip_while": [1, 2],
    "scan": [None, None],
    "do": [1, 2],
    "key_by().scan": [None, None],
    "key_by().reduce": [(1, None), (2, None)],
    "key_by().distinct": [1, 2],
}


@pytest.mark.parametrize("operator", NONE_RETURNED)
def test_none_that_a_function_returns_is_an_ordinary_value(operator: str) -> None:
    stream = OPERATORS[operator](Stream.just(1, 2), lambda *_: None)
    assert stream.to_list() == NONE_RETURNED[operator]


def test_none_instead_of_an_iterable_ends_the_stream() -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Stream.just(1).flat_map(lambda _: None).to_list()  # type: ignore[arg-type, return-value]
    assert str(raised.value) == (
        "flat_map(function) needs an iterable or a stream for each element, but for 1 the function returned None "
        "(NoneType); return a list, or () for nothing"
    )


def test_none_as_a_key_is_an_ordinary_key() -> None:
    assert Stream.just(1, 2).key_by(lambda _: None).scan(lambda total, element: total + element, 0).to_list() == [1, 3]


# --- source iterators -------------------------------------------------------------------------------------------------


def test_iterator_that_raises_half_way_ends_the_stream_after_its_elements() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        yield 2
        raise OSError("disk full")

    stream, subscriber = Stream.from_iterable(numbers()), RecordingSubscriber(first_request=UNBOUNDED)
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "OSError('disk full')")
    assert subscriber.error is not None
    assert subscriber.error.__notes__ == [f"in rx://sources/from_iterable, assembled at {stream.assembly}"]


def test_iterator_that_is_used_twice_fails_the_second_subscription() -> None:
    iterator = iter([1, 2])
    stream = Stream.from_iterable(iterator)
    assert stream.to_list() == [1, 2]
    with pytest.raises(SourceUsedTwiceError) as raised:
        stream.to_list()
    assert str(raised.value).startswith(f"§1.10: {iterator!r} is an iterator and was used by an earlier subscription")
    assert "; pass an iterable that can be read again, such as a list" in str(raised.value)
    assert raised.value.rule == "1.10"


# --- a second on_subscribe --------------------------------------------------------------------------------------------


def test_second_subscription_of_a_publisher_is_cancelled_and_the_first_goes_on() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(first).subscribe(subscriber)
    second.subscribe(first.subscriber)
    assert (second.cancels, second.requests) == (1, [])  # §2.5
    first.send(1)
    first.complete()
    assert subscriber.outcome == ([1], "complete")


def test_second_subscription_of_a_base_subscriber_is_cancelled_and_the_first_goes_on() -> None:
    class Noting(BaseSubscriber[int]):
        def __init__(self) -> None:
            self.seen: list[int] = []

        def hook_on_next(self, element: int) -> None:
            self.seen.append(element)

    first, second, noting = ManualPublisher(), ManualPublisher(), Noting()
    first.subscribe(noting)
    second.subscribe(noting)
    assert (second.cancels, second.requests, first.cancels) == (1, [], 0)  # §2.5
    first.send(7)
    assert noting.seen == [7]


# --- callbacks that cancel their own stream ---------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["map", "filter", "do", "scan", "flat_map", "on_next", "on_subscribe", "source"])
def test_callback_that_cancels_its_own_stream_ends_it_without_a_signal(place: str) -> None:
    subscriber = RecordingSubscriber(cancel_after={"on_subscribe": 0, "on_next": 2}.get(place))
    calls: list[int] = []

    def second_call_cancels(element: int) -> int:
        calls.append(element)
        if len(calls) == 2:
            subscriber.subscription.cancel()
        return element + 1

    stages: dict[str, Callable[[Stream[int]], Stream[int]]] = {
        "map": lambda stream: stream.map(second_call_cancels),
        "filter": lambda stream: stream.filter(second_call_cancels),
        "do": lambda stream: stream.do(second_call_cancels),
        "scan": lambda stream: stream.scan(lambda _, element: second_call_cancels(element), 0),
        "flat_map": lambda stream: stream.flat_map(lambda element: [second_call_cancels(element)]),
    }

    def cancel() -> None:
        subscriber.subscription.cancel()

    source = CountedIterable(list(range(9)), at=(1, cancel) if place == "source" else None)
    stream = Stream.from_iterable(source)
    if place in stages:
        stream = stages[place](stream)
    with recorded_drops() as drops:
        handle = stream.bind(subscriber)
        handle.initialize()
        if place != "on_subscribe":
            subscriber.request(UNBOUNDED)
    assert not subscriber.has_ended
    assert subscriber.faults == []
    assert len(subscriber.elements) <= 2  # §2.8: the element on its way may still arrive
    assert (drops, handle.is_disposed) == ([], True)
    assert source.is_closed or place == "on_subscribe"
    assert source.taken <= 2 + 32
