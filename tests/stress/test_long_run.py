"""The long run goes through its programs evenly, ends when it has done enough or is interrupted, tells what failed."""

import pytest

from tests.stress import long_run
from tests.stress.long_run import Program, Tally, failures, main, work_through


def program(name: str, share: float, *, contended: int = 1, wrong: int = 0, must: bool = True) -> Program:
    return Program(
        name, share, lambda operations: Tally(operations, contended * operations, wrong), 10, must_be_contended=must
    )


def test_programs_get_their_share_of_the_operations() -> None:
    two = [program("often", 0.75), program("seldom", 0.25)]
    work_through(two, 1000)
    assert [each.tally.operations for each in two] == [750, 250]


def test_the_last_line_of_progress_says_that_all_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    work_through([program("only", 1.0)], 1000)
    assert capsys.readouterr().out.splitlines()[-1] == "100.0%          1,000 operations, about 0 s left"


def test_wrong_results_and_too_little_contention_are_failures() -> None:
    three = [
        program("wrong", 0.5, wrong=1),
        program("alone", 0.4, contended=0),
        program("may", 0.1, contended=0, must=False),
    ]
    work_through(three, 100)
    assert failures(three) == [
        "wrong: 5 wrong results",
        "alone: less than 10% of its operations were contended",
    ]


def test_an_interrupted_run_prints_what_was_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(operations: int) -> Tally:
        raise KeyboardInterrupt

    monkeypatch.setattr(long_run, "compile_harnesses", lambda *arguments, **options: [])
    monkeypatch.setattr(long_run, "programs", lambda: [program("done", 0.5), Program("broken off", 0.5, interrupt)])
    assert main(["--operations", "1000"]) == 130
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["done", "broken", "interrupted"]


def test_a_run_with_wrong_results_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_run, "compile_harnesses", lambda *arguments, **options: [])
    monkeypatch.setattr(long_run, "programs", lambda: [program("broken", 1.0, wrong=2)])
    assert (main(["--operations", "10"]), capsys.readouterr().err) == (1, "broken: 2 wrong results\n")
