"""Sources that are bound into the tree of their host: turns, and disposal beside `bind`."""

import gc
import weakref
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    MultiInputNode,
    OperatorNode,
    Subscribable,
    initialize_tree,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.noting_node import Noting
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together

TURN_ELEMENTS = 1024  # as in subscription.pxd
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


# --- turns ------------------------------------------------------------------------------------------------------------


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


# --- disposal beside bind ---------------------------------------------------------------------------------------------


def test_source_that_is_subscribed_after_its_disposal_is_freed() -> None:
    handle = Stream.from_publisher(Publishing(Counting)).bind(RecordingSubscriber())
    handle.subscribe()
    (source,) = handle.inputs
    source.dispose()
    source.subscribe()
    left = weakref.ref(source)
    del handle, source
    gc.collect()
    assert left() is None


def test_source_that_was_disposed_before_it_was_subscribed_binds_nothing() -> None:
    bound: list[Any] = []
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.from_publisher(Publishing(bound.append)).bind(subscriber)
    handle.subscribe()
    (source,) = handle.inputs
    source.dispose()
    with recorded_drops() as drops:
        initialize_tree(handle, None)
    assert (bound, drops, subscriber.subscription) == ([], [], None)
    assert [node.is_disposed for node in nodes_of(handle)] == [True, True]


def test_stream_that_is_disposed_inside_of_bind_disposes_what_was_bound() -> None:
    node = Noting()

    def create(_: Any) -> Noting:
        handle.dispose()
        return node

    handle = Stream.from_publisher(Publishing(create)).bind(RecordingSubscriber(first_request=1))
    initialize_tree(handle, None)
    assert (node.is_disposed, node.log.count("on_dispose"), "on_start" in node.log) == (True, 1, False)
    assert node in nodes_of(handle)


def test_what_bind_raises_after_it_disposed_the_stream_goes_to_the_hook_for_dropped_signals() -> None:
    error = LookupError("no")

    def create(_: Any) -> Any:
        handle.dispose()
        raise error

    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.from_publisher(Publishing(create)).bind(subscriber)
    with recorded_drops() as drops:
        initialize_tree(handle, None)
    assert [(signal, value) for signal, value, _ in drops] == [("bind", error)]
    assert subscriber.subscription is None


def test_interrupt_of_what_is_disposed_inside_of_bind_comes_out_where_the_program_called() -> None:
    node = Noting(actions={"on_dispose": _interrupt})

    def create(_: Any) -> Noting:
        handle.dispose()
        return node

    handle = Stream.from_publisher(Publishing(create)).bind(RecordingSubscriber())
    with pytest.raises(KeyboardInterrupt):
        initialize_tree(handle, None)


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.slow
def test_stream_that_another_thread_disposes_beside_bind_leaves_nothing_undisposed() -> None:
    with many_switches():
        for _ in range(200):
            nodes: list[Noting] = []

            def create(_: Any, into: list[Noting] = nodes) -> Noting:
                into.append(Noting())
                return into[0]

            handle = Stream.from_publisher(Publishing(create)).bind(RecordingSubscriber(first_request=1))
            with recorded_drops() as drops:
                run_together(handle.initialize, handle.dispose)
            assert [node.log.count("on_dispose") for node in nodes] in ([], [1])
            assert drops == []
