"""Runs correct components again and again on a busy machine and counts what the kit says against them."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from reactivestreams.tck import Environment
from tests.tck_selftest.fixtures.all_fixtures import ALL_FIXTURES
from tests.tck_selftest.fixtures.fixture import false_alarms
from tests.tck_selftest.processor_load import busy_processes
from tests.tck_selftest.progress import Progress

__all__ = ["alarms_of_repetitions"]


def alarms_of_repetitions(repetitions: int) -> dict[str, list[str]]:
    """Run every correct component so many times and return what the kit says against each, by its shape.

    As many busy processes as there are processors run beside twice as many that verify: a verification waits most of
    its time, and each finds the processor taken when it does not.
    """
    cores = os.cpu_count() or 1
    rounds = [number for _ in range(repetitions) for number in range(len(ALL_FIXTURES))]
    found: dict[str, list[str]] = {}
    progress = Progress("verifications of correct components under load", len(rounds))
    with busy_processes(cores), ProcessPoolExecutor(2 * cores, get_context("spawn"), _be_quiet) as workers:
        for number, alarms in _results(workers, rounds):
            if alarms:
                found.setdefault(ALL_FIXTURES[number].shape, []).extend(alarms)
            progress.step(f"{sum(map(len, found.values()))} false alarms")
    return found


def _results(workers: ProcessPoolExecutor, rounds: list[int]) -> Iterator[tuple[int, list[str]]]:
    futures = {workers.submit(_alarms, number): number for number in rounds}
    for future in as_completed(futures):
        yield futures[future], future.result()


def _alarms(number: int) -> list[str]:
    return false_alarms(ALL_FIXTURES[number], Environment())


def _be_quiet() -> None:
    # Subjects log what they drop, by the thousand.
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
