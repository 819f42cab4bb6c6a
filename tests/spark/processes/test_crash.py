"""A streaming query whose processes are killed with kill -9: a short form of `make spark-crash-test`."""

import random
from pathlib import Path

import pytest

from tests.spark_crash.__main__ import CLUSTER_SHARES, SHARES, shared_kills, table
from tests.spark_crash.crash_run import CrashReport, Driver, crash_run
from tests.spark_crash.kill_points import PHASES, VICTIMS

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

KILLS = {
    "factory": [("reading", "worker"), ("planning", "planner")],
    "log": [("processing", "worker"), ("commit", "driver")],
    "keyed-2": [("written", "driver")],
}


@pytest.mark.parametrize("kind", KILLS)
def test_kills_lose_and_repeat_nothing(kind: str, tmp_path: Path) -> None:
    lines: list[str] = []

    report = crash_run(
        Driver(tmp_path, kind, "local[2,1000]", str(tmp_path)),
        KILLS[kind],
        seed=20130101,
        rows_after=800,
        tell=lines.append,
    )

    assert (report.lost, report.repeated, report.wrong) == (0, 0, 0)
    assert sorted(report.kills.elements()) == sorted(KILLS[kind])
    assert len(lines) == len(KILLS[kind])
    assert report.rows >= 1_000


def test_kills_of_the_long_form_cover_each_phase_and_victim() -> None:
    forms = (SHARES, CLUSTER_SHARES)
    counts = [
        [kill for shares in form.values() for kill in shared_kills(shares, 1.0, random.Random(1))] for form in forms
    ]

    assert min(map(len, counts)) >= 100
    kills = {kill for form in counts for kill in form}
    assert {phase for phase, _ in kills} == set(PHASES)
    assert {victim for _, victim in kills} == set(VICTIMS)


def test_table_counts_what_was_killed_and_what_went_wrong() -> None:
    report = CrashReport("factory", "local[2]", rows=10, lost=1, repeated=2, wrong=3, seconds=4.2)
    report.kills.update([("reading", "worker"), ("reading", "worker"), ("commit", "driver")])

    shown = table([report]).splitlines()

    assert shown[0].split() == ["killed", "while", "driver", "worker", "all"]
    assert shown[2].split() == ["reading", "0", "2", "2", "##"]
    assert shown[-1].split() == ["factory", "local[2]", "3", "10", "1", "2", "3", "4"]
