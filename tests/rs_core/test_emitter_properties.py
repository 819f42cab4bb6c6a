"""Programs that emit, end and fail inside of deliveries, on the emitter and on its model: both do the same."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rs_core import CapacityError, SerializedEmitter, WouldDeadlockError
from rs_core.dropped import set_hook
from tests.models.emitter_model import EmitterModel, NoRoomError, WouldWaitForItselfError

POLICIES = ["error", "drop_newest", "drop_oldest", "latest", "block"]


@dataclass(frozen=True)
class Emit:
    """Emit an element; its delivery runs a program."""

    number: int
    program: "tuple[Any, ...]" = ()


ENDS = st.sampled_from(["complete", "fail"])
STEPS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.builds(Emit, st.integers(0, 99)), ENDS, st.sampled_from(["raise", "interrupt"])),
    lambda steps: st.builds(Emit, st.integers(0, 99), st.lists(steps, max_size=4).map(tuple)),
    max_leaves=12,
)
MOSTLY_EMISSIONS = st.lists(
    st.one_of(st.builds(Emit, st.integers(0, 99), st.lists(STEPS, max_size=4).map(tuple)), ENDS), max_size=6
)


class Interpreter:
    """Runs programs on an emitter and is its subscriber; notes whatever can be seen."""

    emitter: Any

    def __init__(self) -> None:
        self.seen: list[object] = []

    def run(self, step: Any) -> None:
        try:
            if isinstance(step, Emit):
                result = self.emitter.emit(step)
                self.seen.append((step.number, getattr(result, "value", result)))
            elif step == "complete":
                self.seen.append(self.emitter.complete())
            else:
                self.seen.append(self.emitter.fail(ValueError("of the program")))
        except (WouldDeadlockError, WouldWaitForItselfError):
            self.seen.append("would wait for itself")
        self.seen.append((self.emitter.pending, self.emitter.is_terminated))

    def on_next(self, element: Emit) -> None:
        self.seen.append(("on_next", element.number))
        for step in element.program:
            if step == "raise":
                raise ValueError("of the subscriber")
            if step == "interrupt":
                raise KeyboardInterrupt
            self.run(step)

    def on_error(self, error: Exception) -> None:
        self.seen.append(("on_error", shown(error)))

    def on_complete(self) -> None:
        self.seen.append("on_complete")


def shown(value: Any) -> str:
    return "overflow" if isinstance(value, CapacityError | NoRoomError) else repr(value)


def outcome_of(interpreter: Interpreter, emitter: Any, program: list[Any]) -> list[object]:
    interpreter.emitter = emitter
    for step in program:
        try:
            interpreter.run(step)
        except KeyboardInterrupt:
            interpreter.seen.append("interrupted")
    return [*interpreter.seen, emitter.dropped_count]


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@given(program=MOSTLY_EMISSIONS, capacity=st.integers(1, 3))
def test_the_emitter_does_what_its_model_does(policy: str, program: list[Any], capacity: int) -> None:
    dropped: list[tuple[str, object]] = []
    subject, expected = Interpreter(), Interpreter()
    model = EmitterModel(expected, capacity=capacity, on_overflow=policy)
    previous = set_hook(lambda signal, value, *, origin: dropped.append((signal, value)))
    try:
        emitter = SerializedEmitter[Any](subject, capacity=capacity, on_overflow=policy)
        observed = outcome_of(subject, emitter, program)
    finally:
        set_hook(previous)
    assert observed == outcome_of(expected, model, program)
    assert [(signal, shown(value)) for signal, value in dropped] == [
        (signal, shown(value)) for signal, value in model.dropped
    ]
