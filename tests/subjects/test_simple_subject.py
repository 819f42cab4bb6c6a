"""The simple subject: who is there gets what comes; an end ends the subscriptions, not the subject."""

from typing import Any

import pytest

from reactivestreams import Processor, Stream
from reactivestreams.errors import ArgumentTypeError, NullElementError
from reactivestreams.lifecycle import Subscribable
from reactivestreams.state import stateful_nodes
from reactivestreams.subjects import OfferResult, SimpleSubject, SubjectDisposedError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


def subscribed(subject: Any, *, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


def test_subject_is_a_processor_and_can_be_bound() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    assert isinstance(subject, Processor)
    assert isinstance(subject, Subscribable)


def test_observer_is_always_the_subject() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    assert subject.create_observer() is subject
    assert subject.create_observer() is subject


def test_elements_reach_exactly_the_subscribers_that_are_there() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subject.on_next(0)
    first, second = subscribed(subject), subscribed(subject)
    subject.on_next(1)
    third = subscribed(subject)
    subject.on_next(2)
    second.cancel()
    subject.on_next(3)
    fourth, fifth = subscribed(subject), subscribed(subject)
    subject.on_next(4)
    for subscriber in (first, third, fourth, fifth):
        subscriber.cancel()
    subject.on_next(5)
    seen = [each.outcome for each in (first, second, third, fourth, fifth)]
    assert seen == [([1, 2, 3, 4], "open"), ([1, 2], "open"), ([2, 3, 4], "open"), ([4], "open"), ([4], "open")]
    assert subject.subscriber_count == 0


def test_subscribers_get_an_element_in_the_order_in_which_they_came() -> None:
    seen: list[str] = []

    class Named(RecordingSubscriber):
        def __init__(self, name: str) -> None:
            super().__init__(first_request=UNBOUNDED)
            self.name = name

        def on_next(self, element: Any, /) -> None:
            seen.append(f"{self.name} {element}")

    subject: SimpleSubject[int] = SimpleSubject()
    for name in "abc":
        subject.subscribe(Named(name))
    subject.on_next(1)
    assert seen == ["a 1", "b 1", "c 1"]


def test_subscribe_none_is_refused() -> None:
    subject: Any = SimpleSubject()
    for call in (subject.subscribe, subject.bind):
        with pytest.raises(NullElementError, match=r"§1\.9"):
            call(None)
        with pytest.raises(ArgumentTypeError, match="without on_subscribe"):
            call("nobody")


@pytest.mark.parametrize("signal", ["on_next", "offer", "on_error", "on_subscribe"])
def test_none_is_refused(signal: str) -> None:
    with pytest.raises(NullElementError, match="None"):
        getattr(SimpleSubject(), signal)(None)


def test_end_is_told_to_who_is_there_and_forgotten() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    first = subscribed(subject)
    subject.on_complete()
    second = subscribed(subject)
    subject.on_next(1)
    error = RuntimeError("broken")
    subject.on_error(error)
    third = subscribed(subject)
    subject.on_next(2)
    assert [each.outcome for each in (first, second, third)] == [
        ([], "complete"),
        ([1], repr(error)),
        ([2], "open"),
    ]


def test_another_upstream_may_follow_an_end_and_a_second_one_at_once_is_cancelled() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    first, second, third = ManualPublisher(), ManualPublisher(), ManualPublisher()
    subscriber = subscribed(subject)
    first.subscribe(subject)
    second.subscribe(subject)
    assert (first.cancels, second.cancels, second.requests) == (0, 1, [])
    first.complete()
    again = subscribed(subject)
    third.subscribe(subject)
    third.send(1)
    assert (third.cancels, subscriber.outcome, again.outcome) == (0, ([], "complete"), ([1], "open"))


def test_handle_that_was_bound_takes_effect_when_it_is_started() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle: Any = subject.bind(subscriber)
    subject.on_next(1)
    handle.initialize()
    subject.on_next(2)
    handle.dispose()
    handle.dispose()
    subject.on_next(3)
    assert subscriber.outcome == ([2], "open")
    assert subject.subscriber_count == 0


def test_handle_that_was_disposed_before_the_start_never_begins() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle: Any = subject.bind(subscriber)
    handle.dispose()
    handle.initialize()
    subject.on_next(1)
    assert (subscriber.elements, subject.subscriber_count) == ([], 0)


def test_signals_after_dispose_are_refused() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscriber = subscribed(subject)
    subject.dispose()
    subject.dispose()
    for signal in (lambda: subject.on_next(1), subject.on_complete, lambda: subject.on_error(ValueError())):
        with pytest.raises(SubjectDisposedError, match="of SimpleSubject, which was disposed; push before"):
            signal()
    assert subject.offer(1) is OfferResult.TERMINATED
    assert isinstance(subscriber.error, SubjectDisposedError)
    subscriber.subscription.cancel()
    late = subscribed(subject)
    assert isinstance(late.error, SubjectDisposedError)
    assert late.faults == []


def test_late_elements_of_an_upstream_are_let_go_after_dispose() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscribed(subject)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subject.dispose()
    assert publisher.cancels == 1
    publisher.send(1)  # §2.8
    publisher.complete()
    late = ManualPublisher()
    late.subscribe(subject)
    assert (late.cancels, late.requests) == (1, [])


def test_subscriber_that_raises_does_not_hinder_the_others() -> None:
    class Raising(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            raise ZeroDivisionError

    subject: SimpleSubject[int] = SimpleSubject()
    with recorded_drops() as drops:
        subject.subscribe(Raising(first_request=UNBOUNDED))
        other = subscribed(subject)
        subject.on_next(1)
        subject.on_next(2)
    assert (other.elements, len(drops)) == ([1, 2], 1)


def test_subscriber_that_comes_or_goes_inside_of_an_element_does_so_from_the_next_one_on() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    came: list[RecordingSubscriber] = []

    class Bringing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element == 1:
                came.append(subscribed(subject))
                last.cancel()

    first = Bringing(first_request=UNBOUNDED)
    subject.subscribe(first)
    last = subscribed(subject)
    subject.on_next(1)
    subject.on_next(2)
    assert [each.elements for each in (first, last, *came)] == [[1, 2], [], [2]]


def test_element_that_is_pushed_inside_of_an_element_comes_after_it() -> None:
    subject: SimpleSubject[int] = SimpleSubject()

    class Echoing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element < 3:
                subject.on_next(element + 1)

    echoing = Echoing(first_request=UNBOUNDED)
    subject.subscribe(echoing)
    subject.on_next(0)
    assert echoing.outcome == ([0, 1, 2, 3], "open")


def test_stream_of_a_subject_has_operators_and_nodes_to_visit() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle: Any = Stream.from_publisher(subject).map(lambda n: 10 * n).bind(subscriber)
    handle.initialize()
    subject.on_next(1)
    assert subscriber.elements == [10]
    names = [node.name for node, _ in stateful_nodes(handle)]
    assert names[1:3] == ["rx://operators/map", "rx://sources/from_publisher"]
    assert names[-1] == "rx://subjects/subscription"


def test_subject_tells_of_itself() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscribed(subject)
    assert repr(subject) == "<SimpleSubject: 1 subscribers>"
    subject.seal()
    assert repr(subject) == "<SimpleSubject: 1 subscribers, sealed>"
    subject.dispose()
    assert repr(subject) == "<SimpleSubject: disposed>"
