"""Draws the marble diagrams of the documentation, and writes the page of those of operators: an extension of Sphinx.

Each picture shows a run, made when the documentation is built; so it shows what the code does.
"""

import re
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

__all__ = ["OPERATORS", "pages", "picture_of", "setup"]

FOLDER = "explanation/marbles"
OPERATORS_FOLDER = "reference/marbles"
OPERATORS_PAGE = "reference/operator-marbles.md"

HEAD = """\
# Operators as marbles

Each picture shows a run of the operator, made when this page was built: above what the source sent, below what the
subscriber got, at their ticks of virtual time. What the operators do with demand, errors and state is in the
[table of operators](operators.md). A marble shows the beginning of an element that is too long for it.
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

OPERATORS: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "buffer(2)": lambda numbers: numbers.buffer(2),
    "cycle(2)": lambda numbers: numbers.cycle(2),
    "enumerate()": lambda numbers: numbers.enumerate(),
    "distinct(half)": lambda numbers: numbers.distinct(lambda n: n // 2),
    "distinct_until_changed(half)": lambda numbers: numbers.distinct_until_changed(lambda n: n // 2),
    "debounce(until_even)": lambda numbers: numbers.debounce(lambda n: Stream.never() if n % 2 else ()),
    "delay_until(nothing)": lambda numbers: numbers.delay_until(lambda _: ()),
    "expand(halves)": lambda numbers: numbers.expand(lambda n: (n // 2,) if n > 1 else ()),
    "filter(is_odd)": lambda numbers: numbers.filter(lambda n: n % 2 == 1),
    "filter_indexed(is_even)": lambda numbers: numbers.filter_indexed(lambda _, index: index % 2 == 0),
    "flat_map(twice)": lambda numbers: numbers.flat_map(lambda n: (n, n)),
    "group_by(is_odd).flat_map(pairs)": lambda numbers: numbers.group_by(lambda n: n % 2 == 1).flat_map(
        lambda group: group.buffer(2)
    ),
    "intersperse(0)": lambda numbers: numbers.intersperse(0),
    "handle(half_of_even)": lambda numbers: numbers.handle(lambda n, sink: None if n % 2 else sink.emit(n // 2)),
    "ignore_elements()": lambda numbers: numbers.ignore_elements(),
    "map(double)": lambda numbers: numbers.map(lambda n: 2 * n),
    "limit_rate(2)": lambda numbers: numbers.limit_rate(2),
    "limit_weight(2, weigh)": lambda numbers: numbers.limit_weight(2, lambda _: 1),
    "on_backpressure_batch(9)": lambda numbers: numbers.on_backpressure_batch(9),
    "on_backpressure_buffer(9)": lambda numbers: numbers.on_backpressure_buffer(9),
    "on_backpressure_drop(on_dropped=note)": lambda numbers: numbers.on_backpressure_drop(on_dropped=repr),
    "on_backpressure_error()": lambda numbers: numbers.on_backpressure_error(),
    "on_backpressure_latest(on_dropped=note)": lambda numbers: numbers.on_backpressure_latest(on_dropped=repr),
    "on_backpressure_reduce(add)": lambda numbers: numbers.on_backpressure_reduce(lambda total, n: total + n),
    "pairwise()": lambda numbers: numbers.pairwise(),
    "map_indexed(times)": lambda numbers: numbers.map_indexed(lambda n, index: n * index),
    "scan(add, 0)": lambda numbers: numbers.scan(lambda total, n: total + n, 0),
    "skip(2)": lambda numbers: numbers.skip(2),
    "sliding(3)": lambda numbers: numbers.sliding(3),
    "window(2).concat_map(sum)": lambda numbers: numbers.window(2).concat_map(lambda window: window.buffer(2).map(sum)),
    "buffer_until(is_odd)": lambda numbers: numbers.buffer_until(lambda n: n % 2 == 1),
    "buffer_while(is_odd)": lambda numbers: numbers.buffer_while(lambda n: n % 2 == 1),
    "split_when(is_odd)": lambda numbers: numbers.split_when(lambda _, n: n % 2 == 1),
    "skip_last(2)": lambda numbers: numbers.skip_last(2),
    "skip_until(is_3)": lambda numbers: numbers.skip_until(lambda n: n == 3),
    "skip_while(below_3)": lambda numbers: numbers.skip_while(lambda n: n < 3),
    "take(2)": lambda numbers: numbers.take(2),
    "take_last(2)": lambda numbers: numbers.take_last(2),
    "take_until(is_3)": lambda numbers: numbers.take_until(lambda n: n == 3),
    "take_while(below_3)": lambda numbers: numbers.take_while(lambda n: n < 3),
    "key_by(is_odd).count()": lambda numbers: numbers.key_by(lambda n: n % 2 == 1).count(),
    "key_by(is_odd).scan(add, 0)": lambda numbers: numbers.key_by(lambda n: n % 2 == 1).scan(
        lambda total, n: total + n, 0
    ),
}
"""Operators that need neither a thread nor a loop, each as its call is written and as it is made."""

SLOW_REQUESTS = {200: 1, 245: 1, 265: 9}
"""What a subscriber requests of those that take what nobody has requested, and when; all others have all they send."""


def pages() -> dict[str, str]:
    """Return the pictures, and the page of those of operators, by their paths."""
    pictures = {f"{FOLDER}/{draw.__name__}.svg": draw() for draw in DIAGRAMS}
    page = [HEAD]
    for call, made in OPERATORS.items():
        picture = picture_of(call)
        pictures[picture] = _operator(call, made)
        page.append(f"## `{call}`\n\n![marble diagram of {call}]({picture.removeprefix('reference/')})\n")
    return {**pictures, OPERATORS_PAGE: "\n".join(page)}


def picture_of(call: str) -> str:
    """Return the path of the picture of a call in `OPERATORS`, below the folder of the documentation."""
    name = "_".join(re.findall(r"\w+(?=\()", call))
    return f"{OPERATORS_FOLDER}/{name}.svg"


def _operator(call: str, made: Callable[[Stream[int]], Stream[Any]]) -> str:
    scheduler = TestScheduler()
    source = _numbers(scheduler)
    requests = SLOW_REQUESTS if call.startswith("on_backpressure") else None
    observer = scheduler.start(lambda: made(Stream.from_publisher(source)), requests=requests)
    return _drawn(call, MarbleLine.of_stream("source", source), MarbleLine.of_observer(call, observer))


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that draws the pictures before pages are read."""
    return write_when_built(app, pages)
