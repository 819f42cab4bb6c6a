"""Kills an engine again and again from outside, until it is through; then counts its results."""

import json
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.engine_crash.crash_child import KEYS, STEP_BYTES

MOST_SECONDS_A_LIFE = 60.0

PHASES = {
    "recovery": ("opened", "settled", "recovered"),
    "save": ("paused", "artifact saved", "saved", "resumed"),
    "commit": ("committing",),
    "commit to mark": ("committed", "marked"),
    "acknowledge": ("egress settled", "acknowledged"),
}
"""The steps of the engine, by the phases in which it shall be killed."""


@dataclass
class CrashReport:
    """What came of a run.

    Attributes:
        kills: How often the process was killed, by the step that it had come to.
        lost: How many rows of the results are missing.
        repeated: How many rows are there too often.
        wrong: How many rows are others than expected, or in another order.
    """

    kills: Counter[str] = field(default_factory=Counter[str])
    lost: int = 0
    repeated: int = 0
    wrong: int = 0

    @property
    def is_right(self) -> bool:
        return not (self.lost or self.repeated or self.wrong)

    def by_phase(self) -> Counter[str]:
        counted: Counter[str] = Counter(
            {phase: sum(self.kills[step] for step in steps) for phase, steps in PHASES.items()}
        )
        counted["between checkpoints"] = sum(self.kills.values()) - sum(counted.values())
        return counted


@dataclass(frozen=True)
class Kill:
    """Where a process is killed: when it has come to a step so often, there or a little later; or at any moment."""

    step: str = "-"
    count: int = 1
    how: str = "at"
    delay_seconds: float = 0.0


def planned(kills: int, order: random.Random) -> list[Kill]:
    """Return so many kills in a random order: of each step as many, and a third of them at any moment."""
    found: list[Kill] = []
    for number in range(kills):
        if number % 3 == 2:
            found.append(Kill(delay_seconds=order.uniform(0.05, 0.6)))
            continue
        step = order.choice(list(PHASES.values())[number % len(PHASES)])
        count = 1 if step in PHASES["recovery"] else order.randint(1, 4)
        how = "after" if step == "committing" and order.random() < 0.5 else "at"
        found.append(Kill(step, count, how, order.uniform(0, 0.001) if how == "after" else 0.0))
    order.shuffle(found)
    return found


def run(folder: Path, kills: list[Kill], *, elements_a_kill: int = 400) -> CrashReport:
    """Kill an engine as planned, let it end, and count its results."""
    count = elements_a_kill * len(kills) + 500
    (folder / "numbers.log").write_text("".join(f"n {number}\n" for number in range(1, count + 1)))
    (folder / "step").write_bytes(b" " * STEP_BYTES)
    report = CrashReport()
    for kill in kills:
        report.kills[live(folder, kill)] += 1
    live(folder, None)
    _count(folder, count, report)
    return report


def live(folder: Path, kill: Kill | None, child: str = "crash_child", *arguments: str) -> str:
    """Run the process until it is killed; return the step that it had come to, or `done`."""
    aim = Kill() if kill is None else kill
    (folder / "step").write_bytes(b"started".ljust(STEP_BYTES))
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            f"tests.engine_crash.{child}",
            str(folder),
            aim.step,
            str(aim.count),
            aim.how,
            *arguments,
        ],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    try:
        if kill is None:
            assert process.wait(MOST_SECONDS_A_LIFE) == 0
            return "done"
        if kill.step != "-":
            select.select([process.stdout], [], [], MOST_SECONDS_A_LIFE)
        time.sleep(kill.delay_seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return (folder / "step").read_bytes().decode().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _count(folder: Path, count: int, report: CrashReport) -> None:
    totals: Counter[int] = Counter()
    rows: list[tuple[int, ...]] = []
    for number in range(1, count + 1):
        totals[number % KEYS] += number
        rows.append((number, number % KEYS, totals[number % KEYS]))
    connection = sqlite3.connect(folder / "state.db")
    compare(rows, connection.execute("SELECT number, key, total FROM sums ORDER BY rowid").fetchall(), report)
    connection.close()
    written = [
        tuple(json.loads(line))
        for path in sorted((folder / "triples").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    compare([tuple(range(n, min(n + 3, count + 1))) for n in range(1, count + 1, 3)], written, report)


def compare(expected: list[tuple[int, ...]], actual: list[tuple[int, ...]], report: CrashReport) -> None:
    """Count what is lost, repeated or wrong."""
    wanted, found = Counter(expected), Counter(actual)
    report.lost += (wanted - found).total()
    report.repeated += sum(max(0, count - wanted[row]) for row, count in found.items() if row in wanted)
    report.wrong += sum(count for row, count in found.items() if row not in wanted)
    report.wrong += int(actual != expected and wanted == found)
