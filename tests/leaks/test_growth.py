"""Nothing of a stream is left when it has ended, however it ended."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.leaks.scenarios import FREED_BY_THE_COLLECTOR, SCENARIOS

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def growth(measure: str, *scenarios: str) -> dict[str, int]:
    """Run the scenarios in a process of their own; return what is left of each."""
    finished = subprocess.run(
        [sys.executable, "-m", "tests.leaks.growth", measure, *scenarios],
        cwd=CHECKOUT,
        env={**os.environ, "REACTIVESTREAMS_DEBUG": "0"},  # checks of signals are freed by the collector
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return {name: int(left) for name, left in map(str.split, finished.stdout.splitlines())}


# The interpreter keeps something for itself here and there; a leak would be one for each of the 200 repetitions.
TOLERATED = 100


def test_no_object_is_left_of_a_stream() -> None:
    left = growth("objects", *SCENARIOS)
    assert list(left) == list(SCENARIOS)
    assert {name: count for name, count in left.items() if count >= TOLERATED} == {}


def test_no_memory_block_is_left_of_a_stream() -> None:
    left = growth("blocks", *SCENARIOS)
    assert list(left) == list(SCENARIOS)
    assert {name: count for name, count in left.items() if count >= TOLERATED} == {}


def test_most_streams_need_no_collector() -> None:
    left = growth("at_once", *SCENARIOS)
    assert {name for name, count in left.items() if count > 0} == FREED_BY_THE_COLLECTOR


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_resident_memory_stays_flat_over_a_hundred_thousand_subscriptions() -> None:
    assert growth("memory", "short")["short"] <= 1024  # KiB


@pytest.mark.parametrize(("measure", "at_least"), [("objects", TOLERATED), ("blocks", TOLERATED), ("memory", 1025)])
def test_leak_is_seen(measure: str, at_least: int) -> None:
    scenario = f"leaks_{measure}"
    assert growth(measure, scenario)[scenario] >= at_least
