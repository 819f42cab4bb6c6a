"""checkpoint: a note on the error that comes through."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract


class TestCheckpoint(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().checkpoint("here")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def failing(error: Exception) -> Stream[int]:
    def fail(_number: int) -> int:
        raise error

    return Stream.just(0).map(fail)


def notes_of(stream: Stream[int]) -> list[str]:
    with pytest.raises(ValueError, match="broken") as caught:
        stream.run()
    return [note for note in caught.value.__notes__ if note.startswith("passed")]


def test_error_says_which_checkpoints_it_passed() -> None:
    stream = failing(ValueError("broken")).checkpoint("near").map(int).checkpoint("far")
    assert notes_of(stream) == ["passed the checkpoint 'near'", "passed the checkpoint 'far'"]


def test_error_that_was_raised_below_did_not_pass() -> None:
    stream = Stream.just(0).checkpoint("above").concat_with(failing(ValueError("broken")))
    assert notes_of(stream) == []


def test_error_that_comes_again_is_noted_once() -> None:
    error = ValueError("broken")
    stream = failing(error).checkpoint("here")
    assert notes_of(stream) == notes_of(stream) == ["passed the checkpoint 'here'"]


def test_error_that_refuses_notes_is_passed_on() -> None:
    class RefusalError(ValueError):
        def add_note(self, note: str, /) -> None:
            raise TypeError("no notes")

    with recorded_drops() as drops, pytest.raises(RefusalError, match="broken"):
        failing(RefusalError("broken")).checkpoint("here").run()
    assert ("note", "no notes", "checkpoint('here')") in [
        (signal, str(value), origin) for signal, value, origin in drops
    ]


def test_text_is_a_string() -> None:
    with pytest.raises(ArgumentTypeError, match=r"checkpoint\(text\) needs a string, got 5 \(int\); say what is above"):
        Stream.just(1).checkpoint(5)  # type: ignore[arg-type]  # what is tested
