"""retry: another attempt."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.operators.recovering.contracts import resumes_everywhere
from tests.operators.recovering.test_on_error_resume import Failing


class Attempts:
    """An iterable that fails with numbered errors, and completes in the last attempt, if there is one."""

    def __init__(self, completes_in: int | None = None) -> None:
        self.attempts, self.completes_in = 0, completes_in

    def __iter__(self) -> Any:
        self.attempts += 1
        attempt = self.attempts
        yield attempt
        if attempt != self.completes_in:
            raise OSError(f"attempt {attempt}")


@pytest.mark.parametrize("times", [1, 2, 5])
def test_last_attempt_gives_its_error(times: int) -> None:
    source, subscriber = Attempts(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).retry(times).subscribe(subscriber)
    assert subscriber.outcome == (list(range(1, times + 2)), f"OSError('attempt {times + 1}')")


@pytest.mark.parametrize("attempts", [1, 3])
def test_attempt_that_completes_is_the_last(attempts: int) -> None:
    source = Attempts(completes_in=attempts)
    assert Stream.from_iterable(source).retry(9).to_list() == list(range(1, attempts + 1))
    assert source.attempts == attempts


def test_attempts_for_ever_go_on_until_one_completes() -> None:
    assert len(Stream.from_iterable(Attempts(completes_in=10_000)).retry(for_ever=True).to_list()) == 10_000


def test_attempts_for_ever_end_by_cancel() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=1000)
    Stream.from_iterable(Attempts()).retry(for_ever=True).subscribe(subscriber)
    assert (len(subscriber.elements), subscriber.outcome[1]) == (1000, "open")


def test_error_that_is_not_wanted_is_passed_on() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.from_iterable(Attempts()).retry(9, when=lambda error: "2" not in str(error))
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "OSError('attempt 2')")


def test_exception_of_the_predicate_has_the_error_as_its_context() -> None:
    error, subscriber = OSError("x"), RecordingSubscriber(first_request=1)
    Stream.error(error).retry(2, when=lambda _: int("x")).subscribe(subscriber)
    assert isinstance(subscriber.error, ValueError)
    assert subscriber.error.__context__ is error


@pytest.mark.parametrize("times", [1, 3])
def test_publisher_that_refuses_a_further_attempt_gives_its_error(times: int) -> None:
    class WorksOnce:
        calls = 0

        def subscribe(self, subscriber: Any, /) -> None:
            self.calls += 1
            if self.calls > 1:
                raise ValueError(f"call {self.calls}")
            Stream.from_iterable(Failing(1)).subscribe(subscriber)

    source, subscriber = WorksOnce(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(source).retry(times).subscribe(subscriber)
    assert subscriber.outcome == ([1], f"ValueError('call {times + 1}')")


def test_demand_is_carried_over_exactly() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=3)
    Stream.from_publisher(publisher).retry(1).subscribe(subscriber)
    publisher.send(1)
    publisher.fail(OSError("x"))
    assert publisher.requests == [3, 2]
    subscriber.cancel()
    assert publisher.cancels == 1


def test_state_is_loaded_in_each_attempt() -> None:
    stream = Stream.from_iterable(Failing(1, 2), recovery="skips").retry(2, when=lambda error: "full" in str(error))
    resumes_everywhere(stream, [1, 2] * 3, "OSError('disk full')")


def test_attempts_without_limit_are_refused_unless_asked_for() -> None:
    with pytest.raises(ArgumentError, match="pass a number, or for_ever=True to set no limit"):
        Stream.just(1).retry()
    with pytest.raises(ArgumentError, match="leave out one"):
        Stream.just(1).retry(2, for_ever=True)


def test_bad_arguments_are_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentError, match=r"retry\(times\) needs a count from 1"):
        Stream.just(1).retry(0)
    with pytest.raises(ArgumentTypeError, match=r"retry\(when\) needs a callable"):
        Stream.just(1).retry(1, when=3)  # type: ignore[arg-type]
