"""Verifies correct components in processes of their own, several at a time."""

import gc
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from reactivestreams.tck import Environment
from tests.tck_selftest.fixtures.all_fixtures import ALL_FIXTURES
from tests.tck_selftest.fixtures.fixture import Fixture, false_alarms
from tests.tck_selftest.fixtures.slow_fixtures import SLOW_FIXTURES

__all__ = ["verify"]

_FIXTURES = {fixture.shape: fixture for fixture in (*ALL_FIXTURES, *SLOW_FIXTURES)}

PROCESSES_PER_CORE = 3
"""A verification waits more than half of its time, also on a busy machine."""


def verify(shapes: Iterable[str]) -> Iterator[tuple[Fixture, list[str]]]:
    """Give each component with what the kit says against it, as the verifications end.

    Args:
        shapes: The shapes of the components; one may come many times.
    """
    processes = PROCESSES_PER_CORE * (os.cpu_count() or 1)
    with ProcessPoolExecutor(processes, get_context("spawn"), _prepare) as workers:
        futures = {workers.submit(_alarms, shape): _FIXTURES[shape] for shape in shapes}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _alarms(shape: str) -> list[str]:
    return false_alarms(_FIXTURES[shape], Environment())


def _prepare() -> None:
    # Collections, of which the checks of §3.13 ask for many, need not look at what was imported.
    gc.collect()
    gc.freeze()
    # Subjects log what they drop, by the thousand.
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
