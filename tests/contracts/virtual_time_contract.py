"""What holds for every operator's saved state in virtual time: it restores at every tick."""

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from reactivestreams import Stream
from reactivestreams.testing import (
    SUBSCRIBED,
    Notification,
    OnNext,
    Recorded,
    TestObserver,
    TestScheduler,
    on_complete,
    on_next,
)
from tests.conftest import Depth
from tests.contracts.operator_contract import OperatorSubject
from tests.contracts.recording_subscriber import UNBOUNDED

TICKS_APART = 10
"""From one element of the input to the next: a crash and a recovery take some ticks, and a hot input does not wait."""

SETTLING = 7
"""How many ticks behind an element of the input what waits for a scheduler of the test runs."""

TICKS_TO_CRASH = range(SETTLING - 1)
"""How many ticks behind an element a run crashes that has to go on before the next one."""


class VirtualTimeContract(OperatorSubject):
    """The suite: a run that crashes at a tick, and goes on from its state of then, equals the uninterrupted one."""

    @property
    def last_tick(self) -> int:
        """When the input has ended, in a run that begins at SUBSCRIBED."""
        return SUBSCRIBED + TICKS_APART * (len(self.elements) + 1)

    def messages(self, begin: int) -> list[Recorded[Notification]]:
        """Return the input and its end, the first element `TICKS_APART` behind `begin`."""
        ticks = range(begin + TICKS_APART, begin + TICKS_APART * (len(self.elements) + 2), TICKS_APART)
        return [*map(on_next, ticks, self.elements), on_complete(ticks[-1])]

    def over_ticks(self, source: Any) -> Stream[Any]:
        """Return the operator over a test stream."""
        return Stream.from_publisher(source).through(self.subject())

    def settling(self, scheduler: TestScheduler) -> TestScheduler:
        """Have what waits for a scheduler of the test run behind each signal of the input."""
        for tick in range(SUBSCRIBED + SETTLING, 2 * self.last_tick, TICKS_APART):
            scheduler.do_at(tick, self.settle)
        return scheduler

    def test_run_over_hot_ticks_resumes_at_every_tick(self, depth: Depth) -> None:
        def prepared() -> tuple[TestScheduler, Callable[[], Stream[Any]]]:
            scheduler = TestScheduler()
            source = scheduler.create_hot(*self.messages(SUBSCRIBED))
            return self.settling(scheduler), partial(self.over_ticks, source)

        scheduler, create = prepared()
        uninterrupted = scheduler.start(create)
        assert _elements(uninterrupted) == self.expected
        sent = range(SUBSCRIBED, self.last_tick + 1, TICKS_APART)
        for tick in depth.sample([each + later for each in sent for later in TICKS_TO_CRASH]):
            scheduler, create = prepared()
            run = scheduler.crash_and_recover(create, saved=tick, crashed=tick, recovered=tick)
            assert _notifications(run.before) + _notifications(run.after) == _notifications(uninterrupted)
            # What was on its way at the crash comes with the recovery; what is sent then comes when it always does.
            sent_next = next(each for each in (*sent, self.last_tick + TICKS_APART) if each > tick)
            assert _from(sent_next, run.after) == _from(sent_next, uninterrupted)

    def requests_at_ticks(self, rng: random.Random) -> Mapping[int, int]:
        """Return requests at some ticks, and one behind all that brings the rest."""
        ticks = sorted(rng.sample(range(SUBSCRIBED, self.last_tick), len(self.elements)))
        return {tick: rng.choice([1, 1, 2, 3]) for tick in ticks} | {self.last_tick + 1: UNBOUNDED}

    def test_run_over_cold_ticks_resumes_at_every_tick_under_random_demand(self, depth: Depth) -> None:
        rng = random.Random(depth.seed)
        for tick in depth.sample(list(range(SUBSCRIBED, self.last_tick + 1))):
            scheduler = TestScheduler()
            source = scheduler.create_cold(*self.messages(0))
            create = partial(self.over_ticks, source)
            requests = self.requests_at_ticks(rng)
            run = self.settling(scheduler).crash_and_recover(
                create, saved=tick, crashed=tick, recovered=tick, requests=requests
            )
            assert _elements(run.before) + _elements(run.after) == self.expected
            assert on_complete(0).value in _notifications(run.before) + _notifications(run.after)
            assert len(_elements(run.before)) <= sum(n for at, n in requests.items() if at <= tick)


def _notifications(observer: TestObserver) -> list[Notification]:
    return [message.value for message in observer.messages]


def _from(tick: int, observer: TestObserver) -> list[Recorded[Notification]]:
    return [message for message in observer.messages if message.tick >= tick]


def _elements(observer: TestObserver) -> list[Any]:
    return [notification.element for notification in _notifications(observer) if isinstance(notification, OnNext)]
