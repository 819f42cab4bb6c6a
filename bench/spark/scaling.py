"""How a pipeline's time changes with the number of executors: `python -m bench.spark.scaling`, by hand.

Each count of executors is a session of its own, `local-cluster[n,1,1024]`: one core an executor, Python workers beside
it. The figures stand in docs/explanation/spark.md. One executor with its Python worker keeps two cores busy, so that on
a small machine more executors cannot be quicker where functions compute: those cases show what an executor costs. Where
functions wait, as for a service, the machine is no limit: those cases show whether the work is spread. Processor time
is that of this process and all below it: driver, executors, Python workers. Unlike the time that passes it hardly
depends on what else the machine does (Linux only).
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reactivestreams import pipeline
from reactivestreams import spark as ours

PARTITIONS = 16
KEYS = 1000
BUCKETS = 16
PAUSE_SECONDS = 0.001


def stateless(session: Any, rows: int) -> None:
    """Run row functions on the executors; nothing moves."""
    run(pipeline().map(lambda row: (row[0], row[0] * 3 % 1000)).filter(lambda row: row[1] > 100), session, rows)


def run(described: Any, session: Any, rows: int, **arguments: Any) -> None:
    """Apply a pipeline to rows with a number each, and throw the results away."""
    frame = session.range(rows, numPartitions=PARTITIONS)
    applied = ours.apply(described, frame, schema="id long, value long", as_="tuples", **arguments)
    applied.write.format("noop").mode("overwrite").save()


def key(row: tuple[int]) -> int:
    return row[0] % KEYS


def add(state: tuple[int, int], row: tuple[int]) -> tuple[int, int]:
    return row[0], state[1] + row[0]


def keyed(session: Any, rows: int) -> None:
    """Keep state for each key: rows move to their bucket's task, and are sorted there."""
    run(pipeline().key_by(key).scan(add, (0, 0)), session, rows, order_by="id", buckets=BUCKETS)


def waited(row: tuple[int]) -> tuple[int, int]:
    time.sleep(PAUSE_SECONDS)
    return row[0], 0


def add_slowly(state: tuple[int, int], row: tuple[int]) -> tuple[int, int]:
    time.sleep(PAUSE_SECONDS)
    return add(state, row)


def waiting(session: Any, rows: int) -> None:
    """Run a row function that waits."""
    run(pipeline().map(waited), session, rows)


def waiting_keyed(session: Any, rows: int) -> None:
    """Keep state for each key by a function that waits."""
    run(pipeline().key_by(key).scan(add_slowly, (0, 0)), session, rows, order_by="id", buckets=BUCKETS)


def window(session: Any, rows: int) -> None:
    """Read a DataFrame's Arrow batches in this process: all passes through one driver."""
    frame = session.range(rows, numPartitions=PARTITIONS).selectExpr(
        "id", "id * 2 as double", "cast(id as double) as x"
    )
    read = sum(batch.num_rows for batch in ours.from_dataframe(frame, as_="batches"))
    assert read == rows, (read, rows)


CASES: dict[str, tuple[Callable[[Any, int], None], int]] = {
    "stateless": (stateless, 1_000_000),
    "keyed": (keyed, 1_000_000),
    "window": (window, 8_000_000),
    "waiting": (waiting, 3_000),
    "waiting, keyed": (waiting_keyed, 3_000),
}


def main() -> None:
    """Measure each case with each count of executors, and print the best of some repeats."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--warm", type=int, default=3, help="runs before: each executor's JVM needs some to get quick")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES], help="all by default")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, best of {options.repeats} runs after {options.warm}")
    print(
        f"{'executors':>9}  {'case':<16}{'rows':>10}{'seconds':>9}{'M rows/s':>10}{'against one':>13}{'CPU us/row':>12}"
    )
    first: dict[str, float] = {}
    for executors in options.executors:
        settings = {"spark.executor.memory": "1g", "spark.driver.memory": "1g"}
        session = ours.session(f"local-cluster[{executors},1,1024]", config=settings)
        try:
            for name in options.cases:
                case, most = CASES[name]
                rows = int(most * options.scale)
                for _ in range(options.warm):
                    case(session, rows)
                taken = [cost(case, session, rows) for _ in range(options.repeats)]
                best, processor = (min(column) for column in zip(*taken, strict=True))
                first.setdefault(name, best)
                speed = f"{rows / best / 1e6:>10.3f}{first[name] / best:>12.2f}x{processor / rows * 1e6:>12.2f}"
                print(f"{executors:>9}  {name:<16}{rows:>10}{best:>9.2f}{speed}", flush=True)
        finally:
            session.stop()


def cost(case: Callable[[Any, int], None], session: Any, rows: int) -> tuple[float, float]:
    """Return the seconds that one run takes, and the seconds of processors."""
    started, before = time.perf_counter(), processor_seconds()
    case(session, rows)
    return time.perf_counter() - started, processor_seconds() - before


def processor_seconds() -> float:
    """Return the processor time of this process and of all below it; ended ones are counted by who waited for them."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(folder.name)
        parents.setdefault(int(fields[1]), []).append(process)
        ticks[process] = sum(map(int, fields[11:15]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += parents.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
