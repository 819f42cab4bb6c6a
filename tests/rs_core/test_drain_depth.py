"""Very deep chains in a thread with a stack of 256 KiB: nothing in the core recurses from stage to stage."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rs_core.deep_chains import KINDS

OPERATORS = 10_000
CHECKOUT = Path(__file__).resolve().parents[2]


def lines_of(*arguments: str) -> list[str]:
    """Return what the program says; the last line is "done" only if nothing went wrong."""
    finished = subprocess.run(
        [sys.executable, "-m", "tests.rs_core.deep_chains", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, "REACTIVESTREAMS_DEBUG": "0"},  # what is checked waits for the collector
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    print(finished.stderr, file=sys.stderr)
    return [*finished.stdout.splitlines(), f"status {finished.returncode}"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, "mix"])
def test_ten_thousand_operators_need_a_flat_stack(kind: str) -> None:
    assert lines_of(kind, str(OPERATORS)) == [
        "assembled", "ran", "failed", "was cancelled", "was saved and loaded", "was freed", "done", "status 0",
    ]  # fmt: skip


@pytest.mark.slow
def test_chain_longer_than_the_documented_maximum_is_refused_when_it_is_built() -> None:
    assert lines_of("deepest") == ["was refused when too deep", "ran", "was freed", "done", "status 0"]
