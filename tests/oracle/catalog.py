"""Every operator of the library: how a pipeline may use it, what plain Python does in its place, and reactivex."""

from __future__ import annotations

import inspect
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from heapq import merge
from itertools import (
    accumulate,
    chain,
    compress,
    dropwhile,
    groupby,
    islice,
    pairwise,
    repeat,
    starmap,
    takewhile,
    zip_longest,
)
from random import Random
from typing import Any

from reactivestreams import operators
from reactivestreams.stream.keyed import KeyedStream
from tests.models.stream_model import ModelError, Sent, checksum, counted, keeps, key_of, repeated
from tests.oracle.functions import (
    described,
    differ,
    drops,
    endless,
    fails,
    halved,
    handled,
    indexed,
    is_named,
    is_odd_place,
    maybe,
    mixed,
    paired,
    renamed,
    rows_of,
    small,
)
from tests.oracle.models import (
    Cut,
    Latest,
    Merged,
    Opened,
    Outcome,
    determined,
    keyed,
    keyed_through,
    name_of,
    read,
    sent_by,
    windows,
)

NUMBER = "a number"
PAIR = "a pair"
ANY = "anything"


@dataclass(frozen=True)
class Step:
    """An operator with its arguments.

    Attributes:
        text: The call, as it is written behind a stream or a pipeline.
        of: The model.
        takes: What the elements must be.
        gives: What they are behind it; None: what they were.
        rx: The same as operators of reactivex, with commas between; None: it has none, or is not compared here.
        is_each: Whether it handles each element by itself.
        is_gathering: Whether it needs all elements, in any order.
        is_parallel: Whether something runs in an event loop, or by a scheduler.
    """

    text: str
    of: Callable[[Sent], Outcome]
    takes: str = ANY
    gives: str | None = ANY
    rx: str | None = None
    is_each: bool = False
    is_gathering: bool = False
    is_parallel: bool = False

    def after(self, given: Outcome) -> Outcome:
        """Return what comes of the operator behind another outcome."""
        if isinstance(given, Sent):
            return self.of(given)
        assert isinstance(given, Merged)
        return given.each(self.of) if self.is_each else given.gathered(self.of)

    def fits(self, given: Outcome, kind: str) -> bool:
        """Return whether it may stand behind an outcome with elements of a kind."""
        if self.takes not in (ANY, kind):
            return False
        if isinstance(given, Merged):
            return self.is_gathering or (self.is_each and given.end is None)
        return isinstance(given, Sent)


Make = Callable[[Random], Step]

CATALOG: dict[str, Make] = {}
"""By the name of its method, or of one behind `key_by()`, what makes a step of it with random arguments."""

OF_ARROW = ("filter_batches", "map_batches", "project", "with_columns")

REASONS: dict[str, str] = {
    "exhaust_map": "which elements come while a stream runs is up to demand and time",
    "switch_map": "how far a stream comes before the next element is up to demand and time",
}
"""By the name of a method why it has no model."""

NOT_COMPARED: dict[str, str] = {
    **dict.fromkeys(
        (
            "buffer_until",
            "buffer_while",
            "collect",
            "compress",
            "cycle",
            "flat_map_ordered",
            "intersperse",
            "lift",
            "limit_rate",
            "limit_weight",
            "merge_sorted",
            "on_backpressure_batch",
            "on_backpressure_buffer",
            "on_backpressure_drop",
            "on_backpressure_error",
            "on_backpressure_latest",
            "on_backpressure_reduce",
            "on_error_continue",
            "on_error_map",
            "pause_while",
            "repeat_when",
            "retry_when",
            "sliding",
            "sorted",
            "split_when",
            "switch_if_empty",
            "then",
            "to_lookup",
            "zip_longest",
        ),
        "reactivex has none",
    ),
    **dict.fromkeys(
        (
            "audit",
            "buffer_timeout",
            "debounce",
            "delay",
            "delay_subscription",
            "delay_until",
            "rate_limit",
            "sample",
            "skip_for",
            "take_for",
            "throttle_first",
            "throttle_latest",
            "time_interval",
            "timeout",
            "timestamp",
        ),
        "its times are those of a scheduler there",
    ),
    "cast": "reactivex has none",
    "handle": "reactivex has none",
    "of_type": "reactivex has none",
    **dict.fromkeys(OF_ARROW, "reactivex knows no batches"),
    "expand": "it calls itself for each element there, deeper than Python permits",
    **dict.fromkeys(
        ("window", "window_timeout", "window_toggle", "window_until", "window_when"),
        "a window is made before its first element there, also an empty one",
    ),
    "buffer_toggle": "it does not complete there while a list is open",
    "group_by_until": "a group that ends at once has ended there before it is consumed",
    "map_async": "it is flat_map of a future there",
    "map_in_executor": "it is flat_map of a future there",
    **dict.fromkeys(("observe_on", "subscribe_on"), "it changes the thread, and nothing that could be compared"),
    "parallel": "it has no rails; it is flat_map of streams with observe_on there",
    **dict.fromkeys(("log", "checkpoint", "limit_weight", "progress", "recorded", "tap"), "reactivex has none"),
    "key_by().aggregate": "reactivex has none",
    "key_by().expire_after": "reactivex has none",
    **dict.fromkeys(
        (
            "with_timestamps().key_by().group_join",
            "with_timestamps().key_by().join",
            "with_timestamps().key_by().tumbling",
        ),
        "reactivex has none",
    ),
}
"""By the name of a method why reactivex is not compared with it.

Of the others, it is not where reactivex differs for a reason: `repeat` and `retry` behind another one of them, or with
`map_indexed`, since a second subscription goes on with the attempts, or the index, that the first one has left there;
`concat_map`, `sequence_equal` and `zip_with` with an error, which overtakes the elements that wait there; arguments
that have no counterpart.
"""


def named_in_the_library() -> set[str]:
    """Return the names of the methods that add an operator."""
    names = {
        definition.method
        for _, definition in inspect.getmembers(operators, inspect.isclass)
        if hasattr(definition, "method")
    }
    keyed_names = {name for name, _ in inspect.getmembers(KeyedStream) if not name.startswith("_")}
    return names | {f"key_by().{name}" for name in keyed_names}


def step(name: str) -> Callable[[Make], Make]:
    """Enter what makes the steps of a method."""

    def entered(make: Make) -> Make:
        CATALOG[name] = make
        return make

    return entered


def lazily(function: Callable[[Iterator[Any]], Iterable[Any]]) -> Callable[[Sent], Sent]:
    """Return the model of an operator that does what a function does with an iterator."""

    def of(sent: Sent) -> Sent:
        try:
            return sent_by(function(read(sent)))
        except ModelError as error:  # of a function that reads at once
            return Sent([], name_of(error))

    return of


def folding(function: Callable[[Iterator[Any]], Any]) -> Callable[[Sent], Sent]:
    """Return the model of an operator with one result: what a function returns for an iterator."""
    return lazily(lambda given: iter([function(given)]))


def maybe_failing(random: Random, text: str, function: Callable[..., Any]) -> tuple[str, Callable[..., Any]]:
    """Return a function and how it is written; now and then it raises for some elements."""
    if random.random() < 0.8:
        return text, function
    one_of = random.choice((2, 5, 13, 40))
    return f"fails({one_of}, {text})", fails(one_of, function)


def random_input(random: Random, longest: int = 6) -> tuple[str, Sent]:
    """Return another input of an operator, as it is written, and what it sends."""
    elements = [random.randint(-9, 20) for _ in range(random.randint(0, longest))]
    match random.randrange(5):
        case 0:
            return f"Stream.from_iterable({elements})", Sent(elements)
        case 1:
            return f"Stream.from_publisher(Stream.from_iterable({elements}), prefetch=2)", Sent(elements)
        case 2:
            return f"Failing({elements}, 'other')", Sent(elements, "other")
        case _:
            return f"{elements}", Sent(elements)


