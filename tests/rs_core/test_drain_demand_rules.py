"""What each operator requests upstream: exact totals at a publisher that writes down every request."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.operators.python_operator import PythonStage
from tests.rs_core.deep_chains import Ask
from tests.rs_core.random_streams import HERE
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import loaded_tree, saved_tree, start_by_visits

MOST = 4096
"""The prefetch of the source: a publisher is asked for what is requested below, one to one, up to there."""


class ProbePublisher:
    """Writes down what is requested; sends when told to."""

    def __init__(self) -> None:
        self.requests: list[int] = []
        self.subscriber: Any = None
        self.sent = 0
        self.is_cancelled = False

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        self.requests.append(n)

    def cancel(self) -> None:
        self.is_cancelled = True

    def send(self, *elements: Any) -> None:
        for element in elements:
            self.sent += 1
            self.subscriber.on_next(element)

    def complete(self) -> None:
        self.subscriber.on_complete()

    @property
    def outstanding(self) -> int:
        return sum(self.requests) - self.sent


class Probed:
    """An operator between a probe and a subscriber."""

    def __init__(self, operator: Callable[[Stream[Any]], Stream[Any]]) -> None:
        self.probe = ProbePublisher()
        self.subscriber = RecordingSubscriber(demand=None)
        operator(Stream.from_publisher(self.probe, prefetch=MOST)).subscribe(self.subscriber)

    def request(self, n: int) -> list[int]:
        """Request and return what came to the publisher meanwhile."""
        before = len(self.probe.requests)
        self.subscriber.subscription.request(n)
        return self.probe.requests[before:]

    def send(self, *elements: Any) -> list[int]:
        """Send and return what was requested of the publisher meanwhile."""
        before = len(self.probe.requests)
        self.probe.send(*elements)
        return self.probe.requests[before:]


ONE_TO_ONE: dict[str, Callable[[Stream[Any]], Stream[Any]]] = {
    "map": lambda stream: stream.map(str),
    "do": lambda stream: stream.do(on_next=str),
    "scan": lambda stream: stream.scan(lambda _, element: element, 0),
    "keyed_scan": lambda stream: stream.key_by(lambda _: 0).scan(lambda _, element: element, 0),
    "lift": lambda stream: stream.lift(Ask),
}


@pytest.mark.parametrize("operator", ONE_TO_ONE)
def test_one_to_one_operator_requests_what_is_requested_of_it(operator: str) -> None:
    if operator == "lift":  # its own prefetch bounds it
        probed = Probed(ONE_TO_ONE[operator])
        assert probed.request(2) == [2]
        return
    probed = Probed(ONE_TO_ONE[operator])
    assert probed.request(3) == [3]
    assert probed.request(5) == [5]
    assert probed.send(*range(8)) == []
    assert len(probed.subscriber.elements) == 8


def test_filter_gives_back_the_demand_of_each_element_that_it_drops() -> None:
    probed = Probed(lambda stream: stream.filter(lambda element: element % 2))
    assert probed.request(2) == [2]
    assert probed.send(0) == [1]
    assert probed.send(2) == [1]
    assert probed.send(1) == []
    assert probed.send(4) == [1]
    assert probed.send(3) == []
    assert (probed.subscriber.elements, sum(probed.probe.requests)) == ([1, 3], 5)


def test_skip_requests_as_many_more_as_it_drops() -> None:
    probed = Probed(lambda stream: stream.skip(3))
    probed.request(2)
    probed.send(0, 1, 2, 3, 4)
    assert (probed.subscriber.elements, sum(probed.probe.requests)) == ([3, 4], 5)


@pytest.mark.parametrize(
    ("requests", "expected"),
    [([2, 2, 2], [2, 1]), ([3], [3]), ([7], [3]), ([UNBOUNDED], [3]), ([1, 1, 1, 1], [1, 1, 1]), ([2**70], [3])],
)
def test_take_never_requests_more_than_is_left(requests: list[int], expected: list[int]) -> None:
    probed = Probed(lambda stream: stream.take(3))
    for n in requests:
        probed.request(n)
    assert probed.probe.requests == expected


def test_take_cancels_with_its_last_element() -> None:
    probed = Probed(lambda stream: stream.take(3))
    probed.request(10)
    probed.send(0, 1)
    assert not probed.probe.is_cancelled
    probed.send(2)
    assert (probed.probe.is_cancelled, probed.subscriber.is_complete) == (True, True)


def test_filter_below_take_costs_take_its_allowance() -> None:
    probed = Probed(lambda stream: stream.take(3).filter(lambda element: element % 2))
    probed.request(5)
    probed.send(0, 2, 1)
    assert (sum(probed.probe.requests), probed.subscriber.elements, probed.subscriber.is_complete) == (3, [1], True)


def test_filter_below_take_is_given_as_much_as_take_still_allows() -> None:
    probed = Probed(lambda stream: stream.take(4).filter(lambda element: element % 2))
    assert probed.request(1) == [1]
    assert probed.send(0) == [1]
    assert probed.send(2) == [1]
    assert probed.send(1) == []
    assert probed.request(3) == [1]


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([2], [6]),
        ([1, 1], [3, 3]),
        ([MOST], [MOST]),  # the publisher is asked for no more than its prefetch
        ([UNBOUNDED], [MOST]),
        ([UNBOUNDED // 3 + 1], [MOST]),
    ],
)
def test_buffer_requests_its_count_for_each_list(requests: list[int], expected: list[int]) -> None:
    probed = Probed(lambda stream: stream.buffer(3))
    for n in requests:
        probed.request(n)
    assert probed.probe.requests == expected


def test_filter_below_buffer_gives_back_a_whole_list() -> None:
    probed = Probed(lambda stream: stream.buffer(3).filter(lambda elements: 0 not in elements))
    assert probed.request(1) == [3]
    assert probed.send(0, 1, 2) == [3]
    assert probed.send(3, 4, 5) == []
    assert probed.subscriber.elements == [[3, 4, 5]]


def test_buffers_multiply() -> None:
    probed = Probed(lambda stream: stream.buffer(3).buffer(4))
    assert probed.request(2) == [24]


def test_skip_above_buffer_adds_what_it_drops() -> None:
    probed = Probed(lambda stream: stream.skip(2).buffer(2))
    probed.request(1)
    probed.send(0, 1, 2, 3)
    assert (sum(probed.probe.requests), probed.subscriber.elements) == (4, [[2, 3]])


@pytest.mark.parametrize("demand", [1, 3, UNBOUNDED])
@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(lambda stream: stream.flat_map(lambda element: (element,), prefetch=8), id="flat_map"),
        pytest.param(lambda stream: stream.observe_on(HERE, prefetch=8), id="observe_on"),
    ],
)
def test_prefetching_operator_asks_again_when_three_quarters_were_passed_on(
    operator: Callable[[Stream[Any]], Stream[Any]], demand: int
) -> None:
    probed = Probed(operator)
    assert probed.probe.requests == [8]
    probed.subscriber.demand = demand
    probed.request(demand)
    for element in range(30):
        assert probed.probe.outstanding > 0
        probed.send(element)
    assert probed.probe.requests == [8, 6, 6, 6, 6, 6]
    assert probed.subscriber.elements == list(range(30))


@pytest.mark.parametrize("prefetch", [1, 2, 3, 4, 5, 100])
def test_outstanding_and_queued_elements_never_exceed_the_prefetch(prefetch: int) -> None:
    probed = Probed(lambda stream: stream.observe_on(HERE, prefetch=prefetch))
    for step in range(3 * prefetch):
        if probed.probe.outstanding:
            probed.send(probed.probe.sent)
        queued = probed.probe.sent - len(probed.subscriber.elements)
        assert probed.probe.outstanding + queued <= prefetch
        if step % 2:
            probed.request(1)
    assert probed.subscriber.elements == list(range(len(probed.subscriber.elements)))


def test_flat_map_without_demand_expands_nothing() -> None:
    probed = Probed(lambda stream: stream.flat_map(lambda element: [element] * 3, prefetch=4))
    probed.send(0, 1)
    assert (probed.subscriber.elements, probed.probe.requests) == ([], [4])
    probed.request(4)
    assert probed.subscriber.elements == [0, 0, 0, 1]


def test_publisher_is_asked_in_windows_of_its_prefetch() -> None:
    probe = ProbePublisher()
    subscriber = RecordingSubscriber(demand=None)
    Stream.from_publisher(probe, prefetch=8).subscribe(subscriber)
    subscriber.subscription.request(20)
    assert probe.requests == [8]
    for element in range(20):
        probe.send(element)
        assert 0 <= probe.outstanding <= 8
    assert (sum(probe.requests), subscriber.elements) == (20, list(range(20)))


def test_operator_with_its_own_demand_is_told_again_of_demand_that_was_given_back() -> None:
    told = []

    class Telling(PythonStage):
        name = "test/telling"
        demand = "own"

        def on_request(self, n: int) -> None:
            told.append(n)
            self.request_upstream(n)

        def on_next(self, element: Any) -> None:
            self.emit(element)

    probed = Probed(lambda stream: stream.lift(Telling).filter(lambda element: element % 2))
    probed.request(2)
    probed.send(0, 1)
    probed.send(2)
    probed.send(3)
    assert (told, sum(probed.probe.requests), probed.subscriber.elements) == ([2, 1, 1], 4, [1, 3])


@pytest.mark.parametrize(("before", "after"), [(8, 8), (8, 3), (3, 8), (8, 1)])
def test_recovered_queue_is_filled_up_to_its_prefetch_and_never_beyond(before: int, after: int) -> None:
    probe, subscriber = ProbePublisher(), RecordingSubscriber(demand=None)
    handle = Stream.from_publisher(probe).observe_on(HERE, prefetch=before).bind(subscriber)
    handle.initialize()
    probe.send(*range(before))
    records = saved_tree(handle)
    handle.cancel()

    probe, subscriber = ProbePublisher(), RecordingSubscriber(demand=None)
    handle = Stream.from_publisher(probe).observe_on(HERE, prefetch=after).bind(subscriber)
    start_by_visits(loaded_tree(handle, records))
    assert sum(probe.requests) == max(0, after - before)
    element = before
    for _ in range(5 * max(before, after)):
        handle.request(1)
        queued = before + probe.sent - len(subscriber.elements)
        assert queued + probe.outstanding <= max(after, queued)
        while probe.outstanding:
            probe.send(element)
            element += 1
    assert subscriber.elements == list(range(len(subscriber.elements)))
    assert before + probe.sent - len(subscriber.elements) <= after
