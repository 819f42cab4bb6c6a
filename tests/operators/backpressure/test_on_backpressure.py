"""What becomes of elements that nobody has requested: waiting, dropped, failing, reduced, put into lists."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestBufferThatHoldsTheWholeInput(OperatorContract, StateContract):
    reads_ahead = 1024

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().on_backpressure_buffer(1024)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def test_publisher_that_sends_without_demand_is_cancelled(self) -> None:
        """What it has taken it requests again, so that one more is not without demand."""
        publisher, subscriber = ManualPublisher(), RecordingSubscriber()
        self.over(publisher, subscriber)
        for number in range(500):
            assert publisher.requested > number
            publisher.send(number)
        self.request(subscriber, UNBOUNDED)
        assert subscriber.outcome == (list(range(500)), "open")


class Pushed:
    """A publisher that sends what the test says, behind an operator."""

    def __init__(self, add: Callable[[Any], Any], requested: int = 0) -> None:
        self.publisher = ManualPublisher()
        self.subscriber = RecordingSubscriber(first_request=requested)
        self.handle = add(Stream.from_publisher(self.publisher)).bind(self.subscriber)

    def start(self) -> "Pushed":
        self.handle.initialize()
        return self

    def push(self, *elements: Any) -> None:
        for element in elements:
            self.publisher.send(element)

    @property
    def elements(self) -> list[Any]:
        return self.subscriber.elements


def pushed(add: Callable[[Any], Any], requested: int = 0) -> Pushed:
    return Pushed(add, requested).start()


@pytest.mark.parametrize(
    ("policy", "kept", "lost"),
    [("drop_newest", [1, 2, 3], [4, 5]), ("drop_oldest", [3, 4, 5], [1, 2]), ("latest", [5], [1, 2, 3, 4])],
)
def test_full_buffer_drops_by_its_policy(policy: str, kept: list[int], lost: list[int]) -> None:
    dropped: list[int] = []
    run = pushed(lambda s: s.on_backpressure_buffer(3, policy, on_dropped=dropped.append))
    run.push(1, 2, 3, 4, 5)
    assert (run.elements, dropped) == ([], lost)
    run.subscriber.request(9)
    run.push(6)
    run.publisher.complete()
    assert run.subscriber.outcome == ([*kept, 6], "complete")


def test_dropped_elements_go_to_the_hook_without_a_function() -> None:
    with recorded_drops() as drops:
        run = pushed(lambda s: s.on_backpressure_drop(), 1)
        run.push(1, 2, 3)
    assert run.elements == [1]
    assert [(signal, value) for signal, value, _ in drops] == [("on_next", 2), ("on_next", 3)]


def test_full_buffer_fails_after_the_elements_that_wait_and_leaves_its_upstream_at_once() -> None:
    run = pushed(lambda s: s.on_backpressure_buffer(2), 1)
    run.push(1, 2, 3, 4, 5)
    assert run.publisher.cancels == 1
    assert (run.elements, run.subscriber.error) == ([1], None)
    run.subscriber.request(1)
    assert (run.elements, run.subscriber.error) == ([1, 2], None)
    run.subscriber.request(1)
    assert run.elements == [1, 2, 3]
    assert isinstance(run.subscriber.error, CapacityError)
    assert "got 4, which nobody has requested, while 2 elements wait; raise capacity, request more" in str(
        run.subscriber.error
    )


def test_overflow_is_saved_with_the_elements_that_wait() -> None:
    run = pushed(lambda s: s.on_backpressure_buffer(2))
    run.push(1, 2, 3)
    state = save_tree(run.handle, allow_restart=True)
    again = Pushed(lambda s: s.on_backpressure_buffer(2))
    load_tree(again.handle, state)
    again.start()
    assert again.publisher.requested == 0
    again.subscriber.request(2)
    assert again.elements == [1, 2]
    assert isinstance(again.subscriber.error, CapacityError)


@pytest.mark.parametrize(
    ("saved", "loaded"),
    [
        (lambda s: s.on_backpressure_buffer(3), lambda s: s.on_backpressure_buffer(2)),
        (lambda s: s.on_backpressure_batch(3), lambda s: s.on_backpressure_batch(2)),
    ],
)
def test_more_elements_than_may_wait_are_not_loaded(saved: Callable[[Any], Any], loaded: Callable[[Any], Any]) -> None:
    run = pushed(saved)
    run.push(1, 2, 3)
    again = Pushed(loaded)
    with pytest.raises(StateError, match="load the state with the arguments that it was saved with"):
        load_tree(again.handle, save_tree(run.handle, allow_restart=True))


def test_latest_waits_and_the_end_comes_behind_it() -> None:
    run = pushed(lambda s: s.on_backpressure_latest(on_dropped=lambda _: None), 1)
    run.push(1, 2, 3)
    run.publisher.fail(ValueError("mine"))
    assert run.elements == [1]
    assert run.subscriber.error is None
    run.subscriber.request(1)
    assert run.elements == [1, 3]
    assert str(run.subscriber.error) == "mine"


def test_error_fails_with_the_first_element_that_nobody_requested() -> None:
    run = pushed(lambda s: s.on_backpressure_error(), 2)
    run.push(1, 2, 3)
    assert run.elements == [1, 2]
    assert isinstance(run.subscriber.error, CapacityError)
    assert "got 3, which nobody has requested, and lets none wait" in str(run.subscriber.error)
    assert run.publisher.cancels == 1


def test_reduce_makes_one_of_what_waits() -> None:
    run = pushed(lambda s: s.on_backpressure_reduce(lambda total, number: total + number), 1)
    run.push(1, 2, 3, 4)
    run.subscriber.request(2)
    run.push(5, 6, 7)
    run.publisher.complete()
    run.subscriber.request(1)
    assert run.subscriber.outcome == ([1, 9, 5, 13], "complete")


def test_batch_passes_on_what_waits_and_requests_no_more_than_a_list_holds() -> None:
    run = pushed(lambda s: s.on_backpressure_batch(3), 1)
    assert run.publisher.requested == 3
    run.push(1)
    assert run.elements == [[1]]
    run.push(2, 3)
    assert run.publisher.requested <= 4
    run.subscriber.request(1)
    assert run.elements == [[1], [2, 3]]
    run.push(4)
    run.publisher.complete()
    run.subscriber.request(1)
    assert run.subscriber.outcome == ([[1], [2, 3], [4]], "complete")


@pytest.mark.parametrize(
    "add",
    [
        lambda s: s.on_backpressure_drop(),
        lambda s: s.on_backpressure_error(),
        lambda s: s.on_backpressure_latest(),
        lambda s: s.on_backpressure_buffer(1),
        lambda s: s.on_backpressure_reduce(lambda before, number: -1),
        lambda s: s.on_backpressure_batch(7).map(lambda each: each[0] if len(each) == 1 else -1),
    ],
)
def test_element_that_is_requested_in_on_next_is_requested(add: Callable[[Any], Any]) -> None:
    """A source that sends all at once into a subscriber that requests one after the other: nothing is too much."""
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    add(Stream.range(1000)).subscribe(subscriber)
    assert subscriber.outcome == (list(range(1000)), "complete")


@pytest.mark.parametrize(
    "add",
    [
        lambda s: s.on_backpressure_drop(on_dropped=lambda number: 1 // 0),
        lambda s: s.on_backpressure_buffer(1, "drop_oldest", on_dropped=lambda number: 1 // 0),
        lambda s: s.on_backpressure_reduce(lambda before, number: 1 // 0),
    ],
)
def test_function_that_raises_ends_the_stream_and_its_upstream(add: Callable[[Any], Any]) -> None:
    run = pushed(add)
    run.push(1, 2)
    assert isinstance(run.subscriber.error, ZeroDivisionError)
    assert run.publisher.cancels == 1


def test_cancelled_stream_lets_go_of_what_waits() -> None:
    run = pushed(lambda s: s.on_backpressure_buffer(8))
    run.push(1, 2)
    run.subscriber.cancel()
    assert run.publisher.cancels == 1
    assert run.elements == []


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda s: s.on_backpressure_buffer(0), ArgumentError, "capacity"),
        (lambda s: s.on_backpressure_buffer(2**25), ArgumentError, "capacity"),
        (lambda s: s.on_backpressure_buffer(4, "block"), ArgumentError, "cannot be 'block'"),
        (lambda s: s.on_backpressure_buffer(4, "nothing"), ArgumentError, "pass one of"),
        (lambda s: s.on_backpressure_buffer(4, on_dropped=7), ArgumentTypeError, "on_dropped"),
        (lambda s: s.on_backpressure_drop(on_dropped=7), ArgumentTypeError, "on_dropped"),
        (lambda s: s.on_backpressure_latest(on_dropped=7), ArgumentTypeError, "on_dropped"),
        (lambda s: s.on_backpressure_reduce(None), ArgumentTypeError, "function"),
        (lambda s: s.on_backpressure_batch(0), ArgumentError, "limit"),
    ],
)
def test_wrong_arguments_are_refused_when_the_stream_is_built(
    build: Callable[[Any], object], error: type[Exception], text: str
) -> None:
    for stream in (Stream.range(3), pipeline()):
        with pytest.raises(error, match=text):
            build(stream)


def test_call_is_written_as_it_was_made() -> None:
    chain = (
        pipeline()
        .on_backpressure_buffer(4, "latest")
        .on_backpressure_drop(on_dropped=print)
        .on_backpressure_latest()
        .on_backpressure_error()
        .on_backpressure_reduce(max)
        .on_backpressure_batch(9)
    )
    assert repr(chain) == (
        "pipeline().on_backpressure_buffer(1, 'latest').on_backpressure_drop(on_dropped=print)"
        ".on_backpressure_latest().on_backpressure_error().on_backpressure_reduce(max).on_backpressure_batch(9)"
    )


@pytest.mark.parametrize("add", [lambda s: s.on_backpressure_drop(), lambda s: s.on_backpressure_error()])
def test_unbounded_demand_lets_all_pass(add: Callable[[Any], Any]) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    add(Stream.range(500)).subscribe(subscriber)
    assert subscriber.outcome == (list(range(500)), "complete")
