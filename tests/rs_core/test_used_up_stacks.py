"""Where a stack is used up, streams raise RecursionError or go on: nothing crashes, and nothing waits for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rs_core.used_up_stacks import CASES

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_used_up_stack_is_an_error_and_no_crash(case: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.rs_core.used_up_stacks", case],
        cwd=CHECKOUT,
        env={**os.environ, "REACTIVESTREAMS_DEBUG": "0"},  # as programs run
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    assert finished.stdout.strip() in {"worked", "RecursionError"}
