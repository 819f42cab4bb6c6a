"""default_if_empty: a value where there is no element."""

import pytest

from reactivestreams import Stream
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.recovering.contracts import resumes_everywhere


@pytest.mark.parametrize("elements", [[], [1], [1, 2]])
def test_value_stands_in_for_no_element(elements: list[int]) -> None:
    resumes_everywhere(Stream.from_iterable(elements).default_if_empty(7), elements or [7])


def test_value_waits_for_demand() -> None:
    subscriber = RecordingSubscriber()
    Stream.empty().default_if_empty(7).subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([7], "complete")


def test_error_is_passed_on() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.error(OSError("disk full")).default_if_empty(7).subscribe(subscriber)
    assert subscriber.outcome == ([], "OSError('disk full')")
