"""Keys that expire by the clock of the scheduler: they end when their time is over, also while no element comes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.lifecycle import DefaultOperatorContext, initialize_tree, start_tree, subscribe_tree
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import UnicastSubject
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

IDLE = timedelta(microseconds=100)


class Running:
    """A stream of counts of words that expire, in virtual time; what came is noted with its tick."""

    def __init__(self, state: bytes | None = None, ticks: int = 0, *, first_request: int = UNBOUNDED) -> None:
        self.clock = VirtualTime()
        self.clock.advance_to(ticks)
        self.words: UnicastSubject[str] = UnicastSubject()
        self.subscriber = RecordingSubscriber(first_request=first_request)
        counts = Stream.from_publisher(self.words, recovery="exact").key_by(str.lower).expire_after(IDLE).count()
        self.handle: Any = counts.do(self.note).bind(self.subscriber)
        self.came: list[tuple[int, Any]] = []
        context = DefaultOperatorContext("rx://query", VirtualTimeScheduler(self.clock))
        if state is None:
            initialize_tree(self.handle, context)
            return
        subscribe_tree(self.handle)
        for node in nodes_of(self.handle):
            node.set_context(context)
        load_tree(self.handle, state)
        start_tree(self.handle)

    def note(self, count: Any) -> None:
        self.came.append((self.clock.ticks, count))

    def send(self, tick: int, word: str) -> None:
        self.clock.advance_to(tick)
        self.words.on_next(word)


def test_key_ends_when_its_time_is_over_though_no_element_comes() -> None:
    running = Running()
    running.send(10, "ant")
    running.send(60, "bee")
    running.clock.advance_to(1000)
    assert [count for _, count in running.came] == [("ant", 1), ("bee", 1)]
    assert [110 <= running.came[0][0] < 120, 160 <= running.came[1][0] < 170] == [True, True]


def test_another_element_of_a_key_puts_its_end_off() -> None:
    running = Running()
    for tick in (10, 80, 150):
        running.send(tick, "ant")
    running.clock.advance_to(240)
    assert running.came == []
    running.clock.advance_to(1000)
    [(tick, count)] = running.came
    assert (count, 250 <= tick < 260) == (("ant", 3), True)


def test_key_that_comes_again_after_its_end_is_another_one() -> None:
    running = Running()
    running.send(10, "ant")
    running.send(500, "Ant")
    running.clock.advance_to(1000)
    assert [count for _, count in running.came] == [("ant", 1), ("ant", 1)]


def test_results_wait_for_demand_and_none_is_lost() -> None:
    running = Running(first_request=1)
    for tick, word in enumerate(("ant", "bee", "cat"), 10):
        running.send(tick, word)
    running.clock.advance_to(1000)
    assert running.subscriber.elements == [("ant", 1)]
    running.subscriber.request(5)
    running.clock.advance_to(2000)
    assert running.subscriber.elements == [("ant", 1), ("bee", 1), ("cat", 1)]


@pytest.mark.parametrize(("loaded_at", "expected"), [(50, range(110, 120)), (5000, range(5000, 5010))], ids=str)
def test_key_that_was_saved_ends_at_its_time_or_at_once_where_that_has_passed(loaded_at: int, expected: range) -> None:
    before = Running()
    before.send(10, "ant")
    before.clock.advance_to(20)
    after = Running(save_tree(before.handle), loaded_at)
    after.clock.advance_to(loaded_at + 1000)
    [(tick, count)] = after.came
    assert (count, tick in expected) == (("ant", 1), True)


@pytest.mark.parametrize(
    "leave", [lambda running: running.words.on_complete(), lambda running: running.handle.cancel()]
)
def test_stream_that_is_over_waits_for_nothing(leave: Callable[[Running], object]) -> None:
    running = Running()
    running.send(10, "ant")
    leave(running)
    running.clock.advance_to(20)
    assert running.clock.next_due is None
