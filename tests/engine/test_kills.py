"""An engine that is killed with kill -9 from outside, in each phase of its work, loses and repeats nothing.

`make crash-test` does so two hundred times.
"""

import random
import sys
from pathlib import Path

import pytest

from tests.engine_crash.crash_run import PHASES, Kill, planned, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")


@pytest.mark.slow
def test_kill_in_each_phase_loses_and_repeats_nothing(tmp_path: Path) -> None:
    kills = [Kill(steps[-1], 1 if phase == "recovery" else 2) for phase, steps in PHASES.items()]
    report = run(tmp_path, [*kills, Kill("opened"), Kill("committing", 2, "after", 0.0005)], elements_a_kill=200)
    assert report.is_right, report
    phases = report.by_phase()
    assert all(phases[phase] >= 1 for phase in PHASES), phases


def test_plan_kills_in_all_phases() -> None:
    steps = {kill.step for kill in planned(200, random.Random(1))}
    assert steps == {"-", *(step for phase in PHASES.values() for step in phase)}
