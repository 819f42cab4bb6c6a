"""Subclasses that other extensions write in Cython: sources, operators and subscriptions, in real streams."""

from types import ModuleType
from typing import Any

import pytest

from reactivestreams import BasePublisher, Stream
from reactivestreams.operators import OperatorDefinition
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


@pytest.fixture
def classes(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["exported_classes"]


@pytest.fixture
def countdown(classes: ModuleType) -> Any:
    """Describe a stream of the compiled source."""

    class Countdown(OperatorDefinition):
        id = "test://countdown"
        method = "countdown"
        stage = classes.Countdown

    def describe(*parameters: object) -> Stream[int]:
        return Stream(Countdown, parameters)

    return describe


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("operators", [0, 200])  # beyond 64 an element is relayed
def test_a_source_sends_what_is_requested(countdown: Any, by_hand: bool, operators: int) -> None:
    stream = countdown(5, by_hand)
    for _ in range(operators):
        stream = stream.map(lambda element: element)
    subscriber: RecordingSubscriber = RecordingSubscriber()
    stream.subscribe(subscriber)
    subscriber.request(2)
    first = list(subscriber.elements)
    subscriber.request(UNBOUNDED)
    assert (first, subscriber.outcome) == ([5, 4], ([5, 4, 3, 2, 1], "complete"))


def test_a_source_is_released_once_when_it_is_cancelled(countdown: Any) -> None:
    released: list[str] = []
    subscriber: RecordingSubscriber = RecordingSubscriber()
    countdown(5, False, lambda: released.append("released")).subscribe(subscriber)
    subscriber.request(1)
    subscriber.cancel()
    subscriber.cancel()
    assert (subscriber.outcome, released) == (([5], "open"), ["released"])


def test_what_a_release_raises_goes_to_the_hook_for_dropped_signals(countdown: Any) -> None:
    def refuse() -> None:
        raise OSError("busy")

    with recorded_drops() as drops:
        assert countdown(1, False, refuse).to_list() == [1]
    assert [(signal, str(value), origin) for signal, value, origin in drops] == [("close", "busy", "test://countdown")]


def test_requests_made_in_c_reach_the_source(countdown: Any, classes: ModuleType) -> None:
    subscriber: RecordingSubscriber = RecordingSubscriber()
    countdown(9).subscribe(subscriber)
    subscriber.requested = 5
    classes.use_requests(subscriber.subscription, 1)
    taken = list(subscriber.elements)
    classes.use_requests(subscriber.subscription, -1)
    assert (taken, subscriber.elements, subscriber.faults) == ([9, 8, 7], [9, 8, 7, 6, 5], [])
    assert str(subscriber.error).startswith("§3.9: request(n) needs n > 0, got -1")


@pytest.mark.parametrize(
    ("elements", "pairs"),
    [([], []), ([1], [(1, None)]), ([1, 2], [(1, 2)]), ([1, None, 2, None, 3], [(1, 2), (3, None)])],
)
def test_an_operator_that_is_no_unit_joins_elements(classes: ModuleType, elements: list[Any], pairs: list[Any]) -> None:
    assert Stream.from_iterable(elements).lift(classes.Pairs).to_list() == pairs


def test_an_operator_translates_requests(countdown: Any, classes: ModuleType) -> None:
    subscriber: RecordingSubscriber = RecordingSubscriber()
    countdown(9).lift(classes.Pairs).subscribe(subscriber)
    subscriber.request(2)
    assert subscriber.outcome == ([(9, 8), (7, 6)], "open")


def test_a_last_element_that_a_stage_below_refuses_ends_the_stream_with_its_error(classes: ModuleType) -> None:
    def fail(pair: object) -> None:
        raise ArithmeticError("no half pairs")

    with pytest.raises(ArithmeticError, match="no half pairs"):
        Stream.just(1).lift(classes.Pairs).map(fail).to_list()


def test_an_operator_fails_for_an_element_of_another_kind(classes: ModuleType) -> None:
    with pytest.raises(TypeError, match="Pairs takes ints, got 'x'"):
        Stream.just(1, "x").lift(classes.Pairs).to_list()


def test_an_operator_may_swallow_an_error(classes: ModuleType) -> None:
    subscriber: RecordingSubscriber = RecordingSubscriber()
    with recorded_drops() as drops:
        Stream.error(KeyError("k")).lift(classes.Pairs).subscribe(subscriber)
        subscriber.request(1)
    assert (subscriber.outcome, [origin for _, _, origin in drops]) == (([], "open"), ["Pairs"])


@pytest.mark.parametrize("is_behind_pairs", [False, True])  # a Pairs is no unit, so what is dropped is asked for again
def test_dropped_elements_cost_no_demand(countdown: Any, classes: ModuleType, is_behind_pairs: bool) -> None:
    stream = countdown(16).lift(classes.Pairs).map(lambda pair: pair[0] // 2) if is_behind_pairs else countdown(8)
    subscriber: RecordingSubscriber = RecordingSubscriber()
    stream.lift(classes.Evens).subscribe(subscriber)
    subscriber.request(3)
    assert subscriber.outcome == ([8, 6, 4], "open")


@pytest.mark.parametrize(("name", "element"), [("Evens", "x"), ("Evens", 2**70), ("Negated", "x")])
def test_an_exception_that_is_set_becomes_the_error_of_the_stream(
    classes: ModuleType, name: str, element: object
) -> None:
    with pytest.raises((TypeError, OverflowError)):
        Stream.just(element).lift(getattr(classes, name)).to_list()


def test_a_result_made_in_c_is_passed_on(classes: ModuleType) -> None:
    assert Stream.just(1, -2).lift(classes.Negated).to_list() == [-1, 2]


def test_a_compiled_subscription_serves_a_publisher(classes: ModuleType) -> None:
    class Tickets(BasePublisher[int]):
        def create_subscription(self, subscriber: Any) -> Any:
            return classes.Ticket(subscriber)

    assert Stream.from_publisher(Tickets()).to_list() == [1, 1, 1]
