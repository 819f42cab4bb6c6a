"""The counts of instructions: what they are compared with, what fails, what cannot be counted."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from bench import instructions
from bench.instructions import (
    CANNOT_COUNT,
    GREW,
    NOT_STORED,
    CannotCountError,
    Change,
    changes,
    counted_dumps,
    fewest,
)

WHERE = "an interpreter, a compiler, a valgrind"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, float]:
    """Return what will be counted, and let any build be counted, without valgrind."""
    counts: dict[str, float] = {"add": 1000.0, "poll": 500.0}
    monkeypatch.setattr(instructions, "STORED", tmp_path / "instructions.json")
    monkeypatch.setattr(instructions, "wrong_profile", lambda: None)
    monkeypatch.setattr(instructions, "valgrind_version", lambda: "valgrind-0")
    monkeypatch.setattr(instructions, "environment", lambda valgrind: WHERE)
    monkeypatch.setattr(instructions, "count", lambda: dict(counts))
    return counts


@pytest.mark.parametrize(
    ("count", "stored", "verdict"),
    [
        (1020.0, 1000.0, "same"),
        (1020.1, 1000.0, "GREW"),
        (980.0, 1000.0, "same"),
        (979.0, 1000.0, "shrank"),
        (1.0, None, "new"),
    ],
)
def test_verdict_compares_with_the_stored_count(count: float, stored: float | None, verdict: str) -> None:
    assert Change("kernel", count, stored).verdict == verdict


def test_nothing_stored_for_the_environment_is_said(
    counted: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    instructions.store("another one", counted)
    assert instructions.main([]) == NOT_STORED
    assert "nothing is stored for this environment" in capsys.readouterr().out


def test_stored_counts_are_met(counted: dict[str, float]) -> None:
    assert instructions.main(["--store"]) == 0
    assert instructions.main([]) == 0


def test_kernel_that_needs_more_fails_and_is_named(
    counted: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    instructions.main(["--store"])
    counted["poll"] *= 1.03
    assert instructions.main([]) == GREW
    assert "2% above the stored count: poll;" in capsys.readouterr().out


def test_counts_of_other_environments_stay(counted: dict[str, float]) -> None:
    instructions.store("another one", {"add": 1.0})
    instructions.main(["--store"])
    assert instructions.stored_counts() == {"another one": {"add": 1.0}, WHERE: counted}


def test_stored_kernel_that_is_counted_no_more_is_an_error() -> None:
    with pytest.raises(CannotCountError, match="stored, but not counted: add, poll; store the counts anew"):
        changes({"offer": 1.0}, {"poll": 1.0, "add": 1.0})


def test_of_several_layouts_the_fewest_instructions_of_each_kernel_count() -> None:
    assert fewest([{"add": 3.0, "poll": 9.0}, {"add": 4.0, "poll": 7.0}]) == {"add": 3.0, "poll": 7.0}


def test_dumps_without_a_mark_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "callgrind.1").write_text("desc: Trigger: Client Request: add\nevents: Ir\nsummary: 42\n\ntotals: 42\n")
    (tmp_path / "callgrind.2").write_text("desc: Trigger: Program termination\nsummary: 99\n")
    assert counted_dumps(tmp_path) == {"add": 42}


def test_dump_without_a_total_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "callgrind.1").write_text("desc: Trigger: Client Request: add\nevents: Ir\n")
    with pytest.raises(CannotCountError, match="no total for 'add'"):
        counted_dumps(tmp_path)


def test_missing_valgrind_is_said_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(instructions, "wrong_profile", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda command: None)
    assert instructions.main([]) == CANNOT_COUNT
    assert "apt-get install valgrind" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_kernels_are_counted_for_real_and_more_work_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(instructions, "STORED", tmp_path / "instructions.json")
    monkeypatch.setattr(instructions, "count", partial(instructions.count, layouts=1))
    if instructions.wrong_profile():
        pytest.skip("only the release build is counted")
    assert instructions.main(["--store"]) == 0
    (where, stored), = instructions.stored_counts().items()  # fmt: skip
    assert len(stored) >= 12
    name = min(stored)
    (tmp_path / "instructions.json").write_text(json.dumps({where: {**stored, name: stored[name] / 1.03}}))
    capsys.readouterr()
    assert instructions.main([]) == GREW
    assert f"above the stored count: {name};" in capsys.readouterr().out
