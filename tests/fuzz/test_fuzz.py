"""The fuzzer of streams at the depth of the ordinary tests, and that it finds streams that break the rules."""

import inspect
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream, operators, sources
from tests.conftest import Depth
from tests.contracts.loop_thread import LoopThread
from tests.fuzz.case import Case, FindingError
from tests.fuzz.ingredients import Kitchen, Source


@pytest.fixture(scope="module")
def loop() -> Iterator[AbstractEventLoop]:
    with LoopThread() as thread:
        yield thread.loop


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
def test_random_streams_keep_the_rules(threads: int, loop: AbstractEventLoop, depth: Depth) -> None:
    for number in range(depth.scaled(300)):
        Case(depth.seed, number, loop, threads).run()


def test_same_number_makes_the_same_case(loop: AbstractEventLoop) -> None:
    logs = []
    for _ in range(2):
        case = Case(1, 5, loop)
        case.run()
        logs.append((repr(case.stream), case.log, case.judge.elements))
    assert logs[0] == logs[1]


def made(definition: type, kitchen: Kitchen) -> bool:
    """Return whether the kitchen makes streams with an operator or source."""
    for make in kitchen.sources.values():
        if definition in {node.definition for node in make().stream.nodes()}:
            return True
    for operator in kitchen.operators.values():
        if definition in {node.definition for node in operator().add(Stream.range(3)).nodes()}:
            return True
    return False


def definitions(package: Any) -> list[type]:
    return [thing for _, thing in inspect.getmembers(package, inspect.isclass) if "id" in vars(thing)]


# Its ticks come while nothing of a case runs; timer, which has the same stage, sends them at once.
LEFT_OUT = {sources.Interval}
FUZZED = [each for each in definitions(sources) + definitions(operators) if each not in LEFT_OUT]


@pytest.mark.parametrize("definition", FUZZED, ids=lambda kind: kind.__name__)
def test_every_source_and_operator_of_the_catalogue_is_fuzzed(definition: type, loop: AbstractEventLoop) -> None:
    case = Case(1, 0, loop)
    # Some kinds are made by chance.
    assert any(made(definition, case.kitchen) for _ in range(1_000)), f"teach tests/fuzz/ingredients.py {definition.id}"


class Broken:
    """A stream with a defect, bound to one subscriber."""

    def __init__(self, defect: str) -> None:
        self.defect = defect
        self.sent = 0
        self.is_over = False

    def bind(self, subscriber: Any) -> "Broken":
        self.subscriber = subscriber
        return self

    def initialize(self) -> None:
        self.subscriber.on_subscribe(self)

    def request(self, n: object) -> None:
        if not isinstance(n, int) or n <= 0 or self.is_over:
            return
        for _ in range(min(n, 3) + (self.defect == "sends too many")):
            self.sent += 1
            self.subscriber.on_next(self.sent - (self.defect == "sends something else"))
        if self.defect == "overlaps":
            self.subscriber.on_next = lambda element: None
            self.subscriber._signal = type(self.subscriber)._signal.__get__(self.subscriber)
            with self.subscriber._signalling:
                self.subscriber._signal("on_next", 1)
        self.is_over = True
        if self.defect != "never ends":
            self.subscriber.on_complete()
        if self.defect == "ends twice":
            self.subscriber.on_complete()

    def cancel(self) -> None:
        self.is_over = True


@pytest.mark.parametrize(
    ("defect", "said"),
    [
        ("sends too many", "§1.1"),
        ("overlaps", "§1.3"),
        ("ends twice", "§1.7"),
        ("never ends", "it did not end"),
        ("sends something else", r"it sent \[0"),
    ],
)
def test_stream_that_breaks_a_rule_is_found(defect: str, said: str, loop: AbstractEventLoop) -> None:
    class BrokenCase(Case):
        def build(self) -> None:
            super().build()
            self.rate = 0
            self.is_gentle = True
            self.needs_loop = False
            self.source = Source(Stream.range(3), [1, 2, 3])
            self.operators = []
            self.stream: Any = Broken(defect)

        def do_request(self) -> None:
            self.call("request", self.judge.request, 1 if defect == "sends too many" else 3)

        def do_save(self) -> None:
            pass

    with pytest.raises(FindingError, match=said):
        BrokenCase(1, 0, loop).run()
