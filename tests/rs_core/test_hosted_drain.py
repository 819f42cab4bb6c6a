"""Under a host with a scheduler only the tasks of that scheduler drain."""

import contextvars
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from reactivestreams.lifecycle import OperatorNode, OperatorPublisher, initialize_tree
from reactivestreams.schedulers import VirtualTimeScheduler, WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import BroadcastSubject, buffer, lockstep
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


class Asked(VirtualTimeScheduler):
    """A host that counts how often a source asks whether it may run in the present turn."""

    asked = 0

    def is_in_turn(self) -> bool:
        self.asked += 1
        return super().is_in_turn()


def hosted(stream: Any, subscriber: Any, scheduler: Any) -> None:
    initialize_tree(stream.bind(subscriber), SimpleNamespace(scheduler=scheduler))


def test_what_a_subject_sends_in_a_turn_goes_past_the_ring_of_a_bound_source() -> None:
    recorder, host, subject = Recorder(2**63 - 1), Asked(), BroadcastSubject[int](policy=buffer(128))
    hosted(Stream.from_publisher(subject).map(lambda element: -element), recorder, host)
    host.clock.start()
    for element in range(100):
        subject.on_next(element)
    assert recorder.elements == []  # not in the thread that pushes
    asked = host.asked
    host.clock.start()
    assert recorder.elements == [-element for element in range(100)]
    assert host.asked <= asked + 2  # not for each element


def test_what_an_element_past_the_ring_has_made_is_seen_before_the_next_one() -> None:
    recorder, host = Recorder(2**63 - 1), VirtualTimeScheduler()
    stop, subject = BroadcastSubject[int](), BroadcastSubject[int](policy=buffer(64))

    def stop_at_three(element: int) -> None:
        if element == 3:
            stop.on_next(0)

    stream = Stream.from_publisher(subject).do(stop_at_three).take_until(Stream.from_publisher(stop))
    hosted(stream, recorder, host)
    host.clock.start()
    for element in range(50):
        subject.on_next(element)
    host.clock.start()
    assert (recorder.elements, recorder.ended.is_set()) == ([0, 1, 2], True)


def test_each_of_many_elements_comes_once_and_in_order_whatever_is_requested_and_left_out() -> None:
    class Asking(Recorder):
        def on_next(self, element: int) -> None:
            super().on_next(element)
            self.subscription.request(1)

    host, subject = VirtualTimeScheduler(), BroadcastSubject[int](policy=lockstep(capacity=64))
    asking, all_of_it = Asking(1), Recorder(2**63 - 1)
    hosted(Stream.from_publisher(subject, prefetch=7).filter(lambda element: element % 3 == 0), asking, host)
    hosted(Stream.from_publisher(subject), all_of_it, host)
    Stream.range(5000).subscribe(subject)
    host.clock.start()
    assert asking.elements == list(range(0, 5000, 3))
    assert all_of_it.elements == list(range(5000))
    assert asking.ended.is_set()
    assert all_of_it.ended.is_set()


def test_what_a_subject_sends_after_the_host_has_begun_to_pause_waits() -> None:
    host, subject = VirtualTimeScheduler(), BroadcastSubject[int](policy=buffer(64))
    part = host.create_child()

    class Pausing(Recorder):
        def on_next(self, element: int) -> None:
            super().on_next(element)
            if element == 3:
                part.pause()

    recorder = Pausing(99)
    hosted(Stream.from_publisher(subject), recorder, part)
    host.clock.start()
    for element in range(10):
        subject.on_next(element)
    host.clock.start()
    assert recorder.elements == [0, 1, 2, 3]
    part.continue_()
    host.clock.start()
    assert recorder.elements == list(range(10))


def test_elements_past_the_ring_come_in_the_context_variables_of_who_subscribed() -> None:
    name, seen = contextvars.ContextVar("name", default="pusher"), list[str]()
    host, subject = VirtualTimeScheduler(), BroadcastSubject[int](policy=buffer(8))
    stream = Stream.from_publisher(subject).do(lambda element: seen.append(name.get()))

    def subscribe() -> None:
        name.set("subscriber")
        hosted(stream, Recorder(9), host)

    contextvars.Context().run(subscribe)
    host.clock.start()
    subject.on_next(1)
    host.clock.start()
    assert seen == ["subscriber"]


def test_an_error_past_the_ring_ends_its_stream_alone() -> None:
    def fail(element: int) -> int:
        raise ValueError(element)

    class Failing(Recorder):
        def on_error(self, error: Exception) -> None:
            self.error = error

    host, subject = VirtualTimeScheduler(), BroadcastSubject[int](policy=buffer(8))
    failing, other = Failing(9), Recorder(9)
    hosted(Stream.from_publisher(subject).map(fail), failing, host)
    hosted(Stream.from_publisher(subject), other, host)
    host.clock.start()
    for element in range(3):
        subject.on_next(element)
    host.clock.start()
    assert (failing.elements, other.elements) == ([], [0, 1, 2])
    assert isinstance(failing.error, ValueError)
    assert subject.subscriber_count == 1
