"""Draws the marble diagrams of the page about virtual time: an extension of Sphinx, and a function for the tests.

Each picture shows a run, made when the documentation is built; so it shows what the code does.
"""

from collections.abc import Callable
from typing import Any

from written_pages import write_when_built

from reactivestreams import Stream
from reactivestreams.testing import (
    MarbleLine,
    TestScheduler,
    marble_diagram,
    on_complete,
    on_next,
)

__all__ = ["pages", "setup"]

FOLDER = "explanation/marbles"


def take() -> str:
    """A stream that has enough leaves its source."""
    scheduler = TestScheduler()
    source = _numbers(scheduler)
    observer = scheduler.start(lambda: Stream.from_publisher(source).take(2))
    return _drawn("take(2)", MarbleLine.of_stream("source", source), MarbleLine.of_observer("take(2)", observer))


def scan() -> str:
    """Each element is the sum so far."""
    scheduler = TestScheduler()
    source = _numbers(scheduler)
    observer = scheduler.start(lambda: Stream.from_publisher(source).scan(lambda total, n: total + n, 0))
    lines = MarbleLine.of_stream("source", source), MarbleLine.of_observer("scan(add, 0)", observer)
    return _drawn("scan", *lines)


def demand() -> str:
    """Elements wait for demand."""
    scheduler = TestScheduler()
    observer = scheduler.start(lambda: Stream.range(4), requests={200: 1, 300: 2, 450: 1}, disposed=500)
    return _drawn("a range that is requested step by step", MarbleLine.of_observer("Stream.range(4)", observer))


def recovery() -> str:
    """A sum that is saved, crashes and goes on."""
    scheduler = TestScheduler()
    source = _numbers(scheduler)
    run = scheduler.crash_and_recover(
        lambda: Stream.from_publisher(source).scan(lambda total, n: total + n, 0), saved=225, crashed=235, recovered=238
    )
    return _drawn(
        "a sum that crashes",
        MarbleLine("source", source.messages),
        MarbleLine.of_observer("until the crash at 235", run.before),
        MarbleLine.of_observer("from 238 on, with the state of 225", run.after),
    )


def _numbers(scheduler: TestScheduler) -> Any:
    elements = [on_next(210 + 10 * number, number + 1) for number in range(5)]
    return scheduler.create_hot(*elements, on_complete(270))


def _drawn(label: str, *lines: MarbleLine) -> str:
    return marble_diagram(lines, label=f"marble diagram: {label}")


DIAGRAMS: tuple[Callable[[], str], ...] = (take, scan, demand, recovery)


def pages() -> dict[str, str]:
    """Return the pictures by their paths."""
    return {f"{FOLDER}/{draw.__name__}.svg": draw() for draw in DIAGRAMS}


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that draws the pictures before pages are read."""
    return write_when_built(app, pages)
