"""The command `replay`: a record run again, described, and what it refuses."""

from pathlib import Path

import pytest

from reactivestreams import Stream
from reactivestreams.cli import ExitStatus, main

SOURCE = """\
from reactivestreams import Stream


def share(number):
    return 12 // number


shares = Stream.just(2, 1, 0, 3).recorded({path!r}).map(share)
printed = Stream.just(2).recorded({path!r}).do(print)
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "run.rsr"


@pytest.fixture
def app(tmp_path: Path, record: Path) -> str:
    path = tmp_path / "shares_of_all.py"
    path.write_text(SOURCE.format(path=str(record)), encoding="utf-8")
    return str(path)


def share(number: int) -> int:
    return 12 // number


@pytest.fixture
def failed_run(record: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        Stream.just(2, 1, 0, 3).recorded(record).map(share).run()


@pytest.mark.usefixtures("failed_run")
def test_replay_stops_before_the_element(app: str, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record), f"{app}:shares", "--to", "3"]) == ExitStatus.SUCCESS
    assert capsys.readouterr().out.splitlines() == [
        "6",
        "12",
        "stopped after 2 elements and 2 results",
        "the next one is 0",
    ]


@pytest.mark.usefixtures("failed_run")
def test_failure_is_shown_with_its_note(app: str, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record), f"{app}:shares"]) == ExitStatus.FAILURE
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1] == "failed after 3 elements and 2 results"
    assert "ZeroDivisionError" in shown.err
    assert ", for element 0" in shown.err


@pytest.mark.usefixtures("failed_run")
def test_debugger_stops_before_the_element(
    app: str, record: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[str] = []
    monkeypatch.setattr("pdb.set_trace", lambda *, header: stops.append(header))
    assert main(["replay", str(record), f"{app}:shares", "--to", "2", "--pdb"]) == ExitStatus.FAILURE
    shown = capsys.readouterr().out.splitlines()
    assert len(stops) == 1
    assert shown[0].startswith("before 1 is sent; ")
    assert shown[-1] == "failed after 3 elements and 2 results"


@pytest.mark.usefixtures("failed_run")
def test_record_alone_is_described(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record)]) == ExitStatus.SUCCESS
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith("recorded ")
    assert f"at {__file__}:" in first
    assert second == "  rx://operators/map(share)"
    assert last.startswith("3 elements in 0.0")
    assert last.endswith("1 requests here and 1 at the end; cancelled by what is below")


@pytest.mark.usefixtures("failed_run")
def test_what_cannot_be_replayed_is_refused(app: str, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record), f"{app}:printed"]) == ExitStatus.FAILURE
    assert "had other operators below recorded()" in capsys.readouterr().err
    assert main(["replay", str(record), f"{app}:shares", "--pdb"]) == ExitStatus.USAGE
    assert "--pdb needs the number of an element; give it by --to N" in capsys.readouterr().err
    assert main(["replay", str(record) + "x", f"{app}:shares"]) == ExitStatus.USAGE
    assert "cannot be read: No such file or directory; give a file of recorded()" in capsys.readouterr().err
    assert main(["replay", str(record), f"{app}:nothing"]) == ExitStatus.USAGE


def test_side_effects_need_the_flag(app: str, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Stream.just(2).recorded(record).do(print).run()
    capsys.readouterr()
    assert main(["replay", str(record), f"{app}:printed"]) == ExitStatus.FAILURE
    assert "would run again what is there for its side effects: do assembled at" in capsys.readouterr().err
    assert main(["replay", str(record), f"{app}:printed", "--allow-side-effects"]) == ExitStatus.SUCCESS
    assert capsys.readouterr().out.splitlines()[0] == "2"
