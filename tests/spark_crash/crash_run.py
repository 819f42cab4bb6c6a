"""One run: a query whose processes are killed again and again, and what it has written in the end."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from tests.spark_crash.kill_points import KillPoints

__all__ = ["CrashReport", "Kill", "crash_run"]

ROOT = Path(__file__).resolve().parents[2]

KILL_SECONDS = 180.0
"""How long a run may take to reach the place of a kill, a start of the driver included."""

FINISH_SECONDS = 300.0
SHOWN_CHARACTERS = 4_000
ROWS_AFTER_THE_LAST_KILL = 1_600
LONGEST_PAUSE_SECONDS = 0.4

SHARE_AFTER_A_BATCH = 0.5
"""Share of the kills that wait until the query has written one more batch."""

Kill = tuple[str, str]
"""A phase and a victim."""


@dataclass
class CrashReport:
    """What a run came to.

    Args:
        kind: Kind of the query.
        master: Where Spark ran.
        kills: How often each victim was killed in each phase.
        rows: How many rows there should be.
        lost: How many are missing.
        repeated: How many are there more often than once.
        wrong: How many have a wrong value.
        seconds: How long it took.
    """

    kind: str
    master: str
    kills: Counter[Kill] = field(default_factory=Counter)
    rows: int = 0
    lost: int = 0
    repeated: int = 0
    wrong: int = 0
    seconds: float = 0.0


class Driver:
    """The driver's process, started anew when it was killed.

    Args:
        folder: Folder of the run.
        kind: Kind of the query.
        master: Where Spark runs.
    """

    def __init__(self, folder: Path, kind: str, master: str) -> None:
        self.folder = folder
        self.command = [sys.executable, "-m", "tests.spark_crash.crash_driver", str(folder), kind, master]
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None

    def ensure(self) -> None:
        """Start the driver where it does not run."""
        if self.process is not None and self.process.poll() is None:
            return
        self.starts += 1
        with open(self.folder / f"driver-{self.starts}.txt", "wb") as output:
            self.process = subprocess.Popen(
                self.command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )

    def has_finished(self) -> bool:
        """Tell whether the driver has ended by itself, with all rows written."""
        return self.process is not None and self.process.poll() == 0

    def stop(self) -> None:
        """Kill the driver where it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)

    def last_words(self) -> str:
        """Return the end of what the driver said."""
        path = self.folder / f"driver-{self.starts}.txt"
        return path.read_text(encoding="utf-8", errors="replace")[-SHOWN_CHARACTERS:]


def crash_run(
    folder: Path,
    kills: Iterable[Kill],
    *,
    kind: str,
    master: str,
    seed: int,
    rows_after: int = ROWS_AFTER_THE_LAST_KILL,
    tell: Callable[[str], None] = print,
) -> CrashReport:
    """Run a query, kill its processes at the given places, let it finish and count its rows.

    Args:
        folder: An empty folder.
        kills: The kills, in order.
        kind: `"factory"` or `"log"`, or `"keyed"` or `"keyed-2"` for a factory and a query with state.
        master: Where Spark runs.
        seed: Decides the pauses between kills.
        rows_after: How many rows come after those that were planned at the last kill; enough for the driver to see
            their end before it plans them.
        tell: Called with a line of progress.

    Raises:
        TimeoutError: A place was not reached, or the end; the message has what the driver said.
    """
    report = CrashReport(kind, master)
    begun = time.monotonic()
    pauses = random.Random(seed)
    points = KillPoints(folder)
    driver = Driver(folder, kind, master)
    wanted = list(kills)
    try:
        for number, (phase, victim) in enumerate(wanted, 1):
            if pauses.random() < SHARE_AFTER_A_BATCH:
                # Else most kills would fall into the first batches, which kills keep from ending.
                written = len(batches_in(folder))
                wait_for(lambda: len(batches_in(folder)) > written, driver, f"batch {written}", KILL_SECONDS)  # noqa: B023
            time.sleep(pauses.uniform(0, LONGEST_PAUSE_SECONDS))
            points.arm(number, phase, victim)
            wait_for(lambda: points.is_claimed(number), driver, f"kill {number} ({victim} in {phase})", KILL_SECONDS)  # noqa: B023
            report.kills[phase, victim] += 1
            tell(
                f"{kind} on {master}: kill {number} of {len(wanted)}, {victim} while {phase}; "
                f"batches {len(batches_in(folder))}, starts of the driver {driver.starts}"
            )
        points.disarm()
        report.rows = planned_end(folder) + rows_after
        # By one rename: who reads it sees all of it or nothing.
        (folder / "limit.new").write_text(str(report.rows))
        (folder / "limit.new").rename(folder / "limit")
        wait_for(driver.has_finished, driver, "the end of the query", FINISH_SECONDS)
    finally:
        driver.stop()
    count_rows(folder, report)
    report.seconds = time.monotonic() - begun
    return report


def wait_for(condition: Callable[[], bool], driver: Driver, what: str, limit_seconds: float) -> None:
    """Wait for something, with a driver that is started whenever it is dead."""
    deadline = time.monotonic() + limit_seconds
    while not condition():
        driver.ensure()
        if time.monotonic() > deadline:
            raise TimeoutError(
                f"{what} was not reached in {limit_seconds:g} s; the driver said:\n{driver.last_words()}"
            )
        time.sleep(0.02)


def batches_in(folder: Path) -> list[Path]:
    """Return the folders of the batches that are written."""
    return [*(folder / "out").glob("batch_id=*")]


def planned_end(folder: Path) -> int:
    """Return up to which number the query has planned batches."""
    ends = [0]
    for path in (folder / "checkpoint" / "offsets").glob("[0-9]*"):
        text = path.read_text().splitlines()[-1:]
        ends += [json.loads(line)["element"] for line in text if line.startswith("{")]
    return max(ends)


def count_rows(folder: Path, report: CrashReport) -> None:
    """Compare what is written with what should be."""
    times: Counter[int] = Counter()
    for batch in batches_in(folder):
        table = pq.read_table(batch, partitioning=None)
        ids = table["id"].to_pylist()
        times.update(ids)
        report.wrong += sum(
            square != number * number for number, square in zip(ids, table["square"].to_pylist(), strict=True)
        )
    report.lost = sum(number not in times for number in range(report.rows))
    report.repeated = sum(count - 1 for count in times.values())
    report.wrong += sum(number >= report.rows for number in times)
