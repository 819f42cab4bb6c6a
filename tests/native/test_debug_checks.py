"""The checks of the debug mode find compiled stages that break the rules, and cost nothing where they are off."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import DemandExceededError, SignalAfterEndError, SignalOverlapError
from rs_core.debug_checks import are_debug_checks_on, set_debug_checks
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of


@pytest.fixture
def wrong(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["wrong_stages"]


@pytest.fixture(autouse=True)
def checks_are_on() -> Iterator[None]:
    previous = set_debug_checks(True)
    yield
    set_debug_checks(previous)


class Lenient:
    """A subscriber that notes what comes, whatever it is."""

    def __init__(self, request: int) -> None:
        self.request = request
        self.signals: list[Any] = []
        self.act: Any = None

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        if self.request:
            subscription.request(self.request)

    def on_next(self, element: Any) -> None:
        self.signals.append(element)
        if self.act is not None:
            self.act(element)

    def on_error(self, error: Exception) -> None:
        self.signals.append(error)

    def on_complete(self) -> None:
        self.signals.append("complete")


@pytest.mark.parametrize("lower", ["none", "map", "filter", "queue"])
def test_element_that_was_not_requested_ends_the_stream(wrong: ModuleType, lower: str) -> None:
    stream = Stream.range(9).lift(wrong.Doubling)
    below = {
        "none": lambda: stream,
        "map": lambda: stream.map(int),
        "filter": lambda: stream.filter(lambda _: True),
        "queue": lambda: stream.flat_map(lambda element: [element], prefetch=4),
    }[lower]()
    subscriber = Lenient(1)
    below.subscribe(subscriber)
    subscriber.subscription.request(500)
    *elements, error = subscriber.signals
    assert isinstance(error, DemandExceededError)
    assert str(error).startswith("§1.1: rx://operators/lift sent ")
    assert error.rule == "1.1"
    assert elements[:2] == [0, 0][: len(elements)]


def test_unbounded_demand_allows_any_number(wrong: ModuleType) -> None:
    assert Stream.range(2).lift(wrong.Doubling).to_list() == [0, 0, 1, 1]


@pytest.mark.parametrize("error", [None, LookupError("no")])
def test_signals_after_the_end_are_dropped(wrong: ModuleType, error: Exception | None) -> None:
    subscriber = Lenient(9)
    with recorded_drops() as drops:
        Stream.range(2).lift(wrong.Ending, error).do(on_next=lambda _: None).subscribe(subscriber)
    told = [(signal, type(value), value.rule) for signal, value, _ in drops]
    end = "on_complete" if error is None else "on_error"
    assert subscriber.signals[0] == 0
    assert told[0] == ("on_next", SignalAfterEndError, "1.7")
    assert (end, SignalAfterEndError, "1.7") in told
    assert {origin for _, _, origin in drops} == {"rx://operators/lift"}


def nested(wrong: ModuleType, act: str, *arguments: object) -> list[Any]:
    """Return what a subscriber gets whose first element makes the stage signal again, from inside."""
    subscriber = Lenient(0)
    handle = Stream.range(3).lift(wrong.Nesting).bind(subscriber)
    handle.initialize()
    nesting = nodes_of(handle)[1]
    subscriber.act = lambda element: getattr(nesting, act)(*arguments)
    handle.request(9)
    return subscriber.signals


@pytest.mark.parametrize(("act", "arguments", "signal"), [("push", ("nested",), "on_next"), ("end", (), "on_complete")])
def test_signal_inside_of_an_element_ends_the_stream(
    wrong: ModuleType, act: str, arguments: tuple[object, ...], signal: str
) -> None:
    element, error = nested(wrong, act, *arguments)
    assert (element, type(error), error.rule) == (0, SignalOverlapError, "1.3")
    assert str(error).startswith(f"§1.3: rx://operators/lift called {signal} while another of its signals was running")


def test_checks_are_no_nodes_and_have_no_state() -> None:
    handle = Stream.range(3).map(str).filter(len).bind(RecordingSubscriber())
    handle.initialize()
    assert [node.name for node in nodes_of(handle)] == [
        *("", "rx://operators/filter", "rx://operators/map", "rx://sources/range")
    ]
    handle.dispose()


@pytest.mark.parametrize("position", [2, 3])
def test_request_at_a_node_above_the_end_brings_elements_that_nobody_below_has_requested(position: int) -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).map(str).filter(len).bind(subscriber)
    handle.initialize()
    nodes_of(handle)[position].request(1)
    assert (subscriber.elements, type(subscriber.error)) == ([], DemandExceededError)


def test_request_at_the_node_before_the_end_counts_as_the_ends() -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).map(str).filter(len).bind(subscriber)
    handle.initialize()
    subscriber.requested = 1
    nodes_of(handle)[1].request(1)
    assert subscriber.outcome == (["0"], "open")
    handle.dispose()


@pytest.mark.slow
def test_long_chains_are_checked_with_a_flat_stack() -> None:
    stream: Stream[int] = Stream.range(300)
    for _ in range(5000):
        stream = stream.map(lambda element: element)
    subscriber = RecordingSubscriber(first_request=7, then_request=1)
    stream.filter(lambda element: element % 2 == 0).subscribe(subscriber)
    assert subscriber.outcome == (list(range(0, 300, 2)), "complete")


def test_what_is_subscribed_while_checks_are_off_is_not_checked(wrong: ModuleType) -> None:
    set_debug_checks(False)
    assert are_debug_checks_on() is False
    subscriber = Lenient(1)
    Stream.range(9).lift(wrong.Doubling).subscribe(subscriber)
    assert subscriber.signals == [0, 0]
    set_debug_checks(True)
    subscriber.subscription.request(UNBOUNDED)
    assert subscriber.signals[-1] == "complete"
