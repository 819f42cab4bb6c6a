"""A subscriber that raises: the emitter ends, and what can no longer be delivered goes to the hook, one by one."""

from collections.abc import Callable
from typing import Any

import pytest

from rs_core import EmitResult, SerializedEmitter
from rs_core.dropped import set_hook
from tests.rs_core.recording_subscriber import RecordingSubscriber

Dropped = list[tuple[str, Any, str]]
POLICIES = ["error", "drop_newest", "drop_oldest", "latest", "block"]


class Failing(RecordingSubscriber):
    """Emits and ends inside the delivery of its first element, then raises."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(demand=None)
        self.error = error
        self.first: Callable[[], object] = lambda: None

    def on_next(self, element: Any) -> None:
        super().on_next(element)
        self.first()
        raise self.error


@pytest.mark.parametrize("policy", POLICIES)
def test_an_exception_ends_the_emitter_and_everything_goes_to_the_hook(policy: str, dropped_signals: Dropped) -> None:
    error, subscriber = ValueError("mine"), Failing(ValueError("mine"))
    subscriber.error = error
    emitter = SerializedEmitter[Any](subscriber, on_overflow=policy)
    subscriber.first = lambda: [emitter.emit(2), emitter.emit(3)] if policy != "latest" else emitter.emit(2)
    assert emitter.emit(1) is EmitResult.ACCEPTED  # it was taken, and raised about
    waiting = [2] if policy == "latest" else [2, 3]
    assert dropped_signals == [
        ("on_next", error, "Failing.on_next"),
        *(("on_next", element, "SerializedEmitter") for element in waiting),
    ]
    assert (emitter.dropped_count, emitter.pending, emitter.is_terminated) == (len(waiting), 0, True)
    assert (emitter.emit(4), emitter.complete(), subscriber.names) == (EmitResult.CANCELLED, False, ["on_next"])


def test_an_error_that_waited_to_be_signalled_goes_to_the_hook_too(dropped_signals: Dropped) -> None:
    mine, end = ValueError("mine"), ValueError("the end")
    subscriber = Failing(mine)
    emitter = SerializedEmitter[Any](subscriber)
    subscriber.first = lambda: [emitter.emit(2), emitter.fail(end)]
    emitter.emit(1)
    assert dropped_signals == [
        ("on_next", mine, "Failing.on_next"),
        ("on_error", end, "SerializedEmitter"),
        ("on_next", 2, "SerializedEmitter"),
    ]
    assert emitter.emit(3) is EmitResult.TERMINATED  # the failure was first


def test_an_exception_about_a_queued_element_ends_the_emitter_too(dropped_signals: Dropped) -> None:
    error = ValueError("mine")

    class FailingOnTwo(RecordingSubscriber):
        def on_next(self, element: Any) -> None:
            super().on_next(element)
            if element == 1:
                results.extend([emitter.emit(2), emitter.emit(3)])
            else:
                raise error

    subscriber, results = FailingOnTwo(demand=None), list[EmitResult]()
    emitter = SerializedEmitter[Any](subscriber)
    assert emitter.emit(1) is EmitResult.ACCEPTED
    assert (subscriber.elements, results) == ([1, 2], [EmitResult.ACCEPTED] * 2)
    assert dropped_signals == [("on_next", error, "FailingOnTwo.on_next"), ("on_next", 3, "SerializedEmitter")]


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_ends_the_emitter_and_is_raised(
    interrupt: type[BaseException], dropped_signals: Dropped
) -> None:
    raised = interrupt("mine")
    subscriber = Failing(raised)
    emitter = SerializedEmitter[Any](subscriber)
    subscriber.first = lambda: emitter.emit(2)
    with pytest.raises(interrupt) as caught:
        emitter.emit(1)
    assert caught.value is raised
    assert dropped_signals == [("on_next", 2, "SerializedEmitter")]
    assert (emitter.emit(3), emitter.dropped_count) == (EmitResult.CANCELLED, 1)


def test_an_interrupt_about_a_queued_element_is_raised_by_the_outermost_emission() -> None:
    inner: list[object] = []

    class Interrupted(RecordingSubscriber):
        def on_next(self, element: Any) -> None:
            if element == 1:
                inner.append(emitter.emit(2))
            else:
                raise KeyboardInterrupt

    emitter = SerializedEmitter[Any](Interrupted(demand=None))
    with pytest.raises(KeyboardInterrupt):
        emitter.emit(1)
    assert inner == [EmitResult.ACCEPTED]


@pytest.mark.parametrize("end", ["on_complete", "on_error"])
@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()], ids=["exception", "interrupt"])
def test_what_the_end_raises(end: str, error: BaseException, dropped_signals: Dropped) -> None:
    def fail() -> None:
        raise error

    subscriber = RecordingSubscriber(actions={end: fail})
    emitter = SerializedEmitter[Any](subscriber)

    def signal_end() -> bool:
        return emitter.complete() if end == "on_complete" else emitter.fail(OSError("the end"))

    if isinstance(error, Exception):
        assert signal_end() is True
        assert dropped_signals == [(end, error, f"RecordingSubscriber.{end}")]
    else:
        with pytest.raises(KeyboardInterrupt):
            signal_end()
        assert dropped_signals == []
    assert (emitter.emit(1), emitter.complete(), subscriber.names) == (EmitResult.TERMINATED, False, [end])


def test_all_is_told_although_the_hook_is_interrupted() -> None:
    told: list[object] = []

    def hook(signal: str, value: object, /, *, origin: str) -> None:
        told.append(value)
        raise KeyboardInterrupt(len(told))

    error = ValueError("mine")
    subscriber = Failing(error)
    emitter = SerializedEmitter[Any](subscriber)
    subscriber.first = lambda: [emitter.emit(2), emitter.emit(3)]
    previous = set_hook(hook)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            emitter.emit(1)
    finally:
        set_hook(previous)
    assert (told, raised.value.args, emitter.dropped_count) == ([error, 2, 3], (1,), 2)


def test_a_hook_that_emits_while_the_emitter_ends_is_refused() -> None:
    results: list[object] = []

    def hook(signal: str, value: object, /, *, origin: str) -> None:
        results.append((value, emitter.emit("of the hook")))

    error = ValueError("mine")
    subscriber = Failing(error)
    emitter = SerializedEmitter[Any](subscriber)
    subscriber.first = lambda: emitter.emit(2)
    previous = set_hook(hook)
    try:
        emitter.emit(1)
    finally:
        set_hook(previous)
    assert results == [(error, EmitResult.CANCELLED), (2, EmitResult.CANCELLED)]
