"""A task that is due at a time of day runs at that time, also if the clock is set or the machine sleeps meanwhile."""

from datetime import datetime, timedelta

import pytest

from reactivestreams.errors import ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers import LogicalScheduler, nanoseconds_until
from tests.contracts.manual_scheduler import ManualPhysical

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


class TwoClocks(ManualPhysical):
    """A time of day beside a clock that only counts while the machine is awake."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = timedelta()

    @property
    def now(self) -> datetime:
        return super().now + self.shift

    def clock_nanoseconds(self) -> int:
        return nanoseconds_until(self.elapsed, self.now)

    def advance(self, time: timedelta) -> None:
        end = self.elapsed + time
        while self.elapsed < end:
            self.elapsed = min(end, self.elapsed + SECOND)
            while self.run_turn():
                pass


@pytest.fixture
def physical() -> TwoClocks:
    return TwoClocks()


def scheduled(physical: TwoClocks, due: timedelta) -> list[datetime]:
    ran: list[datetime] = []
    LogicalScheduler(physical).schedule(lambda: ran.append(physical.now), due=physical.now + due)
    return ran


def test_task_far_away_runs_at_its_time(physical: TwoClocks) -> None:
    due = physical.now + HOUR
    ran = scheduled(physical, HOUR)
    physical.advance(HOUR - SECOND)
    assert ran == []
    physical.advance(SECOND)
    assert ran == [due]


@pytest.mark.parametrize("after", [timedelta(), 30 * MINUTE, HOUR - SECOND, HOUR], ids=str)
def test_task_far_away_can_be_cancelled_until_it_runs(physical: TwoClocks, after: timedelta) -> None:
    ran: list[str] = []
    handle = LogicalScheduler(physical).schedule(lambda: ran.append("ran"), due=physical.now + HOUR)
    physical.advance(after)
    is_over = after == HOUR
    assert [handle.cancel(), handle.cancel()] == [not is_over, False]
    physical.advance(2 * HOUR)
    assert ran == ["ran"] * is_over


def test_machine_that_slept_runs_it_at_most_a_minute_late(physical: TwoClocks) -> None:
    due = physical.now + 2 * HOUR
    ran = scheduled(physical, 2 * HOUR)
    physical.advance(MINUTE * 10)
    physical.shift += 3 * HOUR
    physical.advance(MINUTE)
    assert len(ran) == 1
    assert ran[0] - due <= HOUR + 11 * MINUTE


def test_clock_that_was_set_back_delays_it(physical: TwoClocks) -> None:
    due = physical.now + HOUR
    ran = scheduled(physical, HOUR)
    physical.advance(MINUTE)
    physical.shift -= HOUR / 2
    physical.advance(HOUR)
    assert ran == []
    physical.advance(HOUR)
    assert ran == [due]


def test_delay_is_not_moved_by_the_clock(physical: TwoClocks) -> None:
    ran: list[timedelta] = []
    LogicalScheduler(physical).schedule(lambda: ran.append(physical.elapsed), due=HOUR)
    physical.shift -= HOUR / 2
    physical.advance(HOUR)
    assert ran == [HOUR]


def test_task_that_waits_for_its_time_is_discarded_with_its_scheduler(physical: TwoClocks) -> None:
    errors: list[Exception] = []

    class Task:
        def execute(self, scheduler: object) -> bool:
            raise AssertionError

        def discard(self, error: Exception) -> None:
            errors.append(error)

    root = LogicalScheduler(physical)
    root.schedule(Task(), due=physical.now + HOUR)
    root.dispose()
    assert [type(error) for error in errors] == [SchedulerDisposedError]


def test_task_that_cannot_run_is_refused_at_once(physical: TwoClocks) -> None:
    with pytest.raises(ArgumentTypeError, match="needs a callable or a SchedulerTask, got 7"):
        LogicalScheduler(physical).schedule(7, due=physical.now + HOUR)  # type: ignore[arg-type]
