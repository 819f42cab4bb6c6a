"""on_error_return: a value where the stream fails."""

import pytest

from reactivestreams import Stream
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.recovering.contracts import resumes_everywhere
from tests.operators.recovering.test_on_error_resume import Failing


@pytest.mark.parametrize("position", range(3))
def test_value_comes_instead_of_the_error(position: int) -> None:
    elements = [5, 6][:position]
    stream = Stream.from_iterable(Failing(*elements), recovery="skips").on_error_return(7)
    resumes_everywhere(stream, [*elements, 7])


def test_value_waits_for_demand() -> None:
    subscriber = RecordingSubscriber()
    Stream.error(OSError("x")).on_error_return(7).subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([7], "complete")


def test_completion_is_passed_on_without_the_value() -> None:
    assert Stream.just(1).on_error_return(7).to_list() == [1]
