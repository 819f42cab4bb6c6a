"""create, when the stream is over: what emitters are told, what is let go, and the function for the end."""

import threading
from typing import Any

import pytest

from reactivestreams import EmitResult, Stream
from reactivestreams.errors import StateError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.sources.pushed_emitter import Pushed, pushed

CANCELLED, TERMINATED = EmitResult.CANCELLED, EmitResult.TERMINATED


def test_after_cancel_nothing_is_accepted_and_what_waits_is_let_go() -> None:
    emitter, subscriber = pushed()
    emitter.emit(1)
    assert emitter.is_cancelled is False
    with recorded_drops() as drops:
        subscriber.cancel()
        assert (emitter.emit(2), emitter.is_cancelled, emitter.complete()) == (CANCELLED, True, False)
    assert (subscriber.outcome, drops) == (([], "open"), [])


def test_an_error_that_a_cancel_overtakes_goes_to_the_hook() -> None:
    emitter, subscriber = pushed()
    error, late = ValueError("why"), ValueError("late")
    emitter.emit(1)
    emitter.fail(error)
    with recorded_drops() as drops:
        subscriber.cancel()
        emitter.fail(late)
    assert [value for _, value, _ in drops] == [error, late]


@pytest.mark.parametrize("end", ["complete", "fail", "cancel", "take", "operator"])
def test_the_function_for_the_end_is_called_once(end: str) -> None:
    disposed: list[str] = []
    callback = Pushed()
    stream: Stream[Any] = Stream.create(callback, on_overflow="error")
    if end == "take":
        stream = stream.take(1)
    elif end == "operator":
        stream = stream.map(lambda element: element / 0)
    subscriber = RecordingSubscriber(first_request=5)
    stream.subscribe(subscriber)
    callback.emitter.on_dispose(lambda: disposed.append("disposed"))
    assert disposed == []
    if end == "complete":
        callback.emitter.complete()
    elif end == "fail":
        callback.emitter.fail(ValueError("why"))
    elif end == "cancel":
        subscriber.cancel()
        subscriber.subscription.cancel()
    else:
        callback.emitter.emit(1)
    assert disposed == ["disposed"]
    assert callback.emitter.emit(2) in {TERMINATED, CANCELLED}


def test_a_function_that_is_registered_late_is_called_at_once() -> None:
    emitter, subscriber = pushed()
    subscriber.cancel()
    called: list[int] = []
    emitter.on_dispose(lambda: called.append(threading.get_ident()))
    assert called == [threading.get_ident()]


def test_what_a_late_function_raises_is_raised_there() -> None:
    emitter, subscriber = pushed()
    subscriber.cancel()
    with pytest.raises(ZeroDivisionError):
        emitter.on_dispose(lambda: 1 / 0)


def test_what_the_function_for_the_end_raises_goes_to_the_hook() -> None:
    emitter, subscriber = pushed()
    emitter.on_dispose(lambda: 1 / 0)
    with recorded_drops() as drops:
        emitter.complete()
    assert subscriber.outcome == ([], "complete")
    assert [(signal, type(value)) for signal, value, _ in drops] == [("on_dispose", ZeroDivisionError)]


@pytest.mark.parametrize("is_over", [False, True])
def test_a_second_function_for_the_end_is_refused(is_over: bool) -> None:
    emitter, subscriber = pushed()
    called: list[str] = []
    emitter.on_dispose(lambda: called.append("first"))
    if is_over:
        subscriber.cancel()
    with pytest.raises(
        StateError, match="is the second one of this emitter; register one function that releases every"
    ):
        emitter.on_dispose(lambda: called.append("second"))
    assert called == ["first"] * is_over
