"""Metrics in memory."""

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError
from reactivestreams.metrics import MemoryMetrics


def test_table_has_a_line_for_each_run() -> None:
    metrics = MemoryMetrics()
    Stream.range(2000).tap(metrics, name="numbers").run()
    with pytest.raises(ZeroDivisionError):
        Stream.just(1, 0).map(lambda n: 1 // n).tap(metrics, name="quotients").to_list()
    heading, numbers, quotients = str(metrics).splitlines()
    assert heading.split("  ")[0] == "name"
    assert numbers.split()[:4] == ["numbers", "completed", "2,000", "unbounded"]
    assert quotients.split()[:4] == ["quotients", "failed:", "ZeroDivisionError", "1"]
    assert repr(metrics) == "<MemoryMetrics of 2 runs>"


def test_last_runs_are_kept_and_the_last_of_a_name_is_found() -> None:
    metrics = MemoryMetrics(max_runs=2)
    for size in (3, 4, 5):
        Stream.range(size).tap(metrics, name="numbers").run()
    assert [run.elements for run in metrics.runs] == [4, 5]
    assert metrics["numbers"].elements == 5
    with pytest.raises(KeyError):
        metrics["others"]


def test_bound_is_checked() -> None:
    with pytest.raises(ArgumentError, match=r"MemoryMetrics\(max_runs\)"):
        MemoryMetrics(max_runs=0)
