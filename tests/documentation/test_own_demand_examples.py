"""Documented operators with a demand of their own work at any length, demand and terminal operation."""

import asyncio
import doctest
import importlib
import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from rs_core.operators.python_operator import PythonStage
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.documentation.examples import docstrings
from tests.documentation.test_docstrings import with_examples
from tests.documentation.test_pages import PAGES

LENGTH = 100_000
SHORT = 6_000
"""More than prefetch and capacity of an operator, and than what any boundary asks for ahead."""

LINES = ("to be", "to be", "", "or not to be")

Operator = type[PythonStage[Any, Any]]

# What each documented operator makes of its elements. A new one in the documentation needs an entry here.
MODELS: dict[str, Callable[[Iterable[str]], Iterable[Any]]] = {
    "Words": lambda lines: (word for line in lines for word in line.split()),
    "Runs": lambda lines: ((line, len(list(run))) for line, run in itertools.groupby(lines)),
    "Twice": lambda lines: (line for line in lines for _ in range(2)),
    "Settled": lambda lines: list(lines)[-1:],
}


def shown_texts() -> Iterator[str]:
    for page in PAGES:
        yield page.read_text(encoding="utf-8")
    for name in with_examples():
        if not name.startswith("reactivestreams.spark"):
            for _, text in docstrings(importlib.import_module(name)):
                yield text


def documented_operators() -> dict[str, Operator]:
    """Run every text that defines an operator with a demand of its own; return what it defines."""
    found: dict[str, Operator] = {}
    for text in shown_texts():
        if 'demand = "own"' not in text or ">>>" not in text:
            continue
        namespace: dict[str, Any] = {"__name__": "shown"}
        for example in doctest.DocTestParser().get_examples(text):
            exec(compile(example.source, "shown", "single"), namespace)
        found |= {name: value for name, value in namespace.items() if has_own_demand(value)}
    return found


def has_own_demand(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, PythonStage) and value.demand == "own"


OPERATORS = documented_operators()


def lines(count: int) -> Iterator[str]:
    return itertools.islice(itertools.cycle(LINES), count)


def expected(name: str, count: int) -> list[Any]:
    return list(MODELS[name](lines(count)))


def over(name: str, count: int) -> Stream[Any]:
    return Stream.from_iterable(list(lines(count))).lift(OPERATORS[name])


def test_every_documented_operator_has_a_model() -> None:
    assert set(OPERATORS) == set(MODELS)


# --- terminal operations ----------------------------------------------------------------------------------------------


async def taken_in_async_for(stream: Stream[Any], prefetch: int | None = None) -> list[Any]:
    return [element async for element in stream.iterate_async(prefetch=prefetch)]


def taken_in_trio(stream: Stream[Any]) -> list[Any]:
    taken: list[Any] = pytest.importorskip("trio").run(taken_in_async_for, stream)
    return taken


async def awaited_each(stream: Stream[Any]) -> list[Any]:
    taken: list[Any] = []

    async def take(element: Any) -> None:
        taken.append(element)

    await stream.for_each_async(take)
    return taken


def told_each(stream: Stream[Any], prefetch: int | None) -> list[Any]:
    taken: list[Any] = []
    stream.for_each(taken.append, prefetch=prefetch)
    return taken


def reduced(taken: list[Any], element: Any) -> list[Any]:
    taken.append(element)
    return taken


def on_a_worker(stream: Stream[Any], prefetch: int) -> list[Any]:
    with WorkerScheduler(name="below") as worker:
        return stream.observe_on(worker, prefetch=prefetch).to_list(timeout_seconds=60)


def below_another_publisher(stream: Stream[Any]) -> Stream[Any]:
    return Stream.from_publisher(stream, prefetch=16)


ENDS: dict[str, Callable[[Stream[Any]], list[Any]]] = {
    "for": list,
    "for, 2 ahead": lambda stream: list(stream.iterate(prefetch=2)),
    "for, many ahead": lambda stream: list(stream.iterate(prefetch=4096)),
    "for_each": lambda stream: told_each(stream, None),
    "for_each, 1 ahead": lambda stream: told_each(stream, 1),
    "reduce": lambda stream: stream.reduce(reduced, []),
    "to_list": lambda stream: stream.to_list(),
    "async for": lambda stream: asyncio.run(taken_in_async_for(stream)),
    "async for, 1 ahead": lambda stream: asyncio.run(taken_in_async_for(stream, 1)),
    "async for in trio": taken_in_trio,
    "to_list_async": lambda stream: asyncio.run(stream.to_list_async()),
    "for_each_async": lambda stream: asyncio.run(awaited_each(stream)),
    "observe_on here": lambda stream: list(stream.observe_on(ImmediateScheduler(), prefetch=8)),
    "observe_on a worker": lambda stream: on_a_worker(stream, 8),
    "observe_on a worker, 1 ahead": lambda stream: on_a_worker(stream, 1),
    "from_publisher": lambda stream: list(below_another_publisher(stream)),
    "from_publisher, to_list": lambda stream: below_another_publisher(stream).to_list(),
    "flat_map": lambda stream: list(stream.flat_map(lambda element: [element], prefetch=3)),
    "buffer": lambda stream: [element for buffered in stream.buffer(7) for element in buffered],
    "filter": lambda stream: list(stream.filter(lambda _: True)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("end", ENDS)
def test_documented_operator_reaches_the_end_at_every_terminal_operation(end: str, name: str) -> None:
    assert ENDS[end](over(name, SHORT)) == expected(name, SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("prefetch", [None, 1, 2, 1000])
def test_documented_operator_is_iterated_over_many_elements(prefetch: int | None, name: str) -> None:
    assert list(over(name, LENGTH).iterate(prefetch=prefetch)) == expected(name, LENGTH)


# --- demand -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("at_once", [1, 2, "random", UNBOUNDED])
@pytest.mark.parametrize("above", ["iterable", "publisher"])
def test_documented_operator_serves_any_demand(name: str, at_once: Any, above: str) -> None:
    rng = random.Random(17)
    subscriber = RecordingSubscriber()
    source = list(lines(SHORT))
    start = Stream.from_iterable(source)
    stream = start if above == "iterable" else Stream.from_publisher(start, prefetch=8)
    stream.lift(OPERATORS[name]).subscribe(subscriber)
    wanted = expected(name, SHORT)
    while not subscriber.has_ended:
        subscriber.request(rng.choice([1, 1, 2, 3, 50, 2000]) if at_once == "random" else at_once)
        assert len(subscriber.elements) == min(subscriber.requested, len(wanted))
    assert subscriber.outcome == (wanted, "complete")


@pytest.mark.parametrize("name", MODELS)
def test_demand_from_inside_of_on_next_is_served(name: str) -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    over(name, SHORT).subscribe(subscriber)
    assert subscriber.outcome == (expected(name, SHORT), "complete")


@pytest.mark.parametrize("name", MODELS)
def test_error_of_the_input_comes_after_what_came_before_it(name: str) -> None:
    def failing() -> Iterator[str]:
        yield from lines(SHORT)
        raise OSError("lost")

    before = expected(name, SHORT)[:-1] if name in {"Runs", "Settled"} else expected(name, SHORT)
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    Stream.from_iterable(failing()).lift(OPERATORS[name]).subscribe(subscriber)
    assert subscriber.outcome == (before, "OSError('lost')")
