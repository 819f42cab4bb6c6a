"""Draws the marble diagrams of the documentation, and writes the page of those of operators: an extension of Sphinx.

Each picture shows a run, made when the documentation is built; so it shows what the code does.
"""

import re
from collections.abc import Callable
from typing import Any

from drawn_operators import COLD, DRAWN, FUNCTIONS, INPUTS, ONE_RUN
from written_pages import write_when_built

from reactivestreams import Stream
from reactivestreams.testing import (
    DISPOSED,
    HotStream,
    MarbleLine,
    Recorded,
    TestScheduler,
    marble_diagram,
    on_complete,
    on_next,
)
from reactivestreams.testing.recorded_stream import RecordedStream

__all__ = ["method_of", "pages", "picture_of", "setup"]

FOLDER = "explanation/marbles"
OPERATORS_FOLDER = "reference/marbles"
OPERATORS_PAGE = "reference/operator-marbles.md"

HEAD = """\
# Operators as marbles

Each picture shows a run of the operator, made when this page was built: above what the source sent, below what the
subscriber got, at their ticks of virtual time. What the operators do with demand, errors and state is in the
[table of operators](operators.md). `ticks(n)` is a time of n ticks, and `later(n, x)` a stream that sends x after n
ticks.
"""


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


def share() -> str:
    """One run for all who are there: the second subscriber gets what comes after it, and the last to leave ends it."""
    scheduler = TestScheduler()
    source = _numbers(scheduler)
    shared = Stream.from_publisher(source).share()
    observers = [scheduler.create_observer(), scheduler.create_observer()]
    for observer, (begin, end) in zip(observers, ((200, 235), (225, 255)), strict=True):
        handle: Any = shared.bind(observer)
        scheduler.do_at(begin, handle.initialize, scheduler.create_context())
        scheduler.do_at(end, handle.cancel)
    scheduler.clock.start()
    return _drawn(
        "a shared stream",
        MarbleLine.of_stream("source", source),
        MarbleLine.of_observer("from 200 to 235", observers[0]),
        MarbleLine.of_observer("from 225 to 255", observers[1]),
    )


def _numbers(scheduler: TestScheduler) -> Any:
    elements = [on_next(210 + 10 * number, number + 1) for number in range(5)]
    return scheduler.create_hot(*elements, on_complete(270))


def _drawn(label: str, *lines: MarbleLine) -> str:
    return marble_diagram(lines, label=f"marble diagram: {label}")


DIAGRAMS: tuple[Callable[[], str], ...] = (take, scan, demand, recovery, share)

SLOW_REQUESTS = {200: 1, 245: 1, 265: 9}
"""What a subscriber requests where the picture is about demand, and when."""

ENDLESS_UNTIL = 290
"""When a subscriber leaves a source that may never end."""

SECOND_AT = 225
"""When the second subscriber comes to a stream that runs once for several."""


def pages() -> dict[str, str]:
    """Return the pictures, and the page of those of operators, by their paths."""
    pictures = {f"{FOLDER}/{draw.__name__}.svg": draw() for draw in DIAGRAMS}
    page = [HEAD]
    for call in DRAWN:
        picture = picture_of(call)
        pictures[picture] = _operator(call)
        page.append(f"## `{call}`\n\n![marble diagram of {method_of(call)}]({picture.removeprefix('reference/')})\n")
    return {**pictures, OPERATORS_PAGE: "\n".join(page)}


def method_of(call: str) -> str:
    """Return the method of `Stream` that a call in `DRAWN` shows."""
    shown = re.sub(r"\.through\((pipeline\(\)|\w+\))", "", call)
    return re.findall(r"(?<=\.)\w+(?=\()", shown)[0]


def picture_of(call: str) -> str:
    """Return the path of the picture of a call in `DRAWN`, below the folder of the documentation."""
    method = method_of(call)
    number = [other for other in DRAWN if method_of(other) == method].index(call)
    return f"{OPERATORS_FOLDER}/{method}{f'_{number}' if number else ''}.svg"


def _operator(call: str) -> str:
    scheduler = TestScheduler()
    sources = {
        name: (scheduler.create_cold if name in COLD else scheduler.create_hot)(*messages)
        for name, messages in INPUTS.items()
        if re.search(rf"\b{name}\b", call)
    }
    names = {**FUNCTIONS, **{name: Stream.from_publisher(source) for name, source in sources.items()}}
    run: Any = eval(call, names)  # a constant of the documentation
    is_slow = "on_backpressure" in call or not sources
    second = scheduler.create_observer()
    if method_of(call) in ONE_RUN:
        scheduler.do_at(SECOND_AT, lambda: run.bind(second).initialize(scheduler.create_context()))
    first = scheduler.start(
        lambda: run, requests=SLOW_REQUESTS if is_slow else None, disposed=DISPOSED if sources else ENDLESS_UNTIL
    )
    lines = [_input(name, source) for name, source in sources.items()]
    lines.append(MarbleLine.of_observer(call, first))
    if second.messages:
        lines.append(MarbleLine.of_observer(f"for a second subscriber, at {SECOND_AT}", second))
    return _drawn(call, *lines)


def _input(name: str, source: RecordedStream) -> MarbleLine:
    if isinstance(source, HotStream):
        return MarbleLine.of_stream(name, source)
    begun = [span.subscribed for span in source.subscriptions]
    sent = [Recorded(tick + message.tick, message.value) for tick in begun for message in source.messages]
    return MarbleLine(f"{name}, from each subscription on", sent)


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that draws the pictures before pages are read."""
    return write_when_built(app, pages)
