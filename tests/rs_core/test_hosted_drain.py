"""Under a host with a scheduler only the tasks of that scheduler drain."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from reactivestreams.lifecycle import OperatorNode, OperatorPublisher, initialize_tree
from reactivestreams.schedulers import VirtualTimeScheduler, WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.manual_scheduler import ManualScheduler


class Recorder:
    """A subscriber that notes the thread of each signal."""

    def __init__(self, first_request: int) -> None:
        self.first_request = first_request
        self.elements: list[int] = []
        self.threads: set[str] = set()
        self.ended = threading.Event()

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        subscription.request(self.first_request)

    def on_next(self, element: int) -> None:
        self.elements.append(element)
        self.threads.add(threading.current_thread().name)

    def on_error(self, error: Exception) -> None:
        raise AssertionError(error)

    def on_complete(self) -> None:
        self.ended.set()


def test_elements_come_from_the_worker_of_the_host() -> None:
    recorder = Recorder(2**63 - 1)
    with WorkerScheduler(name="host") as worker:
        Stream.range(5000).map(lambda element: element).bind(recorder).initialize(SimpleNamespace(scheduler=worker))
        assert recorder.ended.wait(10)
    assert recorder.elements == list(range(5000))
    assert recorder.threads == {"host"}


def test_request_from_elsewhere_adds_and_wakes_one_task() -> None:
    recorder = Recorder(1)
    host = ManualScheduler()
    Stream.range(10).bind(recorder).initialize(SimpleNamespace(scheduler=host))
    assert (recorder.elements, host.waiting) == ([], 1)
    recorder.subscription.request(2)
    assert (recorder.elements, host.waiting) == ([], 1)
    host.run_next()
    assert (recorder.elements, host.waiting) == ([0, 1, 2], 0)
    recorder.subscription.request(1)
    assert (recorder.elements, host.waiting) == ([0, 1, 2], 1)


def test_long_stream_gives_other_tasks_their_turn() -> None:
    recorder = Recorder(2**63 - 1)
    host = ManualScheduler()
    Stream.range(3000).bind(recorder).initialize(SimpleNamespace(scheduler=host))
    turns = 0
    while host.waiting:
        host.run_next()
        turns += 1
        assert len(recorder.elements) <= turns * 1024
    assert recorder.elements == list(range(3000))
    assert turns >= 3


@pytest.mark.parametrize("prefetch", [1, 3, 64])
def test_boundary_loaded_with_a_larger_queue_drains_it_all(prefetch: int) -> None:
    host = ManualScheduler()
    first = Recorder(1)
    Stream.range(100).observe_on(host, prefetch=64).bind(first).initialize()
    while host.waiting:
        host.run_next()
    boundary = first.subscription.inputs[0]
    saved: list[Any] = []
    boundary.save_state(SimpleNamespace(write=saved.append))
    second = Recorder(2**63 - 1)
    handle = Stream.never().observe_on(host, prefetch=prefetch).bind(second)
    handle.subscribe()
    loaded = handle.inputs[0]
    loaded.subscribe()
    values = iter(saved)
    loaded.load_state(SimpleNamespace(read=lambda expected: next(values)), loaded.version)
    handle.initialize()
    while host.waiting:
        host.run_next()
    assert second.elements == list(range(1, 64))


def test_stream_can_be_saved_while_its_turn_waits_at_the_host_and_not_inside_of_it() -> None:
    host, refused = ManualScheduler(), []

    class Saving(Recorder):
        def on_next(self, element: int) -> None:
            super().on_next(element)
            with pytest.raises(
                StateError, match="while elements flow; pause its stream or wait until it is idle"
            ) as caught:
                save_tree(handle)
            refused.append(caught.value)

    handle = Stream.range(5).bind(Saving(2))
    handle.initialize(SimpleNamespace(scheduler=host))
    host.pause()
    before = save_tree(handle)
    host.continue_()
    host.run_waiting()
    after = save_tree(handle)
    assert len(refused) == 2
    for state, elements in ((before, [0, 1, 2, 3, 4]), (after, [2, 3, 4])):
        recorder = Recorder(9)
        resumed = Stream.range(5).bind(recorder)
        load_tree(resumed, state)
        resumed.initialize()
        assert recorder.elements == elements


class Sending(OperatorPublisher[int]):
    """A publisher with one node, whose subscriber the test signals to."""

    def create_operator(self, subscriber: Any) -> OperatorNode:
        self.subscriber = subscriber

        class Node(OperatorNode):
            def on_start(self) -> None:
                subscriber.on_subscribe(SimpleNamespace(request=lambda n: None, cancel=lambda: None))

        return Node()


def test_bound_source_passes_on_in_the_turn_of_its_host_and_elsewhere_wakes_a_task() -> None:
    recorder, host, publisher = Recorder(10), VirtualTimeScheduler(), Sending()
    initialize_tree(Stream.from_publisher(publisher).bind(recorder), SimpleNamespace(scheduler=host))
    host.clock.start()
    host.schedule(lambda: publisher.subscriber.on_next(1))
    assert (host.clock.advance_once(10), recorder.elements, host.clock.next_due) == (True, [1], None)
    publisher.subscriber.on_next(2)
    assert (recorder.elements, host.clock.next_due) == ([1], host.clock.ticks + 1)
    host.clock.start()
    assert recorder.elements == [1, 2]


def test_bound_source_of_a_paused_host_waits() -> None:
    recorder, host, publisher = Recorder(10), VirtualTimeScheduler(), Sending()
    part = host.create_child()
    initialize_tree(Stream.from_publisher(publisher).bind(recorder), SimpleNamespace(scheduler=part))
    host.clock.start()
    part.pause()
    host.schedule(lambda: publisher.subscriber.on_next(1))
    host.clock.start()
    assert recorder.elements == []
    part.continue_()
    host.clock.start()
    assert recorder.elements == [1]
