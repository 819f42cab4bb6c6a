"""intersperse: an element between any two."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestIntersperse(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().intersperse("-")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [part for each in elements for part in ("-", each)][1:]


class TestIntersperseTwice(TestIntersperse):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().intersperse("-").filter(lambda each: each != 3).intersperse("|")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        inner = [each for each in super().passed_on(elements) if each != 3]
        return [part for each in inner for part in ("|", each)][1:]


@pytest.mark.parametrize("count", range(5))
def test_separators_stand_between_elements_only(count: int) -> None:
    assert Stream.just(*"abcd"[:count]).intersperse("-").to_list() == list("-".join("abcd"[:count]))


def test_separator_is_the_same_object_each_time() -> None:
    separator: list[Any] = []
    between = Stream.just([1], [2], [3]).intersperse(separator).to_list()[1::2]
    assert all(each is separator for each in between)
    assert len(between) == 2


def test_element_behind_a_separator_waits_for_a_request() -> None:
    source, subscriber = CountedIterable([1, 2, 3]), RecordingSubscriber(first_request=1)
    Stream.from_iterable(source).intersperse(0).subscribe(subscriber)
    assert (subscriber.elements, source.taken) == ([1], 1)
    subscriber.request(1)
    assert (subscriber.elements, source.taken) == ([1, 0], 2)
    subscriber.request(1)
    assert (subscriber.elements, source.taken) == ([1, 0, 2], 2)


@pytest.mark.parametrize("end", ["complete", "ValueError('why')"])
def test_end_comes_behind_the_element_that_waits(end: str) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(publisher).intersperse(0).subscribe(subscriber)
    publisher.send(1, 2)
    if end == "complete":
        publisher.complete()
    else:
        publisher.fail(ValueError("why"))
    assert subscriber.outcome == ([1, 0], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([1, 0, 2], end)


def test_end_below_at_a_separator_takes_nothing_more() -> None:
    source, subscriber = CountedIterable([1, 2, 3]), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).intersperse(0).take(2).subscribe(subscriber)
    assert subscriber.outcome == ([1, 0], "complete")


def test_separator_that_fails_below_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 2).intersperse(0).map(lambda n: 1 // n).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_elements_from_another_thread_are_all_separated() -> None:
    with WorkerScheduler(name="a") as worker:
        elements = Stream.range(3_000).observe_on(worker, prefetch=32).intersperse(-1).to_list(timeout_seconds=60)
    assert elements[::2] == list(range(3_000))
    assert set(elements[1::2]) == {-1}
