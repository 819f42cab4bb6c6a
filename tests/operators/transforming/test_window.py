"""window, window_when and window_timeout: streams of parts of the input, whose lists are those of the buffers."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError, WouldDeadlockError
from reactivestreams.testing import TestScheduler, on_complete, on_next
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class TestWindow(OperatorContract):
    """A window passes for each two elements; the windows are dropped here."""

    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().window(2).map(lambda window: window.key)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(range(-(-len(elements) // 2)))


def subscribed(stream: Stream[Any], first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    return subscriber


def as_list(window: Stream[Any]) -> Stream[list[Any]]:
    return window.through(pipeline().to_list())


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


@pytest.mark.parametrize(("count", "skip"), [(1, 1), (2, None), (3, 2), (2, 3), (5, 1), (4, 4)])
@pytest.mark.parametrize("length", range(9))
def test_lists_of_windows_are_those_of_buffer(count: int, skip: int | None, length: int) -> None:
    expected = Stream.range(length).buffer(count, skip).to_list()
    assert Stream.range(length).window(count, skip).flat_map(as_list).to_list() == expected
    one_by_one = Stream.range(length).window(count, skip, prefetch=count)
    assert one_by_one.concat_map(as_list).to_list() == expected


def test_window_of_more_than_its_queue_passes_while_it_is_consumed() -> None:
    windows = Stream.range(1000).window(400, prefetch=4)
    assert windows.concat_map(as_list).map(len).to_list() == [400, 400, 200]


def test_windows_have_numbers_and_pass_with_their_first_elements() -> None:
    source = ManualPublisher()
    windows = subscribed(Stream.from_publisher(source).window(2))
    assert windows.elements == []
    source.send("a")
    first = subscribed(windows.elements[0])
    source.send("b", "c")
    assert [window.key for window in windows.elements] == [0, 1]
    assert first.outcome == (["a", "b"], "complete")


def test_overlapping_windows_without_room_are_an_error_that_names_the_window() -> None:
    subscriber = subscribed(Stream.range(50).window(9, 1, prefetch=2).concat_map(lambda window: window))
    assert isinstance(subscriber.error, WouldDeadlockError)
    assert str(subscriber.error).startswith("window 1 has 2 elements waiting and no subscriber, and nothing that this")


def test_element_that_is_held_reaches_all_windows_that_overlap() -> None:
    source = ManualPublisher()
    windows = subscribed(Stream.from_publisher(source).window(3, 1, prefetch=1))
    source.send(1)
    source.send(2)
    first, second = (subscribed(window, 0) for window in windows.elements)
    assert (first.elements, second.elements) == ([], [])
    second.request(9)
    assert second.elements == []  # it is held for the first window, whose queue is full
    first.request(9)
    assert (first.elements, second.elements) == ([1, 2], [2])


@pytest.mark.parametrize("end", ["cancel", "error"])
def test_open_windows_end_with_the_stream_of_windows(end: str) -> None:
    source = ManualPublisher()
    windows = subscribed(Stream.from_publisher(source).window(3))
    source.send(1)
    window = subscribed(windows.elements[0])
    if end == "cancel":
        windows.cancel()
        assert isinstance(window.error, StateError)
        assert "the stream of windows was cancelled, so that window 0 gets nothing more" in str(window.error)
    else:
        source.fail(ValueError("why"))
        assert window.outcome == ([1], "ValueError('why')")
        assert windows.error is window.error


def test_windows_that_were_dropped_hold_up_nothing() -> None:
    assert Stream.range(1000).window(10, prefetch=1).map(lambda window: window.key).to_list() == list(range(100))


def test_boundaries_end_windows_and_pass_empty_ones() -> None:
    source, boundary = ManualPublisher(), ManualPublisher()
    lists = subscribed(Stream.from_publisher(source).window_when(Stream.from_publisher(boundary)).flat_map(as_list))
    source.send(1, 2)
    boundary.send("tick")
    boundary.send("tick")
    source.send(3)
    assert lists.elements == [[1, 2], []]
    boundary.complete()
    assert lists.outcome == ([[1, 2], [], [3]], "complete")
    assert source.cancels == 1


def test_error_of_the_boundary_goes_to_the_open_window_and_to_the_subscriber() -> None:
    source, boundary = ManualPublisher(), ManualPublisher()
    windows = subscribed(Stream.from_publisher(source).window_when(Stream.from_publisher(boundary)))
    source.send(1)
    window = subscribed(windows.elements[0])
    boundary.fail(ValueError("why"))
    assert window.outcome == ([1], "ValueError('why')")
    assert isinstance(windows.error, ValueError)


def test_callback_may_wait_for_a_window_that_has_ended() -> None:
    source, boundary = ManualPublisher(), ManualPublisher()
    windows = Stream.from_publisher(source).window_when(Stream.from_publisher(boundary))
    lists = subscribed(windows.map(lambda window: window.to_list() if window.key else []), first_request=1)
    source.send("in the first one")
    boundary.send("tick", "tick")
    lists.request(1)
    source.send("in the third one")
    boundary.send("tick")
    lists.request(1)
    assert lists.elements == [[], [], ["in the third one"]]


def test_thread_that_waits_for_the_end_of_windows_with_a_slow_subscriber_is_not_warned() -> None:
    """The window is over, with its second element, which waits for room."""
    window = RecordingSubscriber(first_request=0)
    is_held = threading.Event()

    def consume() -> None:
        is_held.wait()
        window.request(UNBOUNDED)

    def numbers() -> Iterator[int]:
        yield from range(2)
        is_held.set()

    consumer = threading.Thread(target=consume)
    consumer.start()
    Stream.from_iterable(numbers()).window(2, prefetch=1).for_each(lambda each: each.subscribe(window))
    consumer.join()


@pytest.mark.parametrize(
    ("count", "span", "expected"),
    [(3, 40, [(254, [1, 2]), (314, [3, 4])]), (2, 40, [(221, [1, 2]), (301, [3, 4])])],
)
def test_windows_end_at_their_times(count: int, span: int, expected: list[tuple[int, list[int]]]) -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2), on_next(270, 3), on_next(300, 4), on_complete(400))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).window_timeout(count, ticks(span)).flat_map(as_list))
    lists = [message.value.element for message in observer.messages[:-1]]
    assert lists == [each for _, each in expected]


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"window\(count\) needs a count from 1 to 16777216, got 0"):
        Stream.just(1).window(0)
    with pytest.raises(ArgumentError, match=r"window\(10, 1\) has 10 windows open at a time, and max_windows=4 allows"):
        Stream.just(1).window(10, 1, max_windows=4)
    with pytest.raises(ArgumentError, match=r"window_timeout\(duration\) needs 0 or more"):
        Stream.just(1).window_timeout(2, -1)
    boundary: Any = 3
    with pytest.raises(ArgumentTypeError, match=r"window_when\(boundary\) needs a stream, a publisher"):
        Stream.just(1).window_when(boundary)


def test_calls_are_written_as_one_would_write_them() -> None:
    described = pipeline().window(2).window(3, 1, prefetch=4).window_timeout(5, 60, max_windows=6)
    assert str(described) == "pipeline().window(2).window(3, 1, prefetch=4).window_timeout(5, 60, max_windows=6)"
    assert repr(Stream.just(1).window_when(Stream.never())).endswith(".window_when(Stream.never())")
