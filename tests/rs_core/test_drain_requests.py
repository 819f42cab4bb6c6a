"""Requests: from many threads, from inside on_next, illegal ones, very large ones, late ones."""

import random
import sys
import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import InvalidRequestError, InvalidRequestTypeError
from tests.rs_core.callback_points import ELEMENTS, HERE, LAYOUTS
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.together import many_switches, run_together

MANY = 2**40
Dropped = list[tuple[str, Any, str]]


class OverlapDetector:
    """Knows who is inside; several at once are noted."""

    def __init__(self) -> None:
        self.inside: list[int] = []
        self.overlaps: list[list[int]] = []

    def __call__(self) -> None:
        self.inside.append(threading.get_ident())
        if len(self.inside) != 1:
            self.overlaps.append(list(self.inside))
        for _ in range(20):  # gives other threads a chance to come in
            pass
        self.inside.remove(threading.get_ident())


class IndexOnly:
    """An integer for everybody who asks for one."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __index__(self) -> int:
        return self.n


def served(stream: Stream[Any], requests: list[Any]) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(demand=None)
    stream.subscribe(subscriber)
    for n in requests:
        subscriber.subscription.request(n)
    return subscriber


@pytest.mark.parametrize("layout", LAYOUTS)
def test_requests_of_many_threads_are_served_one_after_the_other_and_in_full(layout: str) -> None:
    threads_count, requests_each = 4, 60
    choose = random.Random(20130101)
    sizes = [[choose.randint(1, 3) for _ in range(requests_each)] for _ in range(threads_count)]
    inside = OverlapDetector()
    subscriber = RecordingSubscriber(demand=None, actions={"on_next": inside})
    stream = LAYOUTS[layout](Stream.range(MANY), lambda stream: stream.map(lambda element: element))
    stream.subscribe(subscriber)

    def request(mine: list[int]) -> None:
        for n in mine:
            subscriber.subscription.request(n)

    with many_switches():
        run_together(*[lambda mine=mine: request(mine) for mine in sizes])
    assert subscriber.elements == list(range(sum(map(sum, sizes))))
    assert inside.overlaps == []


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_request_inside_on_next_needs_a_flat_stack(layout: str) -> None:
    count = 100_000
    depths = set()
    subscriber = RecordingSubscriber(demand=1, actions={"on_next": lambda: depths.add(depth_of_frames())})
    LAYOUTS[layout](Stream.range(count), lambda stream: stream.map(abs)).subscribe(subscriber)
    assert subscriber.is_complete
    assert len(subscriber.elements) == count
    assert len(depths) == 1


def depth_of_frames() -> int:
    frame = sys._getframe()
    depth = 0
    while frame is not None:
        frame = frame.f_back
        depth += 1
    return depth


def test_request_inside_on_next_is_served_after_on_next_has_returned() -> None:
    log: list[str] = []
    subscriber = RecordingSubscriber(demand=None)

    def request_two() -> None:
        log.append("in")
        subscriber.subscription.request(2)
        log.append("out")

    subscriber.actions["on_next"] = request_two
    Stream.range(4).subscribe(subscriber)
    subscriber.subscription.request(1)
    assert log == ["in", "out"] * 4


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "n",
    [
        pytest.param(UNBOUNDED, id="2**63-1"),
        pytest.param(2**63, id="2**63"),
        pytest.param(2**70, id="2**70"),
        pytest.param(10**5000, id="5000 digits"),
        pytest.param(IndexOnly(2**64), id="__index__"),
    ],
)
def test_request_beyond_63_bits_means_no_limit(n: Any, layout: str) -> None:
    subscriber = served(LAYOUTS[layout](Stream.range(ELEMENTS), lambda stream: stream), [1, n, n])
    assert (subscriber.elements, subscriber.is_complete) == (list(range(ELEMENTS)), True)


@pytest.mark.parametrize(
    ("requests", "expected"), [([2, 3], 5), ([IndexOnly(2), IndexOnly(1)], 3), ([True, 1], 2), ([1] * 7, 7)]
)
def test_requests_add_up(requests: list[Any], expected: int) -> None:
    assert served(Stream.range(MANY), requests).elements == list(range(expected))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("n", "kind", "said"),
    [
        (0, InvalidRequestError, "got 0"),
        (-1, InvalidRequestError, "got -1"),
        (-(2**70), InvalidRequestError, f"got {-(2**70)}"),
        (False, InvalidRequestError, "got False"),
        (IndexOnly(-5), InvalidRequestError, "request a positive count or call cancel()"),
        ("3", InvalidRequestTypeError, "got '3' (str)"),
        (1.0, InvalidRequestTypeError, "got 1.0 (float)"),
        (None, InvalidRequestTypeError, "got None (NoneType)"),
        ([], InvalidRequestTypeError, "got [] (list)"),
    ],
)
def test_illegal_request_cancels_and_is_signalled_not_raised(
    n: Any, kind: type[Exception], said: str, layout: str, dropped_signals: Dropped
) -> None:
    subscriber = served(LAYOUTS[layout](Stream.range(MANY), lambda stream: stream), [2, n, 5, n])
    assert subscriber.names == ["on_subscribe", "on_next", "on_next", "on_error"]
    error = subscriber.errors[0]
    assert (type(error), getattr(error, "rule", None)) == (kind, "3.9")
    assert str(error).startswith("§3.9: ")
    assert said in str(error)
    assert dropped_signals == []


def test_illegal_request_of_a_failing_index_keeps_the_cause() -> None:
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError("no number")

    subscriber = served(Stream.range(3), [Broken()])
    assert [type(error.__cause__) for error in subscriber.errors] == [ZeroDivisionError]


def test_illegal_request_inside_on_next_is_signalled_after_on_next_has_returned() -> None:
    log: list[str] = []
    subscriber = RecordingSubscriber(demand=5)

    def request_nothing() -> None:
        subscriber.subscription.request(0)
        log.append("on_next returns")

    subscriber.actions = {"on_next": request_nothing, "on_error": lambda: log.append("on_error")}
    Stream.range(5).subscribe(subscriber)
    assert log == ["on_next returns", "on_error"]
    assert subscriber.elements == [0]


def test_illegal_request_of_another_thread_never_overlaps_an_element() -> None:
    inside = OverlapDetector()
    overlapping = []
    for _ in range(30):
        subscriber = RecordingSubscriber(demand=None, actions={"on_next": inside, "on_error": inside})
        Stream.range(MANY).subscribe(subscriber)
        rendezvous = threading.Barrier(2)

        def refuse(rendezvous: threading.Barrier = rendezvous, subscriber: Any = subscriber) -> None:
            rendezvous.wait()
            subscriber.subscription.request(-1)

        thread = threading.Thread(target=refuse)
        thread.start()
        rendezvous.wait()
        subscriber.subscription.request(2_000)
        thread.join()
        assert subscriber.names[-1] == "on_error"
        assert subscriber.elements == list(range(len(subscriber.elements)))
        overlapping.extend(inside.overlaps)
    assert overlapping == []


@pytest.mark.parametrize("n", [0, -1, "3", None, 2**70, 1])
@pytest.mark.parametrize("end", ["on_complete", "on_error", "cancel"])
def test_request_after_the_end_is_silent(end: str, n: Any, dropped_signals: Dropped) -> None:
    stream = Stream.range(2) if end != "on_error" else Stream.range(2).map(lambda element: 1 // (1 - element))
    subscriber = RecordingSubscriber()
    if end == "cancel":
        subscriber.actions["on_next"] = subscriber.cancel
    stream.subscribe(subscriber)
    signals = list(subscriber.signals)
    subscriber.subscription.request(n)
    thread = threading.Thread(target=subscriber.subscription.request, args=(n,))
    thread.start()
    thread.join()
    assert (subscriber.signals, dropped_signals) == (signals, [])


def test_only_the_first_of_several_illegal_requests_is_signalled(dropped_signals: Dropped) -> None:
    subscriber = RecordingSubscriber(demand=None)

    def refuse_twice() -> None:
        subscriber.subscription.request(-1)
        subscriber.subscription.request("3")

    subscriber.actions["on_subscribe"] = refuse_twice
    Stream.range(3).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert "got -1" in str(subscriber.errors[0])
    assert dropped_signals == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_requests_before_the_tree_exists_count_with_those_of_on_subscribe(layout: str) -> None:
    subscriber = RecordingSubscriber(demand=None)
    subscriber.actions["on_subscribe"] = lambda: subscriber.subscription.request(1)
    handle = LAYOUTS[layout](Stream.range(MANY), lambda stream: stream.map(abs).filter(lambda _: True)).bind(subscriber)
    handle.request(2)
    handle.request(IndexOnly(1))
    handle.request(True)
    assert subscriber.signals == []
    handle.initialize()
    assert subscriber.elements == [0, 1, 2, 3, 4]
    handle.cancel()


@pytest.mark.parametrize("n", [None, "3", 0, -1])
def test_first_illegal_request_before_the_tree_exists_is_the_one_that_is_signalled(n: Any) -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = Stream.range(3).map(abs).bind(subscriber)
    handle.request(n)
    handle.request([])
    handle.initialize()
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert f"got {n!r}" in str(subscriber.errors[0])


def test_request_of_an_inner_node_counts_as_that_nodes_demand() -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = Stream.range(MANY).buffer(3).observe_on(HERE, prefetch=1).bind(subscriber)
    handle.initialize()
    boundary = handle.inputs[0]
    boundary.request(2)
    assert subscriber.elements == [[0, 1, 2], [3, 4, 5]]
    handle.cancel()
