"""The command `bench`: how many elements per second the main ways through the package carry on this machine."""

import argparse
import asyncio
import os
import platform
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json
from reactivestreams.cli.progress import open_progress
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.version import describe

__all__ = ["MEASURES", "Figure", "Measure", "machine", "measured", "register", "run"]

LEAST_SECONDS = 0.05
MOST_SECONDS = 30.0
DEFAULT_SECONDS = 1.5
"""How long each measure runs, unless it is told otherwise; all of them then take less than 30 seconds."""

RUNS = 5
"""How many times a measure runs within that time, after it was found how many elements it takes."""

FIRST_COUNT = 1_000
MOST_COUNT = 100_000_000

DESCRIPTION = """\
Measure how many elements per second the main ways through the package carry on this machine, next to a plain loop and a
plain queue between threads. The figures depend on the machine, the interpreter and what else runs: compare them with
each other, and with those of the same machine. The whole suite, with instruction counts and other libraries, is the
folder bench of the repository and of the source distribution; there `make bench` runs it."""


@dataclass(frozen=True)
class Measure:
    """One way through the package.

    Attributes:
        name: What is measured.
        run: Carries so many elements, and returns when the last has arrived.
    """

    name: str
    run: Callable[[int], object]


@dataclass(frozen=True)
class Figure:
    """What a measure has found, in elements per second: the median of its runs, the slowest and the fastest."""

    name: str
    elements: int
    per_second: float
    slowest: float
    fastest: float


def _increment(number: int) -> int:
    return number + 1


def _is_odd(number: int) -> bool:
    return number % 2 == 1


def _plain_loop(count: int) -> int:
    found = 0
    for number in range(count):
        if _is_odd(_increment(number)):
            found += 1
    return found


def _chain(count: int) -> object:
    from reactivestreams import Stream

    return Stream.range(count).map(_increment).filter(_is_odd).count()


def _iteration(count: int) -> None:
    from reactivestreams import Stream

    for _ in Stream.range(count).map(_increment):
        pass


def _list(count: int) -> object:
    from reactivestreams import Stream

    return Stream.from_iterable(range(count)).to_list()


def _inner_streams(count: int) -> object:
    from reactivestreams import Stream

    return Stream.range(-(-count // 10)).flat_map(lambda _: Stream.range(10)).count()


def _keys(count: int) -> object:
    from reactivestreams import Stream

    return Stream.range(count).key_by(lambda number: number % 100).scan(lambda total, number: total + number, 0).count()


def _subject(count: int) -> None:
    from reactivestreams.subjects import SimpleSubject, lockstep

    subject = SimpleSubject[int](policy=lockstep())
    for _ in range(4):
        subject.subscribe(on_next=_nothing)
    for number in range(count):
        subject.on_next(number)
    subject.on_complete()


def _nothing(element: object) -> None:
    pass


def _plain_queue(count: int) -> None:
    elements: queue.Queue[int | None] = queue.Queue(1_024)

    def take() -> None:
        while elements.get() is not None:
            pass

    consumer = threading.Thread(target=take)
    consumer.start()
    for number in range(count):
        elements.put(number)
    elements.put(None)
    consumer.join()


def _threads(count: int) -> object:
    from reactivestreams import Stream, WorkerScheduler

    with WorkerScheduler(name="reactivestreams-bench") as worker:
        return Stream.range(count).observe_on(worker).count()


def _event_loop(count: int) -> None:
    from reactivestreams import Stream

    async def consume() -> None:
        async for _ in Stream.range(count):
            pass

    asyncio.run(consume())


MEASURES = (
    Measure("a plain loop: two functions for each element", _plain_loop),
    Measure("range, map, filter, count: the same two functions", _chain),
    Measure("range, map, in a for loop", _iteration),
    Measure("an iterable into a list", _list),
    Measure("flat_map: inner streams of 10 elements", _inner_streams),
    Measure("key_by, scan: 100 keys", _keys),
    Measure("a subject with 4 subscribers", _subject),
    Measure("between two threads by queue.Queue", _plain_queue),
    Measure("between two threads by observe_on", _threads),
    Measure("range in an async for loop", _event_loop),
)


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "bench", help="measure the elements per second of the main ways on this machine", description=DESCRIPTION
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=DEFAULT_SECONDS,
        metavar="S",
        help=f"how long each of the {len(MEASURES)} measures runs, {LEAST_SECONDS:g} to {MOST_SECONDS:g} "
        f"({DEFAULT_SECONDS:g})",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text} is not from {LEAST_SECONDS:g} to {MOST_SECONDS:g} seconds")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Measure, with progress, and print the figures and the machine."""
    facts = machine()
    figures: list[Figure] = []
    with open_progress() as progress:
        progress.begin("measuring", total=len(MEASURES))
        for measure in MEASURES:
            progress.note(measure.name)
            figures.append(measured(measure, args.seconds))
            progress.advance(len(figures), measure.name)
        progress.end()
    if args.json:
        print_json({**facts, "figures": [vars(figure) for figure in figures]})
        return ExitStatus.SUCCESS
    output = Output()
    output.table(
        ["", "elements/s", "slowest", "fastest"],
        [[each.name, *(f"{rate:,.0f}" for rate in (each.per_second, each.slowest, each.fastest))] for each in figures],
    )
    output.line()
    output.table(["", ""], [[name, str(value)] for name, value in facts.items()])
    output.line()
    output.line("the whole suite: make bench in the repository, or in the source distribution")
    return ExitStatus.SUCCESS


def measured(measure: Measure, seconds: float) -> Figure:
    """Find how many elements a run takes, run it some times, and return its figure."""
    count, taken = FIRST_COUNT, _time_of(measure, FIRST_COUNT)
    while taken < seconds / RUNS / 4 and count < MOST_COUNT:
        # at most tenfold: the first runs are slower than the others
        count = min(MOST_COUNT, int(count * min(10.0, seconds / RUNS / 2 / max(taken, 1e-9))))
        taken = _time_of(measure, count)
    rates = [count / _time_of(measure, count) for _ in range(RUNS)]
    return Figure(measure.name, count, median(rates), min(rates), max(rates))


def _time_of(measure: Measure, count: int) -> float:
    started = time.perf_counter()
    measure.run(count)
    return max(time.perf_counter() - started, 1e-9)


def machine() -> dict[str, Any]:
    """Return with what and where the figures were taken: without that they mean nothing."""
    facts = describe()
    core, python = facts["core"], facts["python"]
    return {
        "version": facts["version"],
        "core": f"{core['profile']} build, {core['cython']}, {core['compiler']}",
        "interpreter": f"{python['implementation']} {python['version']}, "
        f"{'with' if python['gil_enabled'] else 'without'} the GIL",
        "processor": f"{_processor()}, {os.cpu_count()} cores{_load()}",
        "platform": facts["platform"],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _load() -> str:
    return f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
