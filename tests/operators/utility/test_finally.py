"""finally_: a function that is called once behind the end."""

import threading
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start
from tests.contracts.state_contract import SerializableContract, StateContract


class TestFinally(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().finally_(list)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Calls:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize("fails", [False, True])
def test_action_runs_once_behind_the_end(position: int, fails: bool) -> None:
    calls, subscriber = Calls(), RecordingSubscriber(first_request=UNBOUNDED)
    source = CountedIterable(list(range(position)), fails_with=OSError("x") if fails else None)
    handle = Stream.from_iterable(source).finally_(calls).bind(subscriber)
    handle.initialize()
    assert (subscriber.has_ended, calls.count) == (True, 1)
    handle.cancel()
    assert calls.count == 1


@pytest.mark.parametrize("position", range(4))
def test_action_runs_once_behind_a_cancellation(position: int) -> None:
    calls, subscriber = Calls(), RecordingSubscriber()
    Stream.range(4).finally_(calls).subscribe(subscriber)
    if position:
        subscriber.request(position)
    assert calls.count == 0
    subscriber.cancel()
    subscriber.cancel()
    assert calls.count == 1


def test_action_runs_when_the_subscriber_cancels_inside_of_on_next() -> None:
    calls, subscriber = Calls(), RecordingSubscriber(first_request=UNBOUNDED, cancel_after=2)
    Stream.range(4).finally_(calls).subscribe(subscriber)
    assert (subscriber.elements, calls.count) == ([0, 1], 1)


def test_action_runs_when_the_stream_never_ran() -> None:
    calls = Calls()
    handle = Stream.range(4).finally_(calls).bind(RecordingSubscriber(cancel_after=0))
    handle.initialize()
    assert calls.count == 1


def test_actions_run_from_the_source_down() -> None:
    log: list[str] = []
    Stream.just(1).finally_(lambda: log.append("above")).finally_(lambda: log.append("below")).run()
    assert log == ["above", "below"]


def test_action_that_raises_is_reported_and_changes_nothing() -> None:
    error = OSError("x")

    def action() -> None:
        raise error

    with recorded_drops() as drops:
        assert Stream.just(1).finally_(action).to_list() == [1]
    assert drops == [("finally", error, "rx://operators/finally")]


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupt_of_the_action_is_raised_where_python_called(interrupt: type[BaseException]) -> None:
    def action() -> None:
        raise interrupt

    subscriber = RecordingSubscriber(first_request=1)
    Stream.just(1, 2).finally_(action).subscribe(subscriber)
    with pytest.raises(interrupt):
        subscriber.cancel()


def test_loaded_stream_that_was_over_does_not_run_the_action_again() -> None:
    calls, before, after = Calls(), RecordingSubscriber(), RecordingSubscriber()
    stream = Stream.just(1, 2).finally_(calls)
    handle = stream.bind(before)
    handle.initialize()
    before.cancel()
    start(stream.bind(after), save(handle))
    assert calls.count == 1


def test_cancellation_from_another_thread_runs_it_once() -> None:
    for _ in range(50):
        calls, subscriber = Calls(), RecordingSubscriber(first_request=UNBOUNDED)
        with WorkerScheduler(name="worker") as worker:
            Stream.range(10**9).finally_(calls).observe_on(worker, prefetch=8).subscribe(subscriber)
            threads = [threading.Thread(target=subscriber.cancel) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert calls.count == 1


def test_publisher_that_signals_after_the_end_runs_nothing_again() -> None:
    calls, publisher = Calls(), ManualPublisher()
    Stream.from_publisher(publisher).finally_(calls).subscribe(RecordingSubscriber(first_request=1))
    publisher.complete()
    publisher.complete()
    assert calls.count == 1


@pytest.mark.parametrize("action", [None, 3])
def test_what_is_no_function_is_refused_when_the_stream_is_built(action: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"finally_\(action\) needs a callable"):
        Stream.just(1).finally_(action)


def test_coroutine_function_is_refused_when_the_stream_is_built() -> None:
    async def action() -> None:
        pass

    with pytest.raises(ArgumentTypeError, match=r"finally_\(action\)"):
        Stream.just(1).finally_(action)
