"""The figures of a whole self-test, and what it is made with."""

import re
import subprocess
import sys

import pytest

from reactivestreams.tck import Edition, Outcome, Verdict
from tests.tck_selftest.figures import Figures, Repetitions
from tests.tck_selftest.judging import Judgement
from tests.tck_selftest.mutant import OWN, Mutant, Trial
from tests.tck_selftest.processor_load import busy_processes
from tests.tck_selftest.progress import Progress


def judgement(*faults: str, outcome: Outcome = Outcome.FAIL) -> Judgement:
    mutant = Mutant("a defect", OWN, "required_spec102", object, outcome)
    return Judgement(Trial(mutant, Edition.JVM), Verdict("a check", ("1.2",), outcome), faults)


def figures(killed: int, survived: int = 0, *others: Judgement, alarms: dict[str, list[str]] | None = None) -> Figures:
    judgements = [*[judgement()] * killed, *[judgement("it passes")] * survived, *others]
    return Figures(judgements, [Repetitions("slow", 1, 2, {}), Repetitions("loaded", 3, 7, alarms or {})])


def test_all_killed_and_no_false_alarm_is_good() -> None:
    result = figures(100)
    assert result.is_good
    assert list(result.lines()) == [
        "false alarms in slow runs: 0 in 1 repetitions of 2 correct components",
        "false alarms in loaded runs: 0 in 3 repetitions of 7 correct components",
        "mutants caught: 100 of 100 (100.0%), missed: 0",
        "false alarms for what only looks wrong: 0",
    ]


def test_two_in_a_hundred_may_survive_and_three_may_not() -> None:
    assert figures(98, 2).is_good
    assert not figures(97, 3).is_good


def test_survivors_are_named_with_what_was_seen() -> None:
    first, *_, caught, _ = figures(98, 1).lines()
    assert first.startswith("survives: required_spec102")
    assert first.endswith("it passes")
    assert caught == "mutants caught: 98 of 99 (99.0%), missed: 1"


def test_one_false_alarm_is_not_good() -> None:
    for result in (
        figures(100, 0, judgement("it fails", outcome=Outcome.PASS)),
        figures(100, alarms={"sends late": ["required_spec102 FAIL"]}),
    ):
        assert result.false_alarms == 1
        assert not result.is_good
    assert "1 false alarms for a component that sends late; the first: required_spec102 FAIL" in result.lines()


def test_busy_processes_end_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **options)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    with busy_processes(1):
        assert [process.poll() for process in started] == [None]
    assert [process.returncode for process in started] == [0]


def test_progress_says_the_first_and_the_last_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    progress = Progress("steps", 3)
    for _ in range(3):
        progress.step("nothing wrong")
    said = [re.sub(r"\d+ s", "_ s", line) for line in capsys.readouterr().err.splitlines()]
    assert said == ["steps: 1 of 3 in _ s, nothing wrong", "steps: 3 of 3 in _ s, nothing wrong"]
