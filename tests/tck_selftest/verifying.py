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

__all__ = ["verify"]

PROCESSES_PER_CORE = 3
"""A verification waits more than half of its time, also on a busy machine."""


def verify(shapes: Iterable[str]) -> Iterator[tuple[Fixture, list[str]]]:
    """Give each component with what the kit says against it, as the verifications end.

    Args:
        shapes: The shapes of the components; one may come many times.
    """
    fixtures = {fixture.shape: fixture for fixture in ALL_FIXTURES}
    processes = PROCESSES_PER_CORE * (os.cpu_count() or 1)
    with ProcessPoolExecutor(processes, get_context("spawn"), _prepare) as workers:
        futures = {workers.submit(_alarms, shape): fixtures[shape] for shape in shapes}
        for future in as_completed(futures):
            yield futures[future], future.result()


def _alarms(shape: str) -> list[str]:
    fixture = next(fixture for fixture in ALL_FIXTURES if fixture.shape == shape)
    return false_alarms(fixture, Environment())


def _prepare() -> None:
    # Collections, of which the checks of §3.13 ask for many, need not look at what was imported.
    gc.collect()
    gc.freeze()
    # Subjects log what they drop, by the thousand.
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
