"""take_last, skip_last and ignore_elements: the elements at the end, those before them, and none."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, save, start
from tests.contracts.state_contract import SerializableContract, StateContract


class TestTakeLast(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_last(5)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return elements[-5:]


class TestTakeLastOfFewer(TestTakeLast):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_last(100)

    def left_over(self, elements: list[Any]) -> list[Any]:
        return elements


class TestSkipLast(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip_last(3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[:-3]


class TestSkipLastBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A list that is held is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).skip_last(1)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)][:-1]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-3:-1]] if len(elements) % 2 and len(elements) > 1 else []


class TestIgnoreElements(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 12
    # It takes whatever comes, so that there is always demand; and none flows below it.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]
    test_state_is_not_saved_while_elements_flow = None  # type: ignore[assignment]
    test_stream_resumes_at_every_position_between_random_requests = None  # type: ignore[assignment]  # it ends at once

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().ignore_elements()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []


def test_all_elements_are_requested_once_by_the_first_request() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    Stream.from_publisher(publisher, prefetch=4).take_last(2).subscribe(subscriber)
    assert subscriber.elements == []
    subscriber.request(1)
    publisher.send(1, 2, 3, 4)
    assert publisher.requested > 4
    publisher.complete()
    assert subscriber.outcome == ([3], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([3, 4], "complete")


def test_error_gives_the_elements_up() -> None:
    for method in ("take_last", "skip_last"):
        publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
        getattr(Stream.from_publisher(publisher), method)(2).subscribe(subscriber)
        publisher.send(1, 2, 3)
        publisher.fail(ValueError("broken"))
        assert subscriber.outcome == ([1] if method == "skip_last" else [], "ValueError('broken')")


def test_count_of_zero_takes_nothing_or_skips_nothing() -> None:
    seen: list[int] = []
    assert Stream.range(4).do(seen.append).take_last(0).to_list() == []
    assert seen == [0, 1, 2, 3]
    assert Stream.range(4).skip_last(0).to_list() == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [1, 2, 7, 2**24])
def test_they_are_the_parts_of_a_slice(count: int) -> None:
    for size in range(10):
        numbers = list(range(size))
        assert Stream.range(size).take_last(count).to_list() == numbers[-count:]
        assert Stream.range(size).skip_last(count).to_list() == numbers[:-count]


def test_what_is_dropped_below_is_made_up_for() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(1_000).take_last(500).filter(lambda n: n == 998).subscribe(subscriber)
    assert subscriber.elements == [998]


def test_last_elements_are_saved_in_their_order() -> None:
    def of_range(subscriber: RecordingSubscriber, size: int) -> Any:
        return Stream.range(7).take_last(size).bind(subscriber)

    first = RecordingSubscriber(first_request=2)
    handle = of_range(first, 5)
    handle.initialize()
    assert (first.elements, fields_of(handle.inputs[0])) == ([2, 3], [False, [4, 5, 6], True, None])
    with pytest.raises(StateError, match="cannot load 3 elements, for it holds 2"):
        start(of_range(RecordingSubscriber(), 2), save(handle))
    held = Stream.range(7).skip_last(3).bind(RecordingSubscriber(first_request=2))
    held.initialize()
    assert fields_of(held.inputs[0]) == [False, [2, 3, 4]]


def test_source_in_another_thread_loses_nothing() -> None:
    with WorkerScheduler(name="above") as worker:
        source = Stream.range(50_000).observe_on(worker)
        assert source.take_last(1_000).to_list(timeout_seconds=60) == list(range(49_000, 50_000))
        assert source.skip_last(49_000).to_list(timeout_seconds=60) == list(range(1_000))
        source.ignore_elements().run(timeout_seconds=60)


def test_cancel_of_a_stream_that_waits_for_its_end_closes_the_source() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).take_last(2).subscribe(subscriber)
    publisher.send(1)
    subscriber.cancel()
    publisher.complete()
    assert (publisher.cancels, subscriber.outcome) == (1, ([], "open"))


def test_end_without_elements_needs_no_demand() -> None:
    seen: list[int] = []
    subscriber = RecordingSubscriber()
    Stream.range(5).do(seen.append).ignore_elements().subscribe(subscriber)
    assert (seen, subscriber.outcome) == ([0, 1, 2, 3, 4], ([], "complete"))


@pytest.mark.parametrize("method", ["take_last", "skip_last"])
@pytest.mark.parametrize("count", [-1, 2**24 + 1, 2**70])
def test_count_out_of_bounds_is_refused_when_the_stream_is_built(method: str, count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"{method}\(count\) needs a count from 0 to {2**24}, got {count}; pass"):
        getattr(Stream.just(1), method)(count)


@pytest.mark.parametrize("method", ["take_last", "skip_last"])
@pytest.mark.parametrize("count", [None, 1.5, "3", True])
def test_count_that_is_no_integer_is_refused_when_the_stream_is_built(method: str, count: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(count\) needs an integer, got"):
        getattr(Stream.just(1), method)(count)
