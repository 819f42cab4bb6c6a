"""A subscriber that raises: it is never signalled again, the upstream is cancelled, the hook gets the error once."""

from typing import Any

import pytest

from reactivestreams import Stream
from tests.rs_core.callback_points import ELEMENTS, LAYOUTS
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

Dropped = list[tuple[str, Any, str]]


class TroubleError(Exception):
    pass


class Interrupt(KeyboardInterrupt):
    pass


def raising(error: BaseException) -> Any:
    def raise_it() -> None:
        raise error

    return raise_it


def stream_that_ends_with(signal: str, layout: str, source: CountedElements) -> Stream[Any]:
    stream = LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream)
    return stream.map(lambda element: 1 // (3 - element)) if signal == "on_error" else stream


SIGNALS_UNTIL = {
    "on_subscribe": ["on_subscribe"],
    "on_next": ["on_subscribe", "on_next"],
    "on_error": ["on_subscribe", "on_next", "on_next", "on_next", "on_error"],
    "on_complete": ["on_subscribe", *["on_next"] * ELEMENTS, "on_complete"],
}


@pytest.mark.parametrize("demand", [1, 2, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("signal", SIGNALS_UNTIL)
def test_exception_of_a_subscriber_ends_its_subscription(
    signal: str, layout: str, demand: int, dropped_signals: Dropped
) -> None:
    error = TroubleError(signal)
    source = CountedElements(ELEMENTS)
    subscriber = RecordingSubscriber(demand=demand, actions={signal: raising(error)})
    stream_that_ends_with(signal, layout, source).subscribe(subscriber)
    subscriber.subscription.request(1)
    subscriber.subscription.request(-1)
    assert subscriber.names == SIGNALS_UNTIL[signal]
    assert dropped_signals == [(signal, error, f"RecordingSubscriber.{signal}")]
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    assert [calls for calls in source.close_calls if calls != 1] == []


@pytest.mark.parametrize("demand", [1, 2, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("signal", SIGNALS_UNTIL)
def test_interrupt_of_a_subscriber_is_raised_where_python_called(
    signal: str, layout: str, demand: int, dropped_signals: Dropped
) -> None:
    error = Interrupt(signal)
    source = CountedElements(ELEMENTS)
    subscriber = RecordingSubscriber(demand=demand, actions={signal: raising(error)})
    with pytest.raises(Interrupt) as raised:
        stream_that_ends_with(signal, layout, source).subscribe(subscriber)
    assert raised.value is error
    subscriber.subscription.request(1)
    assert (subscriber.names, dropped_signals) == (SIGNALS_UNTIL[signal], [])
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    assert [calls for calls in source.close_calls if calls != 1] == []


def test_interrupt_inside_a_later_request_is_raised_by_that_request() -> None:
    error = Interrupt()
    subscriber = RecordingSubscriber(demand=None, actions={"on_next": raising(error)})
    Stream.range(3).subscribe(subscriber)
    with pytest.raises(Interrupt) as raised:
        subscriber.subscription.request(1)
    assert raised.value is error
    subscriber.subscription.request(1)
    assert subscriber.names == ["on_subscribe", "on_next"]


def test_other_subscriptions_of_the_same_stream_go_on(dropped_signals: Dropped) -> None:
    stream = Stream.range(3)
    failing = RecordingSubscriber(demand=1, actions={"on_next": raising(TroubleError())})
    sound = RecordingSubscriber(demand=1)
    stream.subscribe(failing)
    stream.subscribe(sound)
    assert (failing.elements, sound.elements, sound.is_complete) == ([0], [0, 1, 2], True)
    assert [signal for signal, _, _ in dropped_signals] == ["on_next"]


def test_last_list_that_makes_the_subscriber_raise_is_followed_by_no_completion(dropped_signals: Dropped) -> None:
    error = TroubleError()
    subscriber = RecordingSubscriber(actions={"on_next": raising(error)})
    Stream.range(2).buffer(5).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",), ("on_next", [0, 1])]
    assert dropped_signals == [("on_next", error, "RecordingSubscriber.on_next")]


def test_interrupt_of_the_hook_is_raised_where_python_called() -> None:
    from rs_core.dropped import set_hook

    def interrupt(signal: str, value: object, *, origin: str) -> None:
        raise Interrupt(signal)

    subscriber = RecordingSubscriber(actions={"on_next": raising(TroubleError())})
    previous = set_hook(interrupt)
    try:
        with pytest.raises(Interrupt, match="on_next"):
            Stream.range(3).subscribe(subscriber)
    finally:
        set_hook(previous)
    assert subscriber.names == ["on_subscribe", "on_next"]
