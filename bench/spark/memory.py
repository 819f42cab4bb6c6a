"""How much memory a keyed query takes while its keys grow: `python -m bench.spark.memory`, by hand.

Executors are processes of their own, `local-cluster[2,1,1024]`. Each step gives the query keys that it has not seen,
in micro-batches, and then micro-batches of few rows, whose median time is told. The memory is the most that one process
had in a step, looked at ten times a second: that of Python workers, which hold the keys of a micro-batch, and that of
the executors' JVMs with the state store (Linux only). The figures stand in docs/explanation/spark.md.
"""

import argparse
import os
import statistics
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from bench.spark.bench_keyed_state import HeldQuery, aggregate, ours
from reactivestreams.spark import session

MEGABYTE = 2**20
ROWS_A_BATCH = 250_000
FEW_ROWS, FEW_ROWS_BATCHES = 1_000, 5
BUCKETS, PARTITIONS = 64, 2
SAMPLE_SECONDS = 0.1
KINDS = {"worker": "pyspark.daemon", "executor": "CoarseGrainedExecutorBackend"}


class Peaks:
    """Looks at the memory of processes until it is closed.

    Attributes:
        most: The most megabytes that one process of each kind has had.
    """

    def __init__(self) -> None:
        self.most = dict.fromkeys(KINDS, 0)
        self.closed = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self) -> None:
        while not self.closed.wait(SAMPLE_SECONDS):
            for kind, size in sizes():
                self.most[kind] = max(self.most[kind], size)

    def close(self) -> dict[str, int]:
        """Stop looking, and return what was seen."""
        self.closed.set()
        self.thread.join()
        return self.most


def sizes() -> Iterator[tuple[str, int]]:
    """Yield the kind and the resident megabytes of each Python worker and each executor on this machine."""
    pages = os.sysconf("SC_PAGE_SIZE")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
            size = int((folder / "statm").read_text().split()[1]) * pages // MEGABYTE
        except OSError:
            continue
        for kind, word in KINDS.items():
            if word in command and size:
                yield kind, size


def add(query: HeldQuery, numbers: range) -> None:
    """Add a micro-batch of rows with the keys of some numbers, which are other ones for each."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rows = np.arange(numbers.start, numbers.stop)
    file = query.folder / "in" / f"{len(os.listdir(query.folder / 'in')):06}.parquet"
    parquet.write_table(pa.table({"key": rows * 7919 % query.keys, "x": rows.astype(float)}), file)


def main() -> None:
    """Run the query step by step and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keys", type=int, default=10_000_000, help="how many keys there are in the end")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--aggregate", action="store_true", help="measure Spark's aggregate instead")
    options = parser.parse_args()
    config = {
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.executor.memory": "1g",
        "spark.driver.memory": "2g",
    }
    running = session("local-cluster[2,1,1024]", config=config)
    applied = (aggregate, "update") if options.aggregate else (ours(BUCKETS), "append")
    print(f"{'keys':>12}{'ms of a batch of ' + str(FEW_ROWS):>24}{'MB of a worker':>16}{'MB of an executor':>19}")
    with tempfile.TemporaryDirectory() as folder:
        query = HeldQuery(running, Path(folder), *applied, options.keys)
        Path(folder, "in").mkdir()
        step = options.keys // options.steps
        for known in range(step, options.keys + 1, step):
            peaks = Peaks()
            for first in range(known - step, known, ROWS_A_BATCH):
                add(query, range(first, min(first + ROWS_A_BATCH, known)))
            query.progress()
            for batch in range(FEW_ROWS_BATCHES):
                add(query, range(batch * FEW_ROWS, (batch + 1) * FEW_ROWS))
            times = [each.durationMs["triggerExecution"] for each in query.progress()]
            most = peaks.close()
            print(
                f"{known:>12,}{statistics.median(times):>24.0f}{most['worker']:>16}{most['executor']:>19}", flush=True
            )
    running.stop()


if __name__ == "__main__":
    main()
