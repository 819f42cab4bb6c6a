"""What comes of the inputs of an operator: signals too many, too late, of inputs that were cancelled."""

import gc
import weakref
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import DemandExceededError, NullElementError, SignalOverlapError
from reactivestreams.lifecycle import Subscribable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.merging_node import Merging, bound
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together


class Pushing(Subscribable):
    """An input whose signals the test sends, demand or not."""

    def bind(self, subscriber: Any, /) -> Any:
        self.subscriber = subscriber
        self.handle = Stream.never().bind(subscriber)
        return self.handle


class Sparing(Merging):
    """Asks for no more than at the start."""

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)


class Element:
    """What can be watched."""


def test_input_that_sends_what_was_requested_is_no_fault() -> None:
    pushing, subscriber = Pushing(), RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, pushing))
    for element in (1, 2, 3):  # each was asked for by the one before
        pushing.subscriber.on_next(element)
    assert (subscriber.outcome, pushing.handle.is_disposed) == (([1, 2, 3], "open"), False)


def test_input_that_sends_without_demand_is_cancelled_with_an_error() -> None:
    pushing, subscriber = Pushing(), RecordingSubscriber(first_request=UNBOUNDED)
    bound(Sparing(subscriber, pushing))
    pushing.subscriber.on_next(6)
    pushing.subscriber.on_next(7)
    assert isinstance(subscriber.error, DemandExceededError)
    assert (subscriber.elements, pushing.handle.is_disposed) == ([6], True)
    assert str(subscriber.error).startswith("§1.1: input 0 of ")


def test_signals_of_one_input_in_two_threads_at_once_are_refused_or_lined_up() -> None:
    count = 300
    pushing, subscriber = Pushing(), RecordingSubscriber(first_request=UNBOUNDED)

    class Wide(Sparing):
        prefetch = 2 * count

    bound(Wide(subscriber, pushing, window=2 * count))

    def send(first: int) -> None:
        for element in range(first, first + count):
            pushing.subscriber.on_next(element)

    with many_switches():
        run_together(lambda: send(0), lambda: send(1000))
    if subscriber.error is not None:  # without a GIL the overlap is seen
        assert isinstance(subscriber.error, SignalOverlapError)
    else:
        assert sorted(subscriber.elements) == [*range(count), *range(1000, 1000 + count)]
        assert [element for element in subscriber.elements if element < 1000] == list(range(count))


def test_element_of_an_input_that_was_cancelled_is_ignored() -> None:
    pushing, subscriber = Pushing(), RecordingSubscriber(first_request=2)
    node = Merging(subscriber, pushing, window=2, actions={"on_next": lambda: node.cancel_input(0)})
    bound(node)
    pushing.subscriber.on_next(4)
    with recorded_drops() as drops:
        pushing.subscriber.on_next(5)  # §2.8
    assert (subscriber.outcome, pushing.handle.is_disposed, drops) == (([4], "open"), True, [])


def test_signals_of_an_input_after_its_end_are_not_passed_on() -> None:
    kept = Pushing()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, kept, Stream.never()))
    kept.subscriber.on_complete()
    late = ValueError("late")
    with recorded_drops() as drops:
        kept.subscriber.on_next(1)
        kept.subscriber.on_error(late)
        kept.subscriber.on_complete()
    assert (subscriber.outcome, drops) == (([], "open"), [("on_error", late, "test/merging")])
    for signal in (kept.subscriber.on_next, kept.subscriber.on_error, kept.subscriber.on_subscribe):
        with pytest.raises(NullElementError, match=r"§2\.13"):
            signal(None)


def test_operator_does_not_complete_while_signals_of_other_inputs_wait() -> None:
    """The ends of both inputs have come when the first is handled; an element of the second one stands between."""
    left, right = Pushing(), Pushing()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    open_at_ends: list[list[bool]] = []

    class Noting(Merging):
        def on_complete(self, index: int) -> None:
            open_at_ends.append([self.is_input_open(each) for each in (0, 1)])
            super().on_complete(index)

    def send_the_rest() -> None:
        node.actions.clear()
        left.subscriber.on_complete()
        right.subscriber.on_next("last")
        right.subscriber.on_complete()

    node = Noting(subscriber, left, right, actions={"on_next": send_the_rest})
    bound(node)
    left.subscriber.on_next("first")
    assert subscriber.outcome == (["first", "last"], "complete")
    assert open_at_ends == [[False, True], [False, False]]


def test_what_came_of_an_input_before_it_was_cancelled_is_handed_to_no_hook() -> None:
    """Three elements and the end wait when the first one cancels their input; the other input goes on."""
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    other = Pushing()
    ends: list[int] = []

    class Choosing(Merging):
        def on_complete(self, index: int) -> None:
            ends.append(index)

    node = Choosing(
        subscriber, Stream.just(1, 2, 3), other, window=3, actions={"on_next": lambda: node.cancel_input(0)}
    )
    bound(node)
    other.subscriber.on_next("other")
    assert (subscriber.outcome, ends) == (([1, "other"], "open"), [])
    assert [node.is_input_open(index) for index in (0, 1)] == [False, True]


def test_error_of_an_input_that_waits_when_it_is_cancelled_is_reported_as_dropped() -> None:
    error = LookupError("no")
    pushing, other = Pushing(), Pushing()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)

    def fail_and_cancel() -> None:
        other.subscriber.on_error(error)
        node.cancel_input(1)

    node = Merging(subscriber, pushing, other, actions={"on_next": fail_and_cancel})
    bound(node)
    with recorded_drops() as drops:
        pushing.subscriber.on_next(1)
    assert (subscriber.outcome, drops) == (([1], "open"), [("on_error", error, "test/merging")])


def test_signals_that_come_after_the_operator_ended_are_not_kept() -> None:
    pushing, subscriber = Pushing(), RecordingSubscriber(first_request=UNBOUNDED)
    node = bound(Merging(subscriber, pushing, window=2))
    node.dispose()
    error, element = LookupError("late"), Element()
    watched = weakref.ref(element)
    with recorded_drops() as drops:
        pushing.subscriber.on_next(element)
        pushing.subscriber.on_error(error)
        pushing.subscriber.on_complete()
    del element
    gc.collect()
    assert (watched(), drops) == (None, [("on_error", error, "test/merging")])
    assert (subscriber.outcome, node.is_input_open(0)) == (([], "open"), False)


def test_error_of_an_input_that_waits_when_the_operator_ends_is_reported_as_dropped() -> None:
    first, second = LookupError("first"), LookupError("second")
    inputs = [Pushing(), Pushing(), Pushing()]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)

    def fail_both() -> None:
        inputs[1].subscriber.on_error(first)
        inputs[2].subscriber.on_error(second)

    bound(Merging(subscriber, *inputs, actions={"on_next": fail_both}))
    with recorded_drops() as drops:
        inputs[0].subscriber.on_next(1)
    assert (subscriber.outcome, drops) == (([1], repr(first)), [("on_error", second, "test/merging")])


def test_input_that_was_cancelled_stays_visitable() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    node = Merging(subscriber, Stream.range(3), Stream.never(), actions={"on_next": lambda: node.cancel_input(0)})
    bound(node)
    assert [(each.name, each.is_disposed) for each in nodes_of(node)] == [
        ("test/merging", False),
        *(("", True), ("", False)),
        *(("rx://sources/range", True), ("rx://sources/never", False)),
    ]
    node.dispose()
