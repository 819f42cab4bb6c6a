"""Ctrl-C while a stream runs or is waited for: it is cancelled, KeyboardInterrupt is raised, the process goes on."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rs_core.interrupted_streams import SITUATIONS

CHECKOUT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="os.kill(SIGINT) ends a process there"),
]

WITHOUT_AN_ITERATOR = {"to_list of a range", "run that waits for nothing"}


def run(situation: str) -> tuple[list[str], int]:
    finished = subprocess.run(
        [sys.executable, "-m", "tests.rs_core.interrupted_streams", situation],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    print(finished.stderr, file=sys.stderr)
    return finished.stdout.splitlines(), finished.returncode


@pytest.mark.parametrize("situation", SITUATIONS)
def test_ctrl_c_ends(situation: str) -> None:
    closed = [] if situation in WITHOUT_AN_ITERATOR else ["closed"]
    lines, status = run(situation)
    # A for loop that is interrupted in its own body drops its iterator only after that.
    assert (sorted(lines), status) == ([*closed, "interrupted", "next stream runs"], 0)


def test_ctrl_c_that_nobody_catches_ends_the_process() -> None:
    program = "from tests.rs_core.interrupted_streams import run; run('run')"
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, timeout=150, check=False
    )
    assert finished.stdout.splitlines() == ["closed"]
    assert finished.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert finished.returncode in {-signal.SIGINT, 130}
