"""Timed operators over ten minutes of virtual time: stepped, paused, and saved and recovered sixty times.

Nothing is lost or repeated, and nothing drifts: what comes late because of a pause leaves later times as they are.
"""

import random
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.lifecycle import set_tree_context, start_tree, subscribe_tree
from reactivestreams.state import load_tree, save_tree
from reactivestreams.testing import Notification, Recorded, TestScheduler, on_complete, on_next

Build = Callable[[Any], Stream[Any]]

SECOND = 1_000_000
MINUTES = 10
END = MINUTES * 60 * SECOND
START = 200


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def moments() -> list[Recorded[Notification]]:
    """Return a number about four times a second, in bursts, to the tick; none near a full second, when one saves."""
    chosen = random.Random(20131)
    at = (
        second * SECOND + chosen.randrange(100_000, 900_000) for second in range(1, MINUTES * 60 - 5) for _ in range(4)
    )
    return [on_next(tick, number) for number, tick in enumerate(sorted(set(at)))]


SENT = moments()

OPERATORS: dict[str, Build] = {
    "delay": lambda s: s.delay(seconds(0.05)),
    "debounce": lambda s: s.debounce(seconds(0.03)),
    "audit": lambda s: s.audit(seconds(0.05)),
    "throttle_first": lambda s: s.throttle_first(seconds(0.05)),
    "throttle_latest": lambda s: s.throttle_latest(seconds(0.05)),
    "sample": lambda s: s.sample(seconds(0.75)),
    "buffer_timeout": lambda s: s.buffer_timeout(3, seconds(0.06)),
    "group_by_until": lambda s: s.group_by_until(lambda n: n // 10, lambda key: Stream.timer(seconds(1.7))).concat_map(
        lambda g: g.buffer(9)
    ),
    "window_toggle": lambda s: s.window_toggle(
        Stream.interval(seconds(1.9)), lambda n: Stream.timer(seconds(1.1))
    ).concat_map(lambda window: window.buffer(9)),
    "window_timeout": lambda s: s.window_timeout(3, seconds(0.06)).concat_map(lambda window: window.buffer(9)),
    "timeout": lambda s: s.timeout(seconds(30)),
    "skip_for": lambda s: s.skip_for(seconds(2.05)),
    "take_for": lambda s: s.take_for(seconds(599.05)),
    "delay_until": lambda s: s.delay_until(lambda n: Stream.timer(seconds(0.01 * (n % 3)))),
    "timestamp": lambda s: s.timestamp().map(lambda pair: pair[1]),
    "time_interval": lambda s: s.time_interval().map(lambda pair: pair[1]),
    "interval": lambda _: Stream.interval(seconds(0.75)),
    "timer": lambda _: Stream.timer(seconds(0.3), seconds(0.75)),
    "delay_subscription": lambda s: s.delay_subscription(seconds(9.05)),
    "expire_after": lambda s: s.key_by(lambda n: n % 7).expire_after(1.5).count(),
    "rate_limit": lambda s: s.on_backpressure_buffer(10_000).rate_limit(50, seconds(0.9)),
}


LOSES_NOTHING = {
    "buffer_timeout", "delay", "delay_until", "rate_limit", "time_interval", "timeout", "timestamp", "window_timeout"
}  # fmt: skip

FEW_TICKS = 4
CALM = 5 * SECOND
"""How long after a pause all is as it would have been without."""


class Hops:
    """A run that can be left and gone on with.

    Args:
        build: Puts the operator behind the source.
        waits: Whether what the source has to send waits for demand; else it is lost without, and due at the same tick
            after a recovery.
    """

    def __init__(self, build: Build, *, waits: bool = False) -> None:
        self.scheduler = TestScheduler()
        create = self.scheduler.create_cold if waits else self.scheduler.create_hot
        self.source = create(*SENT, on_complete(END - SECOND // 2))
        self.build = build
        self.observers: list[Any] = []
        self.handle: Any = None
        self.scheduler.do_at(START, self.begin)

    def begin(self, state: bytes | None = None) -> None:
        stream = self.build(Stream.from_publisher(self.source, recovery="exact"))
        self.observers.append(self.scheduler.create_observer())
        self.handle = stream.bind(self.observers[-1])
        subscribe_tree(self.handle)
        set_tree_context(self.handle, self.scheduler.create_context())
        if state is not None:
            load_tree(self.handle, state)
        start_tree(self.handle)

    def crash_and_recover(self) -> None:
        state = save_tree(self.handle)
        self.handle.dispose()
        self.begin(state)

    def finish(self) -> list[tuple[int, str]]:
        """Return the tick and the text of each signal."""
        self.scheduler.clock.advance_to(END)
        self.handle.dispose()
        self.scheduler.clock.start()
        return [(message.tick, str(message.value)) for observer in self.observers for message in observer.messages]


def is_same(messages: list[tuple[int, str]], expected: list[tuple[int, str]]) -> bool:
    """Whether the signals are the same, at the same ticks but for those that a turn yields or a start takes."""
    ticks = zip(messages, expected, strict=False)
    near = all(abs(one[0] - other[0]) <= FEW_TICKS for one, other in ticks)
    return near and [signal for _, signal in messages] == [signal for _, signal in expected]


@pytest.fixture(params=sorted(OPERATORS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def steps() -> Iterator[int]:
    """Yield a moment in each second, and some that are close to one another."""
    chosen = random.Random(7)
    tick = START + 1
    while (tick := tick + chosen.choice([1, 2, 1000, 300_000, 3 * SECOND])) < END:
        yield tick


def test_stepped_run_is_the_same_to_the_tick(name: str) -> None:
    whole = Hops(OPERATORS[name]).finish()
    stepped = Hops(OPERATORS[name])
    for tick in steps():
        stepped.scheduler.clock.advance_to(tick)
    assert stepped.finish() == whole
    assert len(whole) > MINUTES * 60 / 2


def test_paused_run_loses_nothing_and_does_not_drift(name: str) -> None:
    """Pause for half a minute, three times: what came then comes at its end, and what comes after that is on time."""
    whole = Hops(OPERATORS[name], waits=True).finish()
    paused = Hops(OPERATORS[name], waits=True)
    pauses = [(minute * 60 * SECOND, (minute * 60 + 30) * SECOND) for minute in (2, 5, 8)]
    for begin, end in pauses:
        paused.scheduler.clock.advance_to(begin)
        assert paused.scheduler.pause_async().wait(timeout_seconds=10)
        paused.scheduler.clock.advance_to(end)
        paused.scheduler.continue_()
    messages = paused.finish()

    def away_from_pauses(all_messages: list[tuple[int, str]]) -> list[tuple[int, str]]:
        return [one for one in all_messages if not any(begin <= one[0] < end + CALM for begin, end in pauses)]

    assert not any(begin < tick < end for tick, _ in messages for begin, end in pauses)
    assert is_same(away_from_pauses(messages), away_from_pauses(whole))
    if name in LOSES_NOTHING:
        numbers = [number for _, signal in messages for number in re.findall(r"\d+", signal)]
        assert numbers == [str(number) for number in range(len(SENT))]


@pytest.mark.parametrize("name", OPERATORS)
def test_run_that_is_saved_and_recovered_each_ten_seconds_is_the_same(name: str) -> None:
    hopping = Hops(OPERATORS[name])
    for second in range(10, MINUTES * 60, 10):
        hopping.scheduler.do_at(second * SECOND, hopping.crash_and_recover)
    assert is_same(hopping.finish(), Hops(OPERATORS[name]).finish())
    assert len(hopping.observers) == MINUTES * 6
