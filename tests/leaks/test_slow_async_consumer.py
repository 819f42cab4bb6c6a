"""A slow task holds its fast source back: what waits is bounded, and the memory stays flat."""

import subprocess
import sys

import pytest

from tests.leaks.slow_async_consumer import BOUND, PREFETCH
from tests.leaks.test_growth import CHECKOUT


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_waits_for_a_slow_task_is_bounded() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tests.leaks.slow_async_consumer"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    most_waiting, growth_kibibytes = map(int, finished.stdout.split())
    assert PREFETCH <= most_waiting <= BOUND + PREFETCH
    assert growth_kibibytes <= 2 * 1024
