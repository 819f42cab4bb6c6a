"""Verifies correct components again and again on a busy machine."""

import os

from tests.tck_selftest.fixtures.all_fixtures import ALL_FIXTURES
from tests.tck_selftest.processor_load import busy_processes
from tests.tck_selftest.progress import Progress
from tests.tck_selftest.verifying import verify

__all__ = ["alarms_of_repetitions"]


def alarms_of_repetitions(repetitions: int) -> dict[str, list[str]]:
    """Verify every correct component so many times and return what the kit says against each, by its shape.

    Several verifications share each processor, and as many busy processes as there are processors run beside them.
    """
    shapes = [fixture.shape for _ in range(repetitions) for fixture in ALL_FIXTURES]
    found: dict[str, list[str]] = {}
    progress = Progress("verifications of correct components under load", len(shapes))
    with busy_processes(os.cpu_count() or 1):
        for fixture, alarms in verify(shapes):
            if alarms:
                found.setdefault(fixture.shape, []).extend(alarms)
                for alarm in alarms:
                    progress.say(f"false alarm: {fixture.shape}: {alarm}")
            progress.step(f"{sum(map(len, found.values()))} false alarms")
    return found
