"""The command `demo` from its options to its exit status, in this process and as a person starts and stops it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reactivestreams.cli import main
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import THRESHOLDS
from tests.demo.flight_lines import flight_line, write_flights
from tests.models.flights_model import expected_results

pytest.importorskip("jinja2", reason="needs the extra demo")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, flights_csv: Path) -> None:
    monkeypatch.setenv("REACTIVESTREAMS_CACHE", str(flights_csv.parent))


def test_equal_runs_end_with_status_0_a_table_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"

    status = main(["demo", "--rows", "3000", "--skip-spark", "--output", str(page)])

    out, err = capsys.readouterr()
    assert status == 0
    assert "Results: equal." in out
    assert f"Page: {page}" in out
    assert [line.split()[0] for line in out.splitlines()[:3]] == ["Run", "Caller's", "Engine,"]
    assert "equal results" in page.read_text(encoding="utf-8")
    assert [line for line in err.splitlines() if "done" in line or "started" in line] == [
        "Caller's thread: started",
        *(line for line in err.splitlines() if line.startswith("Caller's thread: done in ")),
        "Engine, killed three times: started",
        *(line for line in err.splitlines() if line.startswith("Engine, killed three times: done in ")),
        "Slow consumer: started",
        *(line for line in err.splitlines() if line.startswith("Slow consumer: done in ")),
    ]


@pytest.mark.slow
def test_one_removed_result_ends_with_status_1_and_names_it(
    tmp_path: Path, flights_csv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    removed = expected_results(FlightRows(flights_csv, rows=3_000), THRESHOLDS)[76]

    status = main(["demo", "--rows", "3000", "--skip-spark", "--remove-one", "77", "--output", str(page)])

    out = capsys.readouterr().out
    assert status == 1
    assert "Results: THEY DIFFER." in out
    assert f"the result of row {removed.row} (origin {removed.origin}, carrier {removed.carrier}) is missing" in out
    assert "the results differ" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_json_goes_to_standard_output_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(
        ["demo", "--rows", "3000", "--skip-spark", "--json", "--seed", "7", "--output", str(tmp_path / "page.html")]
    )

    outcome = json.loads(capsys.readouterr().out)
    assert status == 0
    assert (outcome["equal"], outcome["good"], outcome["rows"]) == (True, True, 3_000)
    assert outcome["flights"] + outcome["cancelled"] + outcome["rejected"] == 3_000
    assert [run["name"] for run in outcome["runs"]] == ["caller", "engine", "slow"]
    assert {run["results"] for run in outcome["runs"]} == {outcome["flights"]}
    assert outcome["kills"]["seed"] == 7
    assert len(outcome["kills"]["moments"]) == 3
    assert outcome["slow_consumer"]["produced"] == outcome["slow_consumer"]["taken"] == 3_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rows", "0"], "0 is less than 1"),
        (["--rows", "many"], "invalid positive value: 'many'"),
        (["--remove-one", "-1"], "-1 is less than 1"),
        (["--on-corrupt", "ignore"], "invalid choice: 'ignore'"),
    ],
)
def test_wrong_usage_ends_with_status_2(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_more_rows_than_there_are_end_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--rows", "336777", "--output", str(tmp_path / "page.html")]) == 1
    assert "the number of rows must be 1 to 336,776, got 336,777" in capsys.readouterr().err


def test_page_that_is_a_folder_is_refused_before_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--output", str(tmp_path)]) == 1

    err = capsys.readouterr().err
    assert "is a folder" in err
    assert "started" not in err


def test_corrupt_row_ends_with_status_1_and_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_flights(tmp_path / "flights.csv", [flight_line(), flight_line(dep_delay="soon")])
    page = tmp_path / "page.html"

    status = main(["demo", "--skip-spark", "--csv", str(source), "--output", str(page)])

    assert status == 1
    assert "row 2 (line 3 of the file), column dep_delay: 'soon' is no whole number" in capsys.readouterr().err
    assert not page.exists()


@pytest.mark.slow
def test_rejected_row_is_counted_and_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_flights(tmp_path / "flights.csv", [flight_line(), flight_line(dep_delay="soon")])
    arguments = ["--skip-spark", "--csv", str(source), "--on-corrupt", "reject", "--json"]

    assert main(["demo", *arguments, "--output", str(tmp_path / "page.html")]) == 0

    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["flights"], outcome["rejected"], outcome["cancelled"]) == (1, 1, 0)
    assert [rejected["row"] for rejected in outcome["rejected_rows"]] == [2]


@pytest.mark.parametrize(
    ("content", "said"),
    [([], "has no rows"), (None, "No such file or directory")],
    ids=["empty", "missing"],
)
def test_unusable_file_ends_with_status_1(tmp_path: Path, capsys, content, said: str) -> None:
    source = tmp_path / "flights.csv"
    if content is not None:
        write_flights(source, content)

    assert main(["demo", "--csv", str(source), "--output", str(tmp_path / "page.html")]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process there gets Ctrl-C in another way")
def test_ctrl_c_in_the_middle_of_a_run_ends_with_status_130_and_no_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "reactivestreams", "demo", "--skip-spark", "--output", str(page)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        seen = next(line for line in process.stderr if line == "Slow consumer: started\n")
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert seen
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not page.exists()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_spark_gives_the_same_results_and_java_does_not_disturb_the_progress(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs the extra spark")
    page = tmp_path / "page.html"

    # In a process of its own: a Java that this process starts would serve all later tests.
    run = subprocess.run(
        [sys.executable, "-m", "reactivestreams", "demo", "--rows", "3000", "--json", "--output", str(page)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout)
    assert [part["name"] for part in outcome["runs"]] == ["caller", "spark", "streaming", "engine", "slow"]
    assert [part["difference"] for part in outcome["runs"]] == [None] * 5
    assert {part["results"] for part in outcome["runs"]} == {outcome["flights"]}
    titles = (
        "Caller's thread: ",
        "Spark: ",
        "Spark streaming, killed once: ",
        "Engine, killed three times: ",
        "Slow consumer: ",
    )
    assert [line for line in run.stderr.splitlines() if not line.startswith(titles)] == []
    assert page.exists()
