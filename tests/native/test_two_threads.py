"""Demand, ring and parker under threads that really run at the same time."""

from types import ModuleType

import pytest

from tests.native.running import report_contention
from tests.together import run_together

UNBOUNDED = 2**63 - 1

pytestmark = pytest.mark.slow


@pytest.fixture
def native(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["two_threads"]


@pytest.mark.parametrize(("capacity", "count"), [(1, 20_000), (3, 100_000), (1000, 1_000_000), (1024, 1_000_000)])
def test_numbers_pass_a_ring_in_order_and_complete(native: ModuleType, capacity: int, count: int) -> None:
    ring = native.NumberRing(capacity)
    refused, (wrong, empty), out_of_bounds = run_together(
        lambda: ring.produce(count), lambda: ring.consume(count), lambda: ring.observe(1000)
    )
    assert (wrong, out_of_bounds) == (0, 0)
    operations = 2 * count + refused + empty
    report_contention("SPSC ring", capacity=capacity, contended=refused + empty, operations=operations)


def test_no_request_is_lost_while_another_thread_takes(native: ModuleType) -> None:
    demand = native.NumberDemand()
    _, _, most = run_together(
        lambda: demand.add(1_000_000, 1), lambda: demand.add(500_000, 3), lambda: demand.take_up_to(2_500_000, 7)
    )
    assert (demand.value, most <= 7) == (0, True)


def test_a_demand_never_falls_below_zero_and_one_add_is_told_each_time_that_it_leaves_zero(native: ModuleType) -> None:
    demand = native.NumberDemand()
    first, second, (least, to_zero) = run_together(
        lambda: demand.add(1_000_000, 1), lambda: demand.add(1_000_000, 1), lambda: demand.take_what_is_seen(2_000_000)
    )
    assert (least, demand.value, first + second) == (0, 0, to_zero)


def test_a_demand_that_saturates_under_two_threads_stays_unbounded(native: ModuleType) -> None:
    demand = native.NumberDemand(UNBOUNDED - 1_000_000)
    run_together(lambda: demand.add(1_000_000, 3), lambda: demand.add(1_000_000, 5))
    assert demand.value == UNBOUNDED


def test_exactly_one_of_many_cancels_is_told_that_it_cancelled(native: ModuleType) -> None:
    demand = native.NumberDemand(5)
    cancelled = run_together(*[demand.cancel] * 4)
    assert (sorted(cancelled), demand.value) == ([False, False, False, True], -(2**63))


def test_two_threads_that_wake_each_other_in_turn_never_lose_a_wake_up(native: ModuleType) -> None:
    ball = native.Ball()
    assert run_together(lambda: ball.play(20_000, True), lambda: ball.play(20_000, False)) == [39_999, 40_000]
