"""Bad input to the serialized emitter: what is documented happens, with the value, the bounds and the remedy."""

from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, NullElementError
from rs_core import SerializedEmitter
from tests.rs_core.recording_subscriber import RecordingSubscriber

POLICY_NAMES = "error, drop_newest, drop_oldest, latest, block"


def message_of(kind: type[Exception], base: type[Exception], **options: Any) -> str:
    with pytest.raises(kind) as raised:
        SerializedEmitter(RecordingSubscriber(), **options)
    assert type(raised.value) is kind
    assert isinstance(raised.value, base)
    return str(raised.value)


@pytest.mark.parametrize("policy", POLICY_NAMES.split(", "))
@pytest.mark.parametrize("capacity", [0, -1, 2**24 + 1, 2**40, 2**70])
def test_capacity_out_of_bounds_is_refused(capacity: int, policy: str) -> None:
    assert message_of(ArgumentError, ValueError, capacity=capacity, on_overflow=policy) == (
        f"capacity needs 1 to {2**24} elements, got {capacity}; pass a count within these bounds"
    )


@pytest.mark.parametrize("capacity", ["8", 8.0, None, True])
def test_capacity_that_is_no_integer_is_refused(capacity: Any) -> None:
    assert message_of(ArgumentTypeError, TypeError, capacity=capacity) == (
        f"capacity needs an integer, got {capacity!r} ({type(capacity).__name__}); pass a count from 1 to {2**24}"
    )


@pytest.mark.parametrize("policy", ["", "Error", "drop", "block "])
def test_policy_of_an_unknown_name_is_refused(policy: str) -> None:
    assert message_of(ArgumentError, ValueError, on_overflow=policy) == (
        f"on_overflow needs the name of a policy, got {policy!r}; pass one of {POLICY_NAMES}"
    )


@pytest.mark.parametrize("policy", [None, 3, b"error", ["error"], lambda element: None])
def test_policy_that_is_no_name_is_refused(policy: Any) -> None:
    message = message_of(ArgumentTypeError, TypeError, on_overflow=policy)
    assert message.startswith("on_overflow needs the name of a policy, got ")
    assert message.endswith(f"({type(policy).__name__}); pass one of {POLICY_NAMES}")


@pytest.mark.parametrize(
    "seconds", [0, -1, 0.0, -0.5, float("inf"), float("nan"), 10**400], ids=lambda value: repr(value)[:6]
)
def test_timeout_out_of_bounds_is_refused(seconds: Any) -> None:
    message = message_of(ArgumentError, ValueError, on_overflow="block", block_timeout_seconds=seconds)
    assert message.startswith("block_timeout_seconds needs a finite number above 0, got ")
    assert message.endswith("; pass seconds, such as 30.0")


@pytest.mark.parametrize("seconds", ["1", None, True, 1j])
def test_timeout_that_is_no_number_is_refused(seconds: Any) -> None:
    assert message_of(ArgumentTypeError, TypeError, block_timeout_seconds=seconds) == (
        f"block_timeout_seconds needs a number, got {seconds!r} ({type(seconds).__name__}); pass seconds, such as 30.0"
    )


def test_none_for_a_subscriber_is_refused() -> None:
    with pytest.raises(NullElementError) as raised:
        SerializedEmitter(None)  # type: ignore[arg-type]
    assert str(raised.value) == (
        "§1.9: SerializedEmitter(None): a subscriber is needed; pass an object with on_next, on_error, on_complete"
    )
    assert raised.value.rule == "1.9"


@pytest.mark.parametrize("missing", ["on_next", "on_error", "on_complete"])
def test_what_lacks_a_signal_is_no_subscriber(missing: str) -> None:
    class Lacking(RecordingSubscriber):
        def __repr__(self) -> str:
            return "<lacking>"

    setattr(Lacking, missing, None)
    with pytest.raises(ArgumentTypeError) as raised:
        SerializedEmitter(Lacking())
    assert str(raised.value) == (
        "SerializedEmitter(subscriber) needs on_next, on_error, on_complete, got <lacking> (Lacking) "
        f"without {missing}; define them"
    )


@pytest.mark.parametrize("policy", POLICY_NAMES.split(", "))
def test_none_for_an_element_is_refused_and_harms_nothing(policy: str) -> None:
    subscriber = RecordingSubscriber()
    emitter = SerializedEmitter[Any](subscriber, on_overflow=policy)
    with pytest.raises(NullElementError) as raised:
        emitter.emit(None)
    assert str(raised.value) == "§2.13: emit(None): None cannot be an element; send a value of your own for it"
    emitter.emit(1)
    emitter.complete()
    with pytest.raises(NullElementError):
        emitter.emit(None)
    assert subscriber.signals == [("on_next", 1), ("on_complete",)]


@pytest.mark.parametrize("error", [None, "text", ValueError, KeyboardInterrupt()], ids=repr)
def test_what_is_no_exception_instance_cannot_be_failed_with(error: Any) -> None:
    subscriber = RecordingSubscriber()
    emitter = SerializedEmitter[Any](subscriber)
    with pytest.raises(ArgumentTypeError) as raised:
        emitter.fail(error)
    assert str(raised.value) == (f"fail(error) needs an exception instance, got {error!r}; pass e.g. ValueError('why')")
    assert (emitter.is_terminated, subscriber.signals) == (False, [])


def test_options_are_named() -> None:
    with pytest.raises(TypeError):
        SerializedEmitter(RecordingSubscriber(), 8)  # type: ignore[misc]
