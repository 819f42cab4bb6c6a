"""The command `top` and the action `engine top`: what the streams of a process do, or a running engine.

A process that lets its user look answers each time it is asked; an engine writes its numbers about once a second into a
file for its store.
"""

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
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError
from reactivestreams.inspection.opting_in import ask_process, user_folder

if TYPE_CHECKING:
    from reactivestreams.engine import Engine

__all__ = ["DEFAULT_TOP_SECONDS", "LiveFile", "add_pace", "register", "run", "run_engine_top", "seconds"]

DEFAULT_TOP_SECONDS = 2.0
"""How often the numbers are shown."""

UNBOUNDED = 2**63 - 1

WRITE_SECONDS = 1.0
"""How often a running engine writes its numbers."""

STALE_SECONDS = 10.0
"""After how long without new numbers an engine counts as gone."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of the command `top`."""
    parser = subparsers.add_parser(
        "top",
        help="show what the streams of a process do, again and again",
        description="Show the streams of a process that called allow_inspection(): how many elements a second pass, "
        "what is requested, what waits, and how long that takes at this rate. A rate is known where the stream has "
        "tap(). Changes nothing.",
        epilog="ends with Ctrl-C, and with status 1 when the process ends",
    )
    parser.add_argument("process", type=int, metavar="PID", help="the number of the process")
    add_pace(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs, a line each time")


def add_pace(parser: argparse.ArgumentParser) -> None:
    """Add how often numbers are shown."""
    parser.add_argument("--once", action="store_true", help="show it once, after one interval")
    parser.add_argument(
        "--interval-seconds",
        type=seconds,
        default=DEFAULT_TOP_SECONDS,
        metavar="N",
        help=f"how often it is shown ({DEFAULT_TOP_SECONDS:g})",
    )


def seconds(text: str) -> float:
    """Return a time that an option gives."""
    number = float(text)
    if not 0 < number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and up to 86400; give seconds")
    return number


def run(args: argparse.Namespace) -> int:
    """Show the streams of a process until it ends or Ctrl-C; or once."""
    return _show_again(args, lambda: ask_process(args.process), rates_of_streams, _print_streams)


def _show_again(
    args: argparse.Namespace,
    ask: Callable[[], dict[str, Any]],
    compare: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]],
    show: Callable[[Output, dict[str, Any]], None],
) -> int:
    output = Output()
    before = ask()
    while True:
        time.sleep(args.interval_seconds)
        now = ask()
        facts = compare(before, now)
        if args.json:
            print(json.dumps(facts), flush=True)
        else:
            if output.is_rich:
                sys.stdout.write("\x1b[H\x1b[2J")  # the next table takes the place of the last one
            show(output, facts)
            output.line()
        if args.once:
            return ExitStatus.SUCCESS
        before = now


# --- the streams of a process ----------------------------------------------------------------------------------------


def rates_of_streams(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return what is shown of each stream and of its taps, with the rates since earlier numbers."""
    elapsed: float = now["time"] - before["time"]
    earlier: dict[int, list[dict[str, Any]]] = {each["number"]: each["stages"] for each in before["streams"]}
    streams = [_figures_of(each, earlier.get(each["number"], []), elapsed) for each in now["streams"]]
    return {
        "process": now["process"],
        "time": now["time"],
        "streams": streams,
        "more_streams": now["more_streams"],
    }


def _figures_of(stream: dict[str, Any], earlier: list[dict[str, Any]], elapsed: float) -> dict[str, Any]:
    stages: list[dict[str, Any]] = stream["stages"]
    places: list[dict[str, Any]] = []
    for number, stage in enumerate(stages):
        if stage["delivered"] is None:
            continue
        first = earlier[number]["delivered"] if len(earlier) == len(stages) else None
        passed = None if first is None else stage["delivered"] - first
        rate = round(passed / elapsed, 1) if passed is not None and passed >= 0 and elapsed > 0 else None
        places.append({"place": _place_of(stage), "name": stage["name"], "elements": stage["delivered"], "rate": rate})
    waiting = sum(stage["buffered"] or 0 for stage in stages)
    rate = next((place["rate"] for place in places), None)
    return {
        "stream": next((place["name"] for place in places if place["name"]), None) or _place_of(stages[-1]),
        "rate": rate,
        "demand": next((stage["requested"] for stage in stages if stage["requested"] is not None), None),
        "waiting": waiting,
        "capacity": sum(stage["capacity"] or 0 for stage in stages),
        "lag_seconds": 0.0 if waiting == 0 else round(waiting / rate, 1) if rate else None,
        "waits_for": _waits_for(stages),
        "places": places,
    }


def _place_of(stage: dict[str, Any]) -> str:
    name = stage["operator"].rpartition("/")[2]
    return name if stage["file"] is None else f"{name}, {Path(stage['file']).name}:{stage['line']}"


def _waits_for(stages: list[dict[str, Any]]) -> str | None:
    """Return for what the stream waits: what the last node says that has something to say."""
    if any(stage["is_running"] for stage in stages):
        return None
    return next((stage["waiting_for"] for stage in reversed(stages) if stage["waiting_for"]), None)


def _print_streams(output: Output, facts: dict[str, Any]) -> None:
    streams: list[dict[str, Any]] = facts["streams"]
    count = len(streams) + facts["more_streams"]
    output.line(f"process {facts['process']}: {'1 stream runs' if count == 1 else f'{count} streams run'}")
    if not streams:
        return
    rows: list[list[str]] = []
    for stream in streams:
        rows.append(
            [
                stream["stream"],
                _rate(stream["rate"]),
                _demand(stream["demand"]),
                _waiting(stream["waiting"], stream["capacity"] or None),
                "-" if stream["lag_seconds"] is None else f"{stream['lag_seconds']:,.1f} s",
                stream["waits_for"] or "-",
            ]
        )
        rows += [
            [f"  {place['name'] or place['place']}", _rate(place["rate"]), "", f"{place['elements']:,} passed", "", ""]
            for place in stream["places"][1:]
        ]
    output.table(["stream", "a second", "demand", "waiting", "lag", "waits for"], rows)
    if any(stream["rate"] is None and not stream["places"] for stream in streams):
        output.line("a rate is known where the stream has tap(metrics, name=...)")


# --- an engine -------------------------------------------------------------------------------------------------------


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


def run_engine_top(args: argparse.Namespace) -> int:
    """Show the numbers of an engine again and again, until it ends or Ctrl-C; or once."""
    return _show_again(args, LiveFile(args.store, args.schema).read, with_rates, _print_engine)


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


def _print_engine(output: Output, facts: dict[str, Any]) -> None:
    output.line(heading_of(facts))
    output.table(
        ["artifact", "kind", "status", "a second", "demand", "waiting", "behind", "error"],
        [_cells(each) for each in facts["artifacts"]],
    )


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
    return [
        each["id"],
        each["kind"],
        each["status"],
        _rate(each["rate"]),
        _demand(figures["demand"]),
        _waiting(figures["waiting"], figures["capacity"]),
        _number(figures["behind"]),
        short_repr(each["error"]) if each["error"] else "-",
    ]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _demand(value: int | None) -> str:
    return "unbounded" if value is not None and value >= UNBOUNDED else _number(value)


def _waiting(value: int | None, capacity: int | None) -> str:
    return _number(value) if capacity is None else f"{_number(value)} of {capacity:,}"
