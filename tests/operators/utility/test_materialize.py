"""materialize and dematerialize: signals as elements, and back."""

from typing import Any

import pytest

from reactivestreams import OnComplete, OnError, OnNext, Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, RecoveredError
from reactivestreams.state import decode_value, encode_value
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract
from tests.operators.recovering.contracts import resumes_everywhere
from tests.operators.recovering.test_on_error_resume import Failing


class TestThereAndBack(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().materialize().dematerialize()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    # What stands for the end waits for demand.
    test_input_that_fails_at_once_needs_no_demand = None  # type: ignore[assignment]
    test_input_that_is_empty_needs_no_demand = None  # type: ignore[assignment]


class TestDematerialize(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map(OnNext).dematerialize()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("error", [None, OSError("disk full")])
def test_signals_become_elements(position: int, error: Exception | None) -> None:
    source = CountedIterable(list(range(position)), fails_with=error)
    expected = [*map(OnNext, range(position)), OnComplete() if error is None else OnError(error)]
    assert Stream.from_iterable(source).materialize().to_list() == expected


def test_end_waits_for_demand() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).materialize().subscribe(subscriber)
    publisher.send(1)
    publisher.fail(error := OSError("x"))
    assert subscriber.outcome == ([OnNext(1)], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([OnNext(1), OnError(error)], "complete")


@pytest.mark.parametrize("fails", [False, True])
def test_state_is_loaded_at_each_signal(fails: bool) -> None:
    source = Stream.from_iterable(Failing(1, 2), recovery="skips") if fails else Stream.just(1, 2)
    end = "on_error(OSError('disk full'))" if fails else "on_complete()"
    resumes_everywhere(source.materialize().map(repr), ["on_next(1)", "on_next(2)", end])


class OddError(Exception):
    pass


def test_error_of_a_class_that_is_not_registered_is_loaded_as_a_recovered_one() -> None:
    loaded = decode_value(encode_value(OnError(OddError("x"))))
    assert isinstance(loaded, OnError)
    assert isinstance(loaded.error, RecoveredError)


@pytest.mark.parametrize("notification", [OnNext([1, None]), OnComplete()])
def test_notifications_are_values_of_saved_state(notification: Any) -> None:
    assert decode_value(encode_value(notification)) == notification
    with pytest.raises((AttributeError, TypeError)):
        notification.element = 3


def test_first_end_is_the_end() -> None:
    source = CountedIterable([OnNext(1), OnComplete(), OnNext(2)])
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).dematerialize().subscribe(subscriber)
    assert subscriber.outcome == ([1], "complete")
    assert (source.taken, source.is_closed) == (2, True)


def test_error_that_an_element_stands_for_is_signalled() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(publisher).dematerialize().subscribe(subscriber)
    publisher.send(OnNext(7), OnError(error := OSError("x")))
    assert (subscriber.elements, subscriber.error) == ([7], error)
    assert publisher.cancels == 1


@pytest.mark.parametrize("element", [3, None, OnNext])
def test_what_is_no_notification_ends_the_stream(element: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"dematerialize\(\) needs notifications as materialize\(\) makes them"):
        Stream.just(OnNext(1), element).dematerialize().to_list()
