"""What does it cost to import the library and to run a first stream?

The baseline imports reactivex and makes no stream. Each run is an interpreter of its own, which reports the processor
time from its first line to its last: its start is not in it. After the first round all files are in the system's cache.
"""

import os
import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

FIRST_STREAM = "from reactivestreams import Stream; Stream.range(3).map(str).to_list()"
REACTIVEX = "import reactivex"

PROGRAMS = {"import, and a first stream": FIRST_STREAM, "import reactivex": REACTIVEX}

TIMED = "from time import process_time_ns as now; began = now(); {}; print(now() - began)"

_spent: list[int] = []


def run(program: str) -> None:
    """Run a program in an interpreter of its own, and note the nanoseconds that it took."""
    command = [sys.executable, "-c", TIMED.format(program)]
    _spent.append(int(subprocess.run(command, check=True, capture_output=True, text=True, env=_environment()).stdout))


def _environment() -> dict[str, str]:
    """Return the environment with bytecode: where none is written each run would compile what changed since it was."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def time_of_programs() -> int:
    """Return the nanoseconds of all programs so far: the clock of these cases."""
    return sum(_spent)


@pytest.mark.parametrize("name", PROGRAMS)
def bench_import(benchmark: BenchmarkFixture, name: str) -> None:
    """What does a program cost from the start of its interpreter to its end?"""
    benchmark(run, PROGRAMS[name])
