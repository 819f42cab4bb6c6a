"""Cancel from another thread while a callback runs: it returns at once, and nothing is signalled afterwards."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler
from tests.rs_core.callback_points import ELEMENTS, LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS, Act
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

DEMANDS = [1, UNBOUNDED]
LONG_SECONDS = 60.0  # longer than any wait; a test that needs it has failed
Dropped = list[tuple[str, Any, str]]


class ParkedCallback:
    """Holds one call of a callback until it is released."""

    def __init__(self, call: int) -> None:
        self.left = call
        self.is_parked = threading.Event()
        self.may_go_on = threading.Event()

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.is_parked.set()
            assert self.may_go_on.wait(LONG_SECONDS)


def cancel_while_parked(stream_with: Callable[[Act], Stream[Any]], demand: int, call: int) -> RecordingSubscriber:
    """Run a stream in a thread of its own and cancel it from here while its callback is parked."""
    subscriber = RecordingSubscriber(demand=demand)
    parked = ParkedCallback(call)

    def run() -> None:
        stream_with(parked).subscribe(subscriber)
        parked.is_parked.set()

    thread = threading.Thread(target=run)
    thread.start()
    assert parked.is_parked.wait(LONG_SECONDS)
    subscriber.cancel()  # returns while the callback is parked
    told = len(subscriber.signals)
    subscriber.subscription.request(1)
    parked.may_go_on.set()
    thread.join()
    assert subscriber.signals[told:] == []
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    return subscriber


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_cancel_returns_at_once_during(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in (1, 3):
        source = CountedElements(ELEMENTS)
        cancel_while_parked(
            lambda act, source=source: LAYOUTS[layout](
                Stream.from_iterable(source), lambda stream: OPERATOR_POINTS[point](stream, act)
            ),
            demand,
            call,
        )
        assert [calls for calls in source.close_calls if calls != 1] == []
    assert [told for told in dropped_signals if not (told[0] == "on_error" and "on_error" in point)] == []


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", SOURCE_POINTS)
def test_cancel_returns_at_once_during_a_source(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in (1, 3):
        cancel_while_parked(lambda act: LAYOUTS[layout](SOURCE_POINTS[point](act), lambda stream: stream), demand, call)
    assert dropped_signals == []


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_complete"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_cancel_returns_at_once_during_a_signal(layout: str, signal: str, dropped_signals: Dropped) -> None:
    source = CountedElements(ELEMENTS)
    subscriber = RecordingSubscriber(demand=1)
    parked = ParkedCallback(1)
    subscriber.actions[signal] = parked
    stream = LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream)
    thread = threading.Thread(target=stream.subscribe, args=(subscriber,))
    thread.start()
    assert parked.is_parked.wait(LONG_SECONDS)
    subscriber.cancel()
    signals = list(subscriber.signals)
    parked.may_go_on.set()
    thread.join()
    assert (subscriber.signals, dropped_signals) == (signals, [])
    assert [calls for calls in source.close_calls if calls != 1] == []


def test_of_many_cancelling_threads_one_tears_down() -> None:
    closes = []
    for _ in range(50):
        source = CountedElements(ELEMENTS)
        subscriber = RecordingSubscriber(demand=None)
        Stream.from_iterable(source).map(str).subscribe(subscriber)
        subscriber.subscription.request(1)
        rendezvous = threading.Barrier(4)

        def cancel(rendezvous: threading.Barrier = rendezvous, subscriber: Any = subscriber) -> None:
            rendezvous.wait()
            subscriber.cancel()

        threads = [threading.Thread(target=cancel) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        closes.append(source.close_calls)
    assert closes == [[1]] * 50


def test_element_that_waits_behind_a_boundary_is_dropped_by_cancel() -> None:
    subscriber = RecordingSubscriber()
    parked = ParkedCallback(1)
    subscriber.actions["on_next"] = parked
    source = CountedElements(ELEMENTS)
    with WorkerScheduler(name="reactivestreams-behind") as worker:
        Stream.from_iterable(source).observe_on(worker).subscribe(subscriber)
        assert parked.is_parked.wait(LONG_SECONDS)
        subscriber.cancel()
        parked.may_go_on.set()
    assert (subscriber.elements, subscriber.names, source.close_calls) == ([0], ["on_subscribe", "on_next"], [1])
