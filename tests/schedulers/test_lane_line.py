"""The line of lanes: who sleeps until when, and who is woken."""

import threading
import time
from datetime import timedelta

import pytest

from reactivestreams.schedulers import LogicalScheduler, WorkerPool
from reactivestreams.schedulers.lane_line import LaneLine
from rs_core.scheduling.task_lane import Lane
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.scheduler_contract import WAIT_SECONDS
from tests.schedulers.pools import Countdown

NOW = 1_000


def lanes(count: int) -> list[Lane]:
    manual = ManualScheduler().manual
    return [Lane(manual) for _ in range(count)]


def test_first_come_is_first_served() -> None:
    line = LaneLine()
    first, second = lanes(2)
    for lane in (first, second):
        line.put(lane)
    assert (line.take(NOW), line.is_empty, line.take(NOW), line.is_empty) == (first, False, second, True)


def test_closed_line_gives_what_is_there_and_then_nothing() -> None:
    line = LaneLine()
    (lane,) = lanes(1)
    line.put(lane)
    line.close()
    assert (line.take(NOW), line.take(NOW), line.take(NOW)) == (lane, None, None)


def test_lane_has_one_alarm_the_earliest() -> None:
    line = LaneLine()
    (lane,) = lanes(1)
    for due in (NOW + 5, NOW + 2, NOW + 9):
        line.set_alarm(lane, due)
    assert (len(line._alarms), line._alarms.peek_key()) == (1, NOW + 2)
    line.forget(lane)
    assert line.is_empty


def test_lane_whose_root_was_disposed_is_given_no_alarm() -> None:
    line = LaneLine()
    root = ManualScheduler()
    child = root.create_child()
    child.dispose()
    line.set_alarm(root._lane, NOW + 1)
    assert not line.is_empty
    root.dispose()
    line.forget(root._lane)
    line.set_alarm(root._lane, NOW + 1)
    assert line.is_empty


def test_lane_that_is_in_line_is_not_put_there_again() -> None:
    line = LaneLine()
    first, second = lanes(2)
    for lane in (first, second, first):
        line.put_unless_in_line(lane)
    assert (line.take(NOW), line.take(NOW), line.is_empty) == (first, second, True)


def test_interrupt_of_a_runner_that_lies_down_leaves_no_trace_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    line = LaneLine()
    keep = line._keep
    (lane,) = lanes(1)
    line.set_alarm(lane, NOW + 1)

    def interrupted(sleeper: threading.Lock, now: int) -> float:
        keep(sleeper, now)
        raise KeyboardInterrupt

    monkeypatch.setattr(line, "_keep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        line.take(NOW)
    assert (line._idle, line._keeper, line._alarms.key_of(lane)) == ([], None, NOW + 1)


def test_alarm_that_is_due_rings_its_lane() -> None:
    line = LaneLine()
    lane, later = lanes(2)
    line.set_alarm(later, NOW + 1)
    line.set_alarm(lane, NOW)
    manual = lane.physical
    line.close()
    assert line.take(NOW) is None
    assert list(manual.line) == [lane]  # type: ignore[attr-defined]
    assert line._alarms.peek() is later


def test_sleeper_is_woken_by_a_lane_an_earlier_alarm_a_forgotten_one_and_the_end() -> None:
    line = LaneLine()
    lane, other = lanes(2)
    taken: list[Lane | None] = []
    is_back = threading.Semaphore(0)

    def run() -> None:
        for _ in range(4):
            taken.append(line.take(NOW))
            is_back.release()

    runner = threading.Thread(target=run)
    runner.start()
    wakes = [
        lambda: line.put(lane),
        lambda: line.set_alarm(other, NOW + 10**15),
        lambda: line.forget(other),
        line.close,
    ]
    for wake in wakes:
        until = time.monotonic() + WAIT_SECONDS
        while not line._idle and time.monotonic() < until:
            time.sleep(0)
        wake()
        assert is_back.acquire(timeout=WAIT_SECONDS)
    runner.join(WAIT_SECONDS)
    assert taken == [lane, None, None, None]
    assert line._idle == []


def test_pool_misses_no_timer_of_many_rounds() -> None:
    for _ in range(20):
        with WorkerPool(workers=3, name="reactivestreams-timers") as pool:
            root = LogicalScheduler(pool, affinity="any")
            done = Countdown(200)
            for number in range(200):
                root.schedule(done, due=timedelta(microseconds=(number * 7_919) % 10_000))
            assert done.wait()
