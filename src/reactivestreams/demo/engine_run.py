"""The run in an engine: killed at random moments, recovered each time, and compared."""

import random
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from reactivestreams.demo.child_process import ChildProcess, child_process
from reactivestreams.demo.comparison import AnyResult, Comparison, Reference
from reactivestreams.demo.engine_query import RESULTS_TABLE, ROWS_FILE, STORE_FILE, EngineSettings, line_of
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import OnCorrupt, Thresholds
from reactivestreams.demo.flights_runs import Progress, RunReport
from reactivestreams.errors import ReactiveStreamsError

__all__ = ["KILLS", "EngineProcessError", "Kill", "KillReport", "Life", "planned_kills", "run_in_engine"]

KILLS = 3

MOST_DELAY_SECONDS = 0.05
"""A process is killed at most so long after it has reported the row of its kill."""

HELD_SHARE = 20
"""A process that was not killed yet reads no more when it is the whole divided by this beyond the row of its kill."""

MAX_SAMPLES = 400
"""At most so many reports of one process are kept for the drawing."""


class EngineProcessError(ReactiveStreamsError, RuntimeError):
    """Report that the process of the engine ended in another way than by being killed."""


@dataclass(frozen=True)
class Kill:
    """When a process is to be killed: so long after it has reported so many rows."""

    rows: int
    delay_seconds: float


@dataclass(frozen=True)
class Life:
    """One process, with times in seconds since the start of the first one.

    Attributes:
        started: When it was started.
        samples: When it had handled how many rows; the first is what it had recovered.
        ended: When it was killed, or had ended.
    """

    started: float
    samples: Sequence[tuple[float, int]]
    ended: float

    @property
    def recovered(self) -> int:
        """The rows that the checkpoint contains from which it went on."""
        return self.samples[0][1]

    @property
    def handled(self) -> int:
        """The rows that it had handled when it was killed, or had ended."""
        return self.samples[-1][1]


@dataclass(frozen=True)
class KillReport:
    """The processes of a run, each but the last one killed.

    Attributes:
        seed: Repeats the moments of the kills.
        total: How many rows there are.
        lives: The processes, in their order.
    """

    seed: int
    total: int
    lives: Sequence[Life]

    @property
    def kills(self) -> int:
        """How many processes were killed."""
        return len(self.lives) - 1

    @property
    def gaps(self) -> list[tuple[Life, Life]]:
        """For each kill, the process that was killed and the one that went on."""
        return list(pairwise(self.lives))


def planned_kills(total: int, seed: int) -> list[Kill]:
    """Return random moments, one in each of as many equal parts of the rows; as many as there are rows at most."""
    order = random.Random(seed)
    count = min(KILLS, total)
    bounds = [part * total // count for part in range(count + 1)]
    return [
        Kill(order.randint(first + 1, last), order.uniform(0, MOST_DELAY_SECONDS)) for first, last in pairwise(bounds)
    ]


def run_in_engine(
    rows: FlightRows,
    *,
    total: int,
    reference: Reference,
    progress: Progress,
    on_corrupt: OnCorrupt,
    thresholds: Thresholds,
    seed: int,
) -> tuple[RunReport, KillReport]:
    """Run the pipeline as a query of an engine, whose process is killed three times, and compare its results.

    The rows are a file, the results a table in the engine's store. Each process goes on from the last checkpoint that
    the one before has stored.

    Args:
        rows: The source.
        total: The number of its rows.
        reference: The results to compare with.
        progress: The progress display.
        on_corrupt: As for `flights_pipeline`.
        thresholds: As for `flights_pipeline`.
        seed: Decides when the processes are killed.

    Raises:
        EngineProcessError: A process failed; the message contains the end of its output.
    """
    kills = planned_kills(total, seed)
    title = f"Engine, killed {('', 'once', 'twice', 'three times')[len(kills)]}"
    comparison = Comparison(title, reference, ordered=True)
    progress.begin(title, total=total)
    progress.note("writing the rows")
    with tempfile.TemporaryDirectory(prefix="reactivestreams-engine-") as name:
        folder = Path(name)
        with (folder / ROWS_FILE).open("w", encoding="utf-8", newline="") as file:
            file.writelines(map(line_of, rows))
        progress.note("starting the engine")
        began = time.perf_counter()
        lives: list[Life] = []
        for kill in [*kills, None]:
            hold_at = None if kill is None else kill.rows + total // HELD_SHARE
            settings = EngineSettings(name, on_corrupt, thresholds, hold_at)
            lives.append(live(settings, kill, began, progress))
        seconds = time.perf_counter() - began
        for result in stored_results(folder / STORE_FILE):
            comparison.check(result)
    progress.end()
    starting = sum(life.samples[0][0] - life.started for life in lives)
    report = RunReport(
        name="engine",
        title=title,
        where="a process of its own, results in the store; kill -9 at random moments, then recovery",
        rows=total,
        results=comparison.count,
        seconds=seconds - starting,
        set_up_seconds=starting,
        difference=comparison.difference(),
    )
    return report, KillReport(seed, total, lives)


def live(settings: EngineSettings, kill: Kill | None, began: float, progress: Progress) -> Life:
    """Run one process until it is killed, or until it has ended."""
    started = time.perf_counter() - began
    samples: list[tuple[float, int]] = []
    with engine_process(settings) as process:
        is_killed = False
        while line := process.read_line():
            samples.append((time.perf_counter() - began, int(line)))
            progress.advance(samples[-1][1])
            if kill is not None and not is_killed and samples[-1][1] >= kill.rows:
                time.sleep(kill.delay_seconds)
                process.kill()
                is_killed = True  # what it has printed before is read to its end
        if not is_killed:
            process.expect_end()
            if kill is not None:
                raise process.failure("it ended before it was killed")
    return Life(started, thinned(samples), time.perf_counter() - began)


def thinned(samples: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return the first sample, the last one and evenly chosen ones between, `MAX_SAMPLES` at most."""
    step = -(-len(samples) // (MAX_SAMPLES - 1))
    return [*samples[:-1:step], samples[-1]]


def engine_process(settings: EngineSettings) -> AbstractContextManager[ChildProcess]:
    """Run the engine in a process of its own, which is killed on exit."""
    return child_process(
        "reactivestreams.demo.engine_query", settings.text(), name="the engine", error=EngineProcessError
    )


def stored_results(path: Path) -> Iterator[AnyResult]:
    """Read the results in the order in which they were stored."""
    with closing(sqlite3.connect(path)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (RESULTS_TABLE,)).fetchone():
            yield from connection.execute(f"SELECT * FROM {RESULTS_TABLE} ORDER BY rowid")
