"""Operators with several inputs under Python threads, in outcomes: inputs that send and end, requests, cancellation."""

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.dropped import set_hook
from tests.conftest import Depth
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.merging_node import Merging
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.stress.outcomes import Action, Hesitate, Observed, Outcome, Table, Verdict, judge, observe

ROUNDS = 300
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


class Feed:
    """A publisher whose elements, its name and a number, a thread of the test sends: no more than were requested."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cancels = 0

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        pass

    def cancel(self) -> None:
        self.cancels += 1

    def sending(self, *, count: int = 0, error: Exception | None = None, ends: bool = True) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            for number in range(count):
                self.subscriber.on_next((self.name, number))
                hesitate()
            if error is not None:
                self.subscriber.on_error(error)
            elif ends:
                self.subscriber.on_complete()
            return None

        return action


def merged(*feeds: Feed) -> Stream[Any]:
    first, *others = map(Stream.from_publisher, feeds)
    return first.merge_with(*others, prefetch=8)


def merged_in_python(*feeds: Feed) -> Stream[Any]:
    streams = [Stream.from_publisher(feed) for feed in feeds]
    return Stream.from_publisher(Publishing(lambda output: Merging(output, *streams, window=8)))


def in_sequence(*feeds: Feed) -> Stream[Any]:
    first, *others = map(Stream.from_publisher, feeds)
    return first.concat_with(*others)


Join = Callable[..., Stream[Any]]


@dataclass
class Round:
    """A running stream of two inputs, what threads do to it, and what came of it when they are done."""

    join: Join
    demand: int
    a: Feed = field(default_factory=lambda: Feed("a"))
    b: Feed = field(default_factory=lambda: Feed("b"))
    overlaps: list[int] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)

    def __post_init__(self) -> None:
        inside: list[int] = []

        def enter() -> None:
            inside.append(threading.get_ident())
            self.overlaps += inside[1:]
            inside.pop()

        self.subscriber = RecordingSubscriber(demand=None)
        self.subscriber.actions = dict.fromkeys(("on_next", "on_complete", "on_error"), enter)
        self.join(self.a, self.b).subscribe(self.subscriber)
        if self.demand:
            self.subscriber.subscription.request(self.demand)

    def came(self, feed: Feed) -> list[int]:
        return [number for name, number in self.subscriber.elements if name == feed.name]

    @property
    def outcome(self) -> Outcome:
        """How many elements came, whether those of each input in order, and the end."""
        elements = [self.came(self.a), self.came(self.b)]
        names = self.subscriber.names
        ends = [name for name in names if name in {"on_complete", "on_error"}]
        return sum(map(len, elements)), all(each == [*range(len(each))] for each in elements), " ".join(ends)

    def requesting(self, *sizes: int) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            for n in sizes:
                self.subscriber.subscription.request(n)
                hesitate()
            return None

        return action

    def cancelling(self) -> Action:
        return lambda hesitate: self.subscriber.subscription.cancel()


def both_inputs_send(join: Join) -> Round:
    round_ = Round(join, UNBOUNDED)
    round_.actions = [round_.a.sending(count=5), round_.b.sending(count=5)]
    return round_


def both_inputs_send_beside_requests(join: Join) -> Round:
    round_ = Round(join, 0)
    round_.actions = [round_.a.sending(count=4), round_.b.sending(count=4), round_.requesting(1, 2, 3, 2)]
    return round_


def an_input_fails_beside_the_end_of_the_other(join: Join) -> Round:
    round_ = Round(join, UNBOUNDED)
    round_.actions = [round_.a.sending(), round_.b.sending(error=ValueError("of b"))]
    return round_


def both_inputs_fail(join: Join) -> Round:
    round_ = Round(join, UNBOUNDED)
    round_.actions = [round_.a.sending(error=ValueError("of a")), round_.b.sending(error=ValueError("of b"))]
    return round_


def an_input_sends_beside_a_cancel(join: Join) -> Round:
    round_ = Round(join, UNBOUNDED)
    round_.actions = [round_.a.sending(count=3, ends=False), round_.cancelling()]
    return round_


def the_end_of_the_first_input_beside_a_cancel(join: Join) -> Round:
    round_ = Round(join, UNBOUNDED)
    round_.actions = [round_.a.sending(count=1), round_.cancelling()]
    return round_


UP_TO = {(count, True, ""): (ALLOWED, f"{count} elements came before the cancel") for count in range(4)}
TABLES: dict[Callable[[Join], Round], Table] = {
    both_inputs_send: {
        (10, True, "on_complete"): (ALLOWED, "all elements, then the end"),
        (10, True, ""): (FORBIDDEN, "the end was lost"),
        (10, False, "on_complete"): (FORBIDDEN, "two threads drained"),
    },
    both_inputs_send_beside_requests: {
        (8, True, "on_complete"): (ALLOWED, "all that was requested, then the end"),
        (8, True, ""): (FORBIDDEN, "the end was lost"),
        (7, True, ""): (FORBIDDEN, "an element was kept waiting"),
    },
    an_input_fails_beside_the_end_of_the_other: {
        (0, True, "on_error"): (ALLOWED, "the error is the end"),
        (0, True, "on_complete"): (FORBIDDEN, "the error was lost"),
    },
    both_inputs_fail: {
        (0, True, "on_error"): (ALLOWED, "the first error is the end"),
        (0, True, "on_error on_error"): (FORBIDDEN, "ended twice"),
    },
    an_input_sends_beside_a_cancel: UP_TO,
    the_end_of_the_first_input_beside_a_cancel: {outcome: UP_TO[outcome] for outcome in [(0, True, ""), (1, True, "")]},
}
JOINS: dict[Join, list[Callable[[Join], Round]]] = {
    merged: list(TABLES),
    merged_in_python: list(TABLES),
    # Of a sequence the second input begins when the first one has ended.
    in_sequence: [an_input_sends_beside_a_cancel, the_end_of_the_first_input_beside_a_cancel],
}


@pytest.fixture(autouse=True)
def errors_behind_an_end_are_let_go() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


CASES = [(join, situation) for join, situations in JOINS.items() for situation in situations]


@pytest.mark.parametrize(("join", "situation"), CASES, ids=[f"{j.__name__}-{s.__name__}" for j, s in CASES])
def test_only_allowed_outcomes_are_seen(join: Join, situation: Callable[[Join], Round], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    prepared: list[Round] = []

    def prepare() -> list[Action]:
        prepared.append(situation(join))
        return prepared[-1].actions

    returned = observe(prepare, rounds=rounds)
    assert [round_.overlaps for round_ in prepared if round_.overlaps] == []
    observed = Observed(round_.outcome for round_ in prepared)
    observed.contended = returned.contended
    judge(situation, observed, TABLES[situation], rounds=rounds)
