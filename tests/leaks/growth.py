"""Prints what is left after a scenario was run again and again.

python -m tests.leaks.growth objects|blocks|memory|at_once SCENARIO
"""

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

from rs_core.dropped import set_hook
from tests.leaks.scenarios import SCENARIOS, TRIALS, settle

ALL = {**SCENARIOS, **TRIALS}

WARM_UP = 100
REPETITIONS = 200
ROUNDS = 3
MANY_REPETITIONS = 100_000


def objects_left(name: str) -> int:
    """Return by how many objects that the collector knows the process grows."""
    repeat(name, WARM_UP)
    return least_growth(name, REPETITIONS, lambda: len(gc.get_objects()))


def blocks_left(name: str) -> int:
    """Return by how many blocks of Python's allocator the process grows."""
    repeat(name, WARM_UP)
    return least_growth(name, REPETITIONS, sys.getallocatedblocks)


def objects_left_at_once(name: str) -> int:
    """Return how many objects wait for the collector after a single run."""
    repeat(name, WARM_UP)
    settle()
    gc.disable()
    ALL[name]()
    return gc.collect()


def kibibytes_left(name: str) -> int:
    """Return by how many KiB the resident memory grows."""
    repeat(name, MANY_REPETITIONS // 10)
    return least_growth(name, MANY_REPETITIONS, resident_kibibytes)


def least_growth(name: str, repetitions: int, level: Callable[[], int]) -> int:
    """Return the least growth of several rounds: a leak grows in each, a cache of the interpreter's in one of them."""
    growth = []
    for _ in range(ROUNDS):
        settle()
        before = level()
        repeat(name, repetitions)
        settle()
        growth.append(level() - before)
    return min(growth)


def resident_kibibytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def repeat(name: str, times: int) -> None:
    for _ in range(times):
        ALL[name]()


if __name__ == "__main__":
    set_hook(lambda signal, value, *, origin: None)
    measure = {
        "objects": objects_left, "blocks": blocks_left, "memory": kibibytes_left, "at_once": objects_left_at_once
    }[sys.argv[1]]  # fmt: skip
    for scenario in sys.argv[2:]:
        print(scenario, measure(scenario), flush=True)
