"""window_until: streams of neighbors, each of which ends with an element that a predicate picks."""

from typing import Any

import pytest

from reactivestreams import GroupedStream, Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.testing import TestScheduler, on_complete, on_next
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class TestWindowUntil(OperatorContract):
    """A window passes for the elements up to each multiple; the windows are dropped here."""

    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().window_until(lambda element: element % 5 == 0).map(lambda window: window.key)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(range(len(Stream.from_iterable(elements).buffer_until(lambda each: each % 5 == 0).to_list())))


def as_list(window: Stream[Any]) -> Stream[list[Any]]:
    return window.through(pipeline().to_list())


def is_end(element: int) -> bool:
    return element % 3 == 2


class Played:
    """A stream with its input in hand; of each window that passes what came and how it ended."""

    def __init__(self, request: int = UNBOUNDED, predicate: Any = is_end, **arguments: Any) -> None:
        self.source = ManualPublisher()
        self.windows: list[RecordingSubscriber] = []
        self.subscriber = RecordingSubscriber(first_request=request)
        windows = Stream.from_publisher(self.source).window_until(predicate, **arguments)
        windows.map(self.consumed).subscribe(self.subscriber)

    def consumed(self, window: GroupedStream[int, Any]) -> int:
        self.windows.append(RecordingSubscriber(first_request=UNBOUNDED))
        window.subscribe(self.windows[-1])
        return window.key

    @property
    def outcomes(self) -> list[Any]:
        return [window.outcome for window in self.windows]


@pytest.mark.parametrize("length", range(9))
@pytest.mark.parametrize("divisor", [1, 2, 3, 20])
def test_lists_of_windows_are_those_of_buffer_until(length: int, divisor: int) -> None:
    expected = Stream.range(1, length).buffer_until(lambda n: n % divisor == 0).to_list()
    windows = Stream.range(1, length).window_until(lambda n: n % divisor == 0)
    assert windows.flat_map(as_list).to_list() == expected
    assert windows.concat_map(as_list).to_list() == expected


def test_window_ends_with_the_element_that_is_picked_and_not_with_the_next_one() -> None:
    played = Played()
    played.source.send(0, 1)
    assert played.outcomes == [([0, 1], "open")]
    played.source.send(2)
    assert played.outcomes == [([0, 1, 2], "complete")]
    played.source.send(3)
    assert played.outcomes == [([0, 1, 2], "complete"), ([3], "open")]
    played.source.complete()
    assert played.outcomes[1] == ([3], "complete")
    assert played.subscriber.outcome == ([0, 1], "complete")


def test_predicate_is_called_once_with_each_element() -> None:
    asked: list[int] = []
    Stream.range(5).window_until(asked.append).flat_map(as_list).to_list()
    assert asked == [0, 1, 2, 3, 4]


def test_exception_of_the_predicate_goes_to_the_open_window_and_to_the_subscriber() -> None:
    played = Played(predicate=lambda n: 1 // (3 - n) > 1)
    played.source.send(0, 1, 2, 3)
    assert [type(each.error) for each in (*played.windows, played.subscriber)] == [ZeroDivisionError] * 2
    assert played.windows[0].elements == [0, 1, 2]
    assert "3" in str(played.subscriber.error.__notes__)  # type: ignore[union-attr]
    assert played.source.cancels == 1


def test_exception_of_the_predicate_where_no_window_is_open_passes_no_window() -> None:
    played = Played(predicate=lambda n: 1 // n)
    played.source.send(1, 0)
    assert played.outcomes == [([1], "complete")]
    assert (played.subscriber.elements, type(played.subscriber.error)) == ([0], ZeroDivisionError)


def test_error_of_the_input_goes_to_the_open_window_and_to_the_subscriber() -> None:
    played = Played()
    played.source.send(0, 1, 2, 3)
    played.source.fail(ValueError("why"))
    assert played.outcomes == [([0, 1, 2], "complete"), ([3], "ValueError('why')")]
    assert played.subscriber.outcome == ([0, 1], "ValueError('why')")


def test_cancel_ends_the_open_window() -> None:
    played = Played()
    played.source.send(0)
    played.subscriber.cancel()
    assert isinstance(played.windows[0].error, StateError)
    assert played.source.cancels == 1


def test_windows_wait_for_requests_and_hold_up_the_input_when_too_many_do() -> None:
    played = Played(1, predicate=lambda _: True, max_windows=2)
    played.source.send(0, 1, 2, 3, 4)
    assert played.outcomes == [([0], "complete")]
    played.subscriber.request(2)
    assert played.outcomes == [([0], "complete"), ([1], "complete"), ([2], "complete")]
    played.subscriber.request(UNBOUNDED)
    assert [window.elements for window in played.windows] == [[0], [1], [2], [3], [4]]


def test_last_element_waits_for_room_and_ends_its_window_then() -> None:
    source, slow = ManualPublisher(), RecordingSubscriber(first_request=0)
    windows = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(source).window_until(is_end, prefetch=2).subscribe(windows)
    source.send(0)
    windows.elements.pop().subscribe(slow)
    source.send(1, 2, 3)
    assert windows.elements == []
    slow.request(2)
    assert slow.outcome == ([0, 1], "open")
    assert [window.key for window in windows.elements] == [1]
    slow.request(1)
    assert slow.outcome == ([0, 1, 2], "complete")


def test_windows_that_were_dropped_hold_up_nothing_and_end_where_they_would() -> None:
    windows = Stream.range(1000).window_until(lambda n: n % 10 == 9, prefetch=1)
    assert windows.map(lambda window: window.key).to_list() == list(range(100))


def test_elements_of_windows_pass_when_they_come() -> None:
    scheduler = TestScheduler()
    numbers = scheduler.create_hot(on_next(210, 1), on_next(220, 2), on_next(250, 3), on_next(270, 5), on_complete(300))
    observer = scheduler.start(
        lambda: Stream.from_publisher(numbers).window_until(is_end).flat_map(lambda window: window)
    )
    # The queue of a window has its turn some ticks after its input.
    sent = [(message.tick // 10, message.value.element) for message in observer.messages[:-1]]
    assert sent == [(21, 1), (22, 2), (25, 3), (27, 5)]


def test_each_window_may_be_consumed_in_another_thread() -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        windows = Stream.range(3_000).observe_on(a).window_until(lambda n: n % 7 == 6, prefetch=4)
        lists = windows.concat_map(lambda window: as_list(window.observe_on(b))).to_list(timeout_seconds=60)
    assert lists == Stream.range(3_000).buffer(7).to_list()


def test_bad_arguments_are_refused() -> None:
    wrong: Any = 3
    with pytest.raises(ArgumentTypeError, match=r"^window_until\(predicate\) needs a callable, got 3"):
        Stream.range(3).window_until(wrong)
    with pytest.raises(ArgumentError, match=r"^window_until\(prefetch\) needs a count from 1"):
        Stream.range(3).window_until(bool, prefetch=0)
    with pytest.raises(ArgumentError, match=r"^window_until\(max_windows\) needs a count from 1"):
        Stream.range(3).window_until(bool, max_windows=0)


def test_call_is_written_as_one_would_write_it() -> None:
    described = str(pipeline().window_until(bool, prefetch=1, max_windows=6))
    assert described == "pipeline().window_until(bool, prefetch=1, max_windows=6)"
