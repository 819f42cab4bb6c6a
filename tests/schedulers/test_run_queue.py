"""The line of queues: who sleeps until when, and who is woken."""

import threading
import time
from datetime import timedelta

import pytest

from reactivestreams.schedulers import LogicalScheduler, WorkerPool
from reactivestreams.schedulers.run_queue import RunQueue
from rs_core.scheduling.serial_queue import SerialQueue
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.scheduler_contract import WAIT_SECONDS
from tests.schedulers.pools import Countdown

NOW = 1_000


def queues(count: int) -> list[SerialQueue]:
    manual = ManualScheduler().manual
    return [SerialQueue(manual) for _ in range(count)]


def test_first_come_is_first_served() -> None:
    line = RunQueue()
    first, second = queues(2)
    for queue in (first, second):
        line.put(queue)
    assert (line.take(NOW), line.is_empty, line.take(NOW), line.is_empty) == (first, False, second, True)


def test_closed_line_gives_what_is_there_and_then_nothing() -> None:
    line = RunQueue()
    (queue,) = queues(1)
    line.put(queue)
    line.close()
    assert (line.take(NOW), line.take(NOW), line.take(NOW)) == (queue, None, None)


def test_queue_has_one_alarm_the_earliest() -> None:
    line = RunQueue()
    (queue,) = queues(1)
    for due in (NOW + 5, NOW + 2, NOW + 9):
        line.set_alarm(queue, due)
    assert (len(line._alarms), line._alarms.peek_key()) == (1, NOW + 2)
    line.forget(queue)
    assert line.is_empty


def test_queue_whose_root_was_disposed_is_given_no_alarm() -> None:
    line = RunQueue()
    root = ManualScheduler()
    child = root.create_child()
    child.dispose()
    line.set_alarm(root._queue, NOW + 1)
    assert not line.is_empty
    root.dispose()
    line.forget(root._queue)
    line.set_alarm(root._queue, NOW + 1)
    assert line.is_empty


def test_queue_that_is_in_line_is_not_put_there_again() -> None:
    line = RunQueue()
    first, second = queues(2)
    for queue in (first, second, first):
        line.put_once(queue)
    assert (line.take(NOW), line.take(NOW), line.is_empty) == (first, second, True)


def test_interrupt_of_a_runner_that_lies_down_leaves_no_trace_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    line = RunQueue()
    original = line._sleep_seconds
    (queue,) = queues(1)
    line.set_alarm(queue, NOW + 1)

    def interrupted(sleeper: threading.Lock, now: int) -> float:
        original(sleeper, now)
        raise KeyboardInterrupt

    monkeypatch.setattr(line, "_sleep_seconds", interrupted)
    with pytest.raises(KeyboardInterrupt):
        line.take(NOW)
    assert (line._idle, line._timekeeper, line._alarms.key_of(queue)) == ([], None, NOW + 1)


def test_alarm_that_is_due_rings_its_queue() -> None:
    line = RunQueue()
    queue, later = queues(2)
    line.set_alarm(later, NOW + 1)
    line.set_alarm(queue, NOW)
    manual = queue.physical
    line.close()
    assert line.take(NOW) is None
    assert list(manual.line) == [queue]  # type: ignore[attr-defined]
    assert line._alarms.peek() is later


def test_sleeper_is_woken_by_a_queue_an_earlier_alarm_a_forgotten_one_and_the_end() -> None:
    line = RunQueue()
    queue, other = queues(2)
    taken: list[SerialQueue | None] = []
    is_back = threading.Semaphore(0)

    def run() -> None:
        for _ in range(4):
            taken.append(line.take(NOW))
            is_back.release()

    runner = threading.Thread(target=run)
    runner.start()
    wakes = [
        lambda: line.put(queue),
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
    assert taken == [queue, None, None, None]
    assert line._idle == []


def test_pool_misses_no_timer_of_many_rounds() -> None:
    for _ in range(20):
        with WorkerPool(workers=3, name="reactivestreams-timers") as pool:
            root = LogicalScheduler(pool, affinity="any")
            done = Countdown(200)
            for number in range(200):
                root.schedule(done, due=timedelta(microseconds=(number * 7_919) % 10_000))
            assert done.wait()
