"""Queries that run streams inside: what is open at a checkpoint goes on after a crash."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.lifecycle import MultiInputNode, OperatorPublisher, Subscribable
from reactivestreams.subjects import BroadcastSubject
from tests.engine.hosted import Hosted

Query = Callable[[Stream[Any]], Stream[Any]]


class Pushed:
    """A hosted query behind an ingress, which crashes and goes on."""

    def __init__(self, query: Query) -> None:
        self.hosted = Hosted()
        self.hosted.registry.register("query")(lambda engine, source: query(engine.stream(source)))
        self.hosted.start(self.define)

    def define(self, engine: Any) -> None:
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("query", "query", source="in", into="out")

    def push(self, *elements: Any) -> None:
        self.hosted.push(*elements)

    def checkpoint(self, kind: str = "differential") -> None:
        self.hosted.engine.checkpoint(kind)
        self.hosted.settle()

    def crash(self) -> None:
        self.hosted.crash()
        self.hosted.engine.start()
        self.hosted.settle()

    @property
    def rows(self) -> list[Any]:
        self.checkpoint()
        return self.hosted.rows


def named(group: Any) -> Stream[Any]:
    stream: Stream[Any] = group.map(lambda number: (group.key, number))
    return stream


def test_open_window_goes_on() -> None:
    query = Pushed(lambda numbers: numbers.window(3).concat_map(named))
    query.push(1, 2)
    query.checkpoint()
    query.crash()
    query.push(3, 4)
    assert query.rows == [(0, 1), (0, 2), (0, 3), (1, 4)]


def test_result_of_a_window_is_of_all_its_elements() -> None:
    query = Pushed(lambda numbers: numbers.window(4).flat_map(lambda window: window.scan(max, 0).take_last(1)))
    query.push(1, 7)
    query.checkpoint("full")
    query.push(3)
    query.checkpoint()
    query.crash()
    query.push(2, 9)
    assert query.rows == [7]


def test_groups_keep_what_their_operators_hold() -> None:
    query = Pushed(lambda numbers: numbers.group_by(lambda n: n % 2).flat_map(lambda g: named(g.pairwise())))
    query.push(1, 2, 3)
    query.checkpoint()
    query.crash()
    query.push(4, 5)
    assert query.rows == [(1, (1, 3)), (0, (2, 4)), (1, (3, 5))]


def test_nested_groups_of_windows_go_on() -> None:
    query = Pushed(
        lambda numbers: numbers.window(4).concat_map(
            lambda window: window.group_by(lambda n: n % 2).flat_map(
                lambda group: group.scan(lambda total, n: total + n, 0).map(
                    lambda total: (window.key, group.key, total)
                )
            )
        )
    )
    query.push(1, 2, 3)
    query.checkpoint()
    query.crash()
    query.push(4, 5)
    assert sorted(query.rows) == [(0, 0, 2), (0, 0, 6), (0, 1, 1), (0, 1, 4), (1, 1, 5)]  # groups take turns


def test_latest_windows_of_combine_latest_are_carried_over_two_checkpoints() -> None:
    def query_of(numbers: Stream[Any]) -> Stream[Any]:
        windows = numbers.window(2)
        return windows.combine_latest(Stream.just("x").concat_with(Stream.never())).concat_map(
            lambda pair: pair[0].map(lambda number: (pair[1], number))
        )

    query = Pushed(query_of)
    query.push(1)
    query.checkpoint()
    query.crash()
    query.checkpoint("full")
    query.crash()
    query.push(2, 3)
    assert query.rows == [("x", 1), ("x", 2), ("x", 3)]


def test_switch_goes_on_with_the_stream_that_runs() -> None:
    subjects: dict[int, BroadcastSubject[int]] = {}

    def inner(number: int) -> Stream[int]:
        subjects[number] = BroadcastSubject()
        return Stream.from_publisher(subjects[number], recovery="exact").start_with(number)

    query = Pushed(lambda numbers: numbers.switch_map(inner))
    query.push(1)
    query.push(2)
    subjects[2].on_next(20)
    query.hosted.settle()
    query.checkpoint()
    query.crash()
    subjects[2].on_next(21)  # of the stream that was made again
    query.hosted.settle()
    query.push(3)
    subjects[3].on_next(30)
    query.hosted.settle()
    assert query.rows == [1, 2, 20, 21, 3, 30]


def test_pending_element_comes_out_when_its_stream_fires_after_the_recovery() -> None:
    query = Pushed(lambda numbers: numbers.debounce(lambda n: Stream.timer(timedelta(seconds=3))))
    query.push(1)
    query.checkpoint()
    query.crash()
    for _ in range(4):
        query.hosted.settle()
    assert query.rows == [1]
    query.push(2, 3)
    for _ in range(4):
        query.hosted.settle()
    assert query.rows == [1, 3]


def test_values_of_recovered_inner_streams_and_of_new_ones() -> None:
    query = Pushed(lambda numbers: numbers.concat_map(lambda n: Stream.range(n * 10, n * 10 + 3).delay(0.5)))
    query.push(1)
    query.checkpoint()
    query.crash()
    query.push(2)
    for _ in range(4):
        query.hosted.settle()
    assert query.rows == [10, 11, 12, 20, 21, 22]


def test_prefix_that_was_sent_in_part_goes_on() -> None:
    query = Pushed(lambda numbers: numbers.start_with(-3, -2, -1).take(5))
    query.checkpoint()
    query.crash()
    query.push(1, 2, 3)
    assert query.rows == [-3, -2, -1, 1, 2]


def test_delayed_subscription_of_no_time_subscribes_once() -> None:
    query = Pushed(lambda numbers: numbers.delay_subscription(0))
    query.hosted.settle()
    query.push(1)
    query.checkpoint()
    query.crash()
    query.push(2)
    assert query.rows == [1, 2]


class Accounts(MultiInputNode[Any]):
    """Adds an input for each account that its first input names."""

    name = "engine-test/accounts"

    def __init__(self, subscriber: Any, commands: Stream[str]) -> None:
        super().__init__(subscriber)
        self.commands = commands
        self.accounts: list[int] = []

    def sources(self) -> Iterable[Subscribable]:
        return [self.commands]

    def source(self, source_id: str, **arguments: Any) -> Subscribable:
        return Stream.interval(timedelta(seconds=1)).map(lambda tick: f"{source_id} {tick}")

    def on_start(self) -> None:
        for index in (0, *self.accounts):
            self.request_input(index, 100)

    def on_next(self, index: int, element: Any) -> None:
        if index == 0:
            self.accounts.append(self.add_input(element))
            self.request_input(self.accounts[-1], 100)
        else:
            self.emit(element)

    def save_fields(self, writer: Any) -> None:
        writer.write(self.accounts)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.accounts = reader.read(list)


def test_inputs_that_were_added_are_hosted_and_recovered() -> None:
    class Published(OperatorPublisher[Any]):
        def __init__(self, commands: Stream[str]) -> None:
            self.commands = commands

        def create_operator(self, subscriber: Any) -> Accounts:
            return Accounts(subscriber, self.commands)

    query = Pushed(lambda commands: Stream.from_publisher(Published(commands)))
    query.push("a")
    query.hosted.settle()
    query.checkpoint()
    query.crash()
    query.push("b")
    for _ in range(6):
        query.hosted.settle()
    ticks = [row for row in query.rows if row[0] == "a"]
    assert ticks == [f"a {tick}" for tick in range(len(ticks))]
    assert len(ticks) > 3
    assert "b 0" in query.rows


@pytest.mark.parametrize("kinds", [["full"], ["differential"], ["full", "differential", "differential"]])
def test_only_the_inner_stream_changed_between_two_checkpoints(kinds: list[str]) -> None:
    query = Pushed(
        lambda numbers: numbers.concat_map(lambda n: Stream.interval(timedelta(seconds=1)).map(lambda tick: (n, tick)))
    )
    query.push(5)
    for kind in kinds:
        query.hosted.settle()
        query.checkpoint(kind)
    before = len(query.hosted.rows)
    query.crash()
    for _ in range(10):  # the clock of the next life begins anew, and what is due keeps its time
        query.hosted.settle()
    rows = query.rows
    assert rows == [(5, tick) for tick in range(len(rows))]
    assert len(rows) > before
