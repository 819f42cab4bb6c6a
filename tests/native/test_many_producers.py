"""The ring of many producers under threads that really run at the same time."""

from types import ModuleType

import pytest

from tests.native.running import report_contention
from tests.together import run_together

PRODUCERS = 3

pytestmark = pytest.mark.slow


@pytest.fixture
def native(harnesses: dict[str, ModuleType]) -> ModuleType:
    return harnesses["many_producers"]


@pytest.mark.parametrize(("capacity", "count"), [(1, 5_000), (2, 10_000), (3, 30_000), (1000, 200_000)])
def test_the_numbers_of_each_producer_arrive_in_order_and_complete(
    native: ModuleType, capacity: int, count: int
) -> None:
    ring = native.ManyProducerRing(capacity)
    *offers, (wrong, empty), out_of_bounds = run_together(
        *[lambda producer=producer: ring.produce(producer, count) for producer in range(PRODUCERS)],
        lambda: ring.consume(PRODUCERS, count),
        lambda: ring.observe(1000),
    )
    assert (wrong, out_of_bounds) == (0, 0)
    contended = sum(offers) - PRODUCERS * count + empty
    operations = sum(offers) + PRODUCERS * count + empty
    report_contention("MPSC ring", capacity=capacity, contended=contended, operations=operations)


@pytest.mark.parametrize("capacity", [1, 2, 3, 64])
def test_a_closed_ring_accepts_nothing_more_and_loses_nothing(native: ModuleType, capacity: int) -> None:
    ring, count = native.ManyProducerRing(capacity), 5_000 if capacity > 3 else 1_000  # threads wait for their slices
    *produced, (taken, total, disorder) = run_together(
        *[lambda producer=producer: ring.produce_until_closed(producer, count) for producer in range(PRODUCERS)],
        lambda: ring.take(False),
    )
    accepted = [count for count, _ in produced]
    assert [wrong for _, wrong in produced] == [0] * PRODUCERS
    assert (taken, disorder, max(accepted)) == (sum(accepted), 0, count)
    assert total == sum(count * (count + 1) // 2 for count in accepted)


@pytest.mark.parametrize("capacity", [1, 2, 3, 64])
def test_what_producers_evict_and_what_the_consumer_takes_is_what_was_offered(
    native: ModuleType, capacity: int
) -> None:
    count, ring = 20_000, native.ManyProducerRing(capacity)

    def produce_all() -> tuple[int, ...]:
        produced = run_together(
            *[lambda producer=producer: ring.produce_evicting(producer, count) for producer in range(PRODUCERS)]
        )
        ring.close()
        return tuple(map(sum, zip(*produced, strict=True)))

    (evicted, evicted_sum, offers), (taken, taken_sum, disorder) = run_together(produce_all, lambda: ring.take(True))
    assert (evicted + taken, disorder) == (PRODUCERS * count, 0)
    assert evicted_sum + taken_sum == PRODUCERS * count * (count + 1) // 2
    report_contention("MPSC ring that evicts", capacity=capacity, contended=evicted, operations=offers + taken)


def test_exactly_one_of_many_closes_is_told_that_it_closed(native: ModuleType) -> None:
    ring = native.ManyProducerRing(4)
    assert sorted(run_together(*[ring.close] * 4)) == [False, False, False, True]