def prefetch(random: Random) -> str:
    return f", prefetch={random.choice((1, 2, 3, 8, 64))}"


def filled(given: Iterator[Any]) -> list[Any]:
    """Return all elements.

    Raises:
        ModelError: There was none.
    """
    return list(given) or nothing()


def nothing() -> Any:
    raise ModelError("EmptyStreamError")


def next_of(given: Iterator[Any]) -> Any:
    for element in given:
        return element
    return nothing()


def bounded(given: Iterator[Any], most: int | None) -> Iterator[Any]:
    for number, element in enumerate(given):
        if number == most:
            raise ModelError("CapacityError")
        yield element


# --- transforming -----------------------------------------------------------------------------------------------------


@step("map")
def _map(random: Random) -> Step:
    text, kind, function = random.choice(
        (("small", NUMBER, small), ("small", NUMBER, small), ("paired", PAIR, paired), ("described", ANY, described))
    )
    text, function = maybe_failing(random, text, function)
    return Step(
        f".map({text})", lazily(lambda given: map(function, given)), gives=kind, rx=f"ops.map({text})", is_each=True
    )


@step("starmap")
def _starmap(random: Random) -> Step:
    text, function = maybe_failing(random, "described", described)
    return Step(
        f".starmap({text})",
        lazily(lambda given: starmap(function, given)),
        takes=PAIR,
        rx=f"ops.starmap({text})",
        is_each=True,
    )


@step("pluck")
def _pluck(random: Random) -> Step:
    keys = random.choice(((0,), (1,), (1, 0), (-1, 1)))
    return Step(
        f".pluck({', '.join(map(str, keys))})",
        lazily(lambda given: map(operator.itemgetter(*keys), given)),
        takes=PAIR,
        gives=PAIR if len(keys) == 2 else ANY,
        rx=f"ops.pluck({keys[0]})" if len(keys) == 1 else None,
        is_each=True,
    )


@step("pluck_attr")
def _pluck_attr(random: Random) -> Step:
    names = random.choice((("real",), ("imag",), ("real", "denominator")))
    return Step(
        f".pluck_attr({', '.join(map(repr, names))})",
        lazily(lambda given: map(operator.attrgetter(*names), given)),
        takes=NUMBER,
        gives=PAIR if len(names) == 2 else NUMBER,
        rx=f"ops.pluck_attr({names[0]!r})" if len(names) == 1 else None,
        is_each=True,
    )


@step("enumerate")
def _enumerate(random: Random) -> Step:
    start = random.choice((-1, 0, 7))
    return Step(
        f".enumerate({start})",
        lazily(lambda given: enumerate(given, start)),
        gives=PAIR,
        rx=f"ops.scan(lambda pair, element: (pair[0] + 1, element), ({start - 1}, None))",
    )


@step("map_indexed")
def _map_indexed(random: Random) -> Step:
    return Step(
        ".map_indexed(indexed)",
        lazily(lambda given: (indexed(element, index) for index, element in enumerate(given))),
        gives=NUMBER,
        rx="ops.map_indexed(indexed)",
    )


@step("map_not_none")
def _map_not_none(random: Random) -> Step:
    text, function = maybe_failing(random, "maybe", maybe)
    return Step(
        f".map_not_none({text})",
        lazily(lambda given: (made for made in map(function, given) if made is not None)),
        gives=NUMBER,
        rx=f"ops.map({text}), ops.filter(lambda element: element is not None)",
        is_each=True,
    )


class Sink:
    """What a function of `handle` is given: notes what it sends."""

    def __init__(self) -> None:
        self.elements: list[Any] = []
        self.is_over = False

    def emit(self, element: Any) -> None:
        self.elements.append(element)

    def complete(self) -> None:
        self.is_over = True

    def fail(self, error: Exception) -> None:
        raise error


@step("handle")
def _handle(random: Random) -> Step:
    def handling(given: Iterator[Any]) -> Iterator[Any]:
        for element in given:
            sink = Sink()
            handled(element, sink)
            yield from sink.elements
            if sink.is_over:
                break

    return Step(".handle(handled)", lazily(handling), gives=NUMBER)


@step("scan")
def _scan(random: Random) -> Step:
    text, function = maybe_failing(random, "mixed", mixed)
    if random.random() < 0.5:
        return Step(
            f".scan({text})",
            lazily(lambda given: accumulate(given, function)),
            gives=ANY,
            rx=f"ops.scan({text})",
        )
    return Step(
        f".scan({text}, 5)",
        lazily(lambda given: islice(accumulate(given, function, initial=5), 1, None)),
        gives=NUMBER,
        rx=f"ops.scan({text}, 5)",
    )


@step("buffer")
def _buffer(random: Random) -> Step:
    size, skip = random.randint(1, 5), random.choice((None, 1, 2, 3, 7))
    arguments = f"{size}" if skip is None else f"{size}, {skip}"
    return Step(
        f".buffer({arguments})",
        lazily(lambda given: windows(given, size, skip or size, has_rest=True)),
        rx=f"ops.buffer_with_count({arguments})" if skip is None or skip >= size else None,
    )


@step("sliding")
def _sliding(random: Random) -> Step:
    size, distance = random.randint(1, 4), random.choice((1, 1, 2, 3, 7))
    return Step(
        f".sliding({size}, {distance})",
        lazily(lambda given: map(tuple, windows(given, size, distance, has_rest=False))),
        gives=PAIR if size == 2 else ANY,
    )


@step("pairwise")
def _pairwise(random: Random) -> Step:
    return Step(".pairwise()", lazily(pairwise), gives=PAIR, rx="ops.pairwise()")


@step("split_when")
def _split_when(random: Random) -> Step:
    text, function = maybe_failing(random, "differ", differ)

    def split(given: Iterator[Any]) -> Iterator[list[Any]]:
        part: list[Any] = []
        for element in given:
            if part and function(part[-1], element):
                yield part
                part = []
            part.append(element)
        if part:
            yield part

    return Step(f".split_when({text})", lazily(split))


