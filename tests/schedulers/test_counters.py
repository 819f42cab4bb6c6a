"""Performance counters: what is counted, and that they add up."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.schedulers import LogicalScheduler, PerformanceCounters
from tests.contracts.manual_scheduler import ManualPhysical, ManualScheduler
from tests.contracts.scheduler_contract import SHORT, Turns
from tests.contracts.scheduler_tree_contract import Sleeper

SHORT_NANOSECONDS = 20_000_000
counters = st.builds(PerformanceCounters, *[st.integers()] * 8)


@given(counters, counters, counters)
def test_counters_add_up_like_numbers(a: PerformanceCounters, b: PerformanceCounters, c: PerformanceCounters) -> None:
    zero = PerformanceCounters()
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + zero == a
    assert a - a == zero
    assert (a + b) - b == a
    assert a - b == a + -b
    assert hash(a + b) == hash(b + a)


@pytest.mark.parametrize("other", [None, 1, (0,) * 8])
def test_other_things_are_neither_equal_nor_added(other: object) -> None:
    zero = PerformanceCounters()
    assert zero != other
    with pytest.raises(TypeError):
        zero + other
    with pytest.raises(TypeError):
        zero - other


def test_clock_is_read_when_a_slice_begins_and_when_a_turn_ends() -> None:
    class Counting(ManualPhysical):
        readings = 0

        def clock_nanoseconds(self) -> int:
            self.readings += 1
            return super().clock_nanoseconds()

    physical = Counting()
    root = LogicalScheduler(physical)
    for _ in range(10):
        root.schedule(lambda: None)
    root.schedule(print, due=SHORT)
    physical.readings = 0
    assert physical.line.popleft().run_slice() == 10
    assert physical.readings == 11


def test_what_a_task_does_when_it_is_asked_is_no_turn_of_the_next_one() -> None:
    scheduler = ManualScheduler()

    class Slow(Turns):
        def recalculate_priority(self) -> None:
            scheduler.advance(SHORT)

    child = scheduler.create_child()
    scheduler.schedule(Slow(2, lambda name: None))
    child.schedule(lambda: None)
    scheduler.manual.line.popleft().run_slice()
    nanoseconds = [each.performance_counters().user_nanoseconds for each in (scheduler, child)]
    assert (nanoseconds, scheduler.manual.elapsed) == ([0, 0], SHORT)


def test_turns_are_counted_and_ticks_are_not_where_nothing_had_to_wait() -> None:
    scheduler = ManualScheduler()
    child = scheduler.create_child()
    for number in range(10):
        (scheduler, child)[number % 2].schedule(Turns(2, lambda name: None), due=-SHORT if number < 5 else None)
    scheduler.run_waiting()
    own, below = scheduler.performance_counters(), scheduler.performance_counters(include_children=True)
    assert (own.task_execution_count, below.task_execution_count) == (10, 20)
    assert (own.timer_tick_count, below.timer_tick_count) == (0, 0)


def test_each_task_that_had_to_wait_for_its_time_is_a_tick() -> None:
    scheduler = ManualScheduler()
    child = scheduler.create_child()
    for number in range(10):
        (scheduler, child)[number % 2].schedule(Turns(2, lambda name: None), due=SHORT * number)
    scheduler.advance(10 * SHORT)
    scheduler.run_waiting()
    own, below = scheduler.performance_counters(), scheduler.performance_counters(include_children=True)
    assert (own.timer_tick_count, below.timer_tick_count) == (4, 9)  # the first was due at once
    assert (own.task_execution_count, below.task_execution_count) == (10, 20)


def test_queues_are_counted_by_what_their_tasks_wait_for() -> None:
    scheduler = ManualScheduler()
    scheduler.schedule(Sleeper(1, print))
    scheduler.run_waiting()
    scheduler.schedule(print, due=SHORT)
    scheduler.schedule(print, due=timedelta.max)
    for _ in range(3):
        scheduler.schedule(print)
    seen = scheduler.performance_counters()
    assert (seen.ready_count, seen.parked_count, seen.timed_count) == (3, 1, 2)


def test_uptime_and_paused_time_are_those_of_the_scheduler_that_is_asked() -> None:
    scheduler = ManualScheduler()
    scheduler.advance(SHORT)
    child = scheduler.create_child()
    scheduler.advance(SHORT)
    assert child.pause()
    scheduler.advance(SHORT)
    below = scheduler.performance_counters(include_children=True)
    assert (below.uptime_nanoseconds, below.paused_nanoseconds) == (3 * SHORT_NANOSECONDS, 0)
    own = child.performance_counters()
    assert (own.uptime_nanoseconds, own.paused_nanoseconds) == (2 * SHORT_NANOSECONDS, SHORT_NANOSECONDS)
    child.continue_()
    scheduler.advance(SHORT)
    own = child.performance_counters()
    assert (own.uptime_nanoseconds, own.paused_nanoseconds) == (3 * SHORT_NANOSECONDS, SHORT_NANOSECONDS)
    child.dispose()
    scheduler.advance(SHORT)
    assert child.performance_counters() == own


def test_time_of_a_turn_is_counted_for_its_scheduler() -> None:
    scheduler = ManualScheduler()
    child = scheduler.create_child()
    child.schedule(lambda: scheduler.advance(SHORT))
    scheduler.schedule(lambda: scheduler.advance(2 * SHORT))
    scheduler.run_waiting()
    assert [
        scheduler.performance_counters().user_nanoseconds,
        child.performance_counters().user_nanoseconds,
        scheduler.performance_counters(include_children=True).user_nanoseconds,
    ] == [2 * SHORT_NANOSECONDS, SHORT_NANOSECONDS, 3 * SHORT_NANOSECONDS]


def test_turn_that_ends_after_the_disposal_is_counted_above() -> None:
    scheduler = ManualScheduler()
    middle = scheduler.create_child()
    child = middle.create_child()
    child.schedule(middle.dispose)
    scheduler.run_waiting()
    assert scheduler.performance_counters(include_children=True).task_execution_count == 1
    assert child.performance_counters().task_execution_count == 1
