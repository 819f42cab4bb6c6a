"""What a keyed batch costs a row, a key, a task, a block of the shuffle: `python -m bench.spark.cost_model`, by hand.

It runs a keyed pipeline with different numbers of rows, keys, partitions and buckets on 1, 2 and 4 executors, fits the
processor time of the executors with their Python workers and that of the driver's JVM, and says from them what 10, 100
and 1,000 executors would take: they share their part, and the driver has its own alone. A block of the shuffle is what
one task sends to another. Then rows of which a share has one key: all of these are in one task. The figures stand in
docs/explanation/spark.md.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bench.spark.scaling import processor_seconds
from reactivestreams import pipeline
from reactivestreams import spark as ours
from reactivestreams.spark.plan.pipeline_plan import MAX_BUCKETS

SHARES = (0.0, 0.1, 0.5, 1.0)
SKEWED_PARTITIONS = 16
ROWS_A_TASK = 1_000_000
"""Rows of each partition of the runs that are predicted."""

PREDICTED = (10, 100, 1_000)


@dataclass(frozen=True, slots=True)
class Load:
    """What one run processes.

    Attributes:
        rows: How many rows.
        keys: How many keys.
        partitions: How many tasks read them.
        buckets: How many tasks have their state.
        share: The share of rows with one key.
    """

    rows: int
    keys: int
    partitions: int
    buckets: int
    share: float = 0.0

    def terms(self) -> tuple[float, ...]:
        """Return how much there is of each cost of the model: `TERMS`."""
        tasks = self.partitions + self.buckets
        return self.rows, self.keys, tasks, self.partitions * self.buckets, 1


TERMS = ("row", "key", "task", "block of the shuffle", "run")

LOADS = (
    Load(1_000_000, 1_000, 16, 16),
    Load(400_000, 1_000, 16, 16),
    Load(400_000, 200_000, 16, 16),
    Load(1_000_000, 500_000, 16, 16),
    Load(100_000, 1_000, 16, 16),
    Load(100_000, 1_000, 128, 16),
    Load(100_000, 1_000, 16, 128),
    Load(100_000, 1_000, 128, 128),
    Load(100_000, 1_000, 256, 256),
)


@dataclass(frozen=True, slots=True)
class KeyOf:
    """Returns the key of a row; the first rows of each thousand have one key."""

    keys: int
    share: float

    def __call__(self, row: tuple[int]) -> int:
        return 0 if row[0] % 1000 < self.share * 1000 else row[0] % self.keys


def add(state: tuple[int, int], row: tuple[int]) -> tuple[int, int]:
    """Return number and sum."""
    return row[0], state[1] + row[0]


class Taken(NamedTuple):
    """The seconds of a run: those that pass, those of executors and their Python workers, those of the driver."""

    elapsed: float
    executors: float
    driver: float


def driver_seconds(session: Any) -> float:
    """Return the processor time of the driver's JVM alone."""
    process = session.sparkContext._gateway.proc.pid
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    java = process if not children else next((int(child) for child in children), process)
    fields = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(session: Any, load: Load) -> Taken:
    """Run a keyed pipeline and return what it takes."""
    frame = session.range(load.rows, numPartitions=load.partitions)
    stages = pipeline().key_by(KeyOf(load.keys, load.share)).scan(add, (0, 0))
    arguments: dict[str, Any] = {"as_": "tuples", "order_by": "id", "buckets": load.buckets}
    applied = ours.apply(stages, frame, schema="id long, value long", **arguments)
    started, of_all, of_driver = time.perf_counter(), processor_seconds(), driver_seconds(session)
    applied.write.format("noop").mode("overwrite").save()
    driver = driver_seconds(session) - of_driver
    return Taken(time.perf_counter() - started, processor_seconds() - of_all - driver, driver)


def best(session: Any, load: Load, repeats: int) -> Taken:
    """Return the least of some runs."""
    taken = [run(session, load) for _ in range(repeats)]
    return Taken(*map(min, zip(*taken, strict=True)))


def fitted(loads: list[Load], seconds: list[float], used: list[int]) -> list[float]:
    """Return the seconds of each of the terms, none below 0, and by which share they miss in the mean.

    Args:
        loads: What was run.
        seconds: How long each took.
        used: The places of the terms that may cost something.
    """
    import numpy as np

    terms = np.array([load.terms() for load in loads])
    weights = 1 / np.array(seconds)  # of relative errors, so that short runs count as much as long ones
    while True:
        found = np.linalg.lstsq(terms[:, used] * weights[:, None], np.ones(len(seconds)), rcond=None)[0]
        if min(found) >= 0:
            break
        used = [place for place in used if place != used[int(found.argmin())]]
    costs = [0.0] * len(TERMS)
    for place, cost in zip(used, found, strict=True):
        costs[place] = float(cost)
    missed = np.abs(terms @ np.array(costs) * weights - 1)
    return [*costs, float(missed.mean())]


def main() -> None:
    """Measure, fit and predict."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--warm", type=int, default=15, help="runs before, until the JVMs have compiled their code")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, best of {options.repeats} runs after {options.warm}")
    costs: dict[str, list[float]] = {}
    skewed = [Load(1_000_000, 1_000, SKEWED_PARTITIONS, SKEWED_PARTITIONS, share) for share in SHARES]
    for executors in options.executors:
        settings = {"spark.executor.memory": "1g", "spark.driver.memory": "1g"}
        session = ours.session(f"local-cluster[{executors},1,1024]", config=settings)
        try:
            for _ in range(options.warm):
                run(session, LOADS[1])
            taken = [best(session, load, options.repeats) for load in LOADS]
            for part, used in (("executors", [0, 1, 2, 3, 4]), ("driver", [2, 3, 4])):  # the driver sees no row
                costs[part] = fitted([*LOADS], [getattr(each, part) for each in taken], used)
                pairs = zip(TERMS, costs[part], strict=False)
                shown = ", ".join(f"{cost * 1e6:,.2f} us a {term}" for term, cost in pairs)
                print(f"{executors} executors, {part}: {shown}; off by {costs[part][-1]:.0%}", flush=True)
            for load in skewed:
                one = best(session, load, options.repeats)
                print(f"    {load.share:>4.0%} with one key: {one.elapsed:.2f} s, {one.executors:.2f} s of processors")
        finally:
            session.stop()
    for executors in PREDICTED:
        tasks = 4 * executors
        load = Load(tasks * ROWS_A_TASK, tasks * ROWS_A_TASK // 100, tasks, min(tasks, MAX_BUCKETS))
        for part, share in (("executors", executors), ("driver", 1)):
            parts = [cost * count / share for cost, count in zip(costs[part], load.terms(), strict=False)]
            said = ", ".join(f"{seconds:,.2f} s of {term}s" for term, seconds in zip(TERMS, parts, strict=False))
            print(f"{executors:,} executors of one core, {load.rows:,} rows, {part}: {said}")


if __name__ == "__main__":
    main()
