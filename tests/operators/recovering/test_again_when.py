"""retry_when and repeat_when: another attempt or run when another stream says so."""

import asyncio
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, StateError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start
from tests.contracts.state_contract import StateContract
from tests.operators.recovering.contracts import resumes_everywhere
from tests.operators.recovering.test_on_error_resume import Failing

METHODS = ["retry_when", "repeat_when"]


class TestRepeatWhenNobodyWants(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().repeat_when(lambda counts: ())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestRetryWhenNothingFails(StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().retry_when(lambda errors: errors)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Controlled:
    """A stream over one manual publisher, and a control that the test feeds."""

    def __init__(self, method: str, request: int = UNBOUNDED) -> None:
        self.source, self.control, self.seen = ManualPublisher(), ManualPublisher(), RecordingSubscriber()
        self.subscriber = RecordingSubscriber(first_request=request)
        self.calls = 0

        def function(ends: Stream[Any]) -> ManualPublisher:
            self.calls += 1
            ends.subscribe(self.seen)
            self.seen.request(UNBOUNDED)
            return self.control

        getattr(Stream.from_publisher(self.source), method)(function).subscribe(self.subscriber)

    def end(self, method: str) -> None:
        if method == "retry_when":
            self.source.fail(OSError("x"))
        else:
            self.source.complete()


@pytest.mark.parametrize("method", METHODS)
def test_run_begins_when_the_control_says_so(method: str) -> None:
    run = Controlled(method)
    run.source.send(1)
    assert run.calls == 0
    run.end(method)
    assert (run.calls, len(run.source.requests), run.control.requests) == (1, 1, [1])
    run.control.send("go")
    assert len(run.source.requests) == 2
    run.source.send(2)
    run.end(method)
    assert (run.calls, run.control.requests) == (1, [1, 1])
    run.control.complete()
    assert run.subscriber.outcome == ([1, 2], "complete")


def test_errors_and_counts_are_what_the_function_gets() -> None:
    assert _seen("repeat_when", [1, 0, 2]) == [1, 0, 2]
    assert [repr(error) for error in _seen("retry_when", [1, 0])] == ["OSError('x')"] * 2


def _seen(method: str, counts: list[int]) -> list[Any]:
    run = Controlled(method)
    for count in counts:
        run.source.send(*range(count))
        run.end(method)
        run.control.send("go")
    return run.seen.elements


@pytest.mark.parametrize("method", METHODS)
def test_demand_is_carried_over_exactly(method: str) -> None:
    run = Controlled(method, request=3)
    run.source.send(1)
    run.end(method)
    run.control.send("go")
    assert run.source.requests == [3, 2]
    run.subscriber.request(4)
    assert run.source.requests == [3, 2, 4]


@pytest.mark.parametrize("method", METHODS)
def test_cancel_reaches_the_control_and_the_run(method: str) -> None:
    run = Controlled(method)
    run.end(method)
    run.subscriber.cancel()
    assert run.control.cancels == 1
    again = Controlled(method)
    again.end(method)
    again.control.send("go")
    again.subscriber.cancel()
    assert (again.source.cancels, again.control.cancels) == (1, 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_running", [False, True])
def test_error_of_the_control_ends_the_stream(method: str, is_running: bool) -> None:
    run = Controlled(method)
    run.end(method)
    if is_running:
        run.control.send("go")
    run.control.fail(ValueError("no"))
    assert run.subscriber.outcome == ([], "ValueError('no')")
    assert run.source.cancels == int(is_running)


def test_completed_control_lets_the_run_go_on() -> None:
    run = Controlled("retry_when")
    run.end("retry_when")
    run.control.send("go")
    run.control.complete()
    run.source.send(1)
    assert run.subscriber.outcome == ([1], "open")
    run.end("retry_when")
    assert run.subscriber.outcome == ([1], "complete")


def test_other_end_is_passed_on() -> None:
    retried, repeated = Controlled("retry_when"), Controlled("repeat_when")
    retried.source.complete()
    repeated.source.fail(OSError("x"))
    assert (retried.subscriber.outcome[1], repeated.subscriber.outcome[1]) == ("complete", "OSError('x')")


def test_control_may_ignore_what_it_is_given() -> None:
    assert Stream.just(1).repeat_when(lambda counts: [0, 0]).to_list() == [1, 1, 1]


def test_control_may_say_no_by_an_error() -> None:
    def once(errors: Stream[Exception]) -> Stream[Any]:
        return errors.scan(lambda count, error: count + 1, 0).do(lambda count: 1 // (2 - count))

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(Failing(1)).retry_when(once).subscribe(subscriber)
    assert subscriber.elements == [1, 1]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_control_may_wait_in_an_event_loop() -> None:
    async def wait(_error: Exception) -> None:
        await asyncio.sleep(0.001)

    async def run() -> list[int]:
        stream = Stream.from_iterable(Failing(1, 2)).retry_when(lambda errors: errors.take(2).map_async(wait))
        return await stream.to_list_async()

    assert asyncio.run(asyncio.wait_for(run(), 20)) == [1, 2] * 3


@pytest.mark.parametrize("method", METHODS)
def test_thousands_of_runs_do_not_nest(method: str) -> None:
    source = Stream.from_iterable(Failing(1)) if method == "retry_when" else Stream.just(1)
    assert getattr(source, method)(lambda ends: ends.take(5_000)).count() == 5_001


@pytest.mark.parametrize("method", METHODS)
def test_state_is_loaded_at_each_element(method: str) -> None:
    source = Stream.from_iterable(Failing(1, 2), recovery="skips") if method == "retry_when" else Stream.just(1, 2)
    resumes_everywhere(getattr(source, method)(lambda ends: ends.take(2)), [1, 2] * 3)


@pytest.mark.parametrize("method", METHODS)
def test_state_is_loaded_while_the_control_is_waited_for(method: str) -> None:
    source = Stream.from_iterable(Failing(1), recovery="skips") if method == "retry_when" else Stream.just(1)
    stream = getattr(source, method)(lambda ends: ends.filter(lambda _: False))
    before, after = RecordingSubscriber(first_request=3), RecordingSubscriber()
    handle = stream.bind(before)
    handle.initialize()
    start(stream.bind(after), save(handle))
    after.request(UNBOUNDED)
    assert (before.outcome, after.outcome) == (([1], "open"), ([], "open"))


@pytest.mark.parametrize("method", METHODS)
def test_exception_of_the_function_ends_the_stream(method: str) -> None:
    run = RecordingSubscriber(first_request=UNBOUNDED)
    source = Stream.error(OSError("x")) if method == "retry_when" else Stream.empty()
    getattr(source, method)(lambda ends: 1 // 0).subscribe(run)
    assert isinstance(run.error, ZeroDivisionError)
    assert repr(run.error.__context__) == ("OSError('x')" if method == "retry_when" else "None")


@pytest.mark.parametrize("method", METHODS)
def test_result_that_is_no_source_ends_the_stream(method: str) -> None:
    run = RecordingSubscriber(first_request=UNBOUNDED)
    source = Stream.error(OSError("x")) if method == "retry_when" else Stream.empty()
    getattr(source, method)(lambda ends: 3).subscribe(run)
    assert isinstance(run.error, ArgumentTypeError)
    assert f"the function of {method}(function) needs a stream" in str(run.error)


def test_stream_of_ends_is_used_once() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.empty().repeat_when(lambda counts: counts.merge_with(counts)).subscribe(subscriber)
    assert isinstance(subscriber.error, StateError)
    assert "was subscribed to twice" in str(subscriber.error)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_function_is_refused_when_the_stream_is_built(method: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(function\) needs a callable, got 3 \(int\)"):
        getattr(Stream.just(1), method)(3)
