"""What operators with several inputs emit, and how they end."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import CapacityError
from reactivestreams.lifecycle import MultiInputNode
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.merging_node import Action, Merging, bound


def test_what_a_hook_emits_goes_down_when_the_hook_has_returned() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    seen: list[list[Any]] = []
    bound(Merging(subscriber, Stream.just(1, 2), actions={"on_next": lambda: seen.append(list(subscriber.elements))}))
    assert (seen, subscriber.outcome) == ([[], [1]], ([1, 2], "complete"))


def test_end_waits_for_demand_for_what_was_emitted_before_and_then_cancels_the_inputs() -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=1)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.from_publisher(publisher), actions=actions)
    actions["on_start"] = lambda: [node.emit(1), node.emit(2), node.complete()]
    bound(node)
    assert (subscriber.outcome, node.disposals) == (([1], "open"), 0)
    subscriber.request(1)
    assert (subscriber.outcome, node.disposals) == (([1, 2], "complete"), 1)


@pytest.mark.parametrize(("ends", "expected"), [(["complete", "fail"], "complete"), (["fail", "complete"], "'why'")])
def test_first_end_counts(ends: list[str], expected: str) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.never(), actions=actions)
    calls: dict[str, Action] = {"complete": node.complete, "fail": lambda: node.fail(ValueError("why"))}
    actions["on_start"] = lambda: [calls[end]() for end in ends]
    bound(node)
    assert subscriber.outcome == ([], "complete" if expected == "complete" else f"ValueError({expected})")


def test_exception_of_the_hook_for_errors_takes_the_place_of_the_error() -> None:
    class Translating(Merging):
        def on_error(self, index: int, error: Exception) -> None:
            raise LookupError(index) from error

    publishers = [ManualPublisher(), ManualPublisher()]
    subscriber = RecordingSubscriber(first_request=1)
    node = bound(Translating(subscriber, *map(Stream.from_publisher, publishers)))
    publishers[1].fail(ValueError("why"))
    assert (subscriber.outcome, node.is_disposed) == (([], "LookupError(1)"), True)
    assert [publisher.cancels for publisher in publishers] == [1, 0]


def test_inputs_that_have_elements_are_served_in_turn() -> None:
    inputs = [ManualPublisher(), ManualPublisher()]
    subscriber = RecordingSubscriber()
    node = bound(Merging(subscriber, *map(Stream.from_publisher, inputs), window=4))
    subscriber.request(1)
    inputs[0].send("hold", "a", "b", "c")  # the second one waits for demand, so all else waits, too
    inputs[1].send(1, 2, 3)
    subscriber.request(UNBOUNDED)
    assert subscriber.elements == ["hold", "a", "b", 1, "c", 2, 3]
    node.dispose()


class Unlimited(MultiInputNode[Any]):
    """Asks for everything and emits what each element holds, with the bounds that a class has by default."""

    name = "test/unlimited"

    def __init__(self, subscriber: Any, source: Stream[Any]) -> None:
        super().__init__(subscriber)
        self.source = source

    def sources(self) -> list[Stream[Any]]:
        return [self.source]

    def on_start(self) -> None:
        self.request_input(0, UNBOUNDED)

    def on_next(self, index: int, element: Any) -> None:
        for each in element:
            self.emit(each)


def test_bounds_are_those_that_the_documentation_names() -> None:
    publisher = ManualPublisher()
    node = bound(Unlimited(RecordingSubscriber(), Stream.from_publisher(publisher)))
    assert publisher.requests == [128]
    node.dispose()
    enough, too_few = RecordingSubscriber(), RecordingSubscriber()
    bound(Unlimited(enough, Stream.just(range(1024))))
    bound(Unlimited(too_few, Stream.just(range(1025))))
    assert (enough.outcome, type(too_few.error)) == (([], "open"), CapacityError)
    enough.request(1024)
    assert enough.outcome == (list(range(1024)), "complete")