@step("buffer_until")
def _buffer_until(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(3)", keeps(3))

    def marked(given: Iterator[Any]) -> Iterator[list[Any]]:
        part: list[Any] = []
        for element in given:
            is_end = function(element)
            part.append(element)
            if is_end:
                yield part
                part = []
        if part:
            yield part

    return Step(f".buffer_until({text})", lazily(marked))


@step("buffer_while")
def _buffer_while(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(3)", keeps(3))

    def marked(given: Iterator[Any]) -> Iterator[list[Any]]:
        part: list[Any] = []
        for element in given:
            if function(element):
                part.append(element)
            elif part:
                yield part
                part = []
        if part:
            yield part

    return Step(f".buffer_while({text})", lazily(marked))


@step("buffer_toggle")
def _buffer_toggle(random: Random) -> Step:
    return Step(
        f".buffer_toggle(Stream.just(0), lambda _: Stream.never(){prefetch(random)})",
        Opened,
    )


@step("buffer_when")
def _buffer_when(random: Random) -> Step:
    text, other = random_input(random)
    return Step(
        f".buffer_when({text}{prefetch(random)})",
        lambda sent: Cut(sent, other),
        rx=f"ops.buffer({written_for_rx(other)})",
    )


def read_by_rx(text: str) -> str:
    """Return how a function that returns an iterable is written for reactivex."""
    return f"lambda element: rx.from_iterable(({text})(element))"


def inner_function(random: Random) -> tuple[str, Callable[..., Any]]:
    if random.random() < 0.1:
        return "endless", endless
    most = random.randint(1, 3)
    return maybe_failing(random, f"repeated({most})", repeated(most))


def flattened(function: Callable[[Any], Any]) -> Callable[[Sent], Sent]:
    return lazily(lambda given: chain.from_iterable(map(function, given)))


def beside(function: Callable[[Any], Any]) -> Callable[[Sent], Outcome]:
    """Return the model of an operator that runs what a function returns side by side."""

    def of(sent: Sent) -> Merged:
        lanes = []
        for element in sent.elements:
            try:
                lanes.append(sent_by(function(element)))
            except ModelError as error:
                return Merged([*lanes, Sent([], str(error))])
        return Merged([*lanes, *([Sent([], sent.error)] if sent.error else [])])

    return of


@step("flat_map")
def _flat_map(random: Random) -> Step:
    text, function = inner_function(random)
    concurrency = f", concurrency={random.randint(1, 4)}" if random.random() < 0.5 else ""
    match random.randrange(4):
        case 0:
            arguments, of, is_each, is_parallel = f"streamed({text})", beside(function), False, False
        case 1:
            arguments, of, is_each, is_parallel = f"read_later({text}, loop)", beside(function), False, True
        case _:
            arguments, of, is_each, is_parallel = text, flattened(function), True, False
    return Step(
        f".flat_map({arguments}{concurrency}{prefetch(random)})",
        of,
        rx=f"ops.flat_map({read_by_rx(text)})" if arguments.startswith("streamed(repeated") else None,
        is_each=is_each,
        is_parallel=is_parallel,
    )


@step("concat_map")
def _concat_map(random: Random) -> Step:
    text, function = inner_function(random)
    kind = random.choice(("", "", "streamed", "read_later"))
    written = {"": text, "streamed": f"streamed({text})", "read_later": f"read_later({text}, loop)"}[kind]
    return Step(
        f".concat_map({written}{prefetch(random)})",
        flattened(function),
        rx=f"ops.concat_map({read_by_rx(text)})" if text.startswith("repeated") else None,
        is_each=True,
        is_parallel=kind == "read_later",
    )


@step("flat_map_ordered")
def _flat_map_ordered(random: Random) -> Step:
    text, function = inner_function(random)
    kind = random.choice(("", "", "streamed", "read_later"))
    if kind and text.startswith("fails"):
        kind = ""  # the error of the function itself does not wait for the streams of earlier elements
    written = {"": text, "streamed": f"streamed({text})", "read_later": f"read_later({text}, loop)"}[kind]
    concurrency = f", concurrency={random.randint(1, 4)}" if random.random() < 0.5 else ""
    return Step(
        f".flat_map_ordered({written}{concurrency}{prefetch(random)})",
        flattened(function),
        is_each=True,
        is_parallel=kind == "read_later",
    )


def grouped(key: Callable[[Any], Any]) -> Callable[[Sent], Outcome]:
    """Return the model of groups that run side by side: the key of an element says whose it is."""

    def of(sent: Sent) -> Merged:
        groups: dict[Any, list[Any]] = {}
        error = sent.error
        try:
            for element in sent.elements:
                groups.setdefault(key(element), []).append(element)
        except ModelError as raised:
            error = str(raised)
        return Merged([*map(Sent, groups.values()), *([Sent([], error)] if error else [])])

    return of


@step("group_by")
def _group_by(random: Random) -> Step:
    text, key = maybe_failing(random, "key_of", key_of)
    return Step(
        f".group_by({text}{prefetch(random)}).flat_map(lambda group: group, concurrency={random.choice((3, 16))})",
        grouped(key),
        gives=None,
        rx=f"ops.group_by({text}), ops.flat_map(lambda group: group)",
    )


@step("window")
def _window(random: Random) -> Step:
    count = random.randint(1, 5)
    skip = random.randint(1, 6)
    return Step(
        f".window({count}, {skip}, prefetch={count}).concat_map(lambda window: window.buffer(99))",
        lazily(lambda given: (each for each in windows(given, count, skip, has_rest=True) if each)),
    )


@step("window_timeout")
def _window_timeout(random: Random) -> Step:
    count = random.randint(1, 5)
    return Step(
        f".window_timeout({count}, 3600{prefetch(random)}).concat_map(lambda window: window)",
        lazily(iter),
        gives=None,
    )


@step("window_toggle")
def _window_toggle(random: Random) -> Step:
    return Step(
        f".window_toggle(Stream.just(0), lambda _: Stream.never(){prefetch(random)}).concat_map("
        "lambda window: window.through(pipeline().to_list()))",
        Opened,
    )


@step("window_until")
def _window_until(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(3)", keeps(3))

    def asked(given: Iterator[Any]) -> Iterator[Any]:
        for element in given:
            function(element)
            yield element

    return Step(f".window_until({text}{prefetch(random)}).concat_map(lambda window: window)", lazily(asked), gives=None)


@step("window_when")
def _window_when(random: Random) -> Step:
    return Step(
        f".window_when(Stream.never(){prefetch(random)}).concat_map(lambda window: window)",
        lazily(iter),
        gives=None,
    )


@step("group_by_until")
def _group_by_until(random: Random) -> Step:
    text, key = maybe_failing(random, "key_of", key_of)
    return Step(
        f".group_by_until({text}, lambda key: [key]{prefetch(random)}).concat_map(lambda group: group)",
        grouped(key),  # a group ends when its `until` gets its turn, on a scheduler not before the next element
        gives=None,
    )


@step("expand")
def _expand(random: Random) -> Step:
    def grown(given: Iterator[Any]) -> list[Any]:
        level, everything = list(given), []
        while level:
            everything += level
            level = list(chain.from_iterable(map(halved, level)))
        return sorted(everything)

    concurrency = random.randint(1, 3)
    return Step(
        f".expand(halved, concurrency={concurrency}{prefetch(random)}).sorted()",
        lazily(grown),
        takes=NUMBER,
        gives=NUMBER,
        is_gathering=True,
    )


@step("map_async")
def _map_async(random: Random) -> Step:
    text, function = maybe_failing(random, "small", small)
    concurrency = random.choice((1, 2, 16))
    if random.random() < 0.5:
        return Step(
            f".map_async(awaited({text}), concurrency={concurrency}, loop=loop)",
            lazily(lambda given: map(function, given)),
            gives=NUMBER,
            is_each=True,
            is_parallel=True,
        )

    def unordered(sent: Sent) -> Merged:
        return Merged([sent_by(map(function, [element])) for element in sent.elements], sent.error)

    return Step(
        f".map_async(awaited({text}), concurrency={concurrency}, ordered=False, loop=loop)",
        unordered,
        gives=NUMBER,
        is_parallel=True,
    )


@step("map_in_executor")
def _map_in_executor(random: Random) -> Step:
    text, function = maybe_failing(random, "small", small)
    is_ordered = random.random() < 0.5
    arguments = f"concurrency={random.choice((1, 2, 16))}, chunk={random.choice((1, 1, 3))}"

    def unordered(sent: Sent) -> Merged:
        return Merged([sent_by(map(function, [element])) for element in sent.elements], sent.error)

    return Step(
        f".map_in_executor({text}, EXECUTOR, {arguments}{'' if is_ordered else ', ordered=False'})",
        lazily(lambda given: map(function, given)) if is_ordered else unordered,
        gives=NUMBER,
        is_each=is_ordered,
        is_parallel=True,
    )


@step("lift")
def _lift(random: Random) -> Step:
    return Step(f".lift({random.choice(('PassOn', 'Ask'))})", lazily(iter), gives=None, is_each=True)


@step("sorted")
def _sorted(random: Random) -> Step:
    is_reverse = random.random() < 0.3
    if random.random() < 0.5:
        text, function = maybe_failing(random, "checksum", checksum)
        return Step(
            f".sorted({text}, reverse={is_reverse})",
            lazily(lambda given: sorted(given, key=function, reverse=is_reverse)),
            gives=None,
        )
    most = random.choice((3, 10**6))
    return Step(
        f".sorted(reverse={is_reverse}, max_elements={most})",
        lazily(lambda given: sorted(bounded(given, most), reverse=is_reverse)),
        takes=NUMBER,
        gives=None,
        is_gathering=True,
    )


# --- filtering --------------------------------------------------------------------------------------------------------


@step("filter")
def _filter(random: Random) -> Step:
    one_of = random.randint(1, 5)
    text, function = maybe_failing(random, f"keeps({one_of})", keeps(one_of))
    return Step(
        f".filter({text})",
        lazily(lambda given: filter(function, given)),
        gives=None,
        rx=f"ops.filter({text})",
        is_each=True,
    )


@step("take")
def _take(random: Random) -> Step:
    count = random.choice((0, 1, 3, 9, 100))
    return Step(f".take({count})", lazily(lambda given: islice(given, count)), gives=None, rx=f"ops.take({count})")


@step("skip")
def _skip(random: Random) -> Step:
    count = random.choice((0, 1, 3, 9))
    return Step(
        f".skip({count})", lazily(lambda given: islice(given, count, None)), gives=None, rx=f"ops.skip({count})"
    )


@step("take_last")
def _take_last(random: Random) -> Step:
    count = random.choice((0, 1, 3, 100))
    return Step(
        f".take_last({count})",
        lazily(lambda given: list(given)[-count:] if count else ignored(given)),
        gives=None,
        rx=f"ops.take_last({count})",
    )


@step("skip_last")
def _skip_last(random: Random) -> Step:
    count = random.choice((0, 1, 3, 100))

    def all_but_the_last(given: Iterator[Any]) -> Iterator[Any]:
        held: list[Any] = []
        for element in given:
            held.append(element)
            if len(held) > count:
                yield held.pop(0)

    return Step(f".skip_last({count})", lazily(all_but_the_last), gives=None, rx=f"ops.skip_last({count})")


@step("ignore_elements")
def _ignore_elements(random: Random) -> Step:
    return Step(".ignore_elements()", lazily(ignored), gives=None, rx="ops.ignore_elements()", is_gathering=True)


def ignored(given: Iterator[Any]) -> Iterator[Any]:
    return (element for element in given if False)


@step("take_while")
def _take_while(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(5)", keeps(5))
    if random.random() < 0.5:
        return Step(
            f".take_while({text})",
            lazily(lambda given: takewhile(function, given)),
            gives=None,
            rx=f"ops.take_while({text})",
        )
    return Step(
        f".take_while({text}, inclusive=True)",
        lazily(lambda given: until(given, lambda element: not function(element))),
        gives=None,
        rx=f"ops.take_while({text}, inclusive=True)",
    )


def until(given: Iterator[Any], function: Callable[[Any], object]) -> Iterator[Any]:
    """Yield elements up to the first one for which a function is true."""
    for element in given:
        is_last = function(element)
        yield element
        if is_last:
            break


@step("take_until")
def _take_until(random: Random) -> Step:
    text, function = maybe_failing(random, "drops(5)", drops(5))
    return Step(
        f".take_until({text})",
        lazily(lambda given: until(given, function)),
        gives=None,
        rx=f"ops.take_while(lambda element: not ({text})(element), inclusive=True)",
    )


@step("skip_while")
def _skip_while(random: Random) -> Step:
    text, function = maybe_failing(random, "drops(2)", drops(2))
    return Step(
        f".skip_while({text})",
        lazily(lambda given: dropwhile(function, given)),
        gives=None,
        rx=f"ops.skip_while({text})",
    )


@step("skip_until")
def _skip_until(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(2)", keeps(2))
    return Step(
        f".skip_until({text})",
        lazily(lambda given: dropwhile(lambda element: not function(element), given)),
        gives=None,
        rx=f"ops.skip_while(lambda element: not ({text})(element))",
    )


@step("filter_indexed")
def _filter_indexed(random: Random) -> Step:
    return Step(
        ".filter_indexed(is_odd_place)",
        lazily(lambda given: (element for index, element in enumerate(given) if is_odd_place(element, index))),
        gives=None,
        rx="ops.filter_indexed(is_odd_place)",
    )


@step("of_type")
def _of_type(random: Random) -> Step:
    kind = random.choice((int, tuple, list))
    return Step(
        f".of_type({kind.__name__})",
        lazily(lambda given: (element for element in given if isinstance(element, kind))),
        gives=None,
        is_each=True,
    )


@step("cast")
def _cast(random: Random) -> Step:
    def checked(element: Any) -> Any:
        if not isinstance(element, int):
            raise ModelError("ArgumentTypeError")
        return element

    return Step(".cast(int)", lazily(lambda given: map(checked, given)), gives=None, is_each=True)


@step("distinct")
def _distinct(random: Random) -> Step:
    text, function = maybe_failing(random, "small", small)
    most = random.choice((5, 10**6))

    def different(given: Iterator[Any]) -> Iterator[Any]:
        seen: set[Any] = set()
        for element in given:
            if (key := function(element)) not in seen:
                if len(seen) == most:
                    raise ModelError("CapacityError")
                seen.add(key)
                yield element

    return Step(
        f".distinct({text}, max_keys={most})",
        lazily(different),
        gives=None,
        rx=f"ops.distinct({text})" if most > 5 else None,
    )


@step("distinct_until_changed")
def _distinct_until_changed(random: Random) -> Step:
    text, function = maybe_failing(random, "key_of", key_of)
    if random.random() < 0.5:
        return Step(
            f".distinct_until_changed({text})",
            lazily(lambda given: (next(group) for _, group in groupby(given, function))),
            gives=None,
            rx=f"ops.distinct_until_changed({text})",
        )
    return Step(
        ".distinct_until_changed(comparer=same)",
        lazily(lambda given: (next(group) for _, group in groupby(given, key_of))),
        gives=None,
        rx="ops.distinct_until_changed(comparer=same)",
    )


@step("compress")
def _compress(random: Random) -> Step:
    text, other = random_input(random, 20)

    def of(sent: Sent) -> Sent:
        determined(sent, other)
        return sent_by(compress(read(sent), (number % 3 for number in read(other))))

    return Step(f".compress(Stream.empty().concat_with({text}).map(lambda n: n % 3){prefetch(random)})", of, gives=None)


# --- utility ----------------------------------------------------------------------------------------------------------


@step("do")
def _do(random: Random) -> Step:
    text, function = maybe_failing(random, "small", small)

    def looked_at(given: Iterator[Any]) -> Iterator[Any]:
        for element in given:
            function(element)
            yield element

    return Step(
        f".do({text}, on_error=repr, on_complete=dict)",
        lazily(looked_at),
        gives=None,
        rx=f"ops.do_action({text}, on_error=repr, on_completed=dict)",
        is_each=True,
    )


@step("finally_")
def _finally(random: Random) -> Step:
    return Step(".finally_(list)", lazily(iter), gives=None, rx="ops.finally_action(list)", is_each=True)


@step("log")
def _log(random: Random) -> Step:
    return Step(".log(level=0)", lazily(iter), gives=None, is_each=True)


@step("progress")
def _progress(random: Random) -> Step:
    return Step(f".progress('numbers', total={random.choice((None, 3))})", lazily(iter), gives=None, is_each=True)


@step("tap")
def _tap(random: Random) -> Step:
    return Step(".tap(metrics, name='numbers')", lazily(iter), gives=None, is_each=True)


@step("recorded")
def _recorded(random: Random) -> Step:
    return Step(f".recorded({os.devnull!r})", lazily(iter), takes=NUMBER, gives=None, is_each=True)


@step("checkpoint")
def _checkpoint(random: Random) -> Step:
    return Step(".checkpoint('here')", lazily(iter), gives=None, is_each=True)


@step("materialize")
def _materialize(random: Random) -> Step:
    def notes(sent: Sent) -> Sent:
        end = ("complete",) if sent.error is None else ("error", sent.error)
        return Sent([*(("next", element) for element in sent.elements), end])

    return Step(".materialize().map(noted)", notes, rx="ops.materialize(), ops.map(rx_noted)")


@step("parallel")
def _parallel(random: Random) -> Step:
    text, function = maybe_failing(random, "small", small)
    is_ordered = random.random() < 0.5
    run_on = random.choice(("", f".run_on(HERE{prefetch(random)})", f".run_on(scheduler{prefetch(random)})"))

    def unordered(sent: Sent) -> Merged:
        return Merged([sent_by(map(function, [element])) for element in sent.elements], sent.error)

    return Step(
        f".parallel({random.choice((1, 2, 3))}{prefetch(random)}){run_on}.map({text})"
        f".sequential({'ordered=True' if is_ordered else ''})",
        lazily(lambda given: map(function, given)) if is_ordered else unordered,
        gives=NUMBER,
        is_each=is_ordered,
        is_parallel="scheduler" in run_on,
    )


@step("dematerialize")
def _dematerialize(random: Random) -> Step:
    return Step(".materialize().dematerialize()", lazily(iter), gives=None, rx="ops.materialize(), ops.dematerialize()")


@step("subscribe_on")
def _subscribe_on(random: Random) -> Step:
    scheduler = random.choice(("HERE", "scheduler"))
    return Step(f".subscribe_on({scheduler})", lazily(iter), gives=None, is_each=True, is_parallel=True)


@step("observe_on")
def _observe_on(random: Random) -> Step:
    scheduler = random.choice(("HERE", "scheduler"))
    return Step(
        f".observe_on({scheduler}{prefetch(random)})",
        lazily(iter),
        gives=None,
        is_each=True,
        is_parallel=scheduler != "HERE",
    )


# --- combining --------------------------------------------------------------------------------------------------------


def random_values(random: Random) -> list[int]:
    return [random.randint(-9, 20) for _ in range(random.randint(1, 3))]


@step("append")
def _append(random: Random) -> Step:
    values = random_values(random)
    written = ", ".join(map(str, values))
    return Step(
        f".append({written})",
        lazily(lambda given: chain(given, values)),
        rx=f"ops.concat(rx.of({written}))",
    )


@step("start_with")
def _start_with(random: Random) -> Step:
    values = random_values(random)
    written = ", ".join(map(str, values))
    return Step(f".start_with({written})", lazily(lambda given: chain(values, given)), rx=f"ops.start_with({written})")


@step("concat_with")
def _concat_with(random: Random) -> Step:
    inputs = [random_input(random) for _ in range(random.randint(1, 3))]
    return Step(
        f".concat_with({', '.join(text for text, _ in inputs)})",
        lazily(lambda given: chain(given, *(read(sent) for _, sent in inputs))),
        rx=f"ops.concat({', '.join(map(written_for_rx, (sent for _, sent in inputs)))})",
    )


def written_for_rx(sent: Sent) -> str:
    """Return how an input is written for reactivex."""
    given = f"rx.from_iterable({sent.elements})"
    return given if sent.error is None else f"rx.concat({given}, rx.throw(ModelError({sent.error!r})))"


@step("then")
def _then(random: Random) -> Step:
    text, other = random_input(random)
    return Step(f".then({text})", lambda sent: other if sent.error is None else Sent([], sent.error))


def _ended_by_error(sent: Sent, kept: list[Any]) -> Sent:
    """What waits goes out with the completion, and is given up at an error."""
    return Sent(kept if sent.error is None else [], sent.error)


# What is dropped is up to demand and time; what is tested is what is not.


@step("on_backpressure_buffer")
def _on_backpressure_buffer(random: Random) -> Step:
    return Step(".on_backpressure_buffer(1000)", lambda sent: sent, gives=None, is_parallel=True)


@step("on_backpressure_drop")
def _on_backpressure_drop(random: Random) -> Step:
    return Step(".on_backpressure_drop(on_dropped=described).ignore_elements()", lambda sent: Sent([], sent.error))


@step("on_backpressure_error")
def _on_backpressure_error(random: Random) -> Step:
    return Step(".on_backpressure_error().ignore_elements()", lambda sent: Sent([], sent.error))


@step("on_backpressure_latest")
def _on_backpressure_latest(random: Random) -> Step:
    return Step(
        ".on_backpressure_latest(on_dropped=described).take_last(1)",
        lambda sent: _ended_by_error(sent, sent.elements[-1:]),
        gives=None,
        is_parallel=True,
    )


@step("on_backpressure_reduce")
def _on_backpressure_reduce(random: Random) -> Step:
    return Step(
        ".on_backpressure_reduce(later).take_last(1)",
        lambda sent: _ended_by_error(sent, sent.elements[-1:]),
        gives=None,
        is_parallel=True,
    )


@step("on_backpressure_batch")
def _on_backpressure_batch(random: Random) -> Step:
    return Step(
        f".on_backpressure_batch({random.randint(1, 5)}).flat_map(list)",
        lambda sent: sent,
        gives=None,
        is_parallel=True,
    )


@step("limit_rate")
def _limit_rate(random: Random) -> Step:
    high = random.randint(1, 9)
    return Step(f".limit_rate({high}, {random.randint(1, high)})", lambda sent: sent, gives=None, is_parallel=True)


@step("limit_weight")
def _limit_weight(random: Random) -> Step:
    return Step(f".limit_weight({random.randint(1, 9)}, lambda _: 2)", lambda sent: sent, gives=None, is_parallel=True)


@step("pause_while")
def _pause_while(random: Random) -> Step:
    pauser = random.choice(("Stream.never()", "[True, False]", "[0, 1]"))
    return Step(f".pause_while({pauser}{prefetch(random)})", lambda sent: sent, gives=None)


# The times are so long, or so short, that none makes a difference.


@step("rate_limit")
def _rate_limit(random: Random) -> Step:
    return Step(".rate_limit(2**24, 0.000001)", lambda sent: sent, gives=None, is_parallel=True)


@step("delay")
def _delay(random: Random) -> Step:
    return Step(".delay(0)", lambda sent: sent, gives=None, is_parallel=True)


@step("delay_subscription")
def _delay_subscription(random: Random) -> Step:
    return Step(".delay_subscription(0)", lambda sent: sent, gives=None, is_parallel=True)


@step("delay_until")
def _delay_until(random: Random) -> Step:
    until = random.choice(["()", "Stream.range(2)", "Stream.timer(0)"])
    return Step(f".delay_until(lambda element: {until})", lambda sent: sent, gives=None, is_parallel=True)


@step("timeout")
def _timeout(random: Random) -> Step:
    return Step(".timeout(3600, fallback=())", lambda sent: sent, gives=None, is_parallel=True)


@step("take_for")
def _take_for(random: Random) -> Step:
    return Step(".take_for(3600)", lambda sent: sent, gives=None, is_parallel=True)


@step("skip_for")
def _skip_for(random: Random) -> Step:
    return Step(".skip_for(3600)", lambda sent: Sent([], sent.error), gives=None, is_parallel=True)


@step("throttle_first")
def _throttle_first(random: Random) -> Step:
    return Step(".throttle_first(3600)", lambda sent: Sent(sent.elements[:1], sent.error), gives=None)


@step("throttle_latest")
def _throttle_latest(random: Random) -> Step:
    # An error overtakes the first element, if that was not requested yet.
    return Step(
        ".on_error_resume(()).throttle_latest(3600)",
        lambda sent: Sent([*sent.elements[:1], *sent.elements[1:][-1:]]),
        gives=None,
        is_parallel=True,
    )


@step("debounce")
def _debounce(random: Random) -> Step:
    quiet = random.choice(["3600", "lambda _: Stream.never()"])
    return Step(
        f".debounce({quiet})", lambda sent: _ended_by_error(sent, sent.elements[-1:]), gives=None, is_parallel=True
    )


@step("audit")
def _audit(random: Random) -> Step:
    return Step(".audit(3600)", lambda sent: _ended_by_error(sent, sent.elements[-1:]), gives=None, is_parallel=True)


@step("sample")
def _sample(random: Random) -> Step:
    return Step(".sample(())", lambda sent: _ended_by_error(sent, sent.elements[-1:]), gives=None, is_parallel=True)


@step("buffer_timeout")
def _buffer_timeout(random: Random) -> Step:
    size = random.randint(1, 5)

    def lists(sent: Sent) -> Sent:
        found = list(windows(sent.elements, size, size, has_rest=sent.error is None))
        return Sent(found, sent.error)

    return Step(f".buffer_timeout({size}, 3600)", lists, is_parallel=True)


@step("timestamp")
def _timestamp(random: Random) -> Step:
    return Step(".timestamp().map(lambda pair: pair[1])", lambda sent: sent, gives=None)


@step("time_interval")
def _time_interval(random: Random) -> Step:
    return Step(".time_interval().map(lambda pair: pair[1])", lambda sent: sent, gives=None)


@step("merge_sorted")
def _merge_sorted(random: Random) -> Step:
    elements, key = [random.randint(-9, 20) for _ in range(random.randint(0, 6))], random.choice((None, small))
    arguments = f"{elements}, {'' if key is None else 'key=small, '}"
    return Step(
        f".merge_sorted({arguments.rstrip(', ')}{prefetch(random)})",
        lazily(lambda given: merge(given, elements, key=key)),
        takes=NUMBER,
        gives=NUMBER,
    )


@step("intersperse")
def _intersperse(random: Random) -> Step:
    return Step(
        ".intersperse(0)",
        lazily(lambda given: islice(chain.from_iterable((0, element) for element in given), 1, None)),
    )


@step("merge_with")
def _merge_with(random: Random) -> Step:
    inputs = [random_input(random) for _ in range(random.randint(1, 3))]
    return Step(
        f".merge_with({', '.join(text for text, _ in inputs)}{prefetch(random)})",
        lambda sent: Merged([sent, *(other for _, other in inputs)]),
        rx=f"ops.merge({', '.join(written_for_rx(other) for _, other in inputs)})",
    )


@step("zip_with")
def _zip_with(random: Random) -> Step:
    text, other = random_input(random, 20)

    def of(sent: Sent) -> Sent:
        determined(sent, other)
        return sent_by(zip(read(sent), read(other), strict=False))

    return Step(
        f".zip_with({text}{prefetch(random)})",
        of,
        gives=PAIR,
        rx=f"ops.zip({written_for_rx(other)})" if other.error is None else None,
    )


@step("zip_longest")
def _zip_longest(random: Random) -> Step:
    text, other = random_input(random, 20)

    def of(sent: Sent) -> Sent:
        if sent.error is not None and other.error is not None:
            determined(sent, other)
        return sent_by(zip_longest(read(sent), read(other), fillvalue="-"))

    return Step(f".zip_longest({text}, filling='-'{prefetch(random)})", of, gives=PAIR)


@step("combine_latest")
def _combine_latest(random: Random) -> Step:
    text, other = random_input(random)
    return Step(
        f".combine_latest({text}{prefetch(random)})",
        lambda sent: Latest(sent, other, is_led=False),
        rx=f"ops.combine_latest({written_for_rx(other)})",
    )


@step("with_latest_from")
def _with_latest_from(random: Random) -> Step:
    text, other = random_input(random)
    return Step(
        f".with_latest_from({text}{prefetch(random)})",
        lambda sent: Latest(sent, other, is_led=True),
        rx=f"ops.with_latest_from({written_for_rx(other)})" if other.error is None else None,
    )


# --- recovering -------------------------------------------------------------------------------------------------------


@step("default_if_empty")
def _default_if_empty(random: Random) -> Step:
    return Step(
        ".default_if_empty(7)",
        lambda sent: Sent(sent.elements or ([7] if sent.error is None else []), sent.error),
        rx="ops.default_if_empty(7)",
    )


@step("switch_if_empty")
def _switch_if_empty(random: Random) -> Step:
    text, other = random_input(random)
    return Step(f".switch_if_empty({text})", lambda sent: sent if sent.elements or sent.error is not None else other)


@step("on_error_map")
def _on_error_map(random: Random) -> Step:
    return Step(
        ".on_error_map(renamed)",
        lambda sent: Sent(sent.elements, sent.error and str(renamed(ModelError(sent.error)))),
        gives=None,
    )


@step("on_error_return")
def _on_error_return(random: Random) -> Step:
    return Step(
        ".on_error_return(7)",
        lambda sent: Sent(sent.elements if sent.error is None else [*sent.elements, 7]),
        rx="ops.catch(lambda error, source: rx.of(7))",
    )


@step("on_error_resume")
def _on_error_resume(random: Random) -> Step:
    text, other = random_input(random)
    is_called = random.random() < 0.3
    return Step(
        f".on_error_resume({f'lambda error: {text}' if is_called else text})",
        lambda sent: sent if sent.error is None else Sent(sent.elements + other.elements, other.error),
        rx=f"ops.catch(lambda error, source: {written_for_rx(other)})",
    )


@step("repeat")
def _repeat(random: Random) -> Step:
    count = random.randint(1, 3)
    return Step(
        f".repeat({count})",
        lambda sent: sent if sent.error is not None else Sent(sent.elements * count),
        gives=None,
        rx=f"ops.repeat({count})",
    )


@step("retry")
def _retry(random: Random) -> Step:
    times, one_of = random.randint(1, 2), random.choice((None, 2))
    when = is_named(one_of or 1)

    def of(sent: Sent) -> Sent:
        if sent.error is None or (one_of and not when(ModelError(sent.error))):
            return sent
        return Sent(sent.elements * (times + 1), sent.error)

    return Step(
        f".retry({times})" if one_of is None else f".retry({times}, when=is_named({one_of}))",
        of,
        gives=None,
        rx=f"ops.retry({times + 1})" if one_of is None else None,
    )


@step("repeat_when")
def _repeat_when(random: Random) -> Step:
    count = random.randint(0, 2)
    control = random.choice((f"counts.take({count})", f"[None] * {count}"))
    return Step(
        f".repeat_when(lambda counts: {control})",
        lambda sent: sent if sent.error is not None else Sent(sent.elements * (count + 1)),
        gives=None,
    )


@step("retry_when")
def _retry_when(random: Random) -> Step:
    count = random.randint(0, 2)
    control = random.choice((f"errors.take({count})", f"[None] * {count}"))
    return Step(
        f".retry_when(lambda errors: {control})",
        lambda sent: sent if sent.error is None else Sent(sent.elements * (count + 1)),
        gives=None,
    )


@step("on_error_continue")
def _on_error_continue(random: Random) -> Step:
    one_of = random.choice((2, 5))
    function = fails(one_of, small)

    def left_out(given: Iterator[Any]) -> Iterator[Any]:
        for element in given:
            with suppress(ModelError):
                yield function(element)

    inner = f"Stream.just(element).map(fails({one_of}, small)).on_error_continue(differ)"  # reaches no other operator
    return Step(f".concat_map(lambda element: {inner})", lazily(left_out), gives=NUMBER, is_each=True)


@step("cycle")
def _cycle(random: Random) -> Step:
    times = random.randint(1, 3)
    most = random.choice((None, 5))

    def cycled(given: Iterator[Any]) -> Iterator[Any]:
        kept = []
        for element in bounded(given, most) if times > 1 else given:  # else nothing has to be kept
            kept.append(element)
            yield element
        yield from chain.from_iterable(repeat(kept, times - 1))

    return Step(f".cycle({times}, max_elements={most})", lazily(cycled), gives=None)


# --- one result -------------------------------------------------------------------------------------------------------


def fold(
    call: str,
    function: Callable[[Iterator[Any]], Any],
    *,
    takes: str = ANY,
    gives: str | None = ANY,
    rx: str | None = None,
    is_gathering: bool = False,
) -> Step:
    return Step(
        f".through(pipeline().{call})", folding(function), takes=takes, gives=gives, rx=rx, is_gathering=is_gathering
    )


@step("count")
def _count(random: Random) -> Step:
    return fold("count()", lambda given: len(list(given)), gives=NUMBER, rx="ops.count()", is_gathering=True)


@step("sum")
def _sum(random: Random) -> Step:
    start = random.choice((0, 5))
    text = "sum()" if start == 0 else f"sum({start})"
    return fold(
        text,
        lambda given: sum(given, start),
        takes=NUMBER,
        gives=NUMBER,
        rx="ops.sum()" if start == 0 else None,
        is_gathering=True,
    )


@step("average")
def _average(random: Random) -> Step:
    def mean(given: Iterator[Any]) -> Any:
        numbers = filled(given)
        return sum(numbers) / len(numbers)

    if random.random() < 0.5:
        return fold("average()", mean, takes=NUMBER, rx="ops.average()", is_gathering=True)
    return fold(
        "average(default=7)",
        lambda given: mean(iter(numbers)) if (numbers := list(given)) else 7,
        takes=NUMBER,
        is_gathering=True,
    )


@step("min")
def _min(random: Random) -> Step:
    return extreme("min", min, random)


@step("max")
def _max(random: Random) -> Step:
    return extreme("max", max, random)


def extreme(name: str, function: Callable[..., Any], random: Random) -> Step:
    """Return a step of `min` or `max`: of numbers, or by a key, and with a default where there is nothing or not."""
    if random.random() < 0.5:
        return fold(
            f"{name}()",
            lambda given: function(filled(given)),
            takes=NUMBER,
            gives=None,
            rx=f"ops.{name}()",
            is_gathering=True,
        )
    text, key = maybe_failing(random, "checksum", checksum)

    def found(given: Iterator[Any]) -> Any:
        keyed_elements = [(key(element), element) for element in given]
        return function(keyed_elements, key=operator.itemgetter(0), default=(0, 7))[1]

    return fold(f"{name}({text}, default=7)", found)


@step("reduce")
def _reduce(random: Random) -> Step:
    text, function = maybe_failing(random, "mixed", mixed)
    if random.random() < 0.5:
        return fold(f"reduce({text})", lambda given: reduce(function, given, next_of(given)), rx=f"ops.reduce({text})")
    return fold(
        f"reduce({text}, 5)", lambda given: reduce(function, given, 5), gives=NUMBER, rx=f"ops.reduce({text}, 5)"
    )


@step("collect")
def _collect(random: Random) -> Step:
    return fold("collect(Collector(list, list.append, tuple))", tuple)


@step("to_list")
def _to_list(random: Random) -> Step:
    most = random.choice((None, 3))
    return fold(
        f"to_list(max_elements={most})",
        lambda given: list(bounded(given, most)),
        rx="ops.to_list()" if most is None else None,
    )


@step("to_set")
def _to_set(random: Random) -> Step:
    return Step(
        ".through(pipeline().to_set()).map(sorted)",
        folding(lambda given: sorted(set(given))),
        takes=NUMBER,
        rx="ops.to_set(), ops.map(sorted)",
        is_gathering=True,
    )


@step("to_dict")
def _to_dict(random: Random) -> Step:
    text, key = maybe_failing(random, "key_of", key_of)
    if random.random() < 0.5:
        return fold(
            f"to_dict({text})",
            lambda given: {key(element): element for element in given},
            rx=f"ops.to_dict({text})",
        )
    return fold(
        f"to_dict({text}, paired)",
        lambda given: {key(element): paired(element) for element in given},
        rx=f"ops.to_dict({text}, paired)",
    )


@step("to_lookup")
def _to_lookup(random: Random) -> Step:
    text, key = maybe_failing(random, "key_of", key_of)
    return fold(f"to_lookup({text})", lambda given: keyed(given, key))


@step("all")
def _all(random: Random) -> Step:
    text, function = maybe_failing(random, "keeps(9)", keeps(9))
    return fold(f"all({text})", lambda given: all(map(function, given)), rx=f"ops.all({text})")


@step("any")
def _any(random: Random) -> Step:
    text, function = maybe_failing(
        random, "lambda element: not keeps(9)(element)", lambda element: not keeps(9)(element)
    )
    return fold(f"any({text})", lambda given: any(map(function, given)), rx=f"ops.some({text})")


@step("contains")
def _contains(random: Random) -> Step:
    value = random.randint(-9, 20)
    return fold(f"contains({value})", lambda given: value in given, rx=f"ops.contains({value})")


@step("is_empty")
def _is_empty(random: Random) -> Step:
    return fold("is_empty()", lambda given: not any(True for _ in given), rx="ops.is_empty()")


@step("sequence_equal")
def _sequence_equal(random: Random) -> Step:
    expected = [random.randint(-9, 20) for _ in range(random.randint(0, 1))]
    nobody = object()
    return fold(
        f"sequence_equal({expected})",
        lambda given: all(one == other for one, other in zip_longest(given, expected, fillvalue=nobody)),
        rx=f"ops.sequence_equal({expected})",
    )


@step("first")
def _first(random: Random) -> Step:
    return fold("first()", next_of, gives=None, rx="ops.first()")


@step("first_or_default")
def _first_or_default(random: Random) -> Step:
    return fold("first_or_default(7)", lambda given: next(given, 7), rx="ops.first_or_default(default_value=7)")


@step("last")
def _last(random: Random) -> Step:
    return fold("last()", lambda given: filled(given)[-1], gives=None, rx="ops.last()")


@step("last_or_default")
def _last_or_default(random: Random) -> Step:
    return fold("last_or_default(7)", lambda given: [7, *given][-1], rx="ops.last_or_default(7)")


def only(given: Iterator[Any]) -> list[Any]:
    """Return a list with the only element, or an empty one.

    Raises:
        ModelError: There are more.
    """
    found = list(islice(given, 2))
    if len(found) > 1:
        raise ModelError("MoreThanOneElementError")
    return found


@step("single")
def _single(random: Random) -> Step:
    return fold("single()", lambda given: filled(iter(only(given)))[0], gives=None, rx="ops.single()")


@step("single_or_default")
def _single_or_default(random: Random) -> Step:
    return fold(
        "single_or_default(7)", lambda given: [7, *only(given)][-1], rx="ops.single_or_default(default_value=7)"
    )


@step("element_at")
def _element_at(random: Random) -> Step:
    index = random.choice((0, 1, 4))
    return fold(
        f"element_at({index})",
        lambda given: next_of(islice(given, index, None)),
        gives=None,
        rx=f"ops.element_at({index})",
    )


@step("element_at_or_default")
def _element_at_or_default(random: Random) -> Step:
    index = random.choice((0, 1, 4))
    return fold(
        f"element_at_or_default({index}, 7)",
        lambda given: next(islice(given, index, None), 7),
        rx=f"ops.element_at_or_default({index}, 7)",
    )


# --- one state for each key -------------------------------------------------------------------------------------------


def by_key(random: Random) -> tuple[str, Callable[..., Any]]:
    """Return how `key_by` is written, which in some cases ends keys that are idle for longer than any test runs."""
    text, key = maybe_failing(random, "key_of", key_of)
    return f".key_by({text}){'.expire_after(36000)' * (random.random() < 0.2)}", key


WITH_KEY = "ops.map(lambda result: (group.key, result))"
"""Puts the key before the result of its group, in what `for_each_key` is given."""


def for_each_key(text: str, rx: str) -> str:
    """Return how reactivex gives each key operators of its own; the key is written as a function or as our method."""
    key = re.sub(r"\.key_by\((.*?)\)(\.expire_after\(36000\))?$", r"\1", text)
    return f"ops.group_by({key}), ops.flat_map(lambda group: group.pipe({rx}))"


@step("key_by().scan")
def _keyed_scan(random: Random) -> Step:
    text, key = random.choice((("key_of", key_of), maybe_failing(random, "key_of", key_of)))

    def scanned(given: Iterator[Any]) -> Iterator[Any]:
        totals: dict[Any, Any] = {}
        for element in given:
            totals[key(element)] = mixed(totals.get(key(element), 5), element)
            yield totals[key(element)]

    return Step(
        f".key_by({text}).scan(mixed, 5)", lazily(scanned), gives=NUMBER, rx=for_each_key(text, "ops.scan(mixed, 5)")
    )


@step("key_by().reduce")
def _keyed_reduce(random: Random) -> Step:
    text, key = by_key(random)
    return Step(
        f"{text}.reduce(mixed, 5)",
        lazily(lambda given: [(each, reduce(mixed, group, 5)) for each, group in keyed(given, key).items()]),
        gives=PAIR,
        rx=for_each_key(text, f"ops.reduce(mixed, 5), {WITH_KEY}"),
    )


@step("key_by().count")
def _keyed_count(random: Random) -> Step:
    text, key = by_key(random)
    return Step(
        f"{text}.count()",
        lazily(lambda given: [(each, len(group)) for each, group in keyed(given, key).items()]),
        gives=PAIR,
        rx=for_each_key(text, f"ops.count(), {WITH_KEY}"),
    )


@step("key_by().aggregate")
def _keyed_aggregate(random: Random) -> Step:
    text, key = by_key(random)
    return Step(
        f"{text}.aggregate(number='count', total=('sum', small), least=('min', small), most=('max', small), "
        "mean=('mean', small), one='first', other='last')",
        lazily(
            lambda given: [
                {
                    "key": each,
                    "number": len(group),
                    "total": sum(map(small, group)),
                    "least": min(map(small, group)),
                    "most": max(map(small, group)),
                    "mean": sum(map(small, group)) / len(group),
                    "one": group[0],
                    "other": group[-1],
                }
                for each, group in keyed(given, key).items()
            ]
        ),
    )


def through_keys(
    call: str, of: Callable[[Sent], Sent], random: Random, *, rx: str | None, gives: str | None = ANY
) -> Step:
    """Return a step in which each key has an operator to itself."""
    text, key = by_key(random)
    return Step(
        f"{text}.{call}",
        lazily(lambda given: keyed_through(given, key, of)),
        gives=gives,
        rx=None if rx is None else for_each_key(text, rx),
    )


@step("key_by().buffer")
def _keyed_buffer(random: Random) -> Step:
    size = random.randint(1, 3)
    return through_keys(
        f"buffer({size})",
        lazily(lambda given: windows(given, size, size, has_rest=True)),
        random,
        rx=f"ops.buffer_with_count({size})",
    )


@step("key_by().take")
def _keyed_take(random: Random) -> Step:
    count = random.randint(0, 2)
    return through_keys(
        f"take({count})", lazily(lambda given: islice(given, count)), random, rx=f"ops.take({count})", gives=None
    )


@step("key_by().distinct")
def _keyed_distinct(random: Random) -> Step:
    return through_keys("distinct(small)", lazily(distinct), random, rx="ops.distinct(small)", gives=None)


def distinct(given: Iterator[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    for element in given:
        if small(element) not in seen:
            seen.add(small(element))
            yield element


CHAINABLE = ("map", "filter", "take", "skip", "scan", "buffer", "enumerate", "pairwise", "do", "split_when", "to_list")
"""Of what the pipelines are made that each key gets: what their model sends for a part it sends for the whole, too."""


@step("key_by().through")
def _keyed_chain(random: Random) -> Step:
    steps = [CATALOG[random.choice(CHAINABLE)](random) for _ in range(random.randint(1, 3))]

    def of(sent: Sent) -> Sent:
        for each in steps:
            made = each.of(sent)
            assert isinstance(made, Sent)
            sent = made
        return sent

    rx = None if any(each.rx is None for each in steps) else ", ".join(str(each.rx) for each in steps)
    return through_keys(f"through(pipeline(){''.join(each.text for each in steps)})", of, random, rx=rx)


@step("key_by().expire_after")
def _keyed_expiry(random: Random) -> Step:
    return Step(
        ".key_by(key_of).expire_after(36000).reduce(counted, (0, None))",
        lazily(lambda given: [(key, reduce(counted, group, (0, None))) for key, group in keyed(given, key_of).items()]),
        gives=PAIR,
    )


@step("with_timestamps().key_by().tumbling")
def _windows(random: Random) -> Step:
    """Make windows of one time each, so that all before the latest time is late."""
    windows = random.choice(("tumbling(1, late=repr)", "sliding(1, 1, late=repr)"))

    def of(given: Iterator[Any]) -> Iterator[Any]:
        latest, totals = -1, dict[str, int]()
        for element in given:
            time = key_of(element)
            if time > latest:
                yield from totals.items()
                latest, totals = time, {}
            if time == latest:
                totals[repr(element)] = mixed(totals.get(repr(element), 5), element)
        yield from totals.items()

    return Step(
        f".with_timestamps(key_of).key_by(repr).{windows}.reduce(mixed, 5)"
        ".map(lambda window: (window.key, window.value))",
        lazily(of),
        gives=PAIR,
    )


@step("with_timestamps().key_by().group_join")
def _group_join(random: Random) -> Step:
    """Join elements that all have the same time, so that nothing passes before both inputs are over."""
    others = [random.randint(-9, 20) for _ in range(random.randint(0, 6))]

    def of(given: Iterator[Any]) -> Iterator[Any]:
        of_key = keyed(others, key_of)
        return iter([(each, of_key.get(key_of(each), [])) for each in list(given)])

    return Step(
        f".with_timestamps(lambda _: 0).key_by(key_of).group_join("
        f"Stream.from_iterable({others}).with_timestamps(lambda _: 0).key_by(key_of), within=1{prefetch(random)})",
        lazily(of),
        gives=PAIR,
    )


@step("with_timestamps().key_by().join")
def _join(random: Random) -> Step:
    """Join elements that all have the same time; the order of the pairs depends on how the inputs interleave."""
    others = [random.randint(-9, 20) for _ in range(random.randint(0, 6))]

    def of(given: Iterator[Any]) -> Iterator[Any]:
        of_key = keyed(others, key_of)
        return iter(sorted([(each, other) for each in list(given) for other in of_key.get(key_of(each), [])], key=repr))

    return Step(
        f".with_timestamps(lambda _: 0).key_by(key_of).join("
        f"Stream.from_iterable({others}).with_timestamps(lambda _: 0).key_by(key_of), within=1{prefetch(random)})"
        f".sorted(repr)",
        lazily(of),
        gives=PAIR,
    )


# --- Arrow ------------------------------------------------------------------------------------------------------------


def of_batches(call: str, row: Callable[[dict[str, Any]], tuple[Any, ...] | None]) -> Step:
    """Return a step that makes a batch of each element, handles it, and takes the rows out again."""
    return Step(
        f".map(batched){call}.map(rows)",
        lazily(
            lambda given: ([made for each in rows_of(element) if (made := row(each)) is not None] for element in given)
        ),
        is_each=True,
    )


@step("filter_batches")
def _filter_batches(random: Random) -> Step:
    least = random.choice((0, 50))
    return of_batches(
        f".filter_batches(pc.field('number') > {least})",
        lambda row: tuple(row.values()) if row["number"] > least else None,
    )


@step("map_batches")
def _map_batches(random: Random) -> Step:
    return of_batches(
        ".map_batches(lambda batch: batch.slice(0, 9).select(['text']))",
        lambda row: (row["text"],),
    )


@step("project")
def _project(random: Random) -> Step:
    return of_batches(".project('text', more=pc.field('number') + 1)", lambda row: (row["text"], row["number"] + 1))


@step("with_columns")
def _with_columns(random: Random) -> Step:
    return of_batches(
        ".with_columns(number=pc.field('number') * 2, more=pc.field('number') + 1)",
        lambda row: (row["number"] * 2, row["text"], row["number"] + 1),
    )


FOLDS = frozenset(
    definition.method
    for _, definition in inspect.getmembers(operators, inspect.isclass)
    if "FoldingDefinition" in {base.__name__ for base in definition.__mro__}
)
"""The operators with one result, behind which little is left to compare."""
