"""Bad input to Stream.create: it is refused where the stream is built."""

from typing import Any

import pytest

from reactivestreams import Stream, StreamEmitter
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.recording_subscriber import RecordingSubscriber

POLICY_NAMES = "error, drop_newest, drop_oldest, latest, block"


def ignore(emitter: StreamEmitter[int]) -> None: ...


def message_of(kind: type[Exception], callback: Any = ignore, **options: Any) -> str:
    with pytest.raises(kind) as raised:
        Stream.create(callback, **{"on_overflow": "error", **options})
    assert type(raised.value) is kind
    return str(raised.value)


@pytest.mark.parametrize("callback", [None, 3, "callback"])
def test_callback_that_cannot_be_called_is_refused(callback: Any) -> None:
    assert message_of(ArgumentTypeError, callback) == (
        f"create(callback) needs a callable, got {callback!r} ({type(callback).__name__}); pass a function or a lambda"
    )


@pytest.mark.parametrize("capacity", [0, -1, 2**40])
def test_capacity_out_of_bounds_is_refused(capacity: int) -> None:
    assert message_of(ArgumentError, capacity=capacity) == (
        f"create(capacity) needs a count from 1 to {2**24}, got {capacity}; pass a count within these bounds"
    )


def test_capacity_that_is_no_integer_is_refused() -> None:
    assert message_of(ArgumentTypeError, capacity="8") == (
        f"create(capacity) needs an integer, got '8' (str); pass a count from 1 to {2**24}"
    )


def test_policy_of_an_unknown_name_is_refused() -> None:
    assert message_of(ArgumentError, on_overflow="drop") == (
        f"create(on_overflow) needs the name of a policy, got 'drop'; pass one of {POLICY_NAMES}"
    )


def test_policy_that_is_no_name_is_refused() -> None:
    assert message_of(ArgumentTypeError, on_overflow=None) == (
        f"create(on_overflow) needs the name of a policy, got None (NoneType); pass one of {POLICY_NAMES}"
    )


def test_policy_has_to_be_chosen() -> None:
    with pytest.raises(TypeError, match="on_overflow"):
        Stream.create(ignore)  # type: ignore[call-arg]


@pytest.mark.parametrize("seconds", [0, -1.0, float("inf"), float("nan")])
def test_timeout_out_of_bounds_is_refused(seconds: float) -> None:
    assert message_of(ArgumentError, block_timeout_seconds=seconds).startswith(
        f"block_timeout_seconds needs a finite number above 0, got {seconds}; pass seconds"
    )


def test_timeout_that_is_no_number_is_refused() -> None:
    assert message_of(ArgumentTypeError, block_timeout_seconds="1").startswith(
        "block_timeout_seconds needs a number, got '1' (str); pass seconds"
    )


@pytest.mark.parametrize("function", [None, 3])
def test_function_for_the_end_that_cannot_be_called_is_refused(function: Any) -> None:
    emitters: list[StreamEmitter[int]] = []
    Stream.create(emitters.append, on_overflow="error").subscribe(RecordingSubscriber())
    with pytest.raises(ArgumentTypeError) as raised:
        emitters[0].on_dispose(function)
    assert str(raised.value) == (
        f"on_dispose(function) needs a callable, got {function!r} ({type(function).__name__}); "
        "pass a function without parameters"
    )
    called: list[str] = []
    emitters[0].on_dispose(lambda: called.append("disposed"))
    emitters[0].complete()
    assert called == ["disposed"]


@pytest.mark.parametrize("error", [None, "text", ValueError, KeyboardInterrupt()], ids=repr)
def test_what_is_no_exception_instance_cannot_be_failed_with(error: Any) -> None:
    emitters: list[StreamEmitter[int]] = []
    subscriber = RecordingSubscriber()
    Stream.create(emitters.append, on_overflow="error").subscribe(subscriber)
    with pytest.raises(ArgumentTypeError, match=r"^fail\(error\) needs an exception instance, got "):
        emitters[0].fail(error)
    assert subscriber.outcome == ([], "open")


def test_emitter_made_by_hand_is_refused() -> None:
    with pytest.raises(TypeError):
        StreamEmitter(None)  # type: ignore[arg-type]
