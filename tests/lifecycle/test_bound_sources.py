"""Sources that are bound into the tree of their host: they take turns with other tasks."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from reactivestreams import Stream
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    MultiInputNode,
    OperatorNode,
    Subscribable,
)
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing

TURN_ELEMENTS = 1024  # as in drain.pxd
COUNT = 5 * TURN_ELEMENTS


class Counting(OperatorNode):
    """Answers each request at once, from inside of it."""

    def __init__(self, output: Any) -> None:
        self.output = output
        self.sent = 0
        self.wanted = 0
        self.is_sending = False

    def on_start(self) -> None:
        self.output.on_subscribe(self)

    def request(self, n: int, /) -> None:
        self.wanted += n
        if self.is_sending:
            return
        self.is_sending = True
        while self.sent < min(self.wanted, COUNT) and not self.is_disposed:
            self.sent += 1
            self.output.on_next(self.sent)
        self.is_sending = False
        if self.sent == COUNT:
            self.output.on_complete()
            self.dispose()

    def cancel(self) -> None:
        self.dispose()


class Gated(MultiInputNode[Any]):
    """Passes on what its second input sends, once the first one has sent something."""

    name = "test/gated"

    def __init__(self, subscriber: Any, *streams: Subscribable) -> None:
        super().__init__(subscriber)
        self.streams = streams

    def sources(self) -> Iterable[Subscribable]:
        return self.streams

    def on_start(self) -> None:
        self.request_input(0, 1)

    def on_next(self, index: int, element: Any) -> None:
        if index == 1:
            self.emit(element)
        self.request_input(1, 1)


def elements_by_turn(scheduler: ManualScheduler, subscriber: RecordingSubscriber) -> list[int]:
    """Run all turns; return how many elements came in each."""
    counts = [len(subscriber.elements)]
    while scheduler.run_next():
        counts.append(len(subscriber.elements))
    return [later - earlier for earlier, later in pairwise(counts)]


def test_branch_that_answers_requests_at_once_lets_other_tasks_come_in_between() -> None:
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.from_publisher(Publishing(Counting)).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://query", scheduler))
    longest = max(elements_by_turn(scheduler, subscriber))
    assert subscriber.outcome == (list(range(1, COUNT + 1)), "complete")
    assert longest <= 2 * TURN_ELEMENTS


def test_branch_and_its_input_that_answer_each_other_let_other_tasks_come_in_between() -> None:
    scheduler = ManualScheduler()
    gate = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    inputs = [Stream.from_publisher(gate), Stream.from_publisher(Publishing(Counting))]
    handle = Stream.from_publisher(Publishing(lambda output: Gated(output, *inputs))).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://query", scheduler))
    scheduler.run_waiting()
    gate.send("open")
    gate.complete()
    longest = max(elements_by_turn(scheduler, subscriber))
    assert subscriber.outcome == (list(range(1, COUNT + 1)), "complete")
    assert longest <= 2 * TURN_ELEMENTS


def test_host_that_pauses_while_a_branch_answers_at_once_stops_it_until_it_continues() -> None:
    scheduler = ManualScheduler()

    class Pausing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element == 1:
                scheduler.pause_async()

    subscriber = Pausing(first_request=UNBOUNDED)
    handle = Stream.from_publisher(Publishing(Counting)).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://query", scheduler))
    scheduler.run_waiting()
    assert 0 < len(subscriber.elements) <= TURN_ELEMENTS
    scheduler.continue_()
    scheduler.run_waiting()
    assert subscriber.outcome == (list(range(1, COUNT + 1)), "complete")
