"""Cancel from inside every callback: nothing is signalled afterwards, and everything is released once."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from tests.rs_core.callback_points import ELEMENTS, LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS, Act
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

DEMANDS = [1, 2, UNBOUNDED]
CALLS = [1, 2, 4]  # which call of the callback cancels
Dropped = list[tuple[str, Any, str]]


class Canceller:
    """Cancels in one of the calls of a callback, twice, and requests once more."""

    def __init__(self, subscriber: RecordingSubscriber, call: int) -> None:
        self.subscriber = subscriber
        self.left = call
        self.signals_before: int | None = None

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.signals_before = len(self.subscriber.signals)
            self.subscriber.cancel()
            self.subscriber.cancel()
            self.subscriber.subscription.request(1)
            self.subscriber.subscription.request(-1)


def run_and_cancel(stream_with: Callable[[Act], Stream[Any]], *, demand: int, call: int) -> RecordingSubscriber:
    """Run a stream whose callback cancels it; check that nothing came after that."""
    subscriber = RecordingSubscriber(demand=demand)
    canceller = Canceller(subscriber, call)
    stream_with(canceller).subscribe(subscriber)
    if canceller.signals_before is None:  # so many calls did not happen
        assert subscriber.names[-1] in {"on_complete", "on_error"}
        subscriber.cancel()
    else:
        assert subscriber.signals[canceller.signals_before :] == []
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    return subscriber


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_nothing_comes_after_a_cancel_inside_of(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in CALLS:
        source = CountedElements(ELEMENTS)
        run_and_cancel(
            lambda act, source=source: LAYOUTS[layout](
                Stream.from_iterable(source), lambda stream: OPERATOR_POINTS[point](stream, act)
            ),
            demand=demand,
            call=call,
        )
        assert [calls for calls in source.close_calls if calls != 1] == []
    # An error that was on its way when the stream was cancelled has nobody to go to.
    assert [told for told in dropped_signals if not (told[0] == "on_error" and "on_error" in point)] == []


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", SOURCE_POINTS)
def test_nothing_comes_after_a_cancel_inside_of_a_source(
    point: str, layout: str, demand: int, dropped_signals: Dropped
) -> None:
    for call in CALLS:
        run_and_cancel(
            lambda act: LAYOUTS[layout](SOURCE_POINTS[point](act), lambda stream: stream), demand=demand, call=call
        )
    assert dropped_signals == []


@pytest.mark.parametrize("demand", DEMANDS)
@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_comes_after_a_cancel_inside_of_the_subscriber(
    layout: str, signal: str, demand: int, dropped_signals: Dropped
) -> None:
    for call in CALLS:
        source = CountedElements(ELEMENTS)
        stream = LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream)
        if signal == "on_error":
            stream = stream.map(lambda element: element // (element - 3))
        subscriber = RecordingSubscriber(demand=demand)
        canceller = Canceller(subscriber, call)
        subscriber.actions[signal] = canceller
        stream.subscribe(subscriber)
        if canceller.signals_before is not None:
            assert len(subscriber.signals) == canceller.signals_before
        assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
        assert [calls for calls in source.close_calls if calls != 1] == []
    assert dropped_signals == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cancelled_source_is_not_read_any_more(layout: str) -> None:
    source = CountedElements(100)
    subscriber = RecordingSubscriber(demand=1)
    stream = LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream)
    stream.map(lambda element: subscriber.cancel() if element == 3 else element).subscribe(subscriber)
    reads = source.reads
    subscriber.subscription.request(50)
    assert (subscriber.elements, source.reads) == ([0, 1, 2], reads)
    assert reads <= 3 + 1 + 2  # what is behind the queue of the layout was read ahead


def test_function_below_the_one_that_cancels_may_still_see_the_element_but_the_subscriber_does_not() -> None:
    subscriber = RecordingSubscriber()
    Stream.range(5).do(on_next=lambda _: subscriber.cancel()).map(str).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",)]


def test_cancel_after_the_end_is_ignored(dropped_signals: Dropped) -> None:
    source = CountedElements(3)
    subscriber = RecordingSubscriber(demand=1)
    Stream.from_iterable(source).subscribe(subscriber)
    signals = list(subscriber.signals)
    subscriber.cancel()
    subscriber.subscription.dispose()
    assert (subscriber.signals, source.close_calls, dropped_signals) == (signals, [1], [])
