"""append: values and the elements of a stream."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestAppend(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().append(20, 21)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [20, 21]

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        """What follows an empty input is served on demand."""
        subscriber = RecordingSubscriber()
        self.subscribed([], subscriber)
        assert subscriber.outcome == ([], "open")
        self.request(subscriber, UNBOUNDED)
        assert subscriber.outcome == (self.left_over([]), "complete")


def test_values_wait_for_demand() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).append(8, 9).subscribe(subscriber)
    publisher.complete()
    assert subscriber.outcome == ([8], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([8, 9], "complete")


def test_no_value_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"append\(\) needs at least one value"):
        Stream.just(1).append()
