"""The action `engine top`: what a running engine does, as it says about once a second in a file for its store."""

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, short_repr
from reactivestreams.cli.store_state import is_database
from reactivestreams.cli.usage_error import UsageError
from reactivestreams.inspection.opting_in import user_folder

if TYPE_CHECKING:
    from reactivestreams.engine import Engine

__all__ = ["LiveFile", "run_top"]

WRITE_SECONDS = 1.0
"""How often a running engine writes its numbers."""

STALE_SECONDS = 10.0
"""After how long without new numbers an engine counts as gone."""


class LiveFile:
    """The file in which a running engine writes its numbers, whole each time; deleted at the end.

    Args:
        store: The path of the store, beside which it lies; or the URL of a database, for which it is in the folder of
            this user's sockets.
        schema: The schema in the database.
    """

    def __init__(self, store: str, schema: str) -> None:
        self.path: Path
        if is_database(store):
            name = hashlib.sha256(f"{store}\n{schema}".encode()).hexdigest()[:16]
            self.path = user_folder(makes=True) / f"engine-{name}.live"
        else:
            self.path = Path(f"{store}.live")
        self._written = 0.0

    def write(self, engine: "Engine") -> None:
        """Write the numbers, unless they were written just now."""
        now = time.monotonic()
        if now - self._written < WRITE_SECONDS:
            return
        self._written = now
        facts = {"process": os.getpid(), "time": time.time(), **asdict(engine.statistics())}
        unfinished = Path(f"{self.path}.unfinished")
        unfinished.write_text(json.dumps(facts), encoding="utf-8")
        unfinished.replace(self.path)

    def delete(self) -> None:
        """Delete the file: the engine has ended."""
        self.path.unlink(missing_ok=True)

    def read(self) -> dict[str, Any]:
        """Return the numbers.

        Raises:
            UsageError: No engine runs that writes them.
        """
        try:
            facts: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UsageError(f"no engine runs here: there is no file {self.path}; start it with engine run") from None
        age = time.time() - facts["time"]
        if age > STALE_SECONDS:
            raise UsageError(
                f"the engine of process {facts['process']} has said nothing for {age:.0f} seconds ({self.path}); "
                f"look whether it runs"
            )
        return facts


def run_top(args: argparse.Namespace) -> int:
    """Print the numbers again and again, until the engine ends or Ctrl-C; or once."""
    live = LiveFile(args.store, args.schema)
    before = live.read()
    show = _shown_as_json if args.json else _screen()
    while True:
        time.sleep(args.interval_seconds)
        now = live.read()
        show(with_rates(before, now))
        if args.once:
            return ExitStatus.SUCCESS
        before = now


def with_rates(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return numbers with the `rate` of each artifact, in elements a second since earlier ones."""
    seconds: float = now["time"] - before["time"]
    earlier: dict[str, int | None] = {each["id"]: each["figures"]["elements"] for each in before["artifacts"]}
    artifacts: list[dict[str, Any]] = []
    for each in now["artifacts"]:
        first, last = earlier.get(each["id"]), each["figures"]["elements"]
        rate: float | None = None
        if first is not None and last is not None and seconds > 0:
            rate = round(float(last - first) / seconds, 1)
        artifacts.append({**each, "rate": rate})
    return {**now, "artifacts": artifacts}


def _shown_as_json(facts: dict[str, Any]) -> None:
    print(json.dumps(facts), flush=True)


def _screen() -> Callable[[dict[str, Any]], None]:
    output = Output()

    def show(facts: dict[str, Any]) -> None:
        if output.is_rich:
            sys.stdout.write("\x1b[H\x1b[2J")  # the next table takes the place of the last one
        output.line(heading_of(facts))
        output.table(
            ["artifact", "kind", "status", "a second", "demand", "waiting", "behind", "error"],
            [_cells(each) for each in facts["artifacts"]],
        )
        output.line()

    return show


def heading_of(facts: dict[str, Any]) -> str:
    """Return a line about the engine and its last checkpoint."""
    said = f"process {facts['process']}: {facts['status']}"
    last = facts["last_checkpoint"]
    if last is None:
        return f"{said}, no checkpoint yet"
    duration = (last["committed"] - last["began"]) / 1e6
    age = facts["time"] - last["committed"] / 1e9
    failed = facts["failed_checkpoints"]
    pause = last["pause_microseconds"] / 1000
    return (
        f"{said}; checkpoint {last['number']} {age:.1f} s ago: {duration:.1f} ms, {pause:.1f} ms of them paused, "
        f"{last['size_bytes']:,} bytes" + (f"; {failed} failed since" if failed else "")
    )


def _cells(each: dict[str, Any]) -> list[str]:
    figures = each["figures"]
    demand = figures["demand"]
    waiting = _number(figures["waiting"])
    if figures["capacity"] is not None:
        waiting += f" of {figures['capacity']:,}"
    return [
        each["id"],
        each["kind"],
        each["status"],
        "-" if each["rate"] is None else f"{each['rate']:,.1f}",
        "unbounded" if demand is not None and demand >= 2**63 - 1 else _number(demand),
        waiting,
        _number(figures["behind"]),
        short_repr(each["error"]) if each["error"] else "-",
    ]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
