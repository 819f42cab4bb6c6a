"""Operators with several inputs: how many elements they have on their way and waiting, whatever they ask for."""

from collections.abc import Iterable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import MultiInputNode, OperatorPublisher, OperatorSubscription, Subscribable
from reactivestreams.spec import Subscriber
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.merging_node import bound

PREFETCH = 8
LONG = 4000  # more than the capacity of an operator


class Asking(MultiInputNode[Any]):
    """Asks its input for a number of elements once it is asked for some itself; notes them."""

    name = "test/asking"
    prefetch = PREFETCH

    def __init__(self, subscriber: Any, source: Subscribable, n: int) -> None:
        super().__init__(subscriber)
        self.source = source
        self.n = n
        self.taken: list[Any] = []

    def sources(self) -> Iterable[Subscribable]:
        return [self.source]

    def on_request(self, n: int) -> None:
        self.request_input(0, self.n)

    def on_next(self, index: int, element: Any) -> None:
        self.taken.append(element)


@pytest.mark.parametrize("n", [1000, 2000, UNBOUNDED])
def test_input_that_is_asked_for_much_in_a_hook_is_no_more_than_its_prefetch_ahead(n: int) -> None:
    sent: list[int] = []
    ahead: list[int] = []

    def send(element: int) -> int:
        sent.append(element)
        return element

    class Measuring(Asking):
        def on_next(self, index: int, element: Any) -> None:
            ahead.append(len(sent) - len(self.taken))
            super().on_next(index, element)

    subscriber = RecordingSubscriber()
    node = Measuring(subscriber, Stream.range(1000).map(send), n)
    bound(node)
    subscriber.request(1)
    assert (node.taken, max(ahead), subscriber.outcome) == (list(range(1000)), PREFETCH, ([], "complete"))


@pytest.mark.parametrize(
    ("n", "requests"),
    [(1, [1]), (8, [8]), (9, [8, 1]), (20, [8, 6, 6]), (23, [8, 6, 6, 3]), (UNBOUNDED, [8, 6, 6, 6, 6])],
)
def test_what_an_input_is_asked_for_is_requested_as_there_is_room(n: int, requests: list[int]) -> None:
    publisher = ManualPublisher()
    node = Asking(RecordingSubscriber(first_request=1), Stream.from_publisher(publisher), n)
    bound(node)
    elements = list(range(min(n, 25)))
    for element in elements:
        publisher.send(element)
    assert (node.taken, publisher.requests) == (elements, requests)
    node.dispose()


def test_operator_that_is_over_asks_its_inputs_for_nothing_more() -> None:
    class Enough(Asking):
        def on_next(self, index: int, element: Any) -> None:
            super().on_next(index, element)
            if len(self.taken) == 6:
                self.emit("six")
                self.complete()

    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=1)
    node = Enough(subscriber, Stream.from_publisher(publisher), UNBOUNDED)
    bound(node)
    publisher.send(*range(6))
    assert (publisher.requests, publisher.cancels, subscriber.outcome) == ([8], 1, (["six"], "complete"))


def test_input_whose_request_raises_has_failed_and_is_cancelled() -> None:
    error = LookupError("no")

    class Handle(MultiInputNode[Any]):
        name = "test/refusing"

        def request(self, n: int, /) -> None:
            raise error

    class Refusing(Subscribable):
        def bind(self, subscriber: Subscriber[Any], /) -> OperatorSubscription:
            self.handle = Handle(subscriber)
            return self.handle

    refusing = Refusing()
    subscriber = RecordingSubscriber(first_request=1)
    bound(Asking(subscriber, refusing, 1))
    assert (subscriber.outcome, refusing.handle.is_disposed) == (([], repr(error)), True)


@pytest.mark.parametrize(
    ("bound", "value", "error"),
    [
        ("prefetch", 0, ArgumentError),
        ("prefetch", -1, ArgumentError),
        ("prefetch", 2**24 + 1, ArgumentError),
        ("prefetch", "8", ArgumentTypeError),
        ("capacity", -1, ArgumentError),
        ("capacity", None, ArgumentTypeError),
    ],
)
def test_bound_that_is_no_count_in_its_range_is_refused(bound: str, value: Any, error: type) -> None:
    kind = type("Wrong", (Asking,), {bound: value})
    with pytest.raises(error, match=rf"^Wrong\({bound}\) needs "):
        kind(RecordingSubscriber(), Stream.never(), 1)


class Alternate(MultiInputNode[Any]):
    """The example of MultiInputNode: asks for the next element of one input when it has one of the other."""

    name = "test/alternate"

    def sources(self) -> Iterable[Subscribable]:
        return [Stream.range(0, LONG, 2), Stream.range(1, LONG, 2)]

    def on_start(self) -> None:
        self.request_input(0, 1)

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)
        self.request_input(1 - index, 1)


class Alternating(OperatorPublisher[Any]):
    def create_operator(self, subscriber: Subscriber[Any]) -> Alternate:
        return Alternate(subscriber)


@pytest.mark.parametrize("at_once", [1, 2, 700, UNBOUNDED])
def test_inputs_wait_while_what_was_emitted_waits_for_demand(at_once: int) -> None:
    subscriber = RecordingSubscriber()
    bound(Alternate(subscriber))
    while not subscriber.has_ended:
        subscriber.requested += at_once
        subscriber.subscription.request(at_once)
        assert len(subscriber.elements) == min(subscriber.requested, LONG)
    assert subscriber.outcome == (list(range(LONG)), "complete")


def test_operator_that_looks_at_no_demand_is_iterated_to_its_end() -> None:
    assert list(Stream.from_publisher(Alternating())) == list(range(LONG))
