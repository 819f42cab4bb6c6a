"""buffer_timeout: what becomes of its lists at an error, and what it saves after it."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.state import load_tree
from reactivestreams.subjects import SimpleSubject
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.saved_state import save

ERROR = ValueError("mine")


def failing(*elements: int) -> Stream[int]:
    """Send elements, each of which brings the next one at once, and then an error."""
    return Stream.from_iterable([*elements, 0]).map(lambda element: 1 // element and element)


@pytest.mark.parametrize(("elements", "lists"), [((1, 1, 1, 1), [[1, 1], [1, 1]]), ((1, 1, 1), [[1, 1]]), ((1,), [])])
def test_error_comes_after_a_list_that_is_full(elements: tuple[int, ...], lists: list[list[int]]) -> None:
    seen: list[list[int]] = []
    windows: Stream[Any] = failing(*elements).window_timeout(9, 3600).concat_map(lambda window: window)
    with pytest.raises(ZeroDivisionError):
        seen.extend(windows.buffer_timeout(2, 3600))
    assert seen == lists


def test_full_list_that_nobody_has_requested_holds_the_error() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber()
    Stream.from_publisher(subject).buffer_timeout(2, 3600).subscribe(subscriber)
    subject.on_next(1)
    subject.on_next(2)
    subject.on_error(ERROR)
    assert (subscriber.elements, subscriber.error) == ([], None)
    subscriber.request(1)
    assert (subscriber.elements, subscriber.error) == ([[1, 2]], ERROR)


def test_state_that_is_saved_after_it_was_left_can_be_loaded() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    stream = Stream.from_publisher(subject, recovery="exact").buffer_timeout(2, 3600)
    subscriber = RecordingSubscriber(first_request=1)
    handle = stream.bind(subscriber)
    handle.initialize()
    subject.on_next(1)
    subscriber.cancel()
    load_tree(stream.bind(RecordingSubscriber()), save(handle))
