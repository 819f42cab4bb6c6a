"""Verifies correct components: on a machine that has time, slow ones, and again and again on a busy machine."""

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext

from tests.tck_selftest.figures import Repetitions
from tests.tck_selftest.fixtures.all_fixtures import ALL_FIXTURES
from tests.tck_selftest.fixtures.fixture import Fixture
from tests.tck_selftest.fixtures.slow_fixtures import SLOW_FIXTURES
from tests.tck_selftest.processor_load import busy_processes
from tests.tck_selftest.progress import Progress
from tests.tck_selftest.verifying import verify

__all__ = ["repetitions_of_correct_components"]

LOADED_FOR_EACH_OTHER = 20
"""How many times a component is verified under load for each time that it is without, and a slow one at all."""


def repetitions_of_correct_components(repetitions: int) -> Iterator[Repetitions]:
    """Verify correct components and give what came of it: of fast runs, of slow ones, and of loaded ones.

    Several verifications share each processor; in the loaded runs as many busy processes as there are processors run
    beside them.

    Args:
        repetitions: How many times each component is verified under load.
    """
    few = -(-repetitions // LOADED_FOR_EACH_OTHER)
    yield _repeated("fast", ALL_FIXTURES, few)
    yield _repeated("slow", SLOW_FIXTURES, few)
    yield _repeated("loaded", ALL_FIXTURES, repetitions, busy=os.cpu_count() or 1)


def _repeated(kind: str, fixtures: Sequence[Fixture], repetitions: int, *, busy: int = 0) -> Repetitions:
    shapes = [fixture.shape for _ in range(repetitions) for fixture in fixtures]
    found: dict[str, list[str]] = {}
    progress = Progress(f"{kind} verifications of correct components", len(shapes))
    with busy_processes(busy) if busy else nullcontext():
        for fixture, alarms in verify(shapes):
            if alarms:
                found.setdefault(fixture.shape, []).extend(alarms)
                for alarm in alarms:
                    progress.say(f"false alarm: {fixture.shape}: {alarm}")
            progress.step(f"{sum(map(len, found.values()))} false alarms")
    return Repetitions(kind, repetitions, len(fixtures), found)
