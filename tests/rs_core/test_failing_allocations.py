"""Each allocation of a run fails once: the process lives, nothing waits for ever, and somebody is told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rs_core.failing_allocations import STREAMS

CHECKOUT = Path(__file__).resolve().parents[2]
POSITIONS = 120  # more than a run of six elements allocates after its first few

pytest.importorskip("_testcapi")  # of CPython's own tests, which not every installation has


@pytest.mark.slow
@pytest.mark.parametrize("stream", STREAMS)
def test_a_failing_allocation_is_an_error_and_no_crash(stream: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.rs_core.failing_allocations", stream, str(POSITIONS)],
        cwd=CHECKOUT,
        env={**os.environ, "REACTIVESTREAMS_DEBUG": "0"},  # as programs run
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    assert finished.stdout == "done\n"
