"""The meter counts exactly, keeps the greatest fill and measures growth from 10 % of the rows on."""

import mmap
from dataclasses import replace

import pytest

from reactivestreams.demo import slow_consumer
from reactivestreams.demo.slow_consumer import FlowMeter, FlowReport, resident_bytes


def flow(**changes) -> FlowReport:
    return replace(
        FlowReport(
            produced=10,
            taken=10,
            fill_maximum=4,
            fill_bound=4,
            requested=10,
            request_count=1,
            overrun_maximum=0,
            interval_seconds=[],
            interval_low=[],
            interval_high=[],
            interval_resident=[],
            close_up=[],
            close_up_requests=[],
        ),
        **changes,
    )


def test_greatest_fill_is_exact_between_samples() -> None:
    meter = FlowMeter(100, pause_seconds=0)
    source = meter.count_produced(range(100))
    for ahead in (3, 7, 2):
        for _ in range(ahead):
            next(source)
        while meter.taken < meter.produced:
            meter.count_taken(None)

    report = meter.report()

    assert (report.produced, report.taken, report.fill_maximum) == (12, 12, 7)


@pytest.mark.parametrize("total", [1, 3, 199, 200, 201, 1_000, 1_001])
def test_every_interval_is_filled_when_all_rows_were_taken(total: int) -> None:
    meter = FlowMeter(total, pause_seconds=0)
    for _ in meter.count_produced(range(total)):
        meter.count_taken(None)

    report = meter.report()

    assert report.taken == total
    assert len(report.interval_seconds) == len(report.interval_low) == len(report.interval_high) <= 200
    assert report.interval_seconds == sorted(report.interval_seconds)
    assert min(report.interval_seconds) > 0
    assert set(report.interval_high) == {1}
    assert set(report.interval_low) == {0}


def test_intervals_hold_their_own_least_and_greatest_fill() -> None:
    meter = FlowMeter(400, pause_seconds=0)  # two elements an interval
    source = meter.count_produced(range(400))
    for _ in range(6):
        next(source)
    for _ in range(6):
        meter.count_taken(None)

    report = meter.report()

    assert (report.interval_high, report.interval_low) == ([6, 4, 2], [4, 2, 0])


def test_close_up_knows_fill_and_requests() -> None:
    meter = FlowMeter(64, pause_seconds=0)
    source = meter.count_produced(range(64))
    for asked in (40, 24):
        meter.count_requested(asked)
    for _ in range(40):
        next(source)
    for _ in range(32):
        meter.count_taken(None)

    report = meter.report()

    assert [sample.fill for sample in report.close_up] == [24, 8]
    assert [request.n for request in report.close_up_requests] == [40, 24]
    assert (report.requested, report.request_count, report.overrun_maximum) == (64, 2, -24)


def test_element_that_nobody_requested_is_reported() -> None:
    meter = FlowMeter(64, pause_seconds=0)
    source = meter.count_produced(range(64))
    meter.count_requested(2)
    for _ in range(3):
        next(source)

    report = meter.report()

    assert report.overrun_maximum == 1
    assert not report.is_bounded


def test_pause_is_made_every_so_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(slow_consumer.time, "sleep", pauses.append)
    meter = FlowMeter(1_000, pause_seconds=0.25)
    for _ in meter.count_produced(range(1_000)):
        meter.count_taken(None)

    assert pauses == [0.25] * (1_000 // slow_consumer.PAUSE_EVERY_ELEMENTS)


def test_fill_above_the_bound_is_reported() -> None:
    assert flow(fill_maximum=4).is_bounded
    assert not flow(fill_maximum=5).is_bounded


def test_growth_counts_from_ten_percent_and_takes_the_peak() -> None:
    resident = [1, 50, *[10] * 8, 10, 10, 10, 17, 12, 10, 10, 10, 10, 10]  # 20 intervals, the second ends at 10 %

    assert flow(interval_resident=resident).growth_bytes == 0
    assert flow(interval_resident=[90, 10, *resident[2:]]).growth_bytes == 7


def test_growth_is_unknown_where_the_system_tells_nothing() -> None:
    assert flow().growth_bytes is None


def test_resident_memory_grows_with_what_is_held() -> None:
    before = resident_bytes()
    if before is None:
        pytest.skip("this system does not tell")
    with mmap.mmap(-1, 64 << 20) as held:  # memory of its own, not some that the process has freed
        held[::4096] = b"x" * len(held[::4096])

        assert resident_bytes() - before > 32 << 20
