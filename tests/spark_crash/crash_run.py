"""One run: a query whose processes are killed again and again, and what it has written in the end."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from reactivestreams import Stream
from tests.spark_crash.crash_driver import keyed_squares
from tests.spark_crash.kill_points import ANY_TIME, KillPoints

__all__ = ["CrashReport", "Driver", "Kill", "crash_run"]

ROOT = Path(__file__).resolve().parents[2]

KILL_SECONDS = 180.0
"""How long a run may take to reach the place of a kill, a start of the driver included."""

FINISH_SECONDS = 300.0
SHOWN_CHARACTERS = 4_000
ROWS_AFTER_THE_LAST_KILL = 1_600
LONGEST_PAUSE_SECONDS = 0.4
LONGEST_PAUSE_OF_ANY_TIME_SECONDS = 3.0

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
        folder: Folder of the run: the places to die at, what the drivers say and the result.
        kind: Kind of the query: `"factory"` or `"log"`, or `"keyed"` or `"keyed-2"` for a factory and a query with
            state.
        master: Where Spark runs.
        base: Path or URI of the folder for files and checkpoint.
    """

    def __init__(self, folder: Path, kind: str, master: str, base: str) -> None:
        self.folder = folder
        self.kind = kind
        self.master = master
        self.base = base
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None

    def command(self, session: Mapping[str, Any]) -> list[str]:
        """Return the command that runs the driver with a session of these arguments."""
        module = "tests.spark_crash.crash_driver"
        return [sys.executable, "-m", module, str(self.folder), self.kind, json.dumps(session), self.base]

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it, with what it says in the file `output`."""
        with self.output.open("wb") as output:
            command = self.command({"master": self.master, "fast": True})
            return subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )

    @property
    def output(self) -> Path:
        """The file with what the latest driver says."""
        return self.folder / f"driver-{self.starts}.txt"

    def kill(self, victim: str, order: random.Random) -> bool:
        """Kill a victim wherever it stands; return False where there is none at the moment."""
        raise NotImplementedError(f"only on a cluster the {victim} is killed at any time")

    def restore(self, victim: str, machine: str) -> None:
        """Start again what nothing else starts after a kill on a machine."""

    def ensure(self) -> None:
        """Start the driver where it does not run."""
        if self.process is not None and self.process.poll() is None:
            return
        self.starts += 1
        self.process = self.start()

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
        return self.output.read_text(encoding="utf-8", errors="replace")[-SHOWN_CHARACTERS:]


def crash_run(
    driver: Driver,
    kills: Iterable[Kill],
    *,
    seed: int,
    rows_after: int = ROWS_AFTER_THE_LAST_KILL,
    tell: Callable[[str], None] = print,
) -> CrashReport:
    """Run a query, kill its processes at the given places, let it finish and count its rows.

    Args:
        driver: The driver, with an empty folder.
        kills: The kills, in order.
        seed: Decides the pauses between kills.
        rows_after: How many rows come after those that were planned at the last kill; enough for the driver to see
            their end before it plans them.
        tell: Called with a line of progress.

    Raises:
        TimeoutError: A place was not reached, or the end; the message has what the driver said.
    """
    folder, kind, master = driver.folder, driver.kind, driver.master
    report = CrashReport(kind, master)
    begun = time.monotonic()
    pauses = random.Random(seed)
    points = KillPoints(folder)
    wanted = list(kills)
    try:
        for number, (phase, victim) in enumerate(wanted, 1):
            if pauses.random() < SHARE_AFTER_A_BATCH:
                # Else most kills would fall into the first batches, which kills keep from ending.
                written = len(numbers_in(folder / "written"))
                wait_for(
                    lambda: len(numbers_in(folder / "written")) > written,  # noqa: B023
                    driver,
                    f"batch {written}",
                    KILL_SECONDS,
                )
            what = f"kill {number} ({victim} in {phase})"
            if phase == ANY_TIME:
                time.sleep(pauses.uniform(0, LONGEST_PAUSE_OF_ANY_TIME_SECONDS))
                wait_for(lambda: driver.kill(victim, pauses), driver, what, KILL_SECONDS)  # noqa: B023
            else:
                time.sleep(pauses.uniform(0, LONGEST_PAUSE_SECONDS))
                points.arm(number, phase, victim)
                wait_for(lambda: points.claimed_on(number) is not None, driver, what, KILL_SECONDS)  # noqa: B023
                driver.restore(victim, points.claimed_on(number) or "")
            report.kills[phase, victim] += 1
            tell(
                f"{kind} on {master}: kill {number} of {len(wanted)}, {victim} while {phase}; "
                f"batches {len(numbers_in(folder / 'written'))}, starts of the driver {driver.starts}, "
                f"{time.monotonic() - begun:.0f} s"
            )
        points.disarm()
        report.rows = max(numbers_in(folder / "planned")) + rows_after
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


def numbers_in(folder: Path) -> list[int]:
    """Return the numbers after which files of a folder are named: of written batches, or of planned rows."""
    return [int(file.name) for file in folder.glob("*")]


def count_rows(folder: Path, report: CrashReport) -> None:
    """Compare what is written with what a thread computes."""
    numbers = Stream.from_iterable((number,) for number in range(report.rows))
    squares = {row[0]: row[1] for row in numbers.through(keyed_squares(KillPoints(folder))).to_list()}
    table = pq.read_table(folder / "result.parquet")
    ids = table["id"].to_pylist()
    times = Counter(ids)
    report.lost = sum(number not in times for number in squares)
    report.repeated = sum(count - 1 for count in times.values())
    report.wrong = sum(
        squares.get(number) != square for number, square in zip(ids, table["square"].to_pylist(), strict=True)
    )
