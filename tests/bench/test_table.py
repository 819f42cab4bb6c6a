"""The table of the benchmarks: verdicts, what it refuses, how it ends."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import table
from bench.conditions import wrong_profile
from bench.interleaved import Case, Ratio
from bench.rows import Bar, Row
from bench.table import NOT_RELEASE, Result

CASE = Case("case", lambda: None, operations=1)
BASELINE = Case("baseline", lambda: None, operations=1)


def result(bar: Bar | None, *, ratio: float = 1.0, nanoseconds: float = 10.0) -> Result:
    return Result(Row(CASE, BASELINE, bar), nanoseconds, 10.0, Ratio(ratio, ratio))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    """Return what the table will measure, and let it take any build."""
    results: list[Result] = []
    monkeypatch.setattr(table, "results", lambda rounds, on_round: results)
    monkeypatch.setattr(table, "wrong_profile", lambda: None)
    return results


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (result(Bar(1.0, "x"), ratio=1.0), "met"),
        (result(Bar(1.0, "x"), ratio=1.01), "missed"),
        (result(Bar(25, "ns"), nanoseconds=25.0), "met"),
        (result(Bar(25, "ns"), nanoseconds=25.1), "missed"),
        (result(Bar(25, "ns more"), nanoseconds=35.0), "met"),
        (result(Bar(25, "ns more"), nanoseconds=35.1), "missed"),
        (result(None), ""),
    ],
)
def test_verdict_compares_the_minimum_with_the_bar(measured: Result, verdict: str) -> None:
    assert measured.verdict == verdict


def test_long_times_are_shown_in_milliseconds() -> None:
    cells = result(Bar(120_000_000, "ns"), nanoseconds=95_340_000.0).cells()

    assert cells[-4:] == ("<= 120 ms", "met", "95.3 ms", "10.0")


def test_ratio_without_a_baseline_is_refused() -> None:
    with pytest.raises(ValueError, match="no baseline"):
        _ = Result(Row(CASE, None, Bar(1.0, "x")), 10.0, None, None).verdict


def test_missed_bar_is_counted_and_does_not_fail(measured: list[Result], capsys: pytest.CaptureFixture[str]) -> None:
    measured += [result(Bar(1.0, "x"), ratio=0.5), result(Bar(1.0, "x"), ratio=2.0), result(None)]
    assert table.main([]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 2 bars met"


def test_json_holds_conditions_and_rows(measured: list[Result], capsys: pytest.CaptureFixture[str]) -> None:
    measured.append(result(Bar(25, "ns"), nanoseconds=30.0))
    assert table.main(["--json", "--rounds", "9"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert sorted(printed["conditions"]) == ["commit", "interpreter", "machine", "profile"]
    assert (printed["rounds"], printed["met"], printed["bars"]) == (9, 0, 1)
    assert printed["rows"] == [
        {
            "case": "case",
            "baseline": "baseline",
            "ratio_of_minima": 1.0,
            "median_of_ratios": 1.0,
            "bar": {"at_most": 25, "unit": "ns"},
            "verdict": "missed",
            "nanoseconds": 30.0,
            "baseline_nanoseconds": 10.0,
        }
    ]


def test_table_without_rich_is_plain_text(
    measured: list[Result], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured.append(result(Bar(1.0, "x"), ratio=0.5))
    monkeypatch.setattr(table, "find_spec", lambda name: None)
    assert table.main([]) == 0
    heading, row, *_ = capsys.readouterr().out.splitlines()
    assert " ".join(heading.split()) == "case baseline min ratio median ratio bar verdict ns baseline ns"
    assert row.split() == ["case", "baseline", "0.500", "0.500", "<=", "1.00", "met", "10.0", "10.0"]


def test_other_builds_than_release_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "wrong_profile", lambda: wrong_profile("debug"))
    assert table.main([]) == NOT_RELEASE
    assert capsys.readouterr().err.startswith("the debug build is not measured")
    assert wrong_profile("release") is None


@pytest.mark.parametrize("arguments", [["--rounds", "6"], ["--rounds", "many"], ["--unknown"]])
def test_bad_arguments_are_refused(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refusal:
        table.main(arguments)
    assert refusal.value.code == 2
    assert "usage: python -m bench.table" in capsys.readouterr().err


@pytest.mark.slow
def test_picture_shows_every_row_with_a_baseline_or_a_bar(
    measured: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra bench")
    measured += [result(Bar(1.0, "x"), ratio=0.5), result(None), result(Bar(25, "ns"), nanoseconds=1234.0)]
    picture = tmp_path / "bench.svg"
    assert table.main(["--picture", str(picture)]) == 0
    drawn = picture.read_text(encoding="utf-8")
    assert [drawn.count(figure) for figure in ("against baseline", ">0.5<", ">1,234<")] == [3, 1, 1]
    assert f"picture: {picture}" in capsys.readouterr().err


def test_picture_of_an_unknown_kind_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        table.main(["--picture", "bench.bmp"])
    assert "bench.bmp is of no known kind; take one of .svg, .png, .pdf" in capsys.readouterr().err
