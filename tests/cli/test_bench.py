"""The command `bench`: each measure carries what it says; figures and machine are shown; no checkout is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reactivestreams.cli import ExitStatus, main
from reactivestreams.cli.bench import LEAST_SECONDS, MEASURES, RUNS, Measure, measured

SHORT = ["bench", "--seconds", str(LEAST_SECONDS)]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_measure_runs_to_its_end_for_few_and_many_elements(measure: Measure) -> None:
    for count in (1, 10, 2_000):
        measure.run(count)


def test_count_grows_until_a_run_takes_its_share_and_all_runs_have_the_same() -> None:
    counts: list[int] = []
    figure = measured(Measure("own", lambda count: counts.append(count) or sum(range(count))), 0.05)
    assert counts == sorted(counts)
    assert counts[-RUNS:] == [figure.elements] * RUNS
    assert figure.slowest <= figure.per_second <= figure.fastest


def test_table_has_each_measure_the_machine_and_where_the_suite_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(SHORT) == ExitStatus.SUCCESS
    said = capsys.readouterr().out
    assert [measure.name for measure in MEASURES if measure.name not in said] == []
    assert "interpreter  " in said
    assert "make bench" in said


def test_json_has_the_same_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SHORT, "--json"]) == ExitStatus.SUCCESS
    told = json.loads(capsys.readouterr().out)
    assert [figure["name"] for figure in told["figures"]] == [measure.name for measure in MEASURES]
    assert all(figure["per_second"] > 0 for figure in told["figures"])
    assert {"version", "core", "interpreter", "processor", "platform"} <= set(told)


@pytest.mark.parametrize("seconds", ["0", "31", "nan"])
def test_time_out_of_bounds_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--seconds", seconds]) == ExitStatus.USAGE
    assert f"{seconds} is not from 0.05 to 30 seconds" in capsys.readouterr().err


def test_it_runs_elsewhere_than_in_the_checkout_and_shows_its_progress(tmp_path: Path) -> None:
    import reactivestreams

    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "reactivestreams", *SHORT, "--json"],
        env={**os.environ, "PYTHONPATH": str(Path(reactivestreams.__file__).parents[1])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(json.loads(done.stdout)["figures"]) == len(MEASURES)
    assert done.stderr.startswith("measuring: started\n")
